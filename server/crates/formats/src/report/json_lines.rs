//! JSON lines that no tool's own reader claims: an object a line, each a repetition.
//!
//! See <https://jsonlines.org/>. Numbers are measures and lists of numbers are their readings; texts and truth values are
//! parameters; a member `name`, `benchmark` or `bench` names the benchmark. Members of members are named
//! `latency.p99`. When and how loud a line was logged says nothing about what was measured. A cut last line is a
//! warning.

use std::collections::BTreeMap;

use crate::error::{At, Kind, ParseError};
use crate::json::{Field, Json, at_line, parse};
use crate::number::lines;
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::report::heads::{COUNTERS, canonical, is_dimension, is_logged, split_head};
use crate::text::text;

pub(super) const READER: Reader =
    Reader { name: "json-lines", about: "JSON lines, one repetition a line", sniff, read };

const UNNAMED: &str = "run";
const NAMES: [&str; 3] = ["name", "benchmark", "bench"];

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut objects = 0;
    for line in head.lines().map(str::trim).filter(|line| !line.is_empty()).take(8) {
        let whole = serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
        if !line.starts_with('{') || !(whole || objects > 0) {
            return Sniff::No;
        }
        objects += 1;
    }
    // One line alone is any document.
    if objects > 1 { Sniff::Maybe } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let file_name = input.hints.file_name.as_deref().and_then(|name| name.split('.').next());
    let file_name = file_name.filter(|name| !name.trim().is_empty()).unwrap_or(UNNAMED);
    let last = text.lines().count();
    for (at, line) in lines(&text).filter(|(_, line)| !line.trim().is_empty()) {
        if !line.trim_start().starts_with('{') {
            builder.unknown_line(at, line);
            continue;
        }
        match parse(READER.name, line.as_bytes(), input.limits) {
            Ok(json) => {
                let root = Field::root(READER.name, &json);
                repetition(&mut builder, at, &root, file_name).map_err(|error| at_line(error, at))?;
            }
            Err(error) if matches!(error.kind, Kind::Limit { .. }) => return Err(at_line(error, at)),
            Err(_) if at == last => builder.warn(At::Line(at), "the last line is cut off and skipped"),
            Err(error) => builder.warn(At::Line(at), format!("skipped, because {}", error.kind)),
        }
    }
    builder.finish(None)
}

/// What one line holds, told apart.
#[derive(Default)]
struct Line {
    name: Option<String>,
    parameters: BTreeMap<String, String>,
    values: Vec<(String, Vec<f64>)>,
    skipped: Vec<String>,
}

impl Line {
    /// Depth is bounded by the parser.
    fn add(&mut self, prefix: &str, field: &Field<'_>) -> Result<(), ParseError> {
        for (member, field) in field.members()? {
            let name = if prefix.is_empty() { member.to_owned() } else { format!("{prefix}.{member}") };
            let top = prefix.is_empty();
            match field.json {
                Json::Null => {}
                Json::Text(text) if top && NAMES.contains(&member) && self.name.is_none() => {
                    self.name = Some(text.to_string());
                }
                _ if top
                    && (is_logged(member) || COUNTERS.contains(&member))
                    && !is_measured(member, field.json) => {}
                Json::Number(value) if !is_dimension(member) => self.values.push((name, vec![*value])),
                Json::Number(_) | Json::Text(_) | Json::Bool(_) => {
                    self.parameters.insert(name, field.scalar()?);
                }
                Json::List(items) => {
                    let numbers: Vec<f64> = items
                        .iter()
                        .filter_map(|item| if let Json::Number(n) = item { Some(*n) } else { None })
                        .collect();
                    if !numbers.is_empty() && numbers.len() == items.len() {
                        self.values.push((name, numbers));
                    } else if !items.is_empty() {
                        self.skipped.push(name);
                    }
                }
                Json::Object(_) => self.add(&name, &field)?,
            }
        }
        Ok(())
    }
}

/// `time` is when a line was logged where it is a text or counts from 1970, and a measure else.
fn is_measured(member: &str, json: &Json) -> bool {
    canonical(member) == "time" && matches!(json, Json::Number(value) if value.abs() < 1e9)
}

fn repetition(builder: &mut Builder<'_>, at: usize, root: &Field<'_>, file: &str) -> Result<(), ParseError> {
    let mut line = Line::default();
    line.add("", root)?;
    for name in &line.skipped {
        builder.warn(At::Line(at), format!("{name} is a list of other things than numbers and skipped"));
    }
    if line.values.is_empty() {
        builder.warn(At::Line(at), "holds no number and is skipped");
        return Ok(());
    }
    let name = line.name.as_deref().unwrap_or(file);
    let Some(mut entry) = Entry::new(builder, At::Line(at), name, line.parameters, None) else {
        return Ok(());
    };
    for (member, values) in &line.values {
        let (_, unit) = split_head(member);
        for value in values {
            entry.observe(Reading::raw(member, &unit, *value))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints};
    use crate::{Limits, read as read_any};

    #[test]
    fn objects_are_repetitions_and_a_cut_end_is_a_warning() {
        let text = "{\"name\": \"a\", \"threads\": 4, \"mode\": \"fast\", \"time_ms\": 5, \"lat\": {\"p99_us\": [1, 2]}, \"ts\": 1796082958}\r\n\
                    noise\n{\"name\": \"a\", \"threads\": 4, \"mode\": \"fast\", \"time_ms\": 6}\n{\"name\": \"a\", \"ti";
        let hints = Hints { format: Some("json-lines".to_owned()), ..Hints::default() };
        let parsed = read_any(text.as_bytes(), &hints, &Limits::default()).unwrap();
        let Content::Report(report) = parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks.len(), 1);
        assert_eq!(report.benchmarks[0].key.to_string(), "a [mode=fast, threads=4]");
        let of = &report.benchmarks[0].measurements;
        assert_eq!((of[0].measure.name.as_str(), of[0].observations.clone()), ("time_ms", vec![5e6, 6e6]));
        assert_eq!((of[1].measure.name.as_str(), of[1].observations.clone()), ("lat.p99_us", vec![1e3, 2e3]));
        assert_eq!(parsed.warnings.len(), 2);
    }
}
