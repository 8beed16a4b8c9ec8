//! Chrome's trace events: processor profiles in chunks (`Profile`, `ProfileChunk`) and durations (`B`/`E`, `X`).
//!
//! Description: "Trace Event Format", <https://www.chromium.org/developers/how-tos/trace-event-profiling-tool/>. An
//! object with `traceEvents` or a bare list, whose closing bracket may be missing. Each profile and each thread with
//! durations is a profile of its own; events are read one after another, so that a trace is never held as a whole.

mod durations;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::parts::{label, shows};
use super::v8::cpu::{self, Cpu};
use crate::error::{At, Kind, ParseError};
use crate::json::located;
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::warnings::Warnings;

const NAME: &str = "trace-event";

/// Chrome's traces.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "a trace of Chrome (profile chunks and durations)", sniff, read };

#[derive(serde::Deserialize)]
struct Event {
    #[serde(default)]
    ph: String,
    #[serde(default)]
    name: Value,
    #[serde(default)]
    pid: Value,
    #[serde(default)]
    tid: Value,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    ts: Value,
    #[serde(default)]
    dur: Value,
    #[serde(default)]
    tdur: Value,
    #[serde(default)]
    args: Value,
}

/// What is kept of the events.
#[derive(Default)]
struct Trace {
    events: usize,
    names: BTreeMap<(String, String), String>,
    chunks: BTreeMap<(String, String), Chunks>,
    durations: durations::Durations,
    odd: usize,
}

#[derive(Default)]
struct Chunks {
    cpu: Cpu,
    thread: String,
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Trace {
    fn event(&mut self, event: Event) {
        self.events += 1;
        let thread = (text(&event.pid), text(&event.tid));
        let name = event.name.as_str().unwrap_or_default();
        match (event.ph.as_str(), name) {
            ("M", "thread_name") => {
                if let Some(name) = event.args.get("name").and_then(Value::as_str) {
                    self.names.insert(thread, name.to_owned());
                }
            }
            (_, "Profile" | "ProfileChunk" | "CpuProfile") => self.chunk(thread, event),
            ("B" | "E" | "X", _) => {
                let duration = event.dur.as_f64().or_else(|| event.tdur.as_f64()).unwrap_or_default();
                match event.ts.as_f64() {
                    Some(at) => self.durations.add(thread, &event.ph, name, at, duration.max(0.0)),
                    None => self.odd += 1,
                }
            }
            _ => {}
        }
    }

    fn chunk(&mut self, thread: (String, String), mut event: Event) {
        let is_start = event.name == "Profile";
        let chunks = self.chunks.entry((thread.0, text(&event.id))).or_default();
        if is_start {
            chunks.thread = thread.1;
        }
        let Some(data) = event.args.get_mut("data") else { return };
        let profile = data.get_mut("cpuProfile").map(Value::take).unwrap_or_default();
        let deltas = data.get_mut("timeDeltas").map(Value::take);
        let Value::Object(mut profile) = profile else { return };
        if let Some(deltas) = deltas {
            profile.insert("timeDeltas".to_owned(), deltas);
        }
        match serde_json::from_value::<Cpu>(Value::Object(profile)) {
            Ok(cpu) => {
                chunks.cpu.nodes.extend(cpu.nodes);
                chunks.cpu.samples.extend(cpu.samples);
                chunks.cpu.time_deltas.extend(cpu.time_deltas);
            }
            Err(_) => self.odd += 1,
        }
    }
}

/// Reads the document, or the list of events inside it.
struct Document<'t>(&'t mut Trace);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trace events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(event) = items.next_element()? {
            self.0.event(event);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            if name == "traceEvents" {
                members.next_value_seed(Document(self.0))?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

fn sniff(head: &[u8]) -> Sniff {
    let is_it = shows(head, &[&["traceEvents"]]) || shows(head, &[&["[]", "ph"], &["[]", "pid"]]);
    if is_it { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let mut trace = Trace::default();
    let mut deserializer = serde_json::Deserializer::from_slice(input.bytes);
    let parsed = Document(&mut trace).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    let mut is_cut = false;
    if let Err(error) = parsed {
        is_cut = error.is_eof() || error.to_string().starts_with("trailing comma");
        if !is_cut || trace.events == 0 {
            return Err(located(NAME, &error));
        }
        warnings.add(At::Line(error.line()), "the list of events is not closed; the events before are read");
    }
    let mut profiles = Vec::new();
    for ((_, id), chunks) in &trace.chunks {
        if chunks.cpu.nodes.is_empty() {
            warnings.add(At::Field(format!("profile {id}")), "it has no nodes and is left out");
            continue;
        }
        let mut profile = cpu::profile(NAME, &chunks.cpu, false, &input, &mut warnings)?;
        let thread = trace.names.iter().find(|((_, tid), _)| *tid == chunks.thread).map(|(_, name)| name);
        label(&mut profile, "thread", thread.unwrap_or(&chunks.thread));
        profiles.push(profile);
    }
    profiles.extend(trace.durations.profiles(&trace.names, &input, &mut warnings)?);
    if trace.odd > 0 {
        warnings.add(At::File, format!("{} events are not as the format says and are left out", trace.odd));
    }
    if profiles.is_empty() {
        let text = "there is neither a processor profile nor a duration in it".to_owned();
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    }
    for profile in &mut profiles {
        profile.partial |= is_cut;
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn parse(text: &str) -> Result<Parsed, ParseError> {
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes, "{text}");
        let (hints, limits) = (Hints::default(), Limits::default());
        read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })
    }

    fn profiles(text: &str) -> (Vec<model::Profile>, usize) {
        let parsed = parse(text).unwrap();
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        (profiles, parsed.warnings.len())
    }

    #[test]
    fn threads_are_apart_and_complete_events_nest_by_their_times() {
        let (profiles, warned) = profiles(
            r#"{"traceEvents":[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
            {"ph":"X","name":"in","pid":1,"tid":2,"ts":0,"dur":4},{"ph":"X","name":"out","pid":1,"tid":2,"ts":0,"dur":9},
            {"ph":"B","name":"other","pid":1,"tid":3,"ts":1},{"ph":"i","name":"mark","pid":1,"tid":3,"ts":5},
            {"ph":"E","pid":1,"tid":3,"ts":6},{"ph":"B","name":"open","pid":1,"tid":3,"ts":7}]}"#,
        );
        assert_eq!((profiles.len(), warned), (2, 1), "one duration never ends");
        assert_eq!(profiles[0].labels[0].value, "main");
        let tree = &profiles[0].tree;
        assert_eq!(
            (tree.nodes[0].self_weight, tree.nodes[1].self_weight, tree.nodes[1].parent),
            (5e3, 4e3, 0)
        );
        assert_eq!(profiles[1].tree.weight(), 5e3);
    }

    #[test]
    fn chunks_are_joined() {
        let chunk = |nodes: &str, samples: &str, deltas: &str| {
            format!(
                r#"{{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":9,"ts":1,"args":{{"data":{{"cpuProfile":
                {{"nodes":[{nodes}],"samples":[{samples}]}},"timeDeltas":[{deltas}]}}}}}}"#
            )
        };
        let first = chunk(r#"{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}}"#, "1", "9");
        let second = chunk(r#"{"id":2,"parent":1,"callFrame":{"functionName":"f"}}"#, "2,2", "3,4");
        let (profiles, _) = profiles(&format!("[{first},{second}]"));
        assert_eq!((profiles[0].tree.samples(), profiles[0].tree.weight()), (3, 7e3));
    }

    #[test]
    fn a_cut_list_is_partial_and_other_damage_is_an_error() {
        let event = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":2}"#;
        for cut in
            [format!("[{event}"), format!("[{event},"), format!("[{event},]"), format!("[{event},{{\"ph\"")]
        {
            let (profiles, warned) = profiles(&cut);
            assert!(profiles[0].partial && warned == 1, "{cut}");
        }
        assert!(parse(&format!("[{event},5]")).is_err());
        assert!(parse(r#"[{"ph":"M","name":"thread_name","pid":1}]"#).is_err());
    }
}
