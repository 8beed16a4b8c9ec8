//! stackprof's JSON (`stackprof --json`, `StackProf.run(raw: true)`): frames by id, and `raw` stacks.
//!
//! `raw` repeats: how many frames, their ids root first, how many samples. Without it only the samples of each
//! frame are known, so the profile is a partial flat list. The interval is in microseconds for `cpu` and `wall`, in
//! allocations for `object`. Source: <https://github.com/tmm1/stackprof>.

use model::{Event, Node, Profile, Unit};
use rustc_hash::FxHashMap;

use super::parts::{known, shows, ticks, time};
use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::json;
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::warnings::Warnings;

const NAME: &str = "stackprof";

/// stackprof's JSON.
pub(super) const READER: Reader = Reader { name: NAME, about: "JSON of Ruby's stackprof", sniff, read };

#[derive(serde::Deserialize)]
struct File {
    mode: String,
    #[serde(default)]
    interval: Option<f64>,
    #[serde(default)]
    missed_samples: u64,
    frames: FxHashMap<u64, Frame>,
    #[serde(default)]
    raw: Vec<u64>,
}

#[derive(serde::Deserialize)]
struct Frame {
    name: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    samples: u64,
}

fn sniff(head: &[u8]) -> Sniff {
    if shows(head, &[&["mode"], &["interval"], &["gc_samples"]]) { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let file: File = json::typed(NAME, input.bytes)?;
    let interval = file.interval.filter(|interval| *interval > 0.0);
    let (event, period) = match file.mode.as_str() {
        "object" => {
            (Event { name: "alloc_objects".to_owned(), unit: Unit::Count("objects".to_owned()) }, interval)
        }
        mode @ ("cpu" | "wall") if interval.is_some() => (time(mode), interval.map(|us| us * 1e3)),
        mode => (ticks(mode), None),
    };
    let mut sink = Sink::new(NAME, input.limits);
    let weight = |samples: u64| samples as f64 * period.unwrap_or(1.0);
    if file.raw.is_empty() {
        flat(&file, &mut sink, weight)?;
        warnings.add(At::Field("raw".to_owned()), "there are no stacks, only the samples of each function");
    } else {
        stacks(&file, &mut sink, weight)?;
    }
    if file.missed_samples > 0 {
        let text = format!("stackprof missed {} samples", file.missed_samples);
        warnings.add(At::Field("missed_samples".to_owned()), text);
    }
    let mut profile = Profile::new(event, sink.finish(&mut warnings));
    profile.period = period;
    profile.partial = file.raw.is_empty();
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

fn flat(file: &File, sink: &mut Sink<'_>, weight: impl Fn(u64) -> f64) -> Result<(), ParseError> {
    let mut ids: Vec<&u64> = file.frames.keys().collect();
    ids.sort_unstable();
    for (id, frame) in ids.into_iter().filter_map(|id| file.frames.get_key_value(id)) {
        let at = || At::Field(format!("frames.{id}"));
        let function = sink.frame(at, &frame.name, None, known(frame.file.as_deref()))?;
        let node = sink.child(at, Node::ROOT, function, false)?;
        sink.add(node, frame.samples, weight(frame.samples));
    }
    Ok(())
}

fn stacks(file: &File, sink: &mut Sink<'_>, weight: impl Fn(u64) -> f64) -> Result<(), ParseError> {
    let mut rest = file.raw.as_slice();
    while let [depth, behind @ ..] = rest {
        let place = file.raw.len() - rest.len();
        let at = || At::Field(format!("raw[{place}]"));
        let cut = || ParseError::new(NAME, at(), Kind::Truncated("raw ends inside a stack"));
        let (ids, behind) =
            usize::try_from(*depth).ok().and_then(|depth| behind.split_at_checked(depth)).ok_or_else(cut)?;
        let [samples, behind @ ..] = behind else { return Err(cut()) };
        sink.count_stack(at, ids.len())?;
        let mut node = Node::ROOT;
        for id in ids {
            let Some(frame) = file.frames.get(id) else {
                return Err(ParseError::new(NAME, at(), Kind::Dangling { what: "frame", id: *id }));
            };
            let function = sink.frame(at, &frame.name, None, known(frame.file.as_deref()))?;
            node = sink.child(at, node, function, false)?;
        }
        sink.add(node, *samples, weight(*samples));
        rest = behind;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn one(mode: &str, raw: &str) -> Result<Profile, String> {
        let text = format!(
            r#"{{"version":1.2,"mode":"{mode}","interval":1000,"gc_samples":0,"frames":{{"7":{{"name":"A#a","samples":1}},
            "8":{{"name":"A#b","file":"x.rb","samples":3}}}}{raw}}}"#
        );
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits });
        let Content::Profiles(mut profiles) = parsed.map_err(|error| error.to_string())?.content else {
            panic!("not profiles")
        };
        Ok(profiles.remove(0))
    }

    #[test]
    fn raw_stacks_are_read_in_the_unit_of_the_mode() {
        let raw = r#","raw":[2,7,8,3,1,7,1]"#;
        let cpu = one("cpu", raw).unwrap();
        assert_eq!((cpu.tree.samples(), cpu.tree.weight(), cpu.partial), (4, 4e6, false));
        let object = one("object", raw).unwrap();
        assert_eq!((object.event.name.as_str(), object.tree.weight()), ("alloc_objects", 4000.0));
        assert!(one("cpu", "").unwrap().partial);
        assert!(one("cpu", r#","raw":[2,7,8]"#).unwrap_err().contains("inside a stack"));
        assert!(one("cpu", r#","raw":[1,9,1]"#).unwrap_err().contains("frame 9"));
    }
}
