//! fio's JSON.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::{DIRECTIONS, JSON, KIND};
use crate::error::ParseError;
use crate::json::{Field, outline, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

/// Percentiles that people compare, as fio writes them.
const PERCENTILES: [(&str, &str); 5] = [
    ("50.000000", "p50"),
    ("90.000000", "p90"),
    ("95.000000", "p95"),
    ("99.000000", "p99"),
    ("99.900000", "p99.9"),
];

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let from = document(head);
    let outline = outline(head.get(from..).unwrap_or_default());
    let has = |member: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|p| p == member));
    if has("fio version") && (has("jobs") || has("client_stats") || has("global options")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

/// Where the document begins: fio prints warnings in front of it.
fn document(bytes: &[u8]) -> usize {
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.first() == Some(&b'{') {
            return at;
        }
        at += line.len();
    }
    0
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let from = document(input.bytes);
    let bytes = input.bytes.get(from..).unwrap_or_default();
    let before = input.bytes.get(..from).unwrap_or_default();
    let talk = Input { bytes: before, ..input };
    for (at, line) in crate::number::lines(&text(&talk, &mut builder.warnings)) {
        builder.unknown_line(at, line);
    }
    let json = parse(JSON.name, bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    if let Some(version) = root.get("fio version") {
        builder.fact("fio version", version.text()?);
    }
    for list in ["jobs", "client_stats"] {
        let Some(jobs) = root.get(list) else { continue };
        for job in jobs.items()? {
            self::job(&mut builder, &job)?;
        }
    }
    builder.finish(None)
}

fn job(builder: &mut Builder<'_>, job: &Field<'_>) -> Result<(), ParseError> {
    let name = job.need("jobname")?.scalar()?;
    let mut parameters = BTreeMap::new();
    if let Some(options) = job.get("job options") {
        for option in ["bs", "iodepth", "numjobs", "ioengine"] {
            if let Some(value) = options.get(option) {
                parameters.insert(option.to_owned(), value.scalar()?);
            }
        }
    }
    let error = job.get("error").map(|error| error.number()).transpose()?.filter(|error| *error != 0.0);
    for direction in DIRECTIONS {
        let Some(side) = job.get(direction) else { continue };
        let ios = side.get("total_ios").map(|n| n.number()).transpose()?;
        if ios == Some(0.0) && error.is_none() {
            continue;
        }
        let Some(key) = builder.key(side.at(), &format!("{name}/{direction}"), parameters.clone()) else {
            continue;
        };
        if ios != Some(0.0) {
            measures(builder, &key, &side)?;
        }
        if let Some(error) = error {
            builder.fail(&key, KIND, &format!("error {error}"))?;
        }
    }
    Ok(())
}

fn measures(builder: &mut Builder<'_>, key: &BenchmarkKey, side: &Field<'_>) -> Result<(), ParseError> {
    let bytes = match side.get("bw_bytes") {
        Some(bytes) => Some((bytes.number()?, "B/s")),
        None => side.get("bw").map(|bw| bw.number()).transpose()?.map(|bw| (bw, "KiB/s")),
    };
    if let Some((value, unit)) = bytes {
        let reading = Reading::summary("bw_bytes", unit, value).towards(Better::Higher);
        builder.observe(side.at(), key, KIND, reading)?;
    }
    for (member, unit, better) in [("iops", "1/s", Better::Higher), ("total_ios", "count", Better::Neither)] {
        if let Some(field) = side.get(member) {
            let reading = Reading::summary(member, unit, field.number()?).towards(better);
            builder.observe(field.at(), key, KIND, reading)?;
        }
    }
    for (name, member, unit) in [
        ("slat", "slat_ns", "ns"),
        ("clat", "clat_ns", "ns"),
        ("lat", "lat_ns", "ns"),
        ("slat", "slat", "us"),
        ("clat", "clat", "us"),
        ("lat", "lat", "us"),
    ] {
        if let Some(latency) = side.get(member) {
            self::latency(builder, key, name, unit, &latency)?;
        }
    }
    Ok(())
}

fn latency(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    name: &str,
    unit: &str,
    latency: &Field<'_>,
) -> Result<(), ParseError> {
    let number = |member| latency.get(member).map(|field| field.number()).transpose();
    let Some(mean) = number("mean")? else { return Ok(()) };
    // A latency that was not measured is all zero.
    if mean == 0.0 && number("max")?.unwrap_or(0.0) == 0.0 {
        return Ok(());
    }
    let measure = format!("{name} mean");
    let reading = Reading::summary(&measure, unit, mean).towards(Better::Lower);
    builder.observe(latency.at(), key, KIND, reading)?;
    for (member, what) in [("min", "min"), ("max", "max"), ("stddev", "stddev")] {
        if let Some(value) = number(member)? {
            let figure = format!("{name} {what}");
            builder.figure(latency.at(), key, &measure, FigureReading { name: &figure, unit, value });
        }
    }
    let Some(percentiles) = latency.get("percentile") else { return Ok(()) };
    for (member, short) in PERCENTILES {
        if let Some(field) = percentiles.get(member) {
            let measure = format!("{name} {short}");
            let reading = Reading::summary(&measure, unit, field.number()?).towards(Better::Lower);
            builder.observe(field.at(), key, KIND, reading)?;
        }
    }
    Ok(())
}
