//! Any CSV or TSV with a head that no tool's own reader claims.
//!
//! Rows are repetitions. The first text column, or the one called `name`, `benchmark` …, names the benchmark; other texts are
//! parameters; numbers are measures, with the unit from the head (`time_ms`, `latency (us)`, `throughput [MB/s]`), save
//! those whose head says that they tell benchmarks apart (`threads`, `size`). Columns `metric`, `value` and `unit` make
//! the long form, a value a row. The separator is a comma, a semicolon, a tab or a bar; with a semicolon a comma is the
//! decimal mark. A column `commit` makes it a history, with `date`, `branch` and `testbed` beside it. `Hints::mapping`
//! says it otherwise: see [`super::mapping`], for which a row is an object of its cells.

mod columns;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::csv::{Row, Rows};
use crate::error::{At, Kind, ParseError};
use crate::json::Json;
use crate::limits::Limits;
use crate::number::{Marks, is_not_a_number, number};
use crate::read::{Content, Input, Parsed, Point, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::report::{history, mapping};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

use columns::{Column, Table};

pub(super) const READER: Reader = Reader {
    name: "csv",
    about: "CSV or TSV with a head; a column `commit` makes it a history",
    sniff,
    read,
};

const UNNAMED: &str = "run";
const SEPARATORS: [char; 4] = ['\t', ';', ',', '|'];
/// Rows looked at to say whether it is a table.
const LOOKED_AT: usize = 20;

/// The separator that stands in the first line most often.
fn separator(text: &str) -> Option<char> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let count = |separator: &char| first.matches(*separator).count();
    SEPARATORS.into_iter().max_by_key(count).filter(|separator| count(separator) > 0)
}

/// Comment lines before the head are passed over, so that line numbers stay right.
fn behind_comments(text: &str) -> (usize, &str) {
    let mut rest = text;
    let mut skipped = 0;
    while rest.starts_with('#') {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        skipped += 1;
    }
    (skipped, rest)
}

fn is_head(row: &Row<'_>) -> bool {
    row.cells.len() > 1
        && row.cells.iter().all(|cell| {
            let cell = cell.trim();
            number(cell, Marks::Point).is_none() && cell.len() < 100 && !cell.contains(['{', '}', '\n'])
        })
        && row.cells.iter().filter(|cell| !cell.trim().is_empty()).count() > 1
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let (_, rest) = behind_comments(&head);
    let Some(separator) = separator(rest) else { return Sniff::No };
    let mut rows = Rows::new(READER.name, rest, separator);
    let Some(Ok(first)) = rows.next() else { return Sniff::No };
    if !is_head(&first) {
        return Sniff::No;
    }
    let marks = marks(separator);
    let (mut tabular, mut numeric, mut seen) = (0, 0, 0);
    for row in rows.take(LOOKED_AT).map_while(Result::ok) {
        seen += 1;
        tabular += usize::from(row.cells.len() == first.cells.len());
        numeric += usize::from(row.cells.iter().any(|cell| any_number(cell, marks).is_some()));
    }
    // The last row may be cut at the end of the head.
    if seen > 0 && tabular + 1 >= seen && tabular > 0 && numeric > 0 { Sniff::Maybe } else { Sniff::No }
}

/// With a semicolon between the cells a comma inside one is the decimal mark.
fn marks(separator: char) -> Marks {
    if separator == ';' { Marks::DecimalComma } else { Marks::Point }
}

fn any_number(cell: &str, marks: Marks) -> Option<f64> {
    number(cell, Marks::Point).or_else(|| number(cell, marks))
}

/// A text with its head taken. Rows are made anew each time they are gone through, which costs less than holding them.
struct Sheet<'t> {
    rest: &'t str,
    separator: char,
    /// Lines before the head.
    skipped: usize,
    head: Row<'t>,
}

impl<'t> Sheet<'t> {
    fn new(text: &'t str) -> Result<Self, ParseError> {
        let (skipped, rest) = behind_comments(text);
        let Some(separator) = separator(rest) else {
            let kind = Kind::Invalid("there is no head with several columns".to_owned());
            return Err(ParseError::new(READER.name, At::File, kind));
        };
        let head = Rows::new(READER.name, rest, separator)
            .next()
            .ok_or_else(|| ParseError::new(READER.name, At::File, Kind::Empty))??;
        Ok(Self { rest, separator, skipped, head })
    }

    fn rows(&self) -> impl Iterator<Item = Result<Row<'t>, ParseError>> {
        let skipped = self.skipped;
        let at_its_line = move |row: Row<'t>| Row { line: row.line + skipped, ..row };
        Rows::new(READER.name, self.rest, self.separator).skip(1).map(move |row| row.map(at_its_line))
    }

    /// Rows that have a cell for each column.
    fn whole_rows(&self) -> impl Iterator<Item = Row<'t>> {
        self.rows().map_while(Result::ok).filter(|row| self.is_whole(row) && !self.is_head_again(row))
    }

    /// A head again begins another table of the same kind.
    fn is_head_again(&self, row: &Row<'_>) -> bool {
        row.cells == self.head.cells
    }

    fn is_whole(&self, row: &Row<'_>) -> bool {
        let (has, wants) = (row.cells.len(), self.head.cells.len());
        // A separator at the end of each row is a habit of some programs.
        has == wants || (has == wants + 1 && row.cells.last().is_some_and(|cell| cell.trim().is_empty()))
    }

    /// Goes through all rows: every one can be parsed, there are not too many cells, and what is skipped is told.
    fn check(&self, limits: &Limits, warnings: &mut Warnings) -> Result<(), ParseError> {
        let mut cells = 0_usize;
        for row in self.rows() {
            let row = row?;
            cells += row.cells.len();
            if cells > limits.json_values {
                let limit = limits.json_values as u64;
                let kind = Kind::Limit { what: "cells", limit, setting: "max_json_values" };
                return Err(ParseError::new(READER.name, At::Line(row.line), kind));
            }
            if !self.is_whole(&row) {
                let (has, wants) = (row.cells.len(), self.head.cells.len());
                let text = format!("has {has} cells where the head has {wants} and is skipped");
                warnings.add(At::Line(row.line), text);
            }
        }
        Ok(())
    }

    /// The rows as a list of objects, for a mapping.
    fn objects(&self, marks: Marks) -> Json {
        let names: Vec<Rc<str>> = self.head.cells.iter().map(|name| name.trim().into()).collect();
        let object = |row: Row<'_>| {
            let cells = names.iter().zip(&row.cells).map(|(name, cell)| {
                let value =
                    any_number(cell, marks).map_or_else(|| Json::Text(cell.trim().into()), Json::Number);
                (Rc::clone(name), value)
            });
            Json::Object(cells.collect())
        };
        Json::List(self.rows().map_while(Result::ok).map(object).collect())
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let sheet = Sheet::new(&text)?;
    let marks = marks(sheet.separator);
    if let Some(mapping) = &input.hints.mapping {
        // It says itself which rows it cannot use.
        sheet.check(input.limits, &mut Warnings::new(input.limits))?;
        return mapping::read(READER.name, mapping, &sheet.objects(marks), input.limits, warnings);
    }
    sheet.check(input.limits, &mut warnings)?;
    let table = Table::new(&sheet, marks, &mut warnings);
    points(&input, &table, &sheet, warnings)
}

/// What tells points of a history apart: commit, branch and testbed; and when it was.
type Place = (String, String, String);

fn points(
    input: &Input<'_>,
    table: &Table,
    sheet: &Sheet<'_>,
    mut warnings: Warnings,
) -> Result<Parsed, ParseError> {
    let file =
        input.hints.file_name.as_deref().and_then(|name| name.rsplit(['/', '\\']).next()?.split('.').next());
    let file = file.filter(|name| !name.trim().is_empty()).unwrap_or(UNNAMED);
    let dated = table.has(Column::Commit);
    let mut places: FxHashMap<Place, usize> = FxHashMap::default();
    let mut found: Vec<(Place, String, Builder<'_>)> = Vec::new();
    for row in sheet.whole_rows() {
        // Without a commit there is one run, and where it ran tells benchmarks apart.
        let of = |column: Column| match table.text(&row, column) {
            Some(text) if dated => text.to_owned(),
            _ => String::new(),
        };
        let place = (of(Column::Commit), of(Column::Branch), of(Column::Testbed));
        let at = *places.entry(place.clone()).or_insert_with(|| {
            found.push((place, of(Column::Date), Builder::new(READER.name, input.limits)));
            found.len() - 1
        });
        if let Some((.., builder)) = found.get_mut(at) {
            read_row(builder, table, &row, file)?;
        }
    }
    if places.len() < 2 {
        let Some(((commit, branch, testbed), _, mut builder)) = found.into_iter().next() else {
            return Err(ParseError::new(READER.name, At::File, Kind::Empty));
        };
        for (name, value) in [("commit", commit), ("branch", branch), ("testbed", testbed)] {
            if !value.is_empty() {
                builder.fact(name, &value);
            }
        }
        for warning in warnings.into_kept() {
            builder.warn(warning.at, warning.text);
        }
        return builder.finish(None);
    }
    let mut points = Vec::with_capacity(found.len());
    for ((commit, branch, testbed), date, builder) in found {
        let some = |text: String| (!text.is_empty()).then_some(text);
        let at = history::instant(&date);
        if at.is_none() && !date.is_empty() {
            warnings.add(At::File, format!("{:?} is no time", excerpt(&date)));
        }
        if let Some(report) = history::report(builder, &mut warnings) {
            points.push(Point {
                commit: some(commit),
                at,
                branch: some(branch),
                testbed: some(testbed),
                report,
            });
        }
    }
    if points.is_empty() {
        return Err(ParseError::new(READER.name, At::File, Kind::Empty));
    }
    Ok(warnings.parsed(READER.name, Content::History(points)))
}

fn read_row(builder: &mut Builder<'_>, table: &Table, row: &Row<'_>, file: &str) -> Result<(), ParseError> {
    let name = table.text(row, Column::Name).filter(|name| !name.is_empty()).unwrap_or(file);
    let mut parameters = BTreeMap::new();
    let places = [Column::Branch, Column::Testbed].into_iter().filter(|_| !table.has(Column::Commit));
    for (index, head) in table.all(Column::Parameter).chain(places.flat_map(|place| table.all(place))) {
        let value = row.cell(index).trim();
        if !value.is_empty() {
            parameters.insert(head.to_owned(), value.to_owned());
        }
    }
    let long = table.text(row, Column::Metric).filter(|metric| !metric.is_empty());
    let unit = table.text(row, Column::Unit);
    let Some(mut entry) = Entry::new(builder, At::Line(row.line), name, parameters, None) else {
        return Ok(());
    };
    for (index, head) in table.all(Column::Measure) {
        let cell = row.cell(index).trim();
        let (measure, own) = table.measure(head);
        let (measure, unit) = match long {
            // In the long form the value's column is called after nothing that is measured.
            Some(metric) => (metric, unit.unwrap_or(own)),
            None => (measure, unit.filter(|unit| own.is_empty() && !unit.is_empty()).unwrap_or(own)),
        };
        match any_number(cell, table.marks) {
            Some(value) => entry.observe(Reading::raw(measure, unit, value))?,
            None if cell.is_empty() => {}
            None if is_not_a_number(cell) => {
                entry
                    .builder
                    .warn(entry.at.clone(), format!("{head} is {cell:?}, not a number, and skipped"));
            }
            None => {
                let text = format!("{head} is {:?}, not a number, and skipped", excerpt(cell));
                entry.builder.warn(entry.at.clone(), text);
            }
        }
    }
    Ok(())
}
