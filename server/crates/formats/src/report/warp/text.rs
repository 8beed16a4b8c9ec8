//! MinIO `warp`: the analysis it prints, and lines of several reports that `grep` pulled together.
//!
//! `report.txt: * Average: 389.08 MiB/s, 3.89 obj/s` repeated is one benchmark, each line one observation.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::text;

pub(in crate::report) const READER: Reader = Reader {
    name: "warp",
    about: "the analysis that MinIO warp prints, also grepped lines of it",
    sniff,
    read,
};

/// The benchmark's name where no operation is printed.
const UNNAMED: &str = "warp";

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let is_average = |line: &str| {
        bullet(line).is_some_and(|(_, label, rest)| {
            matches!(label, "Average" | "Throughput") && rates(rest).is_some_and(|rates| !rates.is_empty())
        })
    };
    if head.lines().any(is_average) { Sniff::Yes } else { Sniff::No }
}

/// `FILE: * Label: rest`: the label and the rest, and what `grep` put in front.
fn bullet(line: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = line.split_once("* ")?;
    let before = before.trim();
    if !(before.is_empty() || before.ends_with(':')) {
        return None;
    }
    let (label, rest) = after.split_once(": ")?;
    Some((before.trim_end_matches(':'), label.trim(), rest.trim().trim_end_matches('.')))
}

/// `389.08 MiB/s, 3.89 obj/s` and whatever follows in brackets; `None` when a part is no rate.
fn rates(text: &str) -> Option<Vec<(f64, &str)>> {
    let text = text.split_once('(').map_or(text, |(before, _)| before);
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            split_unit(part, Marks::Point).filter(|(value, unit)| *value >= 0.0 && unit.ends_with("/s"))
        })
        .collect()
}

/// What the section that is being read measures.
struct Section {
    key: Option<BenchmarkKey>,
    /// Inside the list of single hosts, whose numbers are parts of the average.
    hosts: bool,
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut section = Section { key: builder.key(At::File, UNNAMED, BTreeMap::new()), hosts: false };
    for (at, line) in lines(&text) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("---") || trimmed.starts_with("===") {
            continue;
        }
        if let Some((name, parameters)) = operation(trimmed) {
            section = Section { key: builder.key(At::Line(at), name, parameters), hosts: false };
            continue;
        }
        match (bullet(line), section.key.clone()) {
            (Some((_, label, rest)), Some(key)) if !section.hosts || label == "Average" => {
                bullet_line(&mut builder, at, line, &key, label, rest)?;
            }
            (None, _) if trimmed.contains("by host") => section.hosts = true,
            (None, _) if trimmed.ends_with(':') || trimmed.contains("split into") => section.hosts = false,
            _ => builder.unknown_line(at, line),
        }
    }
    builder.finish(None)
}

/// `Operation: PUT, 60%, Concurrency: 20, Ran 4m59s.` and `Report: PUT. Concurrency: 20. Ran: 4m57s`.
fn operation(line: &str) -> Option<(&str, BTreeMap<String, String>)> {
    let rest = ["Operation: ", "Report: "].iter().find_map(|start| line.strip_prefix(start))?;
    let mut parts = rest.split([',', '.']).map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let concurrency = parts.find_map(|part| part.strip_prefix("Concurrency: "));
    let parameters = concurrency.map(|n| ("concurrency".to_owned(), n.to_owned()));
    Some((name, parameters.into_iter().collect()))
}

fn bullet_line(
    builder: &mut Builder<'_>,
    at: usize,
    line: &str,
    key: &BenchmarkKey,
    label: &str,
    rest: &str,
) -> Result<(), ParseError> {
    let suffix = match label {
        "Average" | "Throughput" => "",
        "Fastest" | "Slowest" | "50% Median" => label,
        "Reqs" | "TTFB" => return durations(builder, at, key, label, rest),
        _ => {
            builder.unknown_line(at, line);
            return Ok(());
        }
    };
    let Some(rates) = rates(rest).filter(|rates| !rates.is_empty()) else {
        builder.unknown_line(at, line);
        return Ok(());
    };
    for (value, unit) in rates {
        let measure = if unit == "obj/s" { "object rate" } else { "throughput" };
        let measure = format!("{measure} {}", suffix.to_lowercase());
        // The slices of a run that the extremes come from are not repeated readings of anything.
        let better = (!suffix.is_empty() && suffix != "50% Median").then_some(Better::Neither);
        let reading = Reading { measure: measure.trim(), unit, value, better, summarised: false };
        builder.observe(At::Line(at), key, Some(Kind::EndToEnd), reading)?;
    }
    Ok(())
}

/// `Avg: 942.4ms, 50%: 849.6ms, 99%: 2.1s, StdDev: 12ms`.
fn durations(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    label: &str,
    rest: &str,
) -> Result<(), ParseError> {
    for part in rest.split(',') {
        let read =
            part.split_once(':').and_then(|(name, value)| Some((name.trim(), duration_ns(value.trim())?)));
        let Some((name, value)) = read else {
            builder.warn(At::Line(at), format!("not understood and skipped: {:?}", part.trim()));
            continue;
        };
        let measure = format!("{label} {name}");
        let better = (name == "StdDev").then_some(Better::Neither);
        let reading = Reading { measure: &measure, unit: "ns", value, better, summarised: false };
        builder.observe(At::Line(at), key, Some(Kind::EndToEnd), reading)?;
    }
    Ok(())
}

/// A Go duration such as `1m2.5s` or `849.6ms` in nanoseconds.
fn duration_ns(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let (value, unit_and_more) = split_unit(rest, Marks::Point)?;
        let end = unit_and_more.find(|c: char| c.is_ascii_digit()).unwrap_or(unit_and_more.len());
        let (unit, more) = unit_and_more.split_at_checked(end)?;
        let unit = if unit == "m" { "min" } else { unit };
        let (model::Unit::Nanoseconds, scale) = model::Unit::parse(unit) else { return None };
        total += value * scale;
        rest = more;
    }
    (!text.is_empty() && total >= 0.0).then_some(total)
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints};
    use crate::{Limits, read as read_any};

    #[test]
    fn the_native_output_has_one_benchmark_an_operation() {
        let text = "Report: PUT. Concurrency: 20. Ran: 4m57s\n * Average: 211.68 MiB/s, 21.17 obj/s\n \
                    * Reqs: Avg: 942.4ms, 50%: 849.6ms, 99%: 1m2.5s, StdDev: 1.0ms\n\nThroughput by host:\n \
                    * http://a:9000: Avg: 1.0 MiB/s, 2 obj/s.\n\nThroughput, split into 59 x 1s:\n \
                    * Fastest: 97.9MiB/s, 9.79 obj/s (1s, starting 12:02:35 CET)\n \
                    * 50% Median: 65.1MiB/s, 6.51 obj/s (1s, starting 12:02:35 CET)\n\n\
                    Operation: GET, 10%, Concurrency: 20, Ran 4m59s.\n * Throughput: 18.06 obj/s\n";
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!(parsed.warnings.len(), 1, "the single host: {:?}", parsed.warnings);
        let Content::Report(report) = parsed.content else { panic!("a report") };
        let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(names, ["PUT [concurrency=20]", "GET [concurrency=20]"]);
        let values: Vec<(&str, f64)> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| (m.measure.name.as_str(), m.observations[0]))
            .collect();
        assert_eq!(values[0], ("throughput", 211.68 * 1_048_576.0));
        assert_eq!(values[1], ("object rate", 21.17));
        assert!(values.contains(&("Reqs 99%", 62.5e9)), "{values:?}");
        assert!(values.contains(&("throughput fastest", 97.9 * 1_048_576.0)), "{values:?}");
    }
}
