//! siege: its JSON (4.0.5 and later) and its summary.
//!
//! Written from siege 3 and 4 (<https://www.joedog.org/siege-manual/>). Two decimals only, so short times are 0.00.
//! Megabytes are MiB.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::json::{Field, at_line, documents, parse};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

pub(super) const JSON: Reader =
    Reader { name: "siege", about: "siege's JSON", sniff: sniff_json, read: read_json };
pub(super) const TEXT: Reader =
    Reader { name: "siege-text", about: "what siege prints", sniff: sniff_text, read: read_text };

/// Member, unit and kind.
const MEMBERS: [(&str, &str, Is); 12] = [
    ("transactions", "count", Is::Amount),
    ("availability", "%", Is::Rate),
    ("elapsed_time", "s", Is::Amount),
    ("data_transferred", "MiB", Is::Amount),
    ("response_time", "s", Is::Latency),
    ("transaction_rate", "1/s", Is::Rate),
    ("throughput", "MiB/s", Is::Rate),
    ("concurrency", "", Is::Amount),
    ("successful_transactions", "count", Is::Amount),
    ("failed_transactions", "count", Is::Failure),
    ("longest_transaction", "s", Is::Latency),
    ("shortest_transaction", "s", Is::Latency),
];

fn sniff_json(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let ours = head.contains("\"transactions\"")
        && head.contains("\"availability\"")
        && head.contains("\"transaction_rate\"");
    if ours { Sniff::Yes } else { Sniff::No }
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (line, document) in documents(&text) {
        let json =
            parse(JSON.name, document.as_bytes(), input.limits).map_err(|error| at_line(error, line))?;
        let root = Field::root(JSON.name, &json);
        let Some(key) = builder.key(At::Line(line), JSON.name, BTreeMap::new()) else { continue };
        let mut load = Load { builder: &mut builder, key };
        for (member, unit, is) in MEMBERS {
            if let Some(field) = root.get(member) {
                let value = field.number().map_err(|error| at_line(error, line))?;
                load.value(field.at(), is, member, unit, value)?;
            }
        }
    }
    builder.finish(None)
}

/// `Transaction rate:   9944.83 trans/sec`: the member that the label stands for.
fn labelled(line: &str) -> Option<(&'static str, &'static str, Is, f64)> {
    let (label, value) = line.trim().split_once(':')?;
    let name = label.trim().to_lowercase().replace(' ', "_");
    let (member, unit, is) = MEMBERS.into_iter().find(|(member, ..)| *member == name)?;
    let (value, _) = split_unit(value, Marks::Point)?;
    Some((member, unit, is, value))
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let found = head.lines().filter(|line| labelled(line).is_some()).count();
    if found >= 6 { Sniff::Yes } else { Sniff::No }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (at, line) in lines(&text) {
        let Some((member, unit, is, value)) = labelled(line) else { continue };
        let Some(key) = builder.key(At::Line(at), JSON.name, BTreeMap::new()) else { continue };
        Load { builder: &mut builder, key }.value(At::Line(at), is, member, unit, value)?;
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn the_printed_summary_gives_the_members_of_the_document() {
        let text = "Lifting the server siege...\nTransactions:\t\t  11536 hits\nAvailability:\t\t 100.00 %\nElapsed time:\t\t   1.16 secs\nData transferred:\t   0.07 MB\n\
                    Response time:\t\t   0.00 secs\nTransaction rate:\t9944.83 trans/sec\nThroughput:\t\t   0.06 MB/sec\nFailed transactions:\t      2\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!((parsed.format, report.benchmarks[0].measurements.len()), ("siege-text", 8));
    }
}
