//! perfblame's own JSON: what a run is, benchmarks with raw observations, and profiles as folded text.
//!
//! [`parse_native`] gives the whole; the reader in the table of formats takes the benchmarks alone. Strict, unlike the
//! readers of foreign tools: an unknown or a repeated field is an error, because here it is a typing mistake of
//! whoever writes perfblame's format.

mod benchmarks;
mod meta;

use model::{Benchmark, MeasureName};

use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::limits::Limits;
use crate::read::{Input, Parsed, Reader, Sniff, Warning};
use crate::report::builder::Builder;
use crate::warnings::Warnings;

pub use meta::RunMeta;

pub(super) const READER: Reader =
    Reader { name: FORMAT, about: "perfblame's own JSON (its benchmarks)", sniff, read };

/// The name of the format in errors.
const FORMAT: &str = "native-json";
const MEMBERS: [&str; 3] = ["run", "benchmarks", "profiles"];

/// A whole native document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NativeRun {
    /// What the sender says about the run.
    pub run: RunMeta,
    /// Benchmarks with observations in base units.
    pub benchmarks: Vec<Benchmark>,
    /// Profiles, still as text.
    pub profiles: Vec<NativeProfile>,
}

/// A profile inside a native document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NativeProfile {
    /// The benchmark that was profiled.
    pub benchmark: Option<String>,
    /// What the profiler counts: `cpu`, `alloc` …
    pub event: Option<String>,
    /// The unit of the weights in `folded`.
    pub unit: Option<String>,
    /// Operations that ran while it was recorded, to compare cost per operation.
    pub operations: Option<u64>,
    /// Stacks in folded form, `main;read;log 42` a line.
    pub folded: String,
}

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let mut top = outline.at_depth(1).filter_map(|(path, _)| path.first()).peekable();
    if outline.opens != Some('{') || top.peek().is_none() || !top.all(|key| MEMBERS.contains(&key.as_str())) {
        return Sniff::No;
    }
    let telling = |path: &[String]| match path {
        [list, item, key] if item == "[]" => {
            (list == "benchmarks" && key == "measures") || (list == "profiles" && key == "folded")
        }
        [list, _] => list == "run",
        _ => false,
    };
    if outline.paths.iter().any(|path| telling(path)) { Sniff::Yes } else { Sniff::Maybe }
}

/// Parses a native document.
///
/// # Errors
///
/// The first thing that is wrong, with its path such as `benchmarks[3].measures.throughput.unit`.
pub fn parse_native(bytes: &[u8], limits: &Limits) -> Result<(NativeRun, Vec<Warning>), ParseError> {
    let json = parse(FORMAT, bytes, limits)?;
    let root = Field::root(FORMAT, &json);
    let mut native = NativeRun::default();
    let mut warnings = Warnings::new(limits);
    for (name, field) in root.members()? {
        match name {
            "run" => native.run = meta::run(&field)?,
            "benchmarks" => native.benchmarks = benchmarks::list(&field, limits, &mut warnings)?,
            "profiles" => native.profiles = profiles(&field)?,
            _ => return Err(field.unknown(&MEMBERS)),
        }
    }
    if native.benchmarks.is_empty() && native.profiles.is_empty() {
        return Err(root.invalid("it holds neither benchmarks nor profiles"));
    }
    Ok((native, warnings.into_kept()))
}

fn profiles(list: &Field<'_>) -> Result<Vec<NativeProfile>, ParseError> {
    list.items()?.map(|item| profile(&item)).collect()
}

fn profile(item: &Field<'_>) -> Result<NativeProfile, ParseError> {
    let mut profile = NativeProfile::default();
    let mut folded = None;
    for (name, field) in item.members()? {
        if field.json == &Json::Null {
            continue;
        }
        match name {
            "benchmark" => profile.benchmark = Some(field.parsed::<model::BenchmarkName>()?.into()),
            "event" => profile.event = Some(field.parsed::<MeasureName>()?.into()),
            "unit" => profile.unit = Some(field.parsed::<MeasureName>()?.into()),
            "operations" => profile.operations = Some(field.count()?),
            "folded" => folded = Some(field.text()?.to_owned()),
            _ => return Err(field.unknown(&["benchmark", "event", "unit", "operations", "folded"])),
        }
    }
    profile.folded = folded.ok_or_else(|| item.invalid("the field \"folded\" is missing"))?;
    Ok(profile)
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let (native, warnings) = parse_native(input.bytes, input.limits)?;
    let mut builder = Builder::new(FORMAT, input.limits);
    for warning in warnings {
        builder.warn(warning.at, warning.text);
    }
    if !native.profiles.is_empty() {
        let text = format!(
            "{} profiles are not part of the benchmarks and are left out here",
            native.profiles.len()
        );
        builder.warn(crate::error::At::Field("profiles".to_owned()), text);
    }
    for (name, value) in &native.run.environment {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        builder.fact(name, &text);
    }
    builder.adopt(native.benchmarks);
    builder.finish(None)
}
