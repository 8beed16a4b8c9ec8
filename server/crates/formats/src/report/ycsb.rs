//! YCSB: `[READ], AverageLatency(us), 12.3` lines and the JSON of its two JSON exporters.
//!
//! See <https://github.com/brianfrankcooper/YCSB>. An operation is a benchmark, the whole run is `OVERALL`. Counts of
//! answers (`Return=ERROR`) are values; a histogram's buckets and a time series' points are not.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::json::{Field, Json, documents, outline, parse};
use crate::number::{Marks, is_not_a_number, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::text;

pub(super) const TEXT: Reader =
    Reader { name: "ycsb", about: "YCSB's result lines", sniff: sniff_text, read: read_text };
pub(super) const JSON: Reader =
    Reader { name: "ycsb-json", about: "YCSB's JSON exporters", sniff: sniff_json, read: read_json };

const KIND: Option<Kind> = Some(Kind::EndToEnd);

/// `[READ], AverageLatency(us), 12.3`.
fn triple(line: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = line.trim().strip_prefix('[')?.split_once("], ")?;
    let (measure, value) = rest.rsplit_once(", ")?;
    Some((name, measure.trim(), value.trim()))
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let telling = |line: &str| {
        triple(line).is_some_and(|(name, measure, _)| {
            (name == "OVERALL" && matches!(measure, "RunTime(ms)" | "Throughput(ops/sec)"))
                || measure == "AverageLatency(us)"
                || measure.starts_with("Return=")
        })
    };
    if head.lines().any(telling) { Sniff::Yes } else { Sniff::No }
}

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let depth = if outline.opens == Some('[') { 2 } else { 1 };
    let has =
        |key: &str| outline.at_depth(depth).any(|(path, _)| path.last().is_some_and(|known| known == key));
    if has("metric") && has("measurement") && has("value") { Sniff::Yes } else { Sniff::No }
}

/// The measure's name without its unit, and the unit.
fn unit_of(measure: &str) -> (&str, &str) {
    let split = measure.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split {
        Some((name, unit)) if !name.is_empty() => (name.trim(), unit),
        _ => (measure, "count"),
    }
}

/// A bucket of a histogram or a point of a time series, numbered and not named.
fn is_bucket(measure: &str) -> bool {
    measure.trim_start_matches('>').bytes().all(|byte| byte.is_ascii_digit())
}

/// Puts one value where it belongs: the bounds of the latency are said about its mean.
fn keep(
    entry: &mut Entry<'_, '_>,
    bounds: &mut Vec<(At, String, String, f64)>,
    measure: &str,
    value: f64,
) -> Result<(), ParseError> {
    let name = entry.key.name.as_str().to_owned();
    let (measure, unit) = unit_of(measure);
    if matches!(measure, "MinLatency" | "MaxLatency") {
        bounds.push((entry.at.clone(), name, measure.to_owned(), value));
        return Ok(());
    }
    let failed = name.ends_with("-FAILED") || name.ends_with("-EXCEPTION");
    let (unit, better) = match measure {
        "Throughput" => (unit, Better::Higher),
        _ if measure.ends_with("Latency") && !failed => (unit, Better::Lower),
        _ if measure.starts_with("Return=") && measure != "Return=OK" => ("count", Better::Lower),
        _ if name.contains("GC") && unit == "ms" => (unit, Better::Lower),
        // How long it ran is set or follows from the rate; cleaning up is none of the work.
        _ => (unit, Better::Neither),
    };
    let summarised = !matches!(measure, "RunTime" | "Operations");
    entry.observe(Reading { measure, unit, value, better: Some(better), summarised })
}

fn say_bounds(builder: &mut Builder<'_>, bounds: Vec<(At, String, String, f64)>) {
    for (at, name, measure, value) in bounds {
        let Some(mut entry) = Entry::new(builder, at, &name, BTreeMap::new(), KIND) else { continue };
        entry.figure("AverageLatency", &measure, "us", value);
    }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut bounds = Vec::new();
    for (at, line) in lines(&text) {
        let Some((name, measure, printed)) = triple(line) else {
            if !is_known(line.trim()) {
                builder.unknown_line(at, line);
            }
            continue;
        };
        if is_bucket(measure) {
            continue;
        }
        match number(printed, Marks::Point) {
            Some(value) => {
                let Some(mut entry) = Entry::new(&mut builder, At::Line(at), name, BTreeMap::new(), KIND)
                else {
                    continue;
                };
                keep(&mut entry, &mut bounds, measure, value)?;
            }
            None if is_not_a_number(printed) => {
                builder.warn(At::Line(at), format!("{name} {measure} is {printed:?} and skipped"));
            }
            None => builder.unknown_line(at, line),
        }
    }
    say_bounds(&mut builder, bounds);
    builder.finish(None)
}

/// What YCSB prints around its results: the command line, the client's banner, its status every ten seconds.
fn is_known(line: &str) -> bool {
    let heads = ["Command line:", "YCSB Client", "Loading workload", "Starting test", "DBWrapper:", "java "];
    line.is_empty()
        || heads.iter().any(|head| line.starts_with(head))
        || (line.contains(" sec: ") && line.contains(" operations"))
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut bounds = Vec::new();
    if text.trim_start().starts_with('[') {
        let json = parse(JSON.name, text.as_bytes(), input.limits)?;
        for item in Field::root(JSON.name, &json).items()? {
            item_of(&mut builder, &mut bounds, &item)?;
        }
    } else {
        // The first exporter writes objects one behind the other with nothing between.
        let separate = text.replace("}{", "}\n{").replace("} {", "}\n{");
        for (line, document) in documents(&separate) {
            match parse(JSON.name, document.as_bytes(), input.limits) {
                Ok(json) => item_of(&mut builder, &mut bounds, &Field::root(JSON.name, &json))?,
                Err(error) => builder.warn(At::Line(line), error.kind.to_string()),
            }
        }
    }
    say_bounds(&mut builder, bounds);
    builder.finish(None)
}

fn item_of(
    builder: &mut Builder<'_>,
    bounds: &mut Vec<(At, String, String, f64)>,
    item: &Field<'_>,
) -> Result<(), ParseError> {
    let (metric, measure, value) = (item.need("metric")?, item.need("measurement")?, item.need("value")?);
    let measure = measure.scalar()?;
    if is_bucket(&measure) {
        return Ok(());
    }
    let value = match value.json {
        Json::Text(text) if is_not_a_number(text) => {
            builder.warn(value.at(), format!("{measure} is {text:?} and skipped"));
            return Ok(());
        }
        _ => value.number()?,
    };
    let Some(mut entry) = Entry::new(builder, item.at(), metric.text()?, BTreeMap::new(), KIND) else {
        return Ok(());
    };
    keep(&mut entry, bounds, &measure, value)
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    fn names(report: &Report) -> Vec<String> {
        report
            .benchmarks
            .iter()
            .flat_map(|b| b.measurements.iter().map(move |m| format!("{} {}", b.key, m.measure.name)))
            .collect()
    }

    #[test]
    fn lines_are_operations_and_their_measures() {
        let report = report(
            "YCSB Client 0.17.0\n\nLoading workload...\nStarting test.\n\
             2026-01-01 10:00:00:000 0 sec: 0 operations; est completion in 0 second\n\
             [OVERALL], RunTime(ms), 1054\n[OVERALL], Throughput(ops/sec), 948.7\n\
             [TOTAL_GCs], Count, 2\n[READ], Operations, 500\n[READ], AverageLatency(us), 12.5\n\
             [READ], MinLatency(us), 1\n[READ], MaxLatency(us), 99\n[READ], 99thPercentileLatency(us), 40\n\
             [READ], Return=OK, 497\n[READ], Return=ERROR, 3\n[READ], 0, 490\n[READ], >1000, 1\n\
             [CLEANUP], AverageLatency(us), NaN\n",
        );
        assert_eq!(
            names(&report),
            [
                "OVERALL RunTime",
                "OVERALL Throughput",
                "TOTAL_GCs Count",
                "READ Operations",
                "READ AverageLatency",
                "READ 99thPercentileLatency",
                "READ Return=OK",
                "READ Return=ERROR",
            ]
        );
        let latency = &report.benchmarks[2].measurements[1];
        assert_eq!((latency.observations[0], latency.figures.len()), (12.5e3, 2));
    }

    #[test]
    fn both_json_exporters_are_read() {
        let one = r#"{"metric":"READ","measurement":"AverageLatency(us)","value":12.5}"#;
        let two = r#"{"metric":"READ","measurement":"Return=ERROR","value":3}"#;
        for text in [format!("[{one},{two}]"), format!("{one}{two}"), format!("{one}\n{two}\n")] {
            assert_eq!(names(&report(&text)), ["READ AverageLatency", "READ Return=ERROR"], "{text}");
        }
    }
}
