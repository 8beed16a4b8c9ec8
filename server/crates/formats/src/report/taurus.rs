//! Taurus's final statistics: `dump-xml` and `dump-csv`.
//!
//! Written from Taurus 1.14 to 1.16 (<https://gettaurus.org/docs/Reporting/>). Seconds; the group without a label is the
//! sum of all.

use std::collections::BTreeMap;

use crate::csv::Rows;
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;
use crate::xml::{Event, Xml, outermost};

pub(super) const XML: Reader =
    Reader { name: "taurus", about: "Taurus's final statistics as XML", sniff: sniff_xml, read: read_xml };
pub(super) const CSV: Reader = Reader {
    name: "taurus-csv",
    about: "Taurus's final statistics as CSV",
    sniff: sniff_csv,
    read: read_csv,
};

/// What the sum over all labels is called.
const ALL: &str = "all requests";

fn nature(name: &str) -> Option<(Is, &'static str)> {
    Some(match name {
        "avg_rt" | "avg_lt" | "avg_ct" => (Is::Latency, "s"),
        "succ" | "concurrency" | "throughput" => (Is::Amount, "count"),
        "fail" => (Is::Failure, "count"),
        "bytes" => (Is::Amount, "B"),
        "test_duration" => (Is::Amount, "s"),
        _ if name.starts_with("perc") => (Is::Latency, "s"),
        _ if name.starts_with("rc") => (Is::Amount, "count"),
        _ => return None,
    })
}

fn value(load: &mut Load<'_, '_>, at: At, name: &str, value: f64) -> Result<(), ParseError> {
    match nature(name) {
        Some((is, unit)) => load.value(at, is, name, unit, value),
        None if name == "stdev_rt" && load.builder.has(&load.key, "avg_rt") => {
            load.figure(at, "avg_rt", name, "s", value);
            Ok(())
        }
        None => Ok(()),
    }
}

fn sniff_xml(head: &[u8]) -> Sniff {
    match outermost(head) {
        Some((name, _)) if name == "FinalStatus" => Sniff::Yes,
        _ => Sniff::No,
    }
}

fn read_xml(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(XML.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut xml = Xml::new(XML.name, &text);
    let mut key = None;
    let mut pending: Vec<(usize, String, f64)> = Vec::new();
    loop {
        match xml.next()? {
            Event::Open(element) if element.name == "Group" => {
                let label = element.get("label").filter(|label| !label.is_empty()).unwrap_or(ALL);
                key = builder.key(At::Line(element.line), label, BTreeMap::new());
            }
            Event::Open(element) => {
                let Some(printed) = element.get("value") else { continue };
                let Some(value) = number(printed, Marks::Point) else {
                    builder.warn(At::Line(element.line), format!("{} is no number, skipped", element.name));
                    continue;
                };
                let name = match element.get("param") {
                    Some(param) if !param.is_empty() => format!("{}/{param}", element.name),
                    _ => element.name,
                };
                pending.push((element.line, name, value));
            }
            Event::Close(name) if name == "Group" => {
                // The spread is a figure of the mean, which may follow it.
                pending.sort_by_key(|(_, name, _)| name == "stdev_rt");
                let taken = std::mem::take(&mut pending);
                let Some(key) = key.take() else { continue };
                let mut load = Load { builder: &mut builder, key };
                for (line, name, number) in taken {
                    value(&mut load, At::Line(line), &name, number)?;
                }
            }
            Event::Close(_) | Event::Text(_) => {}
            Event::End { open } => {
                if open > 0 {
                    let line = xml.line();
                    builder.warn(At::Line(line), "the document is cut off; the last group is left out");
                }
                break;
            }
        }
    }
    builder.finish(None)
}

fn sniff_csv(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let first = head.lines().next().unwrap_or_default();
    let cells: Vec<&str> = first.split(',').collect();
    if cells.first() == Some(&"label") && cells.contains(&"avg_rt") && cells.contains(&"succ") {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

fn read_csv(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut rows = Rows::new(CSV.name, &text, ',');
    let header = match rows.next() {
        Some(header) => header?,
        None => return Err(builder.error(At::File, Kind::Empty)),
    };
    for row in rows {
        let row = row?;
        let label = if row.cell(0).is_empty() { ALL } else { row.cell(0) };
        let Some(key) = builder.key(At::Line(row.line), label, BTreeMap::new()) else { continue };
        let mut load = Load { builder: &mut builder, key };
        for (index, name) in header.cells.iter().enumerate().skip(1) {
            if let Some(found) = number(row.cell(index), Marks::Point) {
                value(
                    &mut load,
                    At::Line(row.line),
                    &name.replacen("perc_", "perc/", 1).replacen("rc_", "rc/", 1),
                    found,
                )?;
            }
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn both_dumps_name_measures_alike() {
        let xml = "<FinalStatus><Group label=\"\"><stdev_rt value=\"0.5\"/><avg_rt value=\"0.1\"><name>avg_rt</name></avg_rt><perc value=\"0.2\" param=\"95.0\"/></Group></FinalStatus>";
        let csv = "label,avg_rt,perc_95.0,stdev_rt,succ\n,0.1,0.2,0.5,7\n";
        for (text, n) in [(xml, 2), (csv, 3)] {
            let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
            let Content::Report(report) = &parsed.content else { panic!("a report") };
            let names: Vec<&str> =
                report.benchmarks[0].measurements.iter().map(|m| m.measure.name.as_str()).collect();
            assert_eq!((names.len(), &names[..2]), (n, &["avg_rt", "perc/95.0"][..]));
            assert_eq!(report.benchmarks[0].measurements[0].figures.len(), 1);
        }
    }
}
