//! hey (formerly boom): its summary, and the requests of `-o csv`.
//!
//! Written from hey 0.1 (<https://github.com/rakyll/hey>). Seconds with four decimals everywhere.

use std::collections::BTreeMap;

use crate::csv::Rows;
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load, Requests};
use crate::text::text;

pub(super) const TEXT: Reader =
    Reader { name: "hey", about: "what hey prints", sniff: sniff_text, read: read_text };
pub(super) const CSV: Reader =
    Reader { name: "hey-csv", about: "hey -o csv", sniff: sniff_csv, read: read_csv };

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let ours = head.contains("Summary:") && head.contains("Slowest:\t") && head.contains("Requests/sec:\t");
    if ours { Sniff::Yes } else { Sniff::No }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, TEXT.name, BTreeMap::new()) else { return builder.finish(None) };
    let mut section = "";
    for (at, line) in lines(&text) {
        if !line.starts_with(' ') && line.trim_end().ends_with(':') {
            section = line.trim_end().trim_end_matches(':');
            continue;
        }
        let mut load = Load { builder: &mut builder, key: key.clone() };
        summary_line(&mut load, at, section, line.trim())?;
    }
    builder.finish(None)
}

fn summary_line(load: &mut Load<'_, '_>, at: usize, section: &str, line: &str) -> Result<(), ParseError> {
    let place = || At::Line(at);
    let seconds = |text: &str| number(text.trim().trim_end_matches("secs").trim(), Marks::Point);
    match section {
        "Summary" => {
            let Some((label, printed)) = line.split_once(':') else { return Ok(()) };
            let Some(value) = seconds(printed.trim_end_matches("bytes")) else { return Ok(()) };
            let (is, unit) = match label {
                "Total" => (Is::Amount, "s"),
                "Requests/sec" => (Is::Rate, "1/s"),
                "Total data" | "Size/request" => (Is::Amount, "B"),
                "Slowest" | "Fastest" | "Average" => (Is::Latency, "s"),
                _ => return Ok(()),
            };
            load.value(place(), is, label, unit, value)
        }
        // `10% in 0.0001 secs`, in one fork with two percent signs.
        "Latency distribution" => {
            let Some((percent, value)) = line.split_once(" in ") else { return Ok(()) };
            let percent = number(percent.trim().trim_end_matches('%'), Marks::Point);
            match (percent, seconds(value)) {
                (Some(percent), Some(value)) => {
                    load.value(place(), Is::Latency, &format!("p{percent}"), "s", value)
                }
                _ => Ok(()),
            }
        }
        "Status code distribution" | "Error distribution" => {
            let Some((code, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
                return Ok(());
            };
            if section.starts_with("Error") {
                // `[12]  message`: how often, and what.
                let count = number(code, Marks::Point).unwrap_or(0.0);
                load.builder.warn(place(), format!("{count} requests failed: {}", rest.trim()));
                return load.value(place(), Is::Failure, "errors", "count", count);
            }
            let count = rest.split_whitespace().next().and_then(|count| number(count, Marks::Point));
            let is = if code.starts_with('2') { Is::Amount } else { Is::Failure };
            count.map_or(Ok(()), |count| load.value(place(), is, &format!("status {code}"), "count", count))
        }
        _ => Ok(()),
    }
}

const HEADER: &str =
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset";

fn sniff_csv(head: &[u8]) -> Sniff {
    if head.starts_with(HEADER.as_bytes()) { Sniff::Yes } else { Sniff::No }
}

fn read_csv(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut requests = Requests::default();
    for row in Rows::new(CSV.name, &text, ',').skip(1) {
        let row = row?;
        match number(row.cell(0), Marks::Point) {
            Some(seconds) if row.cells.len() == 8 => {
                requests.push(seconds, !row.cell(6).starts_with(['1', '2', '3']));
            }
            _ => builder.unknown_line(row.line, &row.cells.join(",")),
        }
    }
    if requests.len() == 0 {
        return Err(builder.error(At::File, Kind::Empty));
    }
    let Some(key) = builder.key(At::File, "hey csv", BTreeMap::new()) else { return builder.finish(None) };
    let mut load = Load { builder: &mut builder, key };
    load.value(At::File, Is::Amount, "rows", "count", requests.len() as f64)?;
    load.value(At::File, Is::Failure, "errors", "count", requests.failed as f64)?;
    requests.report(&mut load, "response-time", "s")?;
    builder.finish(None)
}
