//! Gatling: `stats.json` and `global_stats.json` of its report, the global block that it prints, and the text
//! `simulation.log` of 2.x and 3.0 to 3.9.
//!
//! Written from Gatling 2.3 to 3.11 (<https://docs.gatling.io/reference/stats/reports/>). Times are milliseconds; a number
//! that there is none of is `-` or zero.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::json::{Field, Json, outline, parse};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load, Requests};
use crate::text::text;

pub(super) const JSON: Reader =
    Reader { name: "gatling", about: "Gatling's stats.json", sniff: sniff_json, read: read_json };
pub(super) const TEXT: Reader =
    Reader { name: "gatling-text", about: "what Gatling prints", sniff: sniff_text, read: read_text };
pub(super) const LOG: Reader = Reader {
    name: "gatling-log",
    about: "Gatling's simulation.log as text",
    sniff: sniff_log,
    read: read_log,
};

/// Member, what the console calls it, unit and kind.
const MEMBERS: [(&str, &str, &str, Is); 10] = [
    ("numberOfRequests", "request count", "count", Is::Amount),
    ("meanResponseTime", "mean response time", "ms", Is::Latency),
    ("minResponseTime", "min response time", "ms", Is::Latency),
    ("maxResponseTime", "max response time", "ms", Is::Latency),
    ("standardDeviation", "std deviation", "ms", Is::Latency),
    ("percentiles1", "response time 50th percentile", "ms", Is::Latency),
    ("percentiles2", "response time 75th percentile", "ms", Is::Latency),
    ("percentiles3", "response time 95th percentile", "ms", Is::Latency),
    ("percentiles4", "response time 99th percentile", "ms", Is::Latency),
    ("meanNumberOfRequestsPerSecond", "mean requests/sec", "1/s", Is::Rate),
];

/// One statistic: all requests, and those that failed where they are counted.
fn statistic(
    load: &mut Load<'_, '_>,
    at: &At,
    member: &str,
    total: f64,
    failed: Option<f64>,
) -> Result<(), ParseError> {
    let Some((_, name, unit, is)) = MEMBERS.into_iter().find(|(known, ..)| *known == member) else {
        return Ok(());
    };
    if matches!(member, "minResponseTime" | "maxResponseTime" | "standardDeviation") {
        load.figure(at.clone(), "mean response time", name, unit, total);
        return Ok(());
    }
    load.value(at.clone(), is, name, unit, total)?;
    match failed {
        Some(failed) if member == "numberOfRequests" => {
            load.value(at.clone(), Is::Failure, "failed requests", "count", failed)?;
            if failed == total && total > 0.0 { load.fail("every request failed") } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.paths.iter().any(|path| path.last().is_some_and(|p| p == member));
    if has("numberOfRequests") && has("meanResponseTime") { Sniff::Yes } else { Sniff::No }
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    node(&mut builder, &Field::root(JSON.name, &json), "")?;
    builder.finish(None)
}

/// A group or a request with its statistics and what is below it; the JSON's depth bounds the recursion.
fn node(builder: &mut Builder<'_>, node: &Field<'_>, path: &str) -> Result<(), ParseError> {
    let name = node.get("name").map_or(Ok("Global Information".to_owned()), |name| name.scalar())?;
    let full = if path.is_empty() { name.clone() } else { format!("{path} / {name}") };
    let stats = node.get("stats");
    let bare = node.get("numberOfRequests").is_some();
    if stats.is_some() || bare {
        let stats = stats.as_ref().unwrap_or(node);
        if let Some(key) = builder.key(node.at(), &full, BTreeMap::new()) {
            let mut load = Load { builder: &mut *builder, key };
            for (member, ..) in MEMBERS {
                let Some(value) = stats.get(member) else { continue };
                let part = |part| value.get(part).map(|field| loose(&field)).transpose();
                if let Some(total) = part("total")?.flatten() {
                    statistic(&mut load, &value.at(), member, total, part("ko")?.flatten())?;
                }
            }
        }
    }
    if let Some(contents) = node.get("contents") {
        // What is below the global node has no path of its own.
        let below = if path.is_empty() && name == "Global Information" { "" } else { &full };
        for (_, child) in contents.members()? {
            self::node(builder, &child, below)?;
        }
    }
    Ok(())
}

/// A number, also as text, as 2.x writes it; `None` for `-`.
fn loose(field: &Field<'_>) -> Result<Option<f64>, ParseError> {
    match field.json {
        Json::Text(text) => Ok(number(text, Marks::Point)),
        _ => field.number().map(Some),
    }
}

/// Member, total, and failed where it is told apart.
type Row = (&'static str, f64, Option<f64>);

/// `> request count   100 (OK=100    KO=0     )`, newer `> request count | 100 | 100 | 0`.
fn text_row(line: &str) -> Option<Row> {
    let rest = line.trim().strip_prefix('>')?.trim_start();
    let known = MEMBERS.iter().find(|(_, name, ..)| rest.starts_with(name)).or_else(|| {
        // The table of 3.11 has units in brackets and other words.
        let other = [("mean throughput (rps)", "meanNumberOfRequestsPerSecond")];
        let (_, member) = other.iter().find(|(start, _)| rest.starts_with(start))?;
        MEMBERS.iter().find(|(known, ..)| known == member)
    })?;
    if let Some((_, values)) = rest.split_once('|') {
        let cells: Vec<Option<f64>> =
            values.split('|').map(|cell| number(cell, Marks::ThousandsComma)).collect();
        return Some((known.0, cells.first().copied().flatten()?, cells.get(2).copied().flatten()));
    }
    let (label, values) = rest.split_once('(')?;
    let total = label.split_whitespace().next_back().and_then(|text| number(text, Marks::Point))?;
    let failed =
        values.split_once("KO=").and_then(|(_, rest)| number(rest.split([' ', ')']).next()?, Marks::Point));
    Some((known.0, total, failed))
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let rows = head.lines().filter_map(text_row);
    if rows.filter(|(member, ..)| matches!(*member, "numberOfRequests" | "meanResponseTime")).count() >= 2 {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, "Global Information", BTreeMap::new()) else {
        return builder.finish(None);
    };
    let rows: Vec<(usize, Row)> = lines(&text).filter_map(|(at, line)| Some((at, text_row(line)?))).collect();
    let mut load = Load { builder: &mut builder, key };
    // The mean first: what is said about it is printed around it.
    for mean in [true, false] {
        for (at, (member, total, failed)) in
            rows.iter().filter(|(_, (member, ..))| (*member == "meanResponseTime") == mean)
        {
            statistic(&mut load, &At::Line(*at), member, *total, *failed)?;
        }
    }
    builder.finish(None)
}

/// A request of a log line: name, begin, end, whether it failed.
fn log_request(line: &str) -> Option<(&str, f64, bool)> {
    let cells: Vec<&str> = line.split('\t').collect();
    let at = cells.iter().take(3).position(|cell| *cell == "REQUEST")?;
    // The last cells are begin, end, status and perhaps a message; the name stands before them, groups before it.
    let status = cells.iter().skip(at).position(|cell| matches!(*cell, "OK" | "KO"))? + at;
    let cell = |back: usize| cells.get(status.checked_sub(back)?).copied();
    let (begin, end) = (number(cell(2)?, Marks::Point)?, number(cell(1)?, Marks::Point)?);
    Some((cell(3)?, end - begin, cells.get(status) == Some(&"KO")))
}

fn sniff_log(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let run = head.lines().next().is_some_and(|line| line.starts_with("RUN\t") || line.contains("\tRUN\t"));
    if run || head.lines().take(50).any(|line| log_request(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

fn read_log(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(LOG.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut requests: BTreeMap<&str, Requests> = BTreeMap::new();
    for (at, line) in lines(&text) {
        match log_request(line) {
            Some((name, elapsed, failed)) if elapsed >= 0.0 => {
                requests.entry(name).or_default().push(elapsed, failed);
            }
            _ if line.starts_with("REQUEST") => builder.unknown_line(at, line),
            // Users, groups and runs are no measurements.
            _ => {}
        }
    }
    for (name, requests) in requests {
        let Some(key) = builder.key(At::Field(name.to_owned()), name, BTreeMap::new()) else { continue };
        let mut load = Load { builder: &mut builder, key };
        load.value(At::File, Is::Amount, "request count", "count", requests.len() as f64)?;
        load.value(At::File, Is::Failure, "failed requests", "count", requests.failed as f64)?;
        requests.report(&mut load, "response time", "ms")?;
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
    fn groups_and_requests_have_their_statistics() {
        let report = report(
            r#"{"type":"GROUP","name":"Global Information","stats":{"name":"x","numberOfRequests":{"total":"4","ok":"3","ko":"1"},
                "meanResponseTime":{"total":12,"ok":12,"ko":"-"},"maxResponseTime":{"total":30}},
                "contents":{"g":{"type":"GROUP","name":"g","contents":{"r":{"type":"REQUEST","name":"r","stats":{"numberOfRequests":{"total":1,"ok":0,"ko":1},"meanResponseTime":{"total":5}}}}}}}"#,
        );
        let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(names, ["Global Information", "g / r"]);
        assert_eq!(report.benchmarks[0].measurements.len(), 3);
        assert_eq!(report.benchmarks[0].measurements[2].figures.len(), 1);
    }

    #[test]
    fn both_printed_layouts_are_read() {
        let old = report(
            "> request count                                        100 (OK=98     KO=2     )\n> mean response time                                      12 (OK=12     KO=9     )\n> response time 99th percentile  40 (OK=40 KO=9)\n",
        );
        let new = report(
            "> request count                    |  100 |  98 |  2\n> mean response time (ms)          |   12 |  12 |  9\n> response time 99th percentile (ms) | 40 | 40 | 9\n",
        );
        assert_eq!(old, new);
        assert_eq!(old.benchmarks[0].measurements.len(), 4);
    }

    #[test]
    fn requests_of_a_log_are_counted_by_name() {
        let report = report(
            "RUN\tsim\tid\t1\t \t3.3\nUSER\ts\t1\tSTART\t1\t1\nREQUEST\t1\t\tlogin\t100\t150\tOK\t \nREQUEST\t1\t\tlogin\t100\t170\tKO\tboom\n",
        );
        let values: Vec<f64> =
            report.benchmarks[0].measurements.iter().map(|m| m.observations[0]).take(3).collect();
        assert_eq!(values, [2.0, 1.0, 60e6]);
    }
}
