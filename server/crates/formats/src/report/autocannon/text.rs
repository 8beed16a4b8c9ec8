//! The tables that autocannon prints.

use std::collections::BTreeMap;

use super::TEXT;
use super::json::PERCENTILES;
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::{text, without_colours};

/// What the requests are counted by.
const REQUESTS: &str = "requests average";

/// `Running 10s test @ URL` with a table below it, where wrk has none.
fn running(line: &str) -> Option<&str> {
    Some(line.trim().strip_prefix("Running ")?.split_once(" test @ ")?.1)
}

/// Cells between the bars of a row.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('\u{2502}')?.strip_suffix('\u{2502}')?;
    Some(inner.split('\u{2502}').map(str::trim).collect())
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let table = head.lines().any(|line| {
        cells(&without_colours(line))
            .is_some_and(|cells| cells.first() == Some(&"Stat") && cells.contains(&"Avg"))
    });
    if table { Sniff::Yes } else { Sniff::No }
}

/// `3.31 MB`, `27,100`, `12 ms`: decimal prefixes of bytes, `k` of requests.
fn value(cell: &str) -> Option<f64> {
    let (value, unit) = split_unit(cell, Marks::ThousandsComma)?;
    let scale = match unit {
        "kB" | "k" => 1e3,
        "MB" | "M" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => 1.0,
    };
    Some(value * scale)
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut key = builder.key(At::File, "autocannon", BTreeMap::new());
    let mut heading: Vec<String> = Vec::new();
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(url) = running(&line) {
            key = builder.key(At::Line(at), url, BTreeMap::new());
            continue;
        }
        let Some(key) = &key else { continue };
        let mut load = Load { builder: &mut builder, key: key.clone() };
        let Some(cells) = cells(&line) else {
            if !told(&mut load, at, line.trim())? && !is_known(line.trim()) {
                builder.unknown_line(at, &line);
            }
            continue;
        };
        if matches!(cells.first(), Some(&("Stat" | "Code" | "Percentile"))) {
            heading = cells.iter().map(|cell| (*cell).to_owned()).collect();
        } else if let (Some("Code" | "Percentile"), [name, cell]) =
            (heading.first().map(String::as_str), &cells[..])
        {
            pair(&mut load, at, heading.first().is_some_and(|head| head == "Code"), (name, cell))?;
        } else {
            row(&mut load, at, &heading, &cells)?;
        }
    }
    builder.finish(None)
}

/// A row of the table of status codes or of the one of percentiles, which repeats some of those above.
fn pair(
    load: &mut Load<'_, '_>,
    at: usize,
    is_code: bool,
    (name, cell): (&str, &str),
) -> Result<(), ParseError> {
    let Some(value) = value(cell) else { return Ok(()) };
    if is_code {
        load.figure(At::Line(at), REQUESTS, &format!("status {name}"), "count", value);
        return Ok(());
    }
    let percentile = format!("p{}", name.replace('.', "_"));
    let measure = format!("latency {percentile}");
    if load.builder.has(&load.key, &measure) {
        Ok(())
    } else if PERCENTILES.contains(&percentile.as_str()) {
        load.value(At::Line(at), Is::Latency, &measure, "ms", value)
    } else {
        load.figure(At::Line(at), "latency average", &measure, "ms", value);
        Ok(())
    }
}

/// A line below the tables; whether it is one. Counts are rounded: `15k`.
fn told(load: &mut Load<'_, '_>, at: usize, line: &str) -> Result<bool, ParseError> {
    let at = At::Line(at);
    if let Some((_, other)) = line.split_once(" 2xx responses, ")
        && let Some(count) = other.strip_suffix(" non 2xx responses").and_then(value)
    {
        load.value(at, Is::Failure, "non2xx", "count", count)?;
    } else if let Some((errors, timeouts)) =
        line.strip_suffix(" timeouts)").and_then(|rest| rest.split_once(" errors ("))
        && let (Some(errors), Some(timeouts)) = (value(errors), value(timeouts))
    {
        load.value(at.clone(), Is::Failure, "errors", "count", errors)?;
        load.value(at, Is::Failure, "timeouts", "count", timeouts)?;
        if load.builder.measurements_mut().any(|m| {
            m.measure.name.as_str() == REQUESTS && m.observations.last().is_some_and(|rate| *rate == 0.0)
        }) {
            load.fail("no request was answered with success")?;
        }
    } else if let Some(count) = line.strip_suffix(" requests with mismatched body").and_then(value) {
        load.value(at, Is::Failure, "mismatches", "count", count)?;
    } else if let Some(count) = line.strip_prefix("request pipeline was reset ") {
        let Some(count) = count.split(' ').next().and_then(value) else { return Ok(false) };
        load.value(at, Is::Failure, "resets", "count", count)?;
    } else if let Some((sent, rest)) = line.split_once(" requests in ")
        && let (Some(sent), Some((_, bytes))) = (value(sent), rest.split_once(", "))
        && let Some(bytes) = bytes.strip_suffix(" read").and_then(value)
    {
        load.figure(at.clone(), REQUESTS, "requests sent", "count", sent);
        load.value(at, Is::Amount, "throughput total", "B", bytes)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Rules, and what is said about how the run was made.
fn is_known(line: &str) -> bool {
    line.is_empty()
        || line.starts_with(['\u{250c}', '\u{251c}', '\u{2514}'])
        || line.starts_with("Req/Bytes counts sampled")
        || line.starts_with("# of samples")
        || line.ends_with(" connections")
        || line.ends_with(" connection")
        || line.ends_with(" workers")
        || line.contains(" connections with ")
}

fn row(load: &mut Load<'_, '_>, at: usize, heading: &[String], cells: &[&str]) -> Result<(), ParseError> {
    let (section, unit, is) = match cells.first() {
        Some(&"Latency") => ("latency", "ms", Is::Latency),
        Some(&"Req/Sec") => ("requests", "1/s", Is::Rate),
        Some(&"Bytes/Sec") => ("throughput", "B/s", Is::Rate),
        _ => return Ok(()),
    };
    let named: Vec<(&String, f64)> =
        heading.iter().zip(cells).skip(1).filter_map(|(name, cell)| Some((name, value(cell)?))).collect();
    let measure = format!("{section} average");
    for (_, value) in named.iter().filter(|(name, _)| *name == "Avg") {
        load.value(At::Line(at), is, &measure, unit, *value)?;
    }
    for (name, value) in &named {
        match name.strip_suffix('%') {
            Some(percent) if section == "latency" => {
                let name = format!("latency p{}", percent.replace('.', "_"));
                load.value(At::Line(at), is, &name, unit, *value)?;
            }
            _ if *name == "Avg" => {}
            _ => load.figure(
                At::Line(at),
                &measure,
                &format!("{section} {}", name.to_lowercase()),
                unit,
                *value,
            ),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn tables_give_the_members_of_the_document() {
        let text = "Running 10s test @ http://h/\n10 connections\n\n\u{250c}\u{2500}\u{2510}\n\u{2502} Stat    \u{2502} 2.5% \u{2502} 50%  \u{2502} 97.5% \u{2502} 99%  \u{2502} Avg     \u{2502} Stdev   \u{2502} Max   \u{2502}\n\
                    \u{2502} Latency \u{2502} 0 ms \u{2502} 0 ms \u{2502} 1 ms  \u{2502} 4 ms \u{2502} 0.1 ms  \u{2502} 0.78 ms \u{2502} 32 ms \u{2502}\n\
                    \u{2502} Stat      \u{2502} 1%     \u{2502} Avg    \u{2502} Min    \u{2502}\n\u{2502} Req/Sec   \u{2502} 19,471 \u{2502} 27,100 \u{2502} 19,462 \u{2502}\n\u{2502} Bytes/Sec \u{2502} 2.4 MB \u{2502} 3.3 MB \u{2502} 2.4 MB \u{2502}\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!(parsed.format, "autocannon-text");
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let value = |name: &str| {
            report.benchmarks[0]
                .measurements
                .iter()
                .find(|m| m.measure.name.as_str() == name)
                .unwrap()
                .observations[0]
        };
        assert_eq!(
            (value("latency average"), value("latency p97_5"), value("throughput average")),
            (0.1e6, 1e6, 3.3e6)
        );
    }
    #[test]
    fn what_stands_below_the_tables_is_read() {
        let text = "Running 2s test @ http://h/\n3 connections\n\n\
            \u{2502} Stat    \u{2502} 99%  \u{2502} Avg     \u{2502}\n\u{2502} Latency \u{2502} 4 ms \u{2502} 0.1 ms  \u{2502}\n\
            \u{2502} Stat      \u{2502} 1%     \u{2502} Avg    \u{2502}\n\u{2502} Req/Sec   \u{2502} 0 \u{2502} 0 \u{2502}\n\
            \u{2502} Code \u{2502} Count \u{2502}\n\u{2502} 500 \u{2502} 8 \u{2502}\n\
            \u{2502} Percentile \u{2502} Latency (ms) \u{2502}\n\u{2502} 75 \u{2502} 3 \u{2502}\n\u{2502} 99 \u{2502} 4 \u{2502}\n\
            \n0 2xx responses, 8 non 2xx responses\n9k requests in 2.05s, 1.5 kB read\n9k errors (2 timeouts)\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let benchmark = &report.benchmarks[0];
        let read: Vec<(&str, f64)> =
            benchmark.measurements.iter().map(|m| (m.measure.name.as_str(), m.observations[0])).collect();
        assert_eq!(
            read[3..],
            [
                ("latency p75", 3e6),
                ("non2xx", 8.0),
                ("throughput total", 1500.0),
                ("errors", 9000.0),
                ("timeouts", 2.0)
            ]
        );
        assert!(matches!(benchmark.status, model::Status::Failed(_)));
        assert_eq!(parsed.warnings.len(), 0);
    }
}
