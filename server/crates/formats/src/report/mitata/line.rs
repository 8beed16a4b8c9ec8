//! What stands on a line of mitata's tables: times, bytes, amounts, bounds.

use crate::number::{Marks, number};

/// A value, its unit and its factor: bytes are 1024-based, whatever their unit looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) value: f64,
    pub(super) unit: &'static str,
}

/// A number as both versions print it; version 0 has apostrophes between thousands (`1'304`).
fn amount(text: &str) -> Option<f64> {
    number(&text.replace(['\'', '\u{2019}'], ""), Marks::ThousandsComma)
}

/// The base unit and the factor of a unit. `m` are minutes.
fn unit(text: &str) -> Option<(&'static str, f64)> {
    Some(match text {
        "ps" => ("ns", 1e-3),
        "ns" => ("ns", 1.0),
        "\u{b5}s" | "\u{3bc}s" | "us" => ("ns", 1e3),
        "ms" => ("ns", 1e6),
        "s" => ("ns", 1e9),
        "m" => ("ns", 60e9),
        "h" => ("ns", 3600e9),
        "b" => ("B", 1.0),
        "kb" => ("B", 1024.0),
        "mb" => ("B", 1_048_576.0),
        "gb" => ("B", 1_073_741_824.0),
        "tb" => ("B", 1_099_511_627_776.0),
        _ => return None,
    })
}

/// `1.25 µs` at the beginning of a text, and the rest.
pub(super) fn cell(text: &str) -> Option<(Cell, &str)> {
    let (value, rest) = text.trim_start().split_once(' ')?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphabetic() && c != '\u{b5}').unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(end)?;
    let (unit, scale) = unit(name)?;
    Some((Cell { value: amount(value)? * scale, unit }, rest))
}

/// `(1.20 µs … 1.40 µs)` and what stands behind.
pub(super) fn bounds(text: &str) -> Option<([Cell; 2], &str)> {
    let (min, rest) = cell(text.trim_start().strip_prefix('(')?)?;
    let (max, rest) = cell(rest.trim_start().strip_prefix('\u{2026}')?)?;
    Some(([min, max], rest.trim_start().strip_prefix(')')?))
}

/// A name, then `1.23 µs/iter` and what stands behind.
pub(super) fn result(line: &str) -> Option<(&str, Cell, &str)> {
    let (before, after) = line.split_once("/iter")?;
    let (rest, _) = before.trim_end().rsplit_once(' ')?;
    let (name, _) = rest.trim_end().rsplit_once(' ')?;
    let (average, _) = cell(before.get(name.len()..)?)?;
    Some((name.trim(), average, after))
}

/// `1.02M cycles` at the beginning of a text: an amount with its prefix, what is counted, and the rest.
pub(super) fn counted<'t>(text: &'t str, names: &[&'static str]) -> Option<(f64, &'static str, &'t str)> {
    let (value, rest) = text.trim_start().split_once(' ')?;
    let digits = value.trim_end_matches(|c: char| c.is_alphabetic());
    let scale = match value.get(digits.len()..)? {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        _ => return None,
    };
    let name = names.iter().find(|name| rest.starts_with(**name))?;
    Some((amount(digits)? * scale, name, rest.get(name.len()..)?))
}

/// `(84.20% cache)` or `84.20% L1 data cache`: the percentage, its name, and the rest.
pub(super) fn share(text: &str) -> Option<(f64, &str, &str)> {
    let text = text.trim_start();
    let (inner, rest) = match text.strip_prefix('(') {
        Some(inner) => inner.split_once(')')?,
        None => (text, ""),
    };
    let (value, name) = inner.split_once('%')?;
    Some((amount(value)?, name.trim(), rest))
}

/// Whether nothing but a drawing (and the mark of a benchmark that was optimized out) is left of a line.
pub(super) fn is_drawing(text: &str) -> bool {
    let drawing =
        |c: char| c.is_whitespace() || matches!(c, '-' | '!') || ('\u{2500}'..='\u{28ff}').contains(&c);
    text.chars().all(drawing)
}

/// Whether a line belongs to a plot: a name and a box, perhaps with times as labels, or labels alone.
pub(super) fn is_plot(line: &str) -> bool {
    let labels = |mut text: &str| {
        while let Some((_, rest)) = cell(text) {
            text = rest;
        }
        is_drawing(text)
    };
    let plotted = |c: char| ('\u{2500}'..='\u{257f}').contains(&c) || ('\u{2800}'..='\u{28ff}').contains(&c);
    match line.find(plotted) {
        Some(at) => {
            let drawn = line.get(at..).unwrap_or_default();
            labels(drawn.trim_start_matches(|c: char| is_drawing(c.encode_utf8(&mut [0; 4]))))
        }
        None => cell(line).is_some() && labels(line),
    }
}
