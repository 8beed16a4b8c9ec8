//! The layout since 2023: two header lines with bars, one table a unit.
//!
//! ```text
//!             │  old.txt   │            new.txt             │
//!             │   sec/op   │   sec/op    vs base            │
//! Send/64-2     520.6n ± 82%   20.17n ± 34%  -96.13% (p=0.000 n=10)
//! ```
//!
//! Rows have no bars. When a row has a value for each column, order decides; otherwise the position under the
//! header does, because a benchmark may be missing from some columns.

use super::{Found, is_footnote};
use crate::error::ParseError;
use crate::number::{Marks, prefix_scale, split_unit};

const BAR: char = '\u{2502}';

/// A header line: the text between bars, with the place in characters where each begins.
fn header(line: &str) -> Option<Vec<(usize, &str)>> {
    let mut places = line.chars().enumerate().filter(|(_, c)| *c == BAR).map(|(place, _)| place);
    let texts: Vec<&str> = line.split(BAR).skip(1).map(str::trim).collect();
    // The last piece stands behind the closing bar and is empty.
    let (behind, texts) = texts.split_last()?;
    if !behind.is_empty() || texts.is_empty() || !line.starts_with([' ', BAR]) {
        return None;
    }
    texts.iter().map(|text| Some((places.next()?, *text))).collect()
}

/// Whether a line names units under bars, the second line of a header.
pub(super) fn is_units(line: &str) -> bool {
    header(line).is_some_and(|cells| {
        cells.iter().all(|(_, cell)| !cell.is_empty())
            && cells
                .iter()
                .any(|(_, cell)| cell.contains("/op") || cell.contains("B/s") || cell.ends_with("vs base"))
    })
}

/// The columns of the table that is being read.
struct Column {
    /// The index in the file's columns.
    place: usize,
    /// Where it begins, in characters.
    start: usize,
    unit: String,
}

pub(super) fn read<'t>(
    found: &mut Found<'_>,
    lines: impl Iterator<Item = (usize, &'t str)>,
) -> Result<(), ParseError> {
    let mut labels: Option<Vec<(usize, &str)>> = None;
    let mut columns: Vec<Column> = Vec::new();
    for (at, line) in lines {
        if let Some(cells) = header(line) {
            match labels.take() {
                None => {
                    labels = Some(cells);
                    columns.clear();
                }
                Some(labels) => {
                    for ((start, label), (_, unit)) in labels.iter().zip(&cells) {
                        let unit = unit.split_whitespace().next().unwrap_or_default().to_owned();
                        columns.push(Column { place: found.place(at, label)?, start: *start, unit });
                    }
                }
            }
            continue;
        }
        if line.trim().is_empty() {
            labels = None;
            columns.clear();
        } else if columns.is_empty() {
            if !found.between(line) {
                found.builder.unknown_line(at, line);
            }
        } else if !line.starts_with(is_footnote) {
            row(found, at, line, &columns);
        }
    }
    Ok(())
}

fn row(found: &mut Found<'_>, at: usize, line: &str, columns: &[Column]) {
    let mut words = words(line).into_iter().peekable();
    let Some((_, name)) = words.next() else { return };
    let mut values = Vec::new();
    while let Some((place, word)) = words.next() {
        if word == "\u{b1}" {
            // The spread of the value before.
            words.next();
        } else if let Some(value) = scaled(word) {
            values.push((place, value));
        } else if !is_remark(word) {
            found.builder.unknown_line(at, line);
            return;
        }
    }
    if values.is_empty() && !super::MEAN_ROWS.contains(&name) {
        found.builder.unknown_line(at, line);
    }
    let complete = values.len() == columns.len();
    for (order, (place, value)) in values.into_iter().enumerate() {
        let column = if complete {
            columns.get(order)
        } else {
            columns.iter().rev().find(|column| column.start <= place)
        };
        if let Some(column) = column {
            found.add(at, name, &column.unit, column.place, (value, &column.unit));
        }
    }
}

/// The words of a line with the character at which each begins.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut place = 0;
    for piece in line.split(' ') {
        if !piece.is_empty() {
            words.push((place, piece));
        }
        place += piece.chars().count() + 1;
    }
    words
}

/// `520.60n`, `3026.1Mi`, `66.00`: a number with a prefix and neither sign nor percent.
fn scaled(word: &str) -> Option<f64> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (value, prefix) = split_unit(word, Marks::Point)?;
    Some(value * prefix_scale(prefix)?)
}

/// What stands in a row beside values: the difference, its test, footnotes.
fn is_remark(word: &str) -> bool {
    matches!(word, "~" | "?")
        || word.starts_with(['(', '+', '-', '\u{221e}'])
        || word.starts_with(is_footnote)
        || word.ends_with([')', '%'])
}
