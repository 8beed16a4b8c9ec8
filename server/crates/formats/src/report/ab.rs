//! ApacheBench.
//!
//! Written from ab 2.3 (<https://httpd.apache.org/docs/2.4/programs/ab.html>). Answers other than 2xx are not among its
//! failed requests and have a line of their own. Percentiles are whole milliseconds.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

pub(super) const READER: Reader = Reader { name: "ab", about: "what ApacheBench prints", sniff, read };

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
