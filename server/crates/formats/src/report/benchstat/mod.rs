//! `benchstat`: comparisons of Go benchmarks, in the four shapes that they travel in.
//!
//! Each value is the median of several runs, so all are summarised. The geometric mean row and the column of
//! differences follow from the other cells and are left out. Layouts: [`table`] (since 2023, bars between columns),
//! [`delta`] (before, `old time/op`), [`csv`], and [`inline`] (a table retyped into one line of a pull request).

mod csv;
mod delta;
mod inline;
mod table;

use std::collections::BTreeMap;

use model::Kind;

use crate::error::{At, ParseError};
use crate::number::lines;
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::sides::{Cell, Columns, Taking, take};
use crate::text::text;

pub(super) const READER: Reader =
    Reader { name: "benchstat", about: "comparisons that benchstat prints, as text or CSV", sniff, read };

/// The row that averages the others.
const MEAN_ROWS: [&str; 2] = ["geomean", "[Geo mean]"];

/// One of the shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Table,
    Delta,
    Csv,
    Inline,
}

/// The layout that one line gives away.
fn layout(line: &str) -> Option<Layout> {
    if table::is_units(line) {
        Some(Layout::Table)
    } else if delta::header(line).is_some() {
        Some(Layout::Delta)
    } else if csv::is_units(line) {
        Some(Layout::Csv)
    } else if inline::starts(line) {
        Some(Layout::Inline)
    } else {
        None
    }
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| layout(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// What all layouts fill.
struct Found<'b> {
    builder: Builder<'b>,
    columns: Columns,
    cells: Vec<Cell>,
    package: Option<String>,
}

impl Found<'_> {
    /// Adds a value; a row of means is left out.
    fn add(&mut self, line: usize, name: &str, measure: &str, column: usize, (value, unit): (f64, &str)) {
        if MEAN_ROWS.contains(&name) {
            return;
        }
        let package = self.package.clone().map(|package| ("pkg".to_owned(), package));
        let parameters: BTreeMap<_, _> = package.into_iter().collect();
        if let Some(key) = self.builder.key(At::Line(line), name, parameters) {
            let (measure, unit) = (measure.to_owned(), unit.to_owned());
            self.cells.push(Cell { column, line, key, measure, unit, value });
        }
    }

    fn place(&mut self, line: usize, label: &str) -> Result<usize, ParseError> {
        self.columns.place(&self.builder, At::Line(line), label)
    }

    /// Takes a line that stands between tables in every layout; whether it was one.
    fn between(&mut self, line: &str) -> bool {
        if line.trim().is_empty() || line.starts_with(is_footnote) {
            return true;
        }
        let configuration = line.split_once(": ").filter(|(key, _)| {
            key.starts_with(char::is_lowercase)
                && !key.contains(|c: char| c.is_whitespace() || c.is_uppercase())
        });
        match configuration {
            Some(("pkg", value)) => self.package = Some(value.trim().to_owned()),
            Some((key, value)) => self.builder.fact(key, value.trim()),
            None => return false,
        }
        true
    }
}

/// Superscript digits, which number footnotes.
fn is_footnote(c: char) -> bool {
    matches!(c, '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}' | '\u{2074}'..='\u{2079}')
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut found = Found { builder, columns: Columns::default(), cells: Vec::new(), package: None };
    match text.lines().find_map(layout) {
        Some(Layout::Table) => table::read(&mut found, lines(&text))?,
        Some(Layout::Delta) => delta::read(&mut found, lines(&text))?,
        Some(Layout::Csv) => csv::read(&mut found, lines(&text))?,
        Some(Layout::Inline) | None => inline::read(&mut found, lines(&text))?,
    }
    let taking = Taking { wanted: input.hints.column.as_deref(), kind: Some(Kind::Micro), summarised: true };
    take(found.builder, found.columns, &found.cells, taking)
}
