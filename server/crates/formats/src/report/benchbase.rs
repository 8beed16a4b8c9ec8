//! BenchBase (and OLTPBench): `summary.json` of a run.
//!
//! See <https://github.com/cmu-db/benchbase>. Each member names its unit in parentheses; the benchmark is the workload.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;

pub(super) const READER: Reader =
    Reader { name: "benchbase", about: "summary.json of BenchBase", sniff, read };

const DISTRIBUTION: &str = "Latency Distribution";

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |key: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|known| known == key));
    if has(DISTRIBUTION) && (has("Benchmark Type") || has("DBMS Type")) { Sniff::Yes } else { Sniff::No }
}

/// `Throughput (requests/second)` without its unit, and the unit.
fn unit_of(name: &str) -> (&str, &str) {
    match name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((name, "requests/second")) => (name, "requests/s"),
        Some((name, unit)) => (name, unit),
        None => (name, "count"),
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let json = parse(READER.name, input.bytes, input.limits)?;
    let root = Field::root(READER.name, &json);
    let kind = root.get("Benchmark Type").or_else(|| root.get("Benchmark"));
    let name = kind.map_or(Ok("benchbase".to_owned()), |field| field.scalar())?;
    let Some(mut entry) = Entry::new(&mut builder, root.at(), &name, BTreeMap::new(), Some(Kind::EndToEnd))
    else {
        return builder.finish(None);
    };
    for (member, field) in root.members()? {
        let (measure, unit) = unit_of(member);
        entry.at = field.at();
        match (measure, field.json) {
            (DISTRIBUTION, _) => distribution(&mut entry, &field)?,
            ("Throughput" | "Goodput", Json::Number(value)) => {
                entry.observe(Reading::summary(measure, unit, *value).towards(Better::Higher))?;
            }
            ("Measured Requests" | "Elapsed Time", Json::Number(value)) => {
                entry.observe(Reading::raw(measure, unit, *value).towards(Better::Neither))?;
            }
            ("Final State", Json::Text(state)) if !matches!(state.as_ref(), "EXIT" | "DONE") => {
                entry.fail(&format!("the final state is {state}"))?;
            }
            (_, Json::Text(_) | Json::Number(_) | Json::Bool(_)) => {
                entry.builder.fact(member, &field.scalar()?);
            }
            (_, Json::Null) => {}
            _ => entry.builder.warn(field.at(), "not known and skipped"),
        }
    }
    builder.finish(None)
}

fn distribution(entry: &mut Entry<'_, '_>, latencies: &Field<'_>) -> Result<(), ParseError> {
    const AVERAGE: &str = "Average Latency";
    let mut bounds = Vec::new();
    for (member, field) in latencies.members()? {
        let (measure, unit) = unit_of(member);
        // A run without requests has no latencies; older versions write -1.
        let Json::Number(value) = field.json else { continue };
        if *value < 0.0 {
            entry.builder.warn(field.at(), "is negative, there were no requests; skipped");
        } else if matches!(measure, "Maximum Latency" | "Minimum Latency") {
            bounds.push((measure, unit, *value));
        } else {
            entry.observe(Reading::summary(measure, unit, *value).towards(Better::Lower))?;
        }
    }
    if entry.builder.has(&entry.key, AVERAGE) {
        for (measure, unit, value) in bounds {
            entry.figure(AVERAGE, measure, unit, value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints};
    use crate::{Limits, read as read_any};

    #[test]
    fn a_summary_is_one_benchmark() {
        let text = r#"{"Start timestamp (milliseconds)": 1645, "Elapsed Time (nanoseconds)": 60000000000,
            "DBMS Type": "POSTGRES", "Benchmark Type": "tpcc", "Final State": "EXIT", "Measured Requests": 100,
            "scalefactor": "1", "terminals": "4",
            "Latency Distribution": {"95th Percentile Latency (microseconds)": 9, "Maximum Latency (microseconds)": 20,
              "Average Latency (microseconds)": 5}, "Throughput (requests/second)": 12.5,
            "Goodput (requests/second)": 12.0}"#;
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].key.to_string(), "tpcc");
        let measures: Vec<String> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| format!("{} {}", m.measure.name, m.measure.unit))
            .collect();
        assert_eq!(
            measures,
            [
                "Elapsed Time ns",
                "Measured Requests count",
                "95th Percentile Latency ns",
                "Average Latency ns",
                "Throughput requests/s",
                "Goodput requests/s"
            ]
        );
        assert_eq!(report.environment["terminals"], "4");
    }
}
