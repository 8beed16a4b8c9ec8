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
    profiles.iter_mut().for_each(|profile| profile.partial |= is_cut);
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}
