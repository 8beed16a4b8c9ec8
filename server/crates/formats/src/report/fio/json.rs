//! fio's JSON.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::{DIRECTIONS, JSON, KIND};
use crate::error::{At, ParseError};
use crate::json::{Field, at_line, documents, outline, parse};
use crate::number::lines;
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
    let text = text(&input, &mut builder.warnings);
    let (begin, document) = documents(&text).next().unwrap_or((1, &text));
    for (at, line) in lines(&text).take(begin - 1) {
        builder.unknown_line(at, line);
    }
    let json = parse(JSON.name, document.as_bytes(), input.limits).map_err(|error| at_line(error, begin))?;
    // With `--output-format=normal,json` the text follows and says the same.
    let behind = begin + document.lines().count();
    let more = lines(&text).skip(behind - 1).filter(|(_, line)| !line.trim().is_empty()).count();
    if more > 0 {
        builder.warn(At::Line(behind), format!("{more} lines behind the document are skipped"));
    }
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

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn talk_before_and_text_behind_the_document_are_remarks() {
        let text = "a: (g=0): rw=read\n{\n \"fio version\": \"fio-3.33\",\n \"jobs\": [{\"jobname\": \"a\", \"error\": 0,\n\
                    \"read\": {\"io_bytes\": 10, \"bw_bytes\": 5.0, \"iops\": 2.0, \"runtime\": 1}}]\n}\n\na: err= 0\n  read: IOPS=2\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!((parsed.format, report.benchmarks.len()), ("fio", 1));
        let told: Vec<String> = parsed.warnings.iter().map(|w| format!("{}: {}", w.at, w.text)).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[1], "line 7: 2 lines behind the document are skipped");
    }
}
