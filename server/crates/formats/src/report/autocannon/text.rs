//! The tables that autocannon prints.

use std::collections::BTreeMap;

use super::TEXT;
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::{text, without_colours};

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
        }
        let (Some(cells), Some(key)) = (cells(&line), &key) else { continue };
        if cells.first() == Some(&"Stat") {
            heading = cells.iter().map(|cell| (*cell).to_owned()).collect();
            continue;
        }
        let mut load = Load { builder: &mut builder, key: key.clone() };
        row(&mut load, at, &heading, &cells)?;
    }
    builder.finish(None)
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
}
