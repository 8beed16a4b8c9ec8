//! `run({ format: 'markdown' })`: one table a group, its head naming the group.

use model::Better;

use super::text::{entry, is_fact};
use super::{AVERAGE, MARKDOWN, line};
use crate::error::ParseError;
use crate::number::lines;
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::text;

const COLUMNS: [&str; 5] = ["avg", "min", "p75", "p99", "max"];

fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix("| ")?.strip_suffix('|')?;
    Some(inner.split(" | ").map(|cell| cell.trim().trim_matches('`').trim()).collect())
}

/// The first cell of a table's head: `benchmark`, `• group`, or nothing where a later table has no name.
fn head(line: &str) -> Option<&str> {
    let cells = cells(line)?;
    let (name, columns) = cells.split_first()?;
    (columns == COLUMNS).then_some(name)
}

pub(super) fn sniff(head_bytes: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head_bytes);
    if text.lines().any(|line| head(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(MARKDOWN.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut group = None;
    for (at, line) in lines(&text) {
        let is_rule = || line.chars().all(|c| matches!(c, '|' | '-' | ' '));
        if let Some(name) = head(line) {
            group = name.strip_prefix('\u{2022}').map(|name| name.trim().to_owned());
        } else if let Some(cells) = cells(line).filter(|_| !is_rule()) {
            if !row(&mut builder, at, &cells, group.as_deref())? {
                builder.unknown_line(at, line);
            }
        } else if !is_rule() && !is_fact(&mut builder, line.trim()) {
            builder.unknown_line(at, line);
        }
    }
    builder.finish(None)
}

/// One benchmark; whether it is one. A name may hold a bar, so that the values are taken from the end.
fn row(
    builder: &mut Builder<'_>,
    at: usize,
    cells: &[&str],
    group: Option<&str>,
) -> Result<bool, ParseError> {
    if let Some(error) = cells.iter().position(|cell| cell.starts_with("error: ")) {
        let (name, reason) = cells.split_at_checked(error).unwrap_or_default();
        let reason = reason.join(" | ");
        if let Some(mut entry) = entry(builder, at, &name.join(" | "), group) {
            entry.fail(reason.trim_start_matches("error: "))?;
        }
        return Ok(true);
    }
    let (name, values) =
        cells.split_at_checked(cells.len().saturating_sub(COLUMNS.len())).unwrap_or_default();
    let read: Option<Vec<line::Cell>> = values
        .iter()
        .map(|value| line::cell(value.trim_end_matches("/iter")).map(|(cell, _)| cell))
        .collect();
    let Some(read) = read.filter(|_| !name.is_empty()) else { return Ok(false) };
    if let Some(mut entry) = entry(builder, at, &name.join(" | "), group) {
        values_of(&mut entry, &read)?;
    }
    Ok(true)
}

fn values_of(entry: &mut Entry<'_, '_>, cells: &[line::Cell]) -> Result<(), ParseError> {
    for (name, cell) in COLUMNS.iter().zip(cells) {
        if matches!(*name, "min" | "max") {
            entry.figure(AVERAGE, name, cell.unit, cell.value);
        } else {
            entry.observe(Reading::summary(name, cell.unit, cell.value).towards(Better::Lower))?;
        }
    }
    Ok(())
}
