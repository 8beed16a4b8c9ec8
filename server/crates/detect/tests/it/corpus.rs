//! Readers of a few files, just enough for these tests, and the naming of the frames that they hold. The corpus lies
//! beside the repository; where it does not, the tests that need it say so and pass.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use model::{
    Benchmark, BenchmarkKey, BenchmarkName, Better, CallTreeBuilder, Category, Event, Kind, Measure,
    MeasureName, Measurement, Node, Profile, RunData, Status, Unit,
};

/// A file of the corpus; `None`, with a note on standard error, where there is none.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
pub(crate) fn file(path: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    let found = std::fs::read(root.join(path)).ok();
    if found.is_none() {
        eprintln!("skipped: the corpus has no {path}");
    }
    found
}

pub(crate) fn text(path: &str) -> Option<String> {
    file(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn key(name: &str, parameters: &[(&str, &str)]) -> BenchmarkKey {
    BenchmarkKey {
        name: BenchmarkName::parse(name).unwrap(),
        parameters: parameters.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

pub(crate) fn measurement(name: &str, unit: &str, values: &[f64]) -> Measurement {
    let (unit, scale) = Unit::parse(unit);
    let better = Measure::guess_better(name, &unit);
    Measurement::new(
        Measure { name: MeasureName::parse(name).unwrap(), unit, better },
        values.iter().map(|v| v * scale).collect(),
    )
}

pub(crate) fn benchmark(key: BenchmarkKey, kind: Option<Kind>, measurements: Vec<Measurement>) -> Benchmark {
    Benchmark { key, kind, status: Status::Ok, measurements }
}

/// cassandra-stress: `op rate : 12655 [read_event_1:2141, …]`, decimal commas, one reading each.
pub(crate) fn cassandra(path: &str) -> Option<RunData> {
    let text = text(path)?.replace(",\nread_event", ", read_event");
    let mut by_benchmark: BTreeMap<String, Vec<Measurement>> = BTreeMap::new();
    let number = |text: &str| text.trim().replace(',', ".").parse::<f64>().ok();
    for line in text.lines() {
        let Some((name, values)) = line.split_once(" : ") else { continue };
        let (name, values) = (name.trim(), values.trim().trim_end_matches(']'));
        let unit = match name {
            name if name.ends_with("rate") => "op/s",
            name if name.starts_with("latency") => "ms",
            _ => continue,
        };
        let (whole, parts) = values.split_once(" [").unwrap_or((values, ""));
        let mut add = |benchmark: &str, value: &str| {
            if let Some(value) = number(value) {
                by_benchmark.entry(benchmark.to_owned()).or_default().push(measurement(name, unit, &[value]));
            }
        };
        add("total", whole);
        for part in parts.split(", ") {
            if let Some((event, value)) = part.split_once(':') {
                add(event, value);
            }
        }
    }
    for line in text.lines().filter(|line| line.contains("gc") || line.starts_with("Total")) {
        let Some((name, value)) = line.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim());
        let unit = match name {
            "total gc mb" => "MB",
            "total gc time (s)" => "s",
            "avg gc time(ms)" | "stdev gc time(ms)" => "ms",
            _ => "",
        };
        let seconds = value
            .split(':')
            .filter_map(|part| part.parse::<f64>().ok())
            .fold(0.0, |sum, part| sum * 60.0 + part);
        let found = match name {
            "Total operation time" => Some(measurement(name, "s", &[seconds])),
            _ => number(value.split(' ').next().unwrap_or("")).map(|value| measurement(name, unit, &[value])),
        };
        by_benchmark.entry("total".to_owned()).or_default().extend(found);
    }
    let benchmarks =
        by_benchmark.into_iter().map(|(name, all)| benchmark(key(&name, &[]), None, all)).collect();
    Some(RunData { benchmarks, profiles: vec![] })
}

/// Lines of `key=value`, a line a repetition; only the keys asked for, with their units.
pub(crate) fn key_values(path: &str, benchmark_name: &str, wanted: &[(&str, &str)]) -> Option<RunData> {
    let text = text(path)?;
    let read = |key: &str| -> Vec<f64> {
        let values = text.split_whitespace().filter_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        values.filter_map(|value| value.parse().ok()).collect()
    };
    let all = wanted.iter().map(|(key, unit)| measurement(key, unit, &read(key))).collect();
    Some(RunData { benchmarks: vec![benchmark(key(benchmark_name, &[]), None, all)], profiles: vec![] })
}

/// `go test -bench`: a line a repetition, pairs of value and unit.
pub(crate) fn go_bench(path: &str) -> Option<RunData> {
    let mut all: BTreeMap<String, BTreeMap<String, Vec<f64>>> = BTreeMap::new();
    for line in text(path)?.lines().filter(|line| line.starts_with("Benchmark")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words[2..].chunks(2).filter(|pair| pair.len() == 2) {
            let values = all.entry(words[0].to_owned()).or_default().entry(pair[1].to_owned()).or_default();
            values.push(pair[0].parse().unwrap());
        }
    }
    let measures =
        |by_unit: BTreeMap<String, Vec<f64>>| by_unit.iter().map(|(u, v)| measurement(u, u, v)).collect();
    let benchmarks =
        all.into_iter().map(|(name, by_unit)| benchmark(key(&name, &[]), None, measures(by_unit))).collect();
    Some(RunData { benchmarks, profiles: vec![] })
}

/// A stand-in for the real rules: only the frames of the pairs, as canonical names.
pub(crate) fn category(name: &str) -> Category {
    const TABLE: [(&str, Category); 14] = [
        ("java.util.logging.", Category::Logging),
        ("runtime.mallocgc", Category::Allocation),
        ("runtime.newobject", Category::Allocation),
        ("runtime.growslice", Category::Allocation),
        ("runtime.convT", Category::Allocation),
        ("runtime.gc", Category::Gc),
        ("runtime.memmove", Category::Copy),
        ("runtime.futex", Category::Lock),
        ("runtime.findRunnable", Category::Scheduler),
        ("__memmove", Category::Copy),
        ("fmt.", Category::Formatting),
        ("Unsafe.copyMemory", Category::Copy),
        ("(garbage collector)", Category::Gc),
        ("(idle)", Category::Idle),
    ];
    TABLE.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or(Category::Other, |(_, c)| c.clone())
}

fn categorised(builder: CallTreeBuilder, event: &str, unit: Unit) -> Profile {
    let mut tree = builder.finish();
    for frame in &mut tree.frames {
        frame.category = category(&frame.name);
    }
    Profile::new(Event { name: event.to_owned(), unit }, tree)
}

/// Folded stacks; async-profiler's `_[i]` is an inlined frame, py-spy's line numbers are dropped. `period` is the
/// weight of one sample.
pub(crate) fn folded(path: &str, period: f64) -> Option<Profile> {
    let mut builder = CallTreeBuilder::new();
    for line in text(path)?.lines() {
        let (stack, weight) = line.rsplit_once(' ').unwrap();
        let weight: f64 = weight.parse().unwrap();
        let leaf = stack.split(';').fold(Node::ROOT, |at, raw| {
            let (name, inlined) = canonical(raw);
            let frame = builder.frame(&name, None, None);
            builder.child(at, frame, inlined)
        });
        builder.add(leaf, (weight / period).round() as u64, weight);
    }
    let mut profile = categorised(builder, "cpu", Unit::Count("samples".to_owned()));
    profile.period = Some(period);
    Some(profile)
}

fn canonical(raw: &str) -> (String, bool) {
    let (bare, kind) = match raw.strip_suffix(']').and_then(|r| r.rsplit_once("_[")) {
        Some((bare, kind)) if kind.len() == 1 => (bare, kind),
        _ => (raw, ""),
    };
    let java = matches!(kind, "0" | "1" | "i" | "j") && !bare.contains("::");
    let name = if java { bare.replace('/', ".") } else { bare.to_owned() };
    let name = match name.rsplit_once(':') {
        Some((place, line)) if place.contains(" (") && line.ends_with(')') => format!("{place})"),
        _ => name,
    };
    let name = match name.find("$$Lambda") {
        Some(at) => format!("{}$$Lambda", &name[..at]),
        None => name,
    };
    (name, kind == "i")
}

#[derive(Clone, PartialEq, prost::Message)]
struct PprofProfile {
    #[prost(message, repeated, tag = "2")]
    samples: Vec<PprofSample>,
    #[prost(message, repeated, tag = "4")]
    locations: Vec<PprofLocation>,
    #[prost(message, repeated, tag = "5")]
    functions: Vec<PprofFunction>,
    #[prost(string, repeated, tag = "6")]
    strings: Vec<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct PprofSample {
    #[prost(uint64, repeated, tag = "1")]
    locations: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    values: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct PprofLocation {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    lines: Vec<PprofLine>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct PprofLine {
    #[prost(uint64, tag = "1")]
    function: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct PprofFunction {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

/// A Go CPU profile: values are samples and nanoseconds.
pub(crate) fn pprof(path: &str) -> Option<Profile> {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(&file(path)?[..]).read_to_end(&mut bytes).unwrap();
    let decoded = <PprofProfile as prost::Message>::decode(&bytes[..]).unwrap();
    let names: BTreeMap<u64, &str> =
        decoded.functions.iter().map(|f| (f.id, decoded.strings[f.name as usize].as_str())).collect();
    let places: BTreeMap<u64, &[PprofLine]> =
        decoded.locations.iter().map(|l| (l.id, &l.lines[..])).collect();
    let mut builder = CallTreeBuilder::new();
    for sample in &decoded.samples {
        let mut at = Node::ROOT;
        for location in sample.locations.iter().rev() {
            // The first line is the innermost; all but the last are inlined.
            for (depth, line) in places[location].iter().rev().enumerate() {
                let frame = builder.frame(names[&line.function], None, None);
                at = builder.child(at, frame, depth > 0);
            }
        }
        builder.add(at, sample.values[0] as u64, sample.values[1] as f64);
    }
    Some(categorised(builder, "cpu", Unit::Nanoseconds))
}

/// Several readings of one measure, better higher or lower as said.
pub(crate) fn one(name: &str, better: Better, values: &[f64]) -> RunData {
    let mut all = measurement("value", "ns", values);
    all.measure.better = better;
    RunData { benchmarks: vec![benchmark(key(name, &[]), None, vec![all])], profiles: vec![] }
}
