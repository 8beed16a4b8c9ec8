//! Comparison tables pasted as text: a parameter in the first column, one side a column.
//!
//! ```text
//! 4096 KB writes
//!
//! threads   direct MB/s   heap MB/s   Δ%
//! 1         5,344         5,929       +10.9%
//! ```
//!
//! The heading gives the benchmark's name and its size. Commas group thousands in these tables, and the column of
//! differences is left out because it follows from the others.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::sides::{Cell, Columns, Taking, take};
use crate::text::text;

pub(super) const READER: Reader = Reader {
    name: "table-text",
    about: "tables of a parameter against the rates of several sides, as pasted into issues",
    sniff,
    read,
};

/// The measure of every value: the tables compare rates.
const MEASURE: &str = "throughput";
/// The benchmark's name under a table without a heading.
const UNNAMED: &str = "table";

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut rows = head.lines().map(cells).skip_while(|row| header(row).is_none());
    let Some(width) = rows.next().map(|row| row.len()) else { return Sniff::No };
    let is_row =
        |row: &Vec<&str>| row.len() == width && row.iter().take(2).all(|c| number(c, MARKS).is_some());
    if rows.find(|row| !is_rule(row)).is_some_and(|row| is_row(&row)) { Sniff::Yes } else { Sniff::No }
}

const MARKS: Marks = Marks::ThousandsComma;

/// The cells of a row: between tabs or bars, else between two blanks or more.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_matches('|');
    let separator = if line.contains('\t') {
        "\t"
    } else if line.contains('|') {
        "|"
    } else {
        "  "
    };
    line.split(separator).map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// A Markdown rule or dashes under the header.
fn is_rule(row: &[&str]) -> bool {
    row.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | '=' | '+')))
}

/// The parameter and the sides (label and unit) of a header; no label for a column that is left out.
type Header<'t> = (&'t str, Vec<Option<(&'t str, &'t str)>>);

fn header<'t>(row: &[&'t str]) -> Option<Header<'t>> {
    let (parameter, rest) = row.split_first()?;
    let worded = parameter.starts_with(char::is_alphabetic) && parameter.split_whitespace().count() <= 2;
    let sides: Vec<_> = rest.iter().map(|cell| side(cell)).collect();
    (worded && sides.iter().flatten().count() > 0).then_some((*parameter, sides))
}

/// `direct MB/s` or `direct (MB/s)`: the label and the unit, which must be a rate.
fn side(cell: &str) -> Option<(&str, &str)> {
    let (label, unit) = cell.rsplit_once([' ', '('])?;
    let unit = unit.trim_end_matches(')');
    (unit.ends_with("/s") && !label.trim().is_empty())
        .then_some((label.trim().trim_end_matches('(').trim(), unit))
}

/// `4096 KB writes`: the size `4096KB` and the name `writes`.
fn heading(line: &str) -> (String, Option<String>) {
    let words: Vec<&str> =
        line.trim().trim_start_matches('#').trim_end_matches(':').split_whitespace().collect();
    match words.as_slice() {
        [amount, unit, name @ ..] if is_size(amount, unit) && !name.is_empty() => {
            (name.join(" "), Some(format!("{amount}{unit}")))
        }
        [size, name @ ..] if !name.is_empty() && is_joined_size(size) => {
            (name.join(" "), Some((*size).to_owned()))
        }
        words => (words.join(" "), None),
    }
}

fn is_size(amount: &str, unit: &str) -> bool {
    number(amount, MARKS).is_some() && model::Unit::parse(unit).0 == model::Unit::Bytes
}

fn is_joined_size(text: &str) -> bool {
    crate::number::split_unit(text, MARKS)
        .is_some_and(|(_, unit)| model::Unit::parse(unit).0 == model::Unit::Bytes)
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut columns = Columns::default();
    let mut table: Option<(Header<'_>, Vec<Option<usize>>)> = None;
    let mut under = (UNNAMED.to_owned(), None);
    let mut found = Vec::new();
    for (at, line) in lines(&text) {
        let row = cells(line);
        if row.is_empty() || is_rule(&row) {
            continue;
        }
        if let Some(header) = header(&row) {
            let places = header.1.iter().map(|side| match side {
                Some((label, _)) => columns.place(&builder, At::Line(at), label).map(Some),
                None => Ok(None),
            });
            let places = places.collect::<Result<_, _>>()?;
            table = Some((header, places));
            continue;
        }
        match (&table, row.split_first()) {
            (Some((header, places)), Some((parameter, values))) if values.len() == places.len() => {
                let mut parameters = BTreeMap::from([(header.0.to_owned(), (*parameter).to_owned())]);
                parameters.extend(under.1.clone().map(|size| ("size".to_owned(), size)));
                let Some(key) = builder.key(At::Line(at), &under.0, parameters) else { continue };
                let sides = header.1.iter().zip(places).zip(values);
                for (side, value) in sides {
                    let (Some((label, unit)), Some(column)) = side else { continue };
                    match number(value, MARKS).filter(|value| *value >= 0.0) {
                        Some(value) => found.push(Cell {
                            column: *column,
                            line: at,
                            key: key.clone(),
                            measure: MEASURE.to_owned(),
                            unit: (*unit).to_owned(),
                            value,
                        }),
                        None => builder
                            .warn(At::Line(at), format!("{label} is not a number and skipped: {value:?}")),
                    }
                }
            }
            (_, Some((only, []))) if number(only, MARKS).is_none() => {
                under = heading(only);
                table = None;
            }
            _ => builder.unknown_line(at, line),
        }
    }
    take(
        builder,
        columns,
        &found,
        Taking { wanted: input.hints.column.as_deref(), kind: None, summarised: false },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str, column: Option<&str>) -> Result<Report, ParseError> {
        let hints = Hints { column: column.map(str::to_owned), ..Hints::default() };
        match read_any(text.as_bytes(), &hints, &Limits::default())?.content {
            Content::Report(report) => Ok(report),
            _ => panic!("a report"),
        }
    }

    #[test]
    fn a_column_is_chosen_by_label_or_number_and_the_last_by_default() {
        let text = "64 KB writes\n\n| threads | direct MB/s | heap MB/s | Δ% |\n|---|---|---|---|\n| 4 | 1,000 | 1,100 | +10% |\n";
        for (column, value) in
            [(None, 1100e6), (Some("1"), 1000e6), (Some("direct"), 1000e6), (Some("heap"), 1100e6)]
        {
            let report = report(text, column).unwrap();
            assert_eq!(report.columns, ["direct", "heap"]);
            assert_eq!(report.benchmarks[0].measurements[0].observations, [value], "{column:?}");
            assert_eq!(report.benchmarks[0].key.to_string(), "writes [size=64KB, threads=4]");
        }
        let error = report(text, Some("3")).unwrap_err().to_string();
        assert_eq!(error, "table-text: the file: there is no column \"3\"; there are direct, heap");
    }
}
