//! Iago (Twitter's "parrot"): log lines `stats: {…}` with flat counters and summaries, cumulative over the run.
//!
//! Written from what Iago 0.6 logs through Ostrich (<https://github.com/twitter-archive/iago>). Only the last line counts.
//! `client/request_latency_ms_p99` is the percentile of a summary in milliseconds.

use std::collections::BTreeMap;

use crate::error::{At, Kind, ParseError};
use crate::json::{Field, Json, at_line, parse};
use crate::number::lines;
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

pub(super) const READER: Reader =
    Reader { name: "iago", about: "the statistics that Iago logs", sniff, read };

/// The document of a line of statistics.
fn document(line: &str) -> Option<&str> {
    let (before, json) = line.split_once("stats: ")?;
    let is_log = before.trim_end().ends_with(']') && json.starts_with('{');
    is_log.then_some(json)
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| document(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// Ends of a summary's members: the statistic, and whether it stands for all of them.
const STATISTICS: [&str; 11] =
    ["average", "count", "maximum", "minimum", "p25", "p50", "p75", "p90", "p95", "p99", "sum"];

/// `client/connect_latency_ms_p99` as base, statistic.
fn split(member: &str) -> Option<(&str, &str)> {
    let (base, statistic) = member.rsplit_once('_')?;
    let known = STATISTICS.contains(&statistic) || matches!(statistic, "p999" | "p9999");
    known.then_some((base, statistic))
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let found: Vec<(usize, &str)> =
        lines(&text).filter_map(|(at, line)| Some((at, document(line)?))).collect();
    let Some((line, last)) = found.last().copied() else {
        return Err(builder.error(At::File, Kind::Invalid("it has no line with statistics".to_owned())));
    };
    if found.len() > 1 {
        builder.warn(
            At::Line(line),
            format!("{} earlier lines of the cumulative statistics are passed over", found.len() - 1),
        );
    }
    let json = parse(READER.name, last.as_bytes(), input.limits).map_err(|error| at_line(error, line))?;
    let root = Field::root(READER.name, &json);
    let mut summaries: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    let mut counters = Vec::new();
    for (member, field) in root.members()? {
        match (field.json, split(member)) {
            (Json::Number(value), Some((base, statistic))) => {
                summaries.entry(base).or_default().push((statistic, *value));
            }
            (Json::Number(value), None) => counters.push((member, *value)),
            (Json::Text(fact), _) => builder.fact(member, fact),
            _ => {}
        }
    }
    for (base, statistics) in &summaries {
        summary(&mut builder, line, base, statistics)?;
    }
    let Some(key) = builder.key(At::Line(line), READER.name, BTreeMap::new()) else {
        return builder.finish(None);
    };
    let mut load = Load { builder: &mut builder, key };
    for (member, value) in counters {
        let fails = ["error", "fail", "exception"].iter().any(|word| member.to_lowercase().contains(word));
        load.value(At::Line(line), if fails { Is::Failure } else { Is::Amount }, member, "count", value)?;
    }
    builder.finish(None)
}

fn summary(
    builder: &mut Builder<'_>,
    line: usize,
    base: &str,
    statistics: &[(&str, f64)],
) -> Result<(), ParseError> {
    let (name, unit) = match base.rsplit_once('_') {
        Some((name, unit @ ("ms" | "us" | "ns"))) => (name, unit),
        _ => (base, "count"),
    };
    let Some(key) = builder.key(At::Line(line), name, BTreeMap::new()) else { return Ok(()) };
    let mut load = Load { builder, key };
    let is = if unit == "count" { Is::Amount } else { Is::Latency };
    let averages = statistics.iter().filter(|(statistic, _)| *statistic == "average");
    for (statistic, value) in
        averages.chain(statistics.iter().filter(|(statistic, _)| *statistic != "average"))
    {
        match *statistic {
            "count" | "sum" | "maximum" | "minimum" if load.builder.has(&load.key, "average") => {
                let unit = if *statistic == "count" { "count" } else { unit };
                load.figure(At::Line(line), "average", statistic, unit, *value);
            }
            "count" => load.value(At::Line(line), Is::Amount, "count", "count", *value)?,
            "p999" => load.value(At::Line(line), is, "p99.9", unit, *value)?,
            "p9999" => load.value(At::Line(line), is, "p99.99", unit, *value)?,
            other => load.value(At::Line(line), is, other, unit, *value)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn the_last_line_counts() {
        let line = |n| {
            format!(
                "INF [20140611-21:34:01.224] stats: {{\"client\\/requests\":{n},\"client\\/request_latency_ms_average\":3,\"client\\/request_latency_ms_count\":9,\"client\\/request_latency_ms_p999\":{n},\"service\":\"x\"}}\n"
            )
        };
        let text = line(1) + "INF [x] other\n" + &line(2);
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let latency = &report.benchmarks[0];
        assert_eq!(latency.key.to_string(), "client/request_latency");
        assert_eq!(
            (latency.measurements[1].measure.name.as_str(), latency.measurements[1].observations[0]),
            ("p99.9", 2e6)
        );
        assert_eq!(parsed.warnings.len(), 1);
    }
}
