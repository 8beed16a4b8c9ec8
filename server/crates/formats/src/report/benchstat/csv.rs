//! `benchstat -format csv`: the header of two lines repeats before each table, values are in base units.
//!
//! ```text
//! ,old.txt,,new.txt,,,
//! ,sec/op,CI,sec/op,CI,vs base,P
//! Send/64-2,5.206e-07,82%,2.017e-08,34%,-96.13%,p=0.000 n=10
//! ```

use super::Found;
use crate::error::ParseError;
use crate::number::{Marks, number};

/// Whether a line is the second of a header.
pub(super) fn is_units(line: &str) -> bool {
    let mut cells = line.split(',');
    cells.next() == Some("")
        && cells.next().is_some_and(|unit| !unit.is_empty())
        && cells.next() == Some("CI")
}

/// The cells of a line; a quoted cell may hold commas and doubled quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                push(&mut cells, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => push(&mut cells, c),
        }
    }
    cells
}

fn push(cells: &mut [String], c: char) {
    if let Some(cell) = cells.last_mut() {
        cell.push(c);
    }
}

/// A column of values: where it stands in a row, its index in the file's columns, its unit.
struct Column {
    cell: usize,
    place: usize,
    unit: String,
}

pub(super) fn read<'t>(
    found: &mut Found<'_>,
    lines: impl Iterator<Item = (usize, &'t str)>,
) -> Result<(), ParseError> {
    let mut labels: Vec<String> = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    for (at, line) in lines {
        if is_units(line) {
            columns = units(found, at, line, &labels)?;
        } else if line.starts_with(',') {
            labels = cells(line);
            columns.clear();
        } else if line.trim().is_empty() {
            columns.clear();
        } else if columns.is_empty() {
            if !found.between(line) {
                found.builder.unknown_line(at, line);
            }
        } else {
            row(found, at, line, &columns);
        }
    }
    Ok(())
}

fn units(found: &mut Found<'_>, at: usize, line: &str, labels: &[String]) -> Result<Vec<Column>, ParseError> {
    let units = cells(line);
    let mut columns = Vec::new();
    for (cell, (unit, next)) in units.iter().zip(units.iter().skip(1)).enumerate() {
        if next == "CI" {
            let label = labels.get(cell).filter(|label| !label.is_empty()).map_or("value", String::as_str);
            columns.push(Column { cell, place: found.place(at, label)?, unit: unit.clone() });
        }
    }
    Ok(columns)
}

fn row(found: &mut Found<'_>, at: usize, line: &str, columns: &[Column]) {
    let cells = cells(line);
    let name = cells.first().map(String::as_str).unwrap_or_default();
    for column in columns {
        // An empty cell is a benchmark that one side does not have.
        let Some(printed) = cells.get(column.cell).filter(|printed| !printed.is_empty()) else { continue };
        match number(printed, Marks::Point) {
            Some(value) => found.add(at, name, &column.unit, column.place, (value, &column.unit)),
            None => found.builder.unknown_line(at, line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_cell_holds_commas_and_quotes() {
        assert_eq!(cells(r#""a,""b""",1,,"#), ["a,\"b\"", "1", "", ""]);
    }
}
