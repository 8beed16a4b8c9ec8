//! The raw form: tables as rows with a `schema` that says which column is where.
//!
//! Found bare, or below `profile` where the developer tools of Firefox up to 60 saved it. A location is a function
//! with its source in brackets, or an address.

use model::Profile;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Row, Stacks, order};
use crate::error::{At, Kind, ParseError};
use crate::json;
use crate::profile::parts::{label, shows, ticks, without_line};
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "gecko";

#[derive(serde::Deserialize)]
struct File {
    #[serde(default)]
    profile: Option<Raw>,
    #[serde(default)]
    threads: Vec<Thread>,
    #[serde(default)]
    processes: Vec<Raw>,
}

#[derive(serde::Deserialize)]
struct Raw {
    threads: Vec<Thread>,
    #[serde(default)]
    processes: Vec<Raw>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    #[serde(default)]
    name: String,
    samples: Table,
    stack_table: Table,
    frame_table: Table,
    string_table: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Table {
    schema: FxHashMap<String, usize>,
    data: Vec<Vec<Value>>,
}

impl Table {
    /// A column's numbers, `None` where there is none.
    fn column(&self, name: &str) -> impl Iterator<Item = Option<u32>> {
        let place = self.schema.get(name).copied();
        self.data.iter().map(move |row| {
            let value = place.and_then(|place| row.get(place)).and_then(Value::as_u64);
            value.and_then(|value| u32::try_from(value).ok())
        })
    }
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let bare = shows(head, &[&["meta", "version"], &["meta", "processType"]])
        && !shows(head, &[&["meta", "preprocessedProfileVersion"]]);
    let saved = shows(head, &[&["profile", "libs"]]) || shows(head, &[&["profile", "threads"]]);
    match (saved, bare) {
        (true, _) => Sniff::Yes,
        (_, true) => Sniff::Maybe,
        _ => Sniff::No,
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let file: File = json::typed(NAME, input.bytes)?;
    let mut todo: Vec<Raw> = file.processes.into_iter().chain(file.profile).collect();
    let mut threads = file.threads;
    while let Some(process) = todo.pop() {
        threads.extend(process.threads);
        todo.extend(process.processes);
    }
    let mut profiles = Vec::new();
    for thread in &threads {
        if let Some(profile) = one(thread, &input, &mut warnings)? {
            profiles.push(profile);
        }
    }
    if profiles.is_empty() {
        let text = "no thread has a sample with a stack".to_owned();
        return Err(ParseError::new(NAME, At::Field("threads".to_owned()), Kind::Invalid(text)));
    }
    order(&mut profiles);
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

/// A location's function and source: `f (resource://a.js -> resource://b.js:3)` is `f` in `resource://b.js`.
fn split(location: &str) -> (&str, Option<&str>) {
    let inside = location.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    match inside {
        Some((name, place)) if !name.is_empty() => {
            let place = place.rsplit_once(" -> ").map_or(place, |(_, last)| last);
            (name, Some(without_line(place)))
        }
        _ => (without_line(location), None),
    }
}

fn one(thread: &Thread, input: &Input<'_>, warnings: &mut Warnings) -> Result<Option<Profile>, ParseError> {
    let mut sink = Sink::new(NAME, input.limits);
    let at = || At::Field(format!("thread {}", thread.name));
    let dangling = |what, id: u32| ParseError::new(NAME, at(), Kind::Dangling { what, id: id.into() });
    let mut frames = Vec::new();
    for location in thread.frame_table.column("location") {
        let id = location.unwrap_or(u32::MAX);
        let text = thread.string_table.get(id as usize).ok_or_else(|| dangling("string", id))?;
        let (name, file) = split(text);
        frames.push(sink.frame(at, name, None, file)?);
    }
    let table = &thread.stack_table;
    let mut rows = Vec::new();
    for (prefix, frame) in table.column("prefix").zip(table.column("frame")) {
        let id = frame.unwrap_or(u32::MAX);
        let frame = *frames.get(id as usize).ok_or_else(|| dangling("frame", id))?;
        rows.push(Row { prefix, frame, inlined: false });
    }
    let mut stacks = Stacks::new(NAME, &thread.name, rows);
    let mut any = false;
    for row in thread.samples.column("stack").flatten() {
        let node = stacks.node(row, &mut sink)?;
        sink.add(node, 1, 1.0);
        any = true;
    }
    let mut profile = Profile::new(ticks("samples"), sink.finish(warnings));
    label(&mut profile, "thread", &thread.name);
    Ok(any.then_some(profile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_function_and_its_source() {
        for (location, expected) in [
            ("f (resource://a.js -> resource://b.js:3)", ("f", Some("resource://b.js"))),
            ("g (http://x/y.js:3:14)", ("g", Some("http://x/y.js"))),
            ("js::RunScript", ("js::RunScript", None)),
            ("0x7fff1234", ("0x7fff1234", None)),
            ("file:///a.js:1", ("file:///a.js", None)),
        ] {
            assert_eq!(split(location), expected);
        }
    }
}
