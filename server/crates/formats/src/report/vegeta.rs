//! vegeta: its text and JSON reports, and `hdrplot`'s lines are read by the reader of HdrHistogram.
//!
//! Written from vegeta 12 (<https://github.com/tsenart/vegeta>). JSON durations are nanoseconds; text prints Go durations.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::json::{Field, outline, parse};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

pub(super) const JSON: Reader =
    Reader { name: "vegeta", about: "vegeta report -type=json", sniff: sniff_json, read: read_json };
pub(super) const TEXT: Reader =
    Reader { name: "vegeta-text", about: "vegeta report", sniff: sniff_text, read: read_text };

/// A member of the latencies and what it is called in text and here.
const LATENCIES: [(&str, &str); 8] = [
    ("min", "min"),
    ("mean", "mean"),
    ("50th", "p50"),
    ("90th", "p90"),
    ("95th", "p95"),
    ("99th", "p99"),
    ("max", "max"),
    ("total", "total"),
];

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|p| p == member));
    if has("latencies") && has("bytes_in") && has("bytes_out") { Sniff::Yes } else { Sniff::No }
}

fn latency(load: &mut Load<'_, '_>, at: At, name: &str, value: f64) -> Result<(), ParseError> {
    match name {
        "mean" => load.value(at, Is::Latency, "latency mean", "ns", value),
        "min" | "max" | "total" => {
            load.figure(at, "latency mean", &format!("latency {name}"), "ns", value);
            Ok(())
        }
        _ => load.value(at, Is::Latency, &format!("latency {name}"), "ns", value),
    }
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    let Some(key) = builder.key(At::File, JSON.name, BTreeMap::new()) else { return builder.finish(None) };
    let mut load = Load { builder: &mut builder, key };
    let latencies = root.need("latencies")?;
    // The mean first: the ends are figures of it.
    for (member, name) in LATENCIES.iter().filter(|(member, _)| *member == "mean").chain(&LATENCIES) {
        let Some(field) = latencies.get(member) else { continue };
        if !(*name == "mean" && load.builder.has(&load.key, "latency mean")) {
            latency(&mut load, field.at(), name, field.number()?)?;
        }
    }
    for (member, unit, is) in [
        ("requests", "count", Is::Amount),
        ("rate", "1/s", Is::Amount),
        ("throughput", "1/s", Is::Rate),
        ("duration", "ns", Is::Amount),
        ("wait", "ns", Is::Amount),
    ] {
        if let Some(field) = root.get(member) {
            load.value(field.at(), is, member, unit, field.number()?)?;
        }
    }
    if let Some(success) = root.get("success") {
        load.value(success.at(), Is::Rate, "success", "ratio", success.number()?)?;
    }
    if let Some(codes) = root.get("status_codes") {
        for (code, count) in codes.members()? {
            let is = if code.starts_with('2') { Is::Amount } else { Is::Failure };
            load.value(count.at(), is, &format!("status {code}"), "count", count.number()?)?;
        }
    }
    builder.finish(None)
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let ours = head.lines().any(|line| line.starts_with("Requests") && line.contains("[total, rate"))
        && head.lines().any(|line| line.starts_with("Latencies"));
    if ours { Sniff::Yes } else { Sniff::No }
}

/// Nanoseconds of a Go duration: `1m2.5s`, `3.4ms`.
pub(super) fn go_duration(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut sum = 0.0;
    let mut any = false;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (value, behind) = rest.split_at_checked(end)?;
        let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(end)?;
        let scale = match unit {
            "h" => 3600e9,
            "m" => 60e9,
            "s" => 1e9,
            "ms" => 1e6,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1e3,
            "ns" => 1.0,
            _ => return None,
        };
        sum += number(value, Marks::Point)? * scale;
        (rest, any) = (behind, true);
    }
    any.then_some(sum)
}

/// `Latencies  [min, mean, 50, 90, 95, 99, max]  29µs, 34µs, …`: labels with values.
fn row(line: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let (name, rest) = line.split_once('[')?;
    let (labels, values) = rest.split_once(']')?;
    let pairs = labels.split(',').map(str::trim).zip(values.split(',').map(str::trim)).collect();
    Some((name.trim(), pairs))
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, JSON.name, BTreeMap::new()) else { return builder.finish(None) };
    let mut load = Load { builder: &mut builder, key };
    for (at, line) in lines(&text) {
        let Some((name, pairs)) = row(line) else { continue };
        text_row(&mut load, at, name, &pairs)?;
    }
    builder.finish(None)
}

fn text_row(load: &mut Load<'_, '_>, at: usize, row: &str, pairs: &[(&str, &str)]) -> Result<(), ParseError> {
    let place = || At::Line(at);
    if row == "Latencies" {
        let mean_first = pairs
            .iter()
            .filter(|(label, _)| *label == "mean")
            .chain(pairs.iter().filter(|(label, _)| *label != "mean"));
        for (label, printed) in mean_first {
            let Some(value) = go_duration(printed) else { continue };
            let known = LATENCIES.iter().find(|(member, _)| member.trim_end_matches("th") == *label);
            latency(load, place(), known.map_or(*label, |(_, name)| name), value)?;
        }
        return Ok(());
    }
    if row == "Status Codes" {
        // `[code:count]  200:1200  500:3`: the values have blanks between them.
        for pair in pairs.iter().flat_map(|(_, values)| values.split_whitespace()) {
            let Some((code, count)) = pair.split_once(':') else { continue };
            let is = if code.starts_with('2') { Is::Amount } else { Is::Failure };
            if let Some(count) = number(count, Marks::Point) {
                load.value(place(), is, &format!("status {code}"), "count", count)?;
            }
        }
        return Ok(());
    }
    for (label, printed) in pairs {
        let plain = || split_unit(printed, Marks::Point).map(|(value, _)| value);
        let (measure, unit, is, value) = match (row, *label) {
            ("Requests", "total") => ("requests", "count", Is::Amount, plain()),
            ("Requests", "rate") => ("rate", "1/s", Is::Amount, plain()),
            ("Requests", "throughput") => ("throughput", "1/s", Is::Rate, plain()),
            ("Duration", "total") => ("duration", "ns", Is::Amount, go_duration(printed)),
            ("Success", "ratio") => ("success", "%", Is::Rate, plain()),
            _ => continue,
        };
        if let Some(value) = value {
            load.value(place(), is, measure, unit, value)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn text_and_json_give_the_same() {
        let text = "Requests      [total, rate, throughput]         1200, 120.00, 65.87\nDuration      [total, attack, wait]             10.09s, 9.9s, 4.2ms\n\
                    Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2.5ms, 2ms, 3ms, 4ms, 5ms, 1m1s\nBytes In      [total, mean]                     3714690, 3095.57\n\
                    Success       [ratio]                           55.42%\nStatus Codes  [code:count]                      0:535  200:665\nError Set:\n";
        let json = r#"{"latencies":{"total":1,"mean":2500000,"50th":2000000,"90th":3000000,"95th":4000000,"99th":5000000,"max":61000000000,"min":1000000},
            "bytes_in":{"total":1},"bytes_out":{"total":0},"duration":10090000000,"requests":1200,"rate":120,"throughput":65.87,"success":0.5542,"status_codes":{"0":535,"200":665}}"#;
        let values = |text: &str| {
            let Content::Report(report) =
                read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content
            else {
                panic!("a report")
            };
            let mut values: Vec<(String, String)> = report.benchmarks[0]
                .measurements
                .iter()
                .map(|m| (m.measure.name.to_string(), format!("{:.9e}", m.observations[0])))
                .collect();
            values.sort();
            values
        };
        assert_eq!(values(text), values(json));
        assert_eq!(values(text).len(), 12);
    }

    #[test]
    fn go_durations_add_up() {
        assert_eq!(go_duration("1h2m3.5s"), Some(3_723.5e9));
        assert_eq!(go_duration("250\u{b5}s"), Some(250e3));
        assert_eq!(go_duration("5"), None);
    }
}
