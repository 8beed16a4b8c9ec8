//! Julia's BenchmarkTools JSON (`BenchmarkTools.save`): a version, then nested pairs of a type's name and its fields.
//!
//! Written from BenchmarkTools 0.4 to 1.5 (<https://juliaci.github.io/BenchmarkTools.jl/>). Times are nanoseconds. A
//! `Trial` holds every sample; a `TrialEstimate` one value that stands for them.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading, Readings};

pub(super) const READER: Reader =
    Reader { name: "julia-benchmarktools", about: "the JSON of Julia's BenchmarkTools", sniff, read };

const KIND: Option<Kind> = Some(Kind::Micro);

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(2).any(|(path, _)| path.last().is_some_and(|p| p == member));
    if outline.opens == Some('[') && has("Julia") && has("BenchmarkTools") { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let json = parse(READER.name, input.bytes, input.limits)?;
    let root = Field::root(READER.name, &json);
    let mut parts = root.items()?;
    if let Some(versions) = parts.next() {
        for (name, version) in versions.members()? {
            builder.fact(name, &version.scalar()?);
        }
    }
    let values = parts.next().ok_or_else(|| root.invalid("the values behind the versions are missing"))?;
    for value in values.items()? {
        node(&mut builder, "", &value)?;
    }
    builder.finish(None)
}

/// A pair of a type's name and its fields. `serde_json`'s depth limit bounds the recursion.
fn node(builder: &mut Builder<'_>, path: &str, node: &Field<'_>) -> Result<(), ParseError> {
    let mut pair = node.items()?;
    let (Some(kind), Some(fields)) = (pair.next(), pair.next()) else {
        return Err(node.invalid("a pair of a type's name and its fields is expected"));
    };
    match kind.text()? {
        "BenchmarkGroup" => {
            for (name, child) in fields.need("data")?.members()? {
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
                self::node(builder, &path, &child)?;
            }
            Ok(())
        }
        kind @ ("TrialEstimate" | "Trial") => {
            let Some(key) = builder.key(node.at(), path, BTreeMap::new()) else { return Ok(()) };
            if kind == "Trial" { trial(builder, &key, &fields) } else { estimate(builder, &key, &fields) }
        }
        other => {
            builder.warn(node.at(), format!("a {other:?} holds no measurement, skipped"));
            Ok(())
        }
    }
}

fn trial(builder: &mut Builder<'_>, key: &BenchmarkKey, fields: &Field<'_>) -> Result<(), ParseError> {
    fields.need("times")?;
    for (member, measure) in [("times", "time"), ("gctimes", "gctime")] {
        let Some(times) = fields.get(member) else { continue };
        let (unit, better, values) = ("ns", Some(Better::Lower), &times.numbers()?[..]);
        let readings = Readings { measure, unit, better, values, mean: None };
        builder.observe_all(&times.at(), key, KIND, readings)?;
    }
    counted(builder, key, fields)
}

fn estimate(builder: &mut Builder<'_>, key: &BenchmarkKey, fields: &Field<'_>) -> Result<(), ParseError> {
    let time = fields.need("time")?;
    let reading = Reading::summary("time", "ns", time.number()?).towards(Better::Lower);
    builder.observe(time.at(), key, KIND, reading)?;
    if let Some(time) = fields.get("gctime").filter(|time| matches!(time.json, Json::Number(_))) {
        let value = time.number()?;
        builder.figure(time.at(), key, "time", FigureReading { name: "gctime", unit: "ns", value });
    }
    counted(builder, key, fields)
}

fn counted(builder: &mut Builder<'_>, key: &BenchmarkKey, fields: &Field<'_>) -> Result<(), ParseError> {
    for (member, unit) in [("memory", "B"), ("allocs", "allocs/op")] {
        if let Some(field) = fields.get(member) {
            let reading = Reading::raw(member, unit, field.number()?).towards(Better::Lower);
            builder.observe(field.at(), key, KIND, reading)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn groups_nest_and_trials_hold_every_sample() {
        let text = r#"[{"Julia":"1.10","BenchmarkTools":"1.0.0"},[["BenchmarkGroup",{"data":{"a":["BenchmarkGroup",{"data":{
            "b":["Trial",{"times":[5.0,6.0],"gctimes":[0,1],"memory":16,"allocs":2}]}}],"c":["Parameters",{}]},"tags":[]}]]]"#;
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].key.to_string(), "a/b");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [5.0, 6.0]);
        assert_eq!((report.benchmarks[0].measurements.len(), parsed.warnings.len()), (4, 1));
    }
}
