//! fio's normal text.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::{DIRECTIONS, KIND, TEXT};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, prefix_scale, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

/// `name: (groupid=0, jobs=1): err= 0: pid=3133: …`: the job and its error number.
fn job(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let error = rest.split_once("err=")?.1.split(':').next()?.trim();
    Some((name, error))
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| job(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// `  write: IOPS=7529, BW=471MiB/s (493MB/s)(8192KiB/17msec)`.
fn direction(line: &str) -> Option<(&'static str, &str)> {
    let (word, rest) = line.trim_start().split_once(':')?;
    let direction = DIRECTIONS.into_iter().find(|direction| *direction == word.trim())?;
    Some((direction, rest))
}

/// `key=value` parts of a line.
fn part<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(name) {
        let begin = from + at;
        let before = line.get(..begin)?.chars().next_back();
        let rest = line.get(begin + name.len()..)?;
        if before.is_none_or(|c| !c.is_alphanumeric()) && rest.starts_with('=') {
            return rest.get(1..)?.split([',', ' ', ';', '(']).find(|part| !part.is_empty());
        }
        from = begin + name.len();
    }
    None
}

/// `clat (usec): min=9, …`: which latency and its unit.
fn latency(line: &str) -> Option<(&str, &'static str)> {
    let (name, rest) = line.trim_start().split_once(" (")?;
    let unit = match rest.split_once("):")?.0 {
        "nsec" => "ns",
        "usec" => "us",
        "msec" => "ms",
        "sec" => "s",
        _ => return None,
    };
    (matches!(name, "slat" | "clat" | "lat") && rest.contains("avg=")).then_some((name, unit))
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut current: Option<(&str, &str)> = None;
    let mut key: Option<BenchmarkKey> = None;
    let mut percentiles: Option<&'static str> = None;
    for (at, line) in lines(&text) {
        if let Some(found) = job(line) {
            (current, key, percentiles) = (Some(found), None, None);
        } else if line.starts_with("Run status group") {
            // Sums over jobs follow.
            (current, key) = (None, None);
        } else if let (Some((name, error)), Some((direction, rest))) = (current, direction(line)) {
            key = builder.key(At::Line(at), &format!("{name}/{direction}"), BTreeMap::new());
            let Some(key) = &key else { continue };
            rates(&mut builder, at, key, rest)?;
            if error != "0" {
                builder.fail(key, KIND, &format!("error {error}"))?;
            }
        } else if let Some(key) = &key {
            percentiles = latency_line(&mut builder, at, key, line, percentiles)?;
        }
    }
    builder.finish(None)
}

fn rates(builder: &mut Builder<'_>, at: usize, key: &BenchmarkKey, line: &str) -> Result<(), ParseError> {
    let iops = part(line, "IOPS").or_else(|| part(line, "iops")).and_then(|text| {
        let (value, prefix) = split_unit(text, Marks::Point)?;
        Some(value * prefix_scale(prefix)?)
    });
    if let Some(iops) = iops {
        let reading = Reading::summary("IOPS", "1/s", iops).towards(Better::Higher);
        builder.observe(At::Line(at), key, KIND, reading)?;
    }
    let bandwidth =
        part(line, "BW").or_else(|| part(line, "bw")).and_then(|text| split_unit(text, Marks::Point));
    if let Some((value, unit)) = bandwidth {
        // Before 3.0 `KB/s` meant 1024 bytes unless told otherwise; since then the `i` says so.
        let reading = Reading::summary("BW", unit, value).towards(Better::Higher);
        builder.observe(At::Line(at), key, KIND, reading)?;
    }
    Ok(())
}

/// A latency's line, or percentiles below it. Returns the unit of percentiles that follow.
fn latency_line(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    line: &str,
    percentiles: Option<&'static str>,
) -> Result<Option<&'static str>, ParseError> {
    if let Some((name, unit)) = latency(line) {
        if let Some(mean) = part(line, "avg").and_then(|text| number(text, Marks::Point)) {
            let measure = format!("{name} avg");
            let reading = Reading::summary(&measure, unit, mean).towards(Better::Lower);
            builder.observe(At::Line(at), key, KIND, reading)?;
            for what in ["min", "max", "stdev"] {
                let value = part(line, what).and_then(|text| split_unit(text, Marks::Point));
                let Some((value, prefix)) = value else { continue };
                let value = value * prefix_scale(prefix).unwrap_or(1.0);
                let figure = format!("{name} {what}");
                builder.figure(At::Line(at), key, &measure, FigureReading { name: &figure, unit, value });
            }
        }
        return Ok(None);
    }
    let trimmed = line.trim_start();
    if let Some(rest) =
        trimmed.strip_prefix("clat percentiles (").or_else(|| trimmed.strip_prefix("lat percentiles ("))
    {
        return Ok(Some(match rest.split(')').next() {
            Some("nsec") => "ns",
            Some("msec") => "ms",
            _ => "us",
        }));
    }
    let Some(unit) = percentiles.filter(|_| trimmed.starts_with('|')) else { return Ok(None) };
    for cell in trimmed.trim_start_matches('|').split("],") {
        let Some((p, value)) = cell.split_once("th=[") else { continue };
        let value = number(value.trim_end_matches(']'), Marks::Point);
        let Some((p, value)) = number(p, Marks::Point).zip(value) else { continue };
        if [50.0, 90.0, 95.0, 99.0, 99.9].contains(&p) {
            let measure = format!("clat p{p}");
            let reading = Reading::summary(&measure, unit, value).towards(Better::Lower);
            builder.observe(At::Line(at), key, KIND, reading)?;
        }
    }
    Ok(percentiles)
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn units_change_with_the_magnitude_and_errors_are_failures() {
        let text = "a: (groupid=0, jobs=1): err= 0: pid=1: Mon\n  read: IOPS=12.5k, BW=48.8MiB/s (51.2MB/s)(1GiB/20s)\n    clat (msec): min=1, max=2k, avg=3.5, stdev=1.0\n    \
                    clat percentiles (usec):\n     | 50.00th=[   22], 99.00th=[  375],\n     | 99.90th=[11338]\nb: (groupid=0, jobs=1): err=28 (file:x): pid=2: Mon\n  write: IOPS=1, BW=1KiB/s (1kB/s)\n\
                    Run status group 0 (all jobs):\n   READ: bw=1MiB/s\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = parsed.content else { panic!("a report") };
        let a = &report.benchmarks[0];
        let values: Vec<(&str, f64)> =
            a.measurements.iter().map(|m| (m.measure.name.as_str(), m.observations[0])).collect();
        assert_eq!(
            values,
            [
                ("IOPS", 12500.0),
                ("BW", 48.8 * 1_048_576.0),
                ("clat avg", 3.5e6),
                ("clat p50", 22e3),
                ("clat p99", 375e3),
                ("clat p99.9", 11338e3)
            ]
        );
        assert!(matches!(report.benchmarks[1].status, Status::Failed(_)));
    }
}
