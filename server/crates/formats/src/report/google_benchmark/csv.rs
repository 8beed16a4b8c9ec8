//! Google Benchmark's CSV. The reporter of 1.7 and before aborts when a later benchmark has a counter that the first had
//! not, so files that end early are real.

use std::collections::BTreeMap;

use super::{CSV, Entry, KIND, counter, finish, is_fit};
use crate::csv::Rows;
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::text;

const HEADER: &str = "name,iterations,real_time,cpu_time,time_unit";

/// The heading stands below what the library prints about the machine.
fn begin(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(HEADER) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    if begin(&String::from_utf8_lossy(head)).is_some() { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let begin = begin(&text).unwrap_or(0);
    let (before, table) = text.split_at_checked(begin).unwrap_or(("", &text));
    let skipped = before.bytes().filter(|byte| *byte == b'\n').count();
    let mut rows = Rows::new(CSV.name, table, ',');
    let header = match rows.next() {
        Some(header) => header?,
        None => return Err(builder.error(At::File, Kind::Empty)),
    };
    let mut entries = Vec::new();
    for row in rows {
        let row = row?;
        let at = At::Line(row.line + skipped);
        if row.cells.len() != header.cells.len() {
            builder.warn(at, "the row is cut off or has other columns, skipped");
            continue;
        }
        if is_fit(row.cell(0)) {
            builder.warn(at, format!("{} is a fit of the complexity and no time, skipped", row.cell(0)));
            continue;
        }
        let cell = |name: &str| {
            header.cells.iter().position(|cell| cell == name).map_or("", |column| row.cell(column))
        };
        let mut entry = Entry::new(at.clone(), row.cell(0).to_owned().into());
        if matches!(cell("error_occurred"), "true" | "1") {
            if let Some(key) = builder.key(at, row.cell(0), BTreeMap::new()) {
                builder.fail(&key, KIND, cell("error_message"))?;
            }
            continue;
        }
        for measure in ["real_time", "cpu_time"] {
            match number(cell(measure), Marks::Point) {
                Some(value) => entry.push(measure, cell("time_unit").to_owned(), value),
                None => builder.warn(at.clone(), format!("{measure} is no number, skipped")),
            }
        }
        for (column, name) in header.cells.iter().enumerate().skip(5) {
            let is_counter = !matches!(name.as_ref(), "label" | "error_occurred" | "error_message");
            if let Some(value) = number(row.cell(column), Marks::Point).filter(|_| is_counter) {
                entry.push(name.as_ref(), counter(name, false).0, value);
            }
        }
        entries.push(entry);
    }
    finish(&mut builder, &entries)?;
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::error::At;
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn the_table_begins_below_the_machine_and_may_be_cut() {
        let text = "2026-01-01\nRunning ./a\nname,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message\n\
                    \"a\",1,2.5,2,us,1e3,,,,\n\"b\",,,,,,,,true,\"boom\"\n\"a_BigO\",,2.5,2.4,NlgN,,,,,\n\"c\",1,";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks.len(), 2);
        assert_eq!((parsed.warnings.len(), &parsed.warnings[1].at), (2, &At::Line(7)));
    }
}
