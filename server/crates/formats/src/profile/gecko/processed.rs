//! The processed form: tables as columns, in every thread or (from version 56 on) `shared` by all.

use model::{Event, Profile, Unit};
use serde_json::Value;

use super::{Row, Stacks, order};
use crate::error::{At, Kind, ParseError};
use crate::json;
use crate::profile::parts::{known, label, shows, ticks, time};
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "firefox-processed";
/// The last version before callers became offsets (66).
const LAST: u64 = 65;

#[derive(serde::Deserialize)]
struct File {
    meta: Meta,
    #[serde(default)]
    libs: Vec<Lib>,
    #[serde(default)]
    shared: Option<Thread>,
    threads: Vec<Thread>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    preprocessed_profile_version: u64,
    #[serde(default)]
    sample_units: Option<Units>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Units {
    #[serde(rename = "threadCPUDelta")]
    cpu: String,
}

#[derive(serde::Deserialize)]
struct Lib {
    name: String,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Thread {
    name: String,
    process_name: Option<String>,
    libs: Vec<Lib>,
    samples: Samples,
    stack_table: StackTable,
    frame_table: FrameTable,
    func_table: FuncTable,
    resource_table: ResourceTable,
    string_array: Vec<String>,
    string_table: Vec<String>,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Samples {
    stack: Vec<Option<u32>>,
    weight: Option<Vec<Option<f64>>>,
    weight_type: Option<String>,
    #[serde(rename = "threadCPUDelta")]
    cpu: Option<Vec<Option<f64>>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct StackTable {
    frame: Vec<u32>,
    prefix: Vec<Option<u32>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FrameTable {
    func: Vec<u32>,
    inline_depth: Vec<Option<f64>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FuncTable {
    name: Vec<u32>,
    resource: Vec<i64>,
    file_name: Vec<Option<u32>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct ResourceTable {
    lib: Vec<Value>,
    name: Vec<Value>,
}

impl Thread {
    fn string(&self, index: u32) -> Option<&str> {
        let texts = if self.string_array.is_empty() { &self.string_table } else { &self.string_array };
        texts.get(index as usize).map(String::as_str)
    }
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    if shows(head, &[&["meta", "preprocessedProfileVersion"]]) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let file: File = json::typed(NAME, input.bytes)?;
    let version = file.meta.preprocessed_profile_version;
    if !(1..=LAST).contains(&version) {
        let at = At::Field("meta.preprocessedProfileVersion".to_owned());
        let found = version.to_string();
        let expected = "a version from 1 to 65";
        return Err(ParseError::new(NAME, at, Kind::Expected { expected, found }));
    }
    let mut profiles = Vec::new();
    for thread in file.threads.iter().filter(|thread| thread.samples.stack.iter().any(Option::is_some)) {
        profiles.extend(one(&file, thread, &input, &mut warnings)?);
    }
    if profiles.is_empty() {
        let text = "no thread has a sample with a stack".to_owned();
        return Err(ParseError::new(NAME, At::Field("threads".to_owned()), Kind::Invalid(text)));
    }
    order(&mut profiles);
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

/// The samples of a thread, and its processor time where the profiler measured it.
fn one(
    file: &File,
    thread: &Thread,
    input: &Input<'_>,
    warnings: &mut Warnings,
) -> Result<Vec<Profile>, ParseError> {
    let at = || At::Field(format!("thread {}", thread.name));
    let samples = &thread.samples;
    let mut columns = [samples.weight.as_ref(), samples.cpu.as_ref()].into_iter().flatten();
    if let Some(column) = columns.find(|column| column.len() != samples.stack.len()) {
        let text = format!("a column has {} rows of {} samples", column.len(), samples.stack.len());
        return Err(ParseError::new(NAME, at(), Kind::Invalid(text)));
    }
    let (event, scale) = match samples.weight_type.as_deref() {
        Some("tracing-ms") => (time("wall"), 1e6),
        Some("bytes") => (Event { name: "bytes".to_owned(), unit: Unit::Bytes }, 1.0),
        _ => (ticks("samples"), 1.0),
    };
    let weight = |i: usize| match &samples.weight {
        Some(weights) => weights.get(i).copied().flatten().unwrap_or(1.0) * scale,
        None => scale,
    };
    let is_ticks = scale == 1.0 && event.unit != Unit::Bytes;
    let count = |weight: f64| if is_ticks { weight.abs() as u64 } else { 1 };
    let mut profiles = vec![tree(file, thread, event, input, warnings, |i| (count(weight(i)), weight(i)))?];
    let cpu_unit = file.meta.sample_units.as_ref().map(|units| Unit::parse(&units.cpu));
    if let (Some(cpu), Some((Unit::Nanoseconds, scale))) = (&samples.cpu, cpu_unit) {
        let value = |i: usize| cpu.get(i).copied().flatten().unwrap_or_default() * scale;
        if cpu.iter().flatten().any(|delta| *delta > 0.0) {
            profiles.push(tree(file, thread, time("cpu"), input, warnings, |i| {
                (u64::from(value(i) > 0.0), value(i))
            })?);
        }
    }
    Ok(profiles)
}

fn tree(
    file: &File,
    thread: &Thread,
    event: Event,
    input: &Input<'_>,
    warnings: &mut Warnings,
    cost: impl Fn(usize) -> (u64, f64),
) -> Result<Profile, ParseError> {
    let tables = file.shared.as_ref().filter(|shared| !shared.stack_table.frame.is_empty()).unwrap_or(thread);
    let strings = file
        .shared
        .as_ref()
        .filter(|shared| !(shared.string_array.is_empty() && shared.string_table.is_empty()))
        .unwrap_or(thread);
    let mut sink = Sink::new(NAME, input.limits);
    let mut functions: Vec<Option<u32>> = vec![None; tables.func_table.name.len()];
    let mut rows = Vec::with_capacity(tables.stack_table.frame.len());
    for (i, frame) in tables.stack_table.frame.iter().enumerate() {
        let at = || At::Field(format!("thread {}, stackTable[{i}]", thread.name));
        let dangling = |what, id: u32| ParseError::new(NAME, at(), Kind::Dangling { what, id: id.into() });
        let id = *tables.frame_table.func.get(*frame as usize).ok_or_else(|| dangling("frame", *frame))?;
        let slot = functions.get_mut(id as usize).ok_or_else(|| dangling("function", id))?;
        let function = if let Some(function) = *slot {
            function
        } else {
            let made = function(file, thread, tables, strings, id, &mut sink, &at)?;
            *slot = Some(made);
            made
        };
        let depth = tables.frame_table.inline_depth.get(*frame as usize).copied().flatten();
        let prefix = tables.stack_table.prefix.get(i).copied().flatten();
        rows.push(Row { prefix, frame: function, inlined: depth.is_some_and(|depth| depth > 0.0) });
    }
    let mut stacks = Stacks::new(NAME, &thread.name, rows);
    for (i, row) in thread.samples.stack.iter().enumerate() {
        let Some(row) = row else { continue };
        let node = stacks.node(*row, &mut sink)?;
        let (samples, weight) = cost(i);
        sink.add(node, samples, weight);
    }
    let mut profile = Profile::new(event, sink.finish(warnings));
    label(&mut profile, "thread", &thread.name);
    label(&mut profile, "process", thread.process_name.as_deref().unwrap_or_default());
    Ok(profile)
}

fn function(
    file: &File,
    thread: &Thread,
    tables: &Thread,
    strings: &Thread,
    id: u32,
    sink: &mut Sink<'_>,
    at: &dyn Fn() -> At,
) -> Result<u32, ParseError> {
    let table = &tables.func_table;
    let name = table.name.get(id as usize).copied().unwrap_or(u32::MAX);
    let name = strings
        .string(name)
        .ok_or_else(|| ParseError::new(NAME, at(), Kind::Dangling { what: "string", id: name.into() }))?;
    let source = table.file_name.get(id as usize).copied().flatten().and_then(|text| strings.string(text));
    let resource = table.resource.get(id as usize).and_then(|index| usize::try_from(*index).ok());
    let number = |column: &[Value]| {
        resource
            .and_then(|row| column.get(row))
            .and_then(Value::as_u64)
            .and_then(|index| u32::try_from(index).ok())
    };
    let libs = if file.libs.is_empty() { &thread.libs } else { &file.libs };
    let lib = number(&tables.resource_table.lib).and_then(|lib| libs.get(lib as usize));
    let module = lib.map(|lib| lib.name.as_str());
    let module = module.or_else(|| number(&tables.resource_table.name).and_then(|name| strings.string(name)));
    sink.frame(at, name, known(module), known(source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn parse(text: &str) -> Result<Vec<Profile>, String> {
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits });
        let Content::Profiles(profiles) = parsed.map_err(|error| error.to_string())?.content else {
            panic!("not profiles")
        };
        Ok(profiles)
    }

    const TABLES: &str = r#""stackTable":{"frame":[0,1],"prefix":[null,0]},"frameTable":{"func":[0,1],"inlineDepth":[0,1]},
        "funcTable":{"name":[0,1],"resource":[0,-1],"fileName":[null,2]},"resourceTable":{"lib":[0],"name":[0]},
        "stringArray":["main","work","a.rs"]"#;

    #[test]
    fn shared_tables_modules_inlining_and_processor_time_are_read() {
        let text = format!(
            r#"{{"meta":{{"preprocessedProfileVersion":58,"sampleUnits":{{"threadCPUDelta":"µs"}}}},"libs":[{{"name":"app"}}],
            "shared":{{{TABLES}}},"threads":[{{"name":"idle","samples":{{"stack":[]}}}},{{"name":"t","samples":
            {{"stack":[1,null,0],"weight":[2,1,1],"weightType":"samples","threadCPUDelta":[5,0,null]}}}}]}}"#
        );
        let profiles = parse(&text).unwrap();
        let [samples, cpu] = profiles.as_slice() else { panic!("{}", profiles.len()) };
        assert_eq!((samples.tree.samples(), samples.tree.weight(), cpu.tree.weight()), (3, 3.0, 5e3));
        let [main, work] = samples.tree.frames.as_slice() else { panic!("frames") };
        assert_eq!((main.module.as_deref(), work.file.as_deref()), (Some("app"), Some("a.rs")));
        assert!(samples.tree.nodes[1].inlined);
        assert_eq!(samples.labels[0].value, "t");
    }

    #[test]
    fn tables_of_a_thread_are_read_and_other_versions_are_refused() {
        let text = |version: u32| {
            format!(
                r#"{{"meta":{{"preprocessedProfileVersion":{version}}},"threads":[{{"name":"t",{TABLES},
                "samples":{{"stack":[1],"weight":[2.5],"weightType":"tracing-ms"}}}}]}}"#
            )
        };
        assert_eq!(parse(&text(24)).unwrap()[0].tree.weight(), 2.5e6);
        assert!(parse(&text(70)).unwrap_err().contains("a version from 1 to 65"));
    }
}
