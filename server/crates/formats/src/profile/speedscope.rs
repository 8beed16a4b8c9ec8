//! speedscope's file format: shared frames, and profiles that are either sampled stacks or open and close events.
//!
//! Written by py-spy, rbspy, pyinstrument, dotnet-trace, Excimer and many others. Description:
//! <https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts>. Profiles of one file may count in
//! different units and are never added up. Stacks are held as bare indices, so that a file takes little more memory
//! than its bytes.

use std::fmt;

use model::{Event, Node, Profile, Unit};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::parts::{known, label, shows};
use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::json;
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::excerpt;
use crate::warnings::Warnings;

const NAME: &str = "speedscope";

/// speedscope JSON.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "speedscope JSON, sampled or evented", sniff, read };

#[derive(serde::Deserialize)]
struct File {
    shared: Shared,
    profiles: Vec<Written>,
}

#[derive(serde::Deserialize)]
struct Shared {
    frames: Vec<Frame>,
}

#[derive(serde::Deserialize)]
struct Frame {
    name: String,
    #[serde(default)]
    file: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    unit: Option<String>,
    #[serde(default)]
    start_value: Option<f64>,
    #[serde(default)]
    end_value: Option<f64>,
    #[serde(default)]
    samples: Stacks,
    #[serde(default)]
    weights: Option<Vec<f64>>,
    #[serde(default)]
    events: Vec<Change>,
}

#[derive(serde::Deserialize)]
struct Change {
    #[serde(rename = "type")]
    kind: char,
    at: f64,
    frame: u32,
}

/// All stacks of a profile one after another, with the end of each.
#[derive(Default)]
struct Stacks {
    frames: Vec<u32>,
    ends: Vec<usize>,
}

impl Stacks {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let stack = self.frames.get(start..*end).unwrap_or_default();
            start = *end;
            stack
        })
    }
}

impl<'de> Deserialize<'de> for Stacks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StacksVisitor)
    }
}

struct StacksVisitor;

impl<'de> Visitor<'de> for StacksVisitor {
    type Value = Stacks;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of stacks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Stacks, A::Error> {
        let mut stacks = Stacks::default();
        while let Some(()) = items.next_element_seed(StackSeed(&mut stacks.frames))? {
            stacks.ends.push(stacks.frames.len());
        }
        Ok(stacks)
    }
}

struct StackSeed<'a>(&'a mut Vec<u32>);

impl<'de> serde::de::DeserializeSeed<'de> for StackSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for StackSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of frame indices")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(frame) = items.next_element()? {
            self.0.push(frame);
        }
        Ok(())
    }
}

fn sniff(head: &[u8]) -> Sniff {
    let marked = String::from_utf8_lossy(head).contains("speedscope.app/file-format-schema");
    if !head.trim_ascii_start().starts_with(b"{") {
        return Sniff::No;
    }
    let is_it = marked
        || shows(head, &[&["shared", "frames"]])
        || shows(head, &[&["profiles", "[]", "startValue"], &["profiles", "[]", "unit"]]);
    if is_it { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let file: File = json::typed(NAME, input.bytes)?;
    let mut profiles = Vec::new();
    let mut n_nodes = 0;
    for (index, written) in file.profiles.iter().enumerate() {
        let profile = one(index, written, &file.shared.frames, &input, &mut warnings)?;
        n_nodes += profile.tree.nodes.len();
        if n_nodes > input.limits.nodes {
            let (what, limit) = ("nodes of all call trees", input.limits.nodes as u64);
            return Err(ParseError::new(NAME, At::File, Kind::Limit { what, limit, setting: "max_nodes" }));
        }
        profiles.push(profile);
    }
    if profiles.is_empty() {
        return Err(ParseError::new(NAME, At::Field("profiles".to_owned()), Kind::Empty));
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

fn event(unit: Option<&str>) -> (Event, f64) {
    let unit = unit.filter(|unit| *unit != "none").unwrap_or("samples");
    let (unit, scale) = Unit::parse(unit);
    let name = match unit {
        Unit::Nanoseconds => "time",
        Unit::Bytes => "bytes",
        _ => "samples",
    };
    (Event { name: name.to_owned(), unit }, scale)
}

fn one(
    index: usize,
    written: &Written,
    shared: &[Frame],
    input: &Input<'_>,
    warnings: &mut Warnings,
) -> Result<Profile, ParseError> {
    let (event, scale) = event(written.unit.as_deref());
    let mut sink = Sink::new(NAME, input.limits);
    // A frame of the file may stand once a line; here a function stands once.
    let mut frames = vec![None; shared.len()];
    let mut frame = |sink: &mut Sink<'_>, id: u32, at: &dyn Fn() -> At| {
        let (Some(slot), Some(frame)) = (frames.get_mut(id as usize), shared.get(id as usize)) else {
            return Err(ParseError::new(NAME, at(), Kind::Dangling { what: "frame", id: id.into() }));
        };
        if let Some(known) = *slot {
            return Ok(known);
        }
        let made = sink.frame(at, &frame.name, None, known(frame.file.as_deref()))?;
        *slot = Some(made);
        Ok(made)
    };
    match written.kind.as_str() {
        "sampled" => sampled(index, written, scale, &mut sink, &mut frame)?,
        "evented" => evented(index, written, scale, &mut sink, &mut frame, warnings)?,
        other => {
            let at = At::Field(format!("profiles[{index}].type"));
            let found = excerpt(other).into_owned();
            return Err(ParseError::new(NAME, at, Kind::Expected { expected: "sampled or evented", found }));
        }
    }
    let mut profile = Profile::new(event, sink.finish(warnings));
    if profile.event.unit == Unit::Nanoseconds {
        let span = written.end_value.zip(written.start_value).map(|(end, start)| (end - start) * scale);
        profile.duration_ns = span.filter(|span| *span > 0.0);
    }
    label(&mut profile, "profile", written.name.as_deref().unwrap_or_default());
    Ok(profile)
}

type Frames<'f> = dyn FnMut(&mut Sink<'_>, u32, &dyn Fn() -> At) -> Result<u32, ParseError> + 'f;

fn sampled(
    index: usize,
    written: &Written,
    scale: f64,
    sink: &mut Sink<'_>,
    frame: &mut Frames<'_>,
) -> Result<(), ParseError> {
    let n = written.samples.ends.len();
    if let Some(weights) = written.weights.as_ref().filter(|weights| weights.len() != n) {
        let at = At::Field(format!("profiles[{index}].weights"));
        let text = format!("there are {} weights of {n} samples", weights.len());
        return Err(ParseError::new(NAME, at, Kind::Invalid(text)));
    }
    for (i, stack) in written.samples.iter().enumerate() {
        let at = || At::Field(format!("profiles[{index}].samples[{i}]"));
        sink.count_stack(at, stack.len())?;
        let mut node = Node::ROOT;
        for id in stack {
            let known = frame(sink, *id, &at)?;
            node = sink.child(at, node, known, false)?;
        }
        let weight = written.weights.as_ref().map_or(Some(1.0), |weights| weights.get(i).copied());
        sink.add(node, 1, weight.unwrap_or_default() * scale);
    }
    Ok(())
}

/// Time between two events belongs to the frame open last.
fn evented(
    index: usize,
    written: &Written,
    scale: f64,
    sink: &mut Sink<'_>,
    frame: &mut Frames<'_>,
    warnings: &mut Warnings,
) -> Result<(), ParseError> {
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut now =
        written.start_value.or_else(|| written.events.first().map(|event| event.at)).unwrap_or_default();
    for (i, event) in written.events.iter().enumerate() {
        let at = || At::Field(format!("profiles[{index}].events[{i}]"));
        let invalid = |text: String| ParseError::new(NAME, at(), Kind::Invalid(text));
        if event.at < now && i > 0 {
            return Err(invalid(format!("time goes back from {now} to {}", event.at)));
        }
        spend(sink, &open, (event.at - now) * scale);
        now = event.at;
        match event.kind {
            'O' => {
                let known = frame(sink, event.frame, &at)?;
                let caller = open.last().map_or(Node::ROOT, |(_, node)| *node);
                open.push((event.frame, sink.child(at, caller, known, false)?));
                sink.count_stack(at, open.len())?;
            }
            'C' => match open.pop() {
                Some((id, _)) if id == event.frame => {}
                Some((id, _)) => {
                    return Err(invalid(format!(
                        "frame {} closes while frame {id} is open in it",
                        event.frame
                    )));
                }
                None => return Err(invalid(format!("frame {} closes but is not open", event.frame))),
            },
            other => return Err(invalid(format!("an event is O or C, not {other:?}"))),
        }
    }
    if !open.is_empty() {
        let end = written.end_value.unwrap_or(now).max(now);
        spend(sink, &open, (end - now) * scale);
        warnings.add_with(At::Field(format!("profiles[{index}].events")), || {
            format!("{} frames are never closed and end with the profile", open.len())
        });
    }
    Ok(())
}

fn spend(sink: &mut Sink<'_>, open: &[(u32, u32)], weight: f64) {
    if let Some((_, node)) = open.last().filter(|_| weight > 0.0) {
        sink.add(*node, 1, weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn profiles(frames: &str, profiles: &str) -> Result<(Vec<Profile>, usize), String> {
        let text = format!("{{\"shared\":{{\"frames\":[{frames}]}},\"profiles\":[{profiles}]}}");
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits });
        let parsed = parsed.map_err(|error| error.to_string())?;
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        Ok((profiles, parsed.warnings.len()))
    }

    const AB: &str = r#"{"name":"a","file":"x","line":1},{"name":"a","file":"x","line":2},{"name":"b"}"#;

    #[test]
    fn a_function_under_many_lines_is_one_frame() {
        let sampled =
            r#"{"type":"sampled","name":"t","unit":"seconds","samples":[[0],[1,2]],"weights":[1,2]}"#;
        let (profiles, _) = profiles(AB, sampled).unwrap();
        let tree = &profiles[0].tree;
        assert_eq!((tree.frames.len(), tree.nodes.len(), tree.samples(), tree.weight()), (2, 2, 2, 3e9));
        assert_eq!(profiles[0].labels[0].value, "t");
    }

    #[test]
    fn events_are_balanced_or_an_error() {
        let evented = |events: &str| {
            profiles(
                AB,
                &format!(
                    r#"{{"type":"evented","unit":"none","startValue":0,"endValue":9,"events":[{events}]}}"#
                ),
            )
        };
        let open = r#"{"type":"O","frame":0,"at":1}"#;
        let (read, warned) = evented(open).unwrap();
        assert_eq!((read[0].tree.weight(), warned), (8.0, 1));
        for (rest, word) in [
            (r#"{"type":"C","frame":2,"at":2}"#, "closes"),
            (r#"{"type":"C","frame":0,"at":0.5}"#, "back"),
            (r#"{"type":"O","frame":7,"at":2}"#, "frame 7 does not exist"),
        ] {
            let error = evented(&format!("{open},{rest}")).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
