//! What JMeter computed itself: the Summariser's lines, `statistics.json`, the aggregate report.

use std::collections::BTreeMap;

use super::{AGGREGATE, LOG, STATISTICS};
use crate::csv::Rows;
use crate::error::{At, Kind, ParseError};
use crate::json::{Field, Json, outline, parse};
use crate::number::{Marks, clock_seconds, lines, number, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::report::load::{Is, KIND, Load};
use crate::text::text;

/// `name + 186 in 43s = 4.3/s Avg: 536 Min: 5 Max: 4617 Err: 0 (0.00%)`: an interval (`+`) or the sum so far (`=`).
struct Line<'a> {
    name: &'a str,
    is_interval: bool,
    values: [(&'static str, &'static str, f64); 7],
}

fn line(text: &str) -> Option<Line<'_>> {
    let (before, rest) = text.split_once(" in ")?;
    let (name, samples) = before.trim_end().rsplit_once(char::is_whitespace)?;
    let name = name.trim_end();
    let is_interval = name.ends_with('+');
    let name = name.strip_suffix(['+', '='])?.trim_end();
    // The log's own beginning: `2014/05/22 14:50:15 INFO - jmeter.reporters.Summariser: name`.
    let name = name.rsplit_once("Summariser: ").map_or(name, |(_, name)| name).trim();
    let (duration, rest) = rest.split_once('=')?;
    let duration = duration.trim();
    let seconds = duration
        .strip_suffix('s')
        .and_then(|text| number(text, Marks::Point))
        .or_else(|| clock_seconds(duration))?;
    let after = |label: &str| {
        let (_, value) = rest.split_once(label)?;
        number(value.split_whitespace().next()?, Marks::Point)
    };
    let rate = split_unit(rest.trim_start(), Marks::Point).filter(|(_, unit)| unit.starts_with("/s"))?.0;
    Some(Line {
        name,
        is_interval,
        values: [
            ("samples", "count", number(samples, Marks::Point)?),
            ("duration", "s", seconds),
            ("rate", "1/s", rate),
            ("avg", "ms", after("Avg:")?),
            ("min", "ms", after("Min:")?),
            ("max", "ms", after("Max:")?),
            ("errors", "count", after("Err:")?),
        ],
    })
}

pub(super) fn sniff_log(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let log = head.contains("jmeter.") || head.contains("Creating summariser <");
    if head.lines().any(|text| line(text).is_some()) {
        Sniff::Yes
    } else if log {
        Sniff::Maybe
    } else {
        Sniff::No
    }
}

/// Intervals are readings. Sums repeat what intervals said, so they are figures, and readings only where a run was so
/// short that there is no interval.
pub(super) fn read_log(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(LOG.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let found: Vec<(usize, Line<'_>)> =
        lines(&text).filter_map(|(at, text)| Some((at, line(text)?))).collect();
    let mut sums = 0;
    for is_interval in [true, false] {
        for (at, line) in found.iter().filter(|(_, line)| line.is_interval == is_interval) {
            let Some(key) = builder.key(At::Line(*at), line.name, BTreeMap::new()) else { continue };
            let has_intervals = found.iter().any(|(_, other)| other.is_interval && other.name == line.name);
            sums += usize::from(!is_interval);
            for (measure, unit, value) in line.values {
                if is_interval || !has_intervals {
                    let better = match measure {
                        "rate" => model::Better::Higher,
                        "samples" | "duration" => model::Better::Neither,
                        _ => model::Better::Lower,
                    };
                    let reading = Reading::summary(measure, unit, value).towards(better);
                    builder.observe(At::Line(*at), &key, KIND, reading)?;
                } else {
                    let name = format!("total {measure} {sums}");
                    builder.figure(At::Line(*at), &key, measure, FigureReading { name: &name, unit, value });
                }
            }
        }
    }
    builder.finish(None)
}

/// Members of `statistics.json` by name: measure, unit, kind.
const MEMBERS: [(&str, &str, Is); 11] = [
    ("sampleCount", "count", Is::Amount),
    ("errorCount", "count", Is::Failure),
    ("errorPct", "%", Is::Failure),
    ("meanResTime", "ms", Is::Latency),
    ("medianResTime", "ms", Is::Latency),
    ("pct1ResTime", "ms", Is::Latency),
    ("pct2ResTime", "ms", Is::Latency),
    ("pct3ResTime", "ms", Is::Latency),
    ("throughput", "1/s", Is::Rate),
    ("receivedKBytesPerSec", "KiB/s", Is::Rate),
    ("sentKBytesPerSec", "KiB/s", Is::Rate),
];

pub(super) fn sniff_statistics(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(2).any(|(path, _)| path.last().is_some_and(|p| p == member));
    if has("sampleCount") && has("meanResTime") { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read_statistics(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(STATISTICS.name, input.limits);
    let json = parse(STATISTICS.name, input.bytes, input.limits)?;
    let root = Field::root(STATISTICS.name, &json);
    for (label, field) in root.members()? {
        let Some(key) = builder.key(field.at(), label, BTreeMap::new()) else { continue };
        let mut load = Load { builder: &mut builder, key };
        for (member, unit, is) in MEMBERS {
            // A label without samples has `NaN` as text.
            if let Some(value) = field.get(member).filter(|value| matches!(value.json, Json::Number(_))) {
                load.value(value.at(), is, member, unit, value.number()?)?;
            }
        }
        for member in ["minResTime", "maxResTime"] {
            if let Some(value) = field.get(member).filter(|value| matches!(value.json, Json::Number(_))) {
                load.figure(value.at(), "meanResTime", member, "ms", value.number()?);
            }
        }
    }
    builder.finish(None)
}

/// Unit and kind of a column of the aggregate or summary report.
fn column(heading: &str) -> Option<(&'static str, Is)> {
    Some(match heading {
        "# Samples" => ("count", Is::Amount),
        "Average" | "Median" => ("ms", Is::Latency),
        _ if heading.ends_with("% Line") => ("ms", Is::Latency),
        "Error %" => ("%", Is::Failure),
        "Throughput" => ("1/s", Is::Rate),
        "Received KB/sec" | "Sent KB/sec" | "KB/sec" => ("KiB/s", Is::Rate),
        "Avg. Bytes" => ("B", Is::Amount),
        _ => return None,
    })
}

pub(super) fn sniff_aggregate(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.starts_with("Label,# Samples,Average,") { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read_aggregate(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(AGGREGATE.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut rows = Rows::new(AGGREGATE.name, &text, ',');
    let header = match rows.next() {
        Some(header) => header?,
        None => return Err(builder.error(At::File, Kind::Empty)),
    };
    for row in rows {
        let row = row?;
        let Some(key) = builder.key(At::Line(row.line), row.cell(0), BTreeMap::new()) else { continue };
        let mut load = Load { builder: &mut builder, key };
        for (index, heading) in header.cells.iter().enumerate().skip(1) {
            let Some(value) = number(row.cell(index).trim_end_matches('%'), Marks::Point) else { continue };
            match column(heading) {
                Some((unit, is)) => load.value(At::Line(row.line), is, heading, unit, value)?,
                None if load.builder.has(&load.key, "Average") => {
                    load.figure(At::Line(row.line), "Average", heading, "ms", value);
                }
                None => {}
            }
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        match read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn newer_lines_have_clocks_and_a_short_run_only_its_sum() {
        let report = report(
            "summary =    100 in 00:00:05 =   20.0/s Avg:   50 Min:    10 Max:   200 Err:     1 (1.00%)\n",
        );
        let values: Vec<f64> = report.benchmarks[0].measurements.iter().map(|m| m.observations[0]).collect();
        assert_eq!(values, [100.0, 5e9, 20.0, 50e6, 10e6, 200e6, 1.0]);
    }

    #[test]
    fn statistics_and_the_aggregate_report_are_read() {
        let json = report(
            r#"{"Total":{"transaction":"Total","sampleCount":5,"errorCount":0,"meanResTime":12.5,"minResTime":1.0,"maxResTime":"NaN","throughput":3.5}}"#,
        );
        assert_eq!(
            (json.benchmarks[0].measurements.len(), json.benchmarks[0].measurements[2].figures.len()),
            (4, 1)
        );
        let csv = report(
            "Label,# Samples,Average,Median,90% Line,Min,Max,Error %,Throughput\na,5,12,10,20,1,30,0.00%,3.5\n",
        );
        assert_eq!(csv.benchmarks[0].measurements.len(), 6);
    }
}
