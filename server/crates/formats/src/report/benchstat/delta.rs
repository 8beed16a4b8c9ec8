//! The layout before 2023: `name  old time/op  new time/op  delta`, units behind each value.
//!
//! With one file the header is `name  time/op`, with three or more `name \ time/op  a.txt  b.txt  c.txt`.

use super::Found;
use crate::error::ParseError;
use crate::number::{Marks, split_unit};

/// What a header line says: the measure, and the columns' labels.
pub(super) fn header(line: &str) -> Option<(&str, Vec<&str>)> {
    let rest = line.strip_prefix("name ")?.trim_start();
    if let Some(rest) = rest.strip_prefix("\\ ") {
        let mut cells = cells(rest);
        let measure = cells.next().filter(|cell| is_measure(cell))?;
        let labels: Vec<&str> = cells.collect();
        return (!labels.is_empty()).then_some((measure, labels));
    }
    let mut measure = None;
    let mut labels = Vec::new();
    for cell in cells(rest).filter(|cell| *cell != "delta") {
        let (label, of) = cell.rsplit_once(' ').unwrap_or(("", cell));
        if !is_measure(of) || measure.is_some_and(|known| known != of) {
            return None;
        }
        measure = Some(of);
        labels.push(if label.is_empty() { "value" } else { label.trim() });
    }
    measure.map(|measure| (measure, labels))
}

fn is_measure(word: &str) -> bool {
    word == "speed" || word.ends_with("/op") || word.ends_with("/s")
}

/// Cells stand two blanks or more apart; a tab also separates.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split('\t').flat_map(|part| part.split("  ")).map(str::trim).filter(|cell| !cell.is_empty())
}

pub(super) fn read<'t>(
    found: &mut Found<'_>,
    lines: impl Iterator<Item = (usize, &'t str)>,
) -> Result<(), ParseError> {
    let mut table: Option<(&str, Vec<usize>)> = None;
    for (at, line) in lines {
        if let Some((measure, labels)) = header(line) {
            let places: Result<Vec<usize>, _> = labels.iter().map(|label| found.place(at, label)).collect();
            table = Some((measure, places?));
        } else if line.trim().is_empty() {
            table = None;
        } else if let Some((measure, places)) = &table {
            row(found, at, line, measure, places);
        } else if !found.between(line) {
            found.builder.unknown_line(at, line);
        }
    }
    Ok(())
}

fn row(found: &mut Found<'_>, at: usize, line: &str, measure: &str, places: &[usize]) {
    // `[Geo mean]` is the one name with a blank.
    let (name, rest) = match line.strip_prefix("[Geo mean]") {
        Some(rest) => ("[Geo mean]", rest),
        None => line.split_once(char::is_whitespace).unwrap_or((line, "")),
    };
    let values: Vec<(f64, &str)> = rest
        .split_whitespace()
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && !word.ends_with(['%', ')']))
        .filter_map(|word| split_unit(word, Marks::Point))
        .collect();
    if values.len() != places.len() {
        found.builder.unknown_line(at, line);
        return;
    }
    for ((value, unit), place) in values.into_iter().zip(places) {
        let unit = if unit.is_empty() { measure } else { unit };
        found.add(at, name, measure, *place, (value, unit));
    }
}
