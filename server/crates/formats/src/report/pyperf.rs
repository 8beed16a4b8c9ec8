//! pyperf's JSON.
//!
//! Written from pyperf 1 and 2 (<https://pyperf.readthedocs.io/en/latest/api.html#json-format>). `values` of every run are
//! readings; `warmups` are none, and a run that only calibrated has no values.

use std::collections::BTreeMap;

use model::Kind;

use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Readings};

pub(super) const READER: Reader = Reader { name: "pyperf", about: "pyperf's JSON", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |depth: usize, member: &str| {
        outline.at_depth(depth).any(|(path, _)| path.last().is_some_and(|p| p == member))
    };
    // mitata has runs too, below an alias.
    let ours = has(1, "benchmarks") && has(3, "runs") && !has(3, "alias");
    if ours || (has(1, "metadata") && has(1, "version") && has(1, "benchmarks")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let json = parse(READER.name, input.bytes, input.limits)?;
    let root = Field::root(READER.name, &json);
    let common = root.get("metadata");
    if let Some(metadata) = &common {
        for (name, value) in metadata.members()? {
            if let Ok(value) = value.scalar() {
                builder.fact(name, &value);
            }
        }
    }
    for benchmark in root.need("benchmarks")?.items()? {
        self::benchmark(&mut builder, &benchmark, common.as_ref())?;
    }
    builder.finish(None)
}

/// A member of the benchmark's metadata, else of the file's, else of its first run's.
fn described(benchmark: &Field<'_>, common: Option<&Field<'_>>, member: &str) -> Option<String> {
    let text = |field: &Field<'_>| field.get(member).and_then(|value| value.scalar().ok());
    let first_run = || {
        let runs = benchmark.get("runs")?;
        let run = runs.items().ok()?.next()?;
        let metadata = run.get("metadata")?;
        text(&metadata)
    };
    benchmark
        .get("metadata")
        .and_then(|metadata| text(&metadata))
        .or_else(|| common.and_then(text))
        .or_else(first_run)
}

fn benchmark(
    builder: &mut Builder<'_>,
    benchmark: &Field<'_>,
    common: Option<&Field<'_>>,
) -> Result<(), ParseError> {
    let name = described(benchmark, common, "name").unwrap_or_else(|| READER.name.to_owned());
    let Some(key) = builder.key(benchmark.at(), &name, BTreeMap::new()) else { return Ok(()) };
    let (measure, unit) = match described(benchmark, common, "unit").as_deref() {
        None | Some("second") => ("time", "s"),
        Some("byte") => ("memory", "B"),
        Some(_) => ("value", "count"),
    };
    let runs = benchmark.need("runs")?;
    let mut numbers = Vec::new();
    for run in runs.items()? {
        let Some(values) = run.get("values") else { continue };
        for value in values.items()? {
            // Before 1.0 a value was a pair of loops and seconds for all of them.
            numbers.push(match value.json {
                Json::List(_) => last(&value)?,
                _ => value.number()?,
            });
        }
    }
    let readings = Readings { measure, unit, better: None, values: &numbers, mean: None };
    builder.observe_all(&runs.at(), &key, Some(Kind::Micro), readings)?;
    if !builder.has(&key, measure) {
        builder.fail(&key, Some(Kind::Micro), "no run has a value")?;
    }
    Ok(())
}

/// The last number of a list.
fn last(list: &Field<'_>) -> Result<f64, ParseError> {
    let items: Vec<Field<'_>> = list.items()?.collect();
    items.last().ok_or_else(|| list.invalid("an empty list where a value belongs"))?.number()
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn warm_ups_are_no_readings_and_units_are_told() {
        let text = r#"{"version":"1.0","metadata":{"unit":"byte","hostname":"h"},"benchmarks":[
            {"metadata":{"name":"a"},"runs":[{"warmups":[[1,9.0]]},{"values":[5.0,6.0],"warmups":[[1,9.0]]}]},
            {"metadata":{"name":"b"},"runs":[{"warmups":[[1,9.0]]}]}]}"#;
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let memory = &report.benchmarks[0].measurements[0];
        assert_eq!(
            (&memory.observations[..], memory.measure.unit.to_string()),
            (&[5.0, 6.0][..], "B".to_owned())
        );
        assert!(matches!(report.benchmarks[1].status, Status::Failed(_)));
    }
}
