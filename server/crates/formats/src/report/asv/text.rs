//! What `asv run` prints.

use std::collections::BTreeMap;

use super::{KIND, TEXT, unit};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

const MEASURE: &str = "value";

/// `[30.00%] ··· name   2.42k`: what follows the dots.
fn progress(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start().strip_prefix('[')?;
    let (percent, rest) = rest.split_once("%]")?;
    percent.trim().parse::<f64>().ok()?;
    let rest = rest.trim_start();
    let dots = rest.chars().take_while(|c| *c == '\u{b7}').count();
    let rest = rest.trim_start_matches('\u{b7}').trim_start();
    (dots > 0).then_some((dots, rest))
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let ours = head.lines().any(|line| progress(&without_colours(line)).is_some_and(|(dots, _)| dots >= 2));
    if ours { Sniff::Yes } else { Sniff::No }
}

/// A value as asv prints it: `11.1±0.01μs`, `2.42k`, `390`, `1.5s`.
fn value(text: &str) -> Option<(f64, Option<f64>, String)> {
    let (middle, spread) = match text.split_once('\u{b1}') {
        Some((middle, spread)) => (middle, Some(spread)),
        None => (text, None),
    };
    let (value, own) = split_unit(middle, Marks::Point)?;
    let (spread, unit) = match spread.and_then(|spread| split_unit(spread, Marks::Point)) {
        Some((spread, unit)) => (Some(spread), unit),
        None => (None, own),
    };
    (!unit.contains(char::is_whitespace)).then(|| (value, spread, unit.to_owned()))
}

/// Sizes have decimal prefixes without a unit behind.
fn scaled(name: &str, printed: &str) -> (String, f64) {
    let size = match printed {
        "k" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        _ => None,
    };
    match (size, unit(name)) {
        (Some(scale), own) => (own.unwrap_or("").to_owned(), scale),
        (None, Some("B")) if printed.is_empty() => ("B".to_owned(), 1.0),
        (None, _) => (printed.to_owned(), 1.0),
    }
}

/// A table of results over parameters that is being read.
struct Table {
    name: String,
    /// Names of the parameters in rows, and the one that columns vary.
    rows: Vec<String>,
    across: Option<String>,
    /// Values of the parameter in columns.
    columns: Vec<String>,
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let environments = text.lines().filter(|line| line.contains("\u{b7}\u{b7} Benchmarking ")).count();
    let mut environment: Option<String> = None;
    let mut table: Option<Table> = None;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        let Some((dots, rest)) = progress(&line) else {
            if let Some(table) = &mut table {
                table_line(&mut builder, at, table, environment.as_deref(), line.trim())?;
            }
            continue;
        };
        if let Some(name) = rest.strip_prefix("Benchmarking ") {
            environment = (environments > 1).then(|| name.trim().to_owned());
        }
        if dots < 3 || rest.starts_with("Running (") || rest.starts_with("Setting up ") {
            continue;
        }
        // A table may begin on the line that names the benchmark again.
        if let (Some(table), true) = (&mut table, is_rule(rest)) {
            table.columns.clear();
            continue;
        }
        table = None;
        let Some((name, result)) = rest.trim_end().rsplit_once(char::is_whitespace) else { continue };
        let name = name.trim();
        match result {
            "ok" => {
                table = Some(Table { name: name.to_owned(), rows: vec![], across: None, columns: vec![] });
            }
            _ => cell(&mut builder, at, name, environment.as_deref(), BTreeMap::new(), result)?,
        }
    }
    builder.finish(None)
}

fn is_rule(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '=' | ' '))
}

fn table_line(
    builder: &mut Builder<'_>,
    at: usize,
    table: &mut Table,
    environment: Option<&str>,
    line: &str,
) -> Result<(), ParseError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.is_empty() || is_rule(line) || words.iter().all(|word| word.chars().all(|c| c == '-')) {
        return Ok(());
    }
    // `--   kind` names the parameter that varies across the columns.
    if words.first() == Some(&"--") {
        table.across = words.last().map(|name| (*name).to_owned());
        return Ok(());
    }
    if table.rows.is_empty() {
        // The heading: names of the row parameters, then values of the column parameter. A table over one parameter
        // has one name and nothing across.
        let n_rows = if table.across.is_some() { 1 } else { words.len().saturating_sub(1).max(1) };
        table.rows = words.iter().take(n_rows).map(|word| (*word).to_owned()).collect();
        table.columns = words.iter().skip(n_rows).map(|word| (*word).to_owned()).collect();
        return Ok(());
    }
    let (given, values) = words.split_at_checked(table.rows.len()).unwrap_or((&words, &[]));
    for (i, value) in values.iter().enumerate() {
        let mut parameters: BTreeMap<String, String> =
            table.rows.iter().cloned().zip(given.iter().map(|word| (*word).to_owned())).collect();
        if let (Some(across), Some(column)) = (&table.across, table.columns.get(i)) {
            parameters.insert(across.clone(), column.clone());
        }
        cell(builder, at, &table.name, environment, parameters, value)?;
    }
    Ok(())
}

fn cell(
    builder: &mut Builder<'_>,
    at: usize,
    name: &str,
    environment: Option<&str>,
    mut parameters: BTreeMap<String, String>,
    printed: &str,
) -> Result<(), ParseError> {
    parameters.extend(environment.map(|name| ("env".to_owned(), name.to_owned())));
    let Some(key) = builder.key(At::Line(at), name, parameters) else { return Ok(()) };
    if printed == "failed" {
        return builder.fail(&key, KIND, "it failed");
    }
    if printed == "n/a" || printed == "skipped" {
        builder.warn(At::Line(at), format!("{key} was skipped by its setup"));
        return Ok(());
    }
    let Some((value, spread, unit)) = value(printed) else {
        builder.warn(At::Line(at), format!("not understood and skipped: {printed:?} for {key}"));
        return Ok(());
    };
    let (unit, scale) = scaled(name, &unit);
    builder.observe(At::Line(at), &key, KIND, Reading::summary(MEASURE, &unit, value * scale))?;
    if let Some(spread) = spread {
        let figure = FigureReading { name: "plus or minus", unit: &unit, value: spread * scale };
        builder.figure(At::Line(at), &key, MEASURE, figure);
    }
    Ok(())
}
