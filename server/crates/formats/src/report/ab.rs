//! ApacheBench.
//!
//! Written from ab 2.3 (<https://httpd.apache.org/docs/2.4/programs/ab.html>). Answers other than 2xx are not among its
//! failed requests and have a line of their own. Percentiles are whole milliseconds.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load, Requests};
use crate::text::text;

pub(super) const READER: Reader = Reader { name: "ab", about: "what ApacheBench prints", sniff, read };

/// What `-e FILE` writes.
pub(super) const PERCENTILES: Reader = Reader {
    name: "ab-percentiles",
    about: "ApacheBench's percentiles as CSV (-e)",
    sniff: |head| if head.starts_with(PERCENTILES_HEAD) { Sniff::Yes } else { Sniff::No },
    read: read_percentiles,
};
/// What `-g FILE` writes.
pub(super) const REQUESTS: Reader = Reader {
    name: "ab-requests",
    about: "ApacheBench's requests one by one (-g)",
    sniff: |head| if head.starts_with(REQUESTS_HEAD) { Sniff::Yes } else { Sniff::No },
    read: read_requests,
};

const PERCENTILES_HEAD: &[u8] = b"Percentage served,Time in ms";
const REQUESTS_HEAD: &[u8] = b"starttime\tseconds\tctime\tdtime\tttime\twait";
/// Percentiles of the hundred in the file that people compare.
const COMPARED: [f64; 6] = [50.0, 75.0, 90.0, 95.0, 98.0, 99.0];

fn read_percentiles(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(PERCENTILES.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, READER.name, BTreeMap::new()) else { return builder.finish(None) };
    let mut load = Load { builder: &mut builder, key };
    for (at, line) in lines(&text).skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let cells = line.split_once(',');
        let cells =
            cells.and_then(|(percent, ms)| Some((number(percent, Marks::Point)?, number(ms, Marks::Point)?)));
        match cells {
            Some((percent, ms)) if COMPARED.contains(&percent) => {
                load.value(At::Line(at), Is::Latency, &format!("p{percent}"), "ms", ms)?;
            }
            Some(_) => {}
            None => load.builder.unknown_line(at, line),
        }
    }
    builder.finish(None)
}

/// `ttime` is the whole time of a request in milliseconds, of which `ctime` connected.
fn read_requests(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(REQUESTS.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, READER.name, BTreeMap::new()) else { return builder.finish(None) };
    let mut columns = [Requests::default(), Requests::default()];
    for (at, line) in lines(&text).skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |column: usize| number(cells.get(column)?, Marks::Point);
        let (Some(connect), Some(total), 6) = (cell(2), cell(4), cells.len()) else {
            builder.unknown_line(at, line);
            continue;
        };
        for (column, value) in columns.iter_mut().zip([connect, total]) {
            column.push(value, false);
        }
    }
    let mut load = Load { builder: &mut builder, key };
    for (column, name) in columns.into_iter().zip(["connect", "total"]) {
        column.report(&mut load, name, "ms")?;
    }
    builder.finish(None)
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let banner = head.contains("This is ApacheBench, Version ");
    let result = head.contains("Time per request:") && head.contains("Complete requests:");
    if banner || result { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, READER.name, BTreeMap::new()) else { return builder.finish(None) };
    let mut in_percentiles = false;
    for (at, line) in lines(&text) {
        in_percentiles |= line.starts_with("Percentage of the requests served");
        let mut load = Load { builder: &mut builder, key: key.clone() };
        let place = At::Line(at);
        if let Some(why) = line.strip_prefix("apr_").filter(|_| line.contains(": ")) {
            load.fail(&format!("apr_{why}"))?;
        } else if let Some((percent, value)) = line.trim().split_once('%').filter(|_| in_percentiles) {
            let value = value.split_whitespace().next().and_then(|value| number(value, Marks::Point));
            if let (Some(percent), Some(value)) = (number(percent, Marks::Point), value) {
                load.value(place, Is::Latency, &format!("p{percent}"), "ms", value)?;
            }
        } else if let Some((label, rest)) = line.split_once(':') {
            summary_line(&mut load, at, label.trim(), rest.trim())?;
        }
    }
    builder.finish(None)
}

fn summary_line(load: &mut Load<'_, '_>, at: usize, label: &str, rest: &str) -> Result<(), ParseError> {
    let place = At::Line(at);
    let Some((value, unit)) = split_unit(rest, Marks::Point) else {
        if matches!(label, "Server Software" | "Server Hostname" | "Document Path") {
            load.builder.fact(label, rest);
        }
        return Ok(());
    };
    match label {
        "Concurrency Level" => load.builder.fact("concurrency", rest),
        "Time taken for tests" => load.value(place, Is::Amount, label, "s", value)?,
        "Complete requests" | "Keep-Alive requests" => {
            load.value(place, Is::Amount, label, "count", value)?;
        }
        "Failed requests" | "Write errors" | "Non-2xx responses" => {
            load.value(place, Is::Failure, label, "count", value)?;
        }
        "Total transferred" | "HTML transferred" => load.value(place, Is::Amount, label, "B", value)?,
        "Requests per second" => load.value(place, Is::Rate, label, "1/s", value)?,
        "Transfer rate" => {
            // `[Kbytes/sec] received`: 1024 bytes.
            let name = if unit.ends_with("sent") { "Transfer rate sent" } else { label };
            load.value(place, Is::Rate, name, "KiB/s", value)?;
        }
        "Time per request" => {
            let across = unit.contains("across all concurrent requests");
            let name = if across {
                "Time per request (mean, across all concurrent requests)"
            } else {
                "Time per request (mean)"
            };
            load.value(place, Is::Latency, name, "ms", value)?;
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    #[test]
    fn percentiles_and_single_requests_are_no_repetitions() {
        let percentiles = "Percentage served,Time in ms\n0,1.172\n50,2.5\n99,9.75\n";
        let requests = "starttime\tseconds\tctime\tdtime\tttime\twait\n\
                        Tue Dec 01 15:35:28 2026\t1796139328\t0\t1\t1\t1\nTue Dec 01 15:35:28 2026\t1796139328\t1\t2\t3\t2\n";
        for (text, measure, value) in [(percentiles, "p99", 9.75e6), (requests, "total mean", 2e6)] {
            let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
            let Content::Report(report) = &parsed.content else { panic!("a report") };
            let found = report.benchmarks[0].measurements.iter().find(|m| m.measure.name.as_str() == measure);
            assert_eq!(found.unwrap().observations, [value], "{report:?}");
        }
    }
}
