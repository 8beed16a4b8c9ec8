//! divan's tree: a row a benchmark, a unit in each cell, and counters (throughput, allocations) on rows below.
//!
//! Written from divan 0.1 (<https://github.com/nvzqz/divan>). The median is the observation; fastest, slowest and mean
//! are figures. A name is the path through the tree, joined with `/`.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

pub(super) const READER: Reader = Reader { name: "divan", about: "the tree that divan prints", sniff, read };

const COLUMNS: [&str; 6] = ["fastest", "slowest", "median", "mean", "samples", "iters"];

/// Where the first column begins, in characters.
fn heading(line: &str) -> Option<usize> {
    let at = line.find("fastest ")?;
    let rest = line.get(at..)?;
    let is_ours = COLUMNS.iter().all(|column| rest.contains(column));
    line.get(..at).filter(|_| is_ours).map(|before| before.chars().count())
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| heading(&without_colours(line)).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// The part of a line that draws the tree and names the row, and the cells.
fn split(line: &str, width: usize) -> (String, String) {
    (line.chars().take(width).collect(), line.chars().skip(width).collect())
}

/// Depth and name of `│  ├─ 5`; `None` for a row that continues the one above.
fn branch(tree: &str) -> Option<(usize, &str)> {
    let (mark, name) =
        ["\u{251c}\u{2500} ", "\u{2570}\u{2500} "].iter().find_map(|mark| tree.split_once(mark))?;
    Some((mark.chars().count() / 3 + 1, name.trim()))
}

/// What cells under one row mean.
#[derive(Clone, Copy, PartialEq)]
enum Row<'a> {
    Time,
    /// A counter: throughput or what follows an `alloc:` heading.
    Counter(&'a str),
}

struct State {
    width: usize,
    path: Vec<String>,
    key: Option<BenchmarkKey>,
    /// The heading of the allocation rows that are being read: `alloc:`, `max alloc:` …
    section: Option<String>,
    rows: usize,
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut state = State { width: 0, path: Vec::new(), key: None, section: None, rows: 0 };
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(width) = heading(&line) {
            // The first column of the heading names the crate, which is the tree's root and no part of names.
            state = State { width, path: Vec::new(), key: None, section: None, rows: 0 };
        } else if state.width > 0 && !line.trim().is_empty() {
            row(&mut builder, at, &mut state, &line)?;
        } else if let Some(precision) = line.strip_prefix("Timer precision: ") {
            builder.fact("timer precision", precision);
        }
    }
    builder.finish(None)
}

fn row(builder: &mut Builder<'_>, at: usize, state: &mut State, line: &str) -> Result<(), ParseError> {
    let (tree, cells) = split(line, state.width);
    let cells: Vec<&str> = cells.split('\u{2502}').map(str::trim).collect();
    if let Some((depth, name)) = branch(&tree) {
        // A name may reach into the cells where the tree is narrow: `skipped  (ignored)`.
        let whole =
            branch(line).map_or(name, |(_, rest)| rest.split('\u{2502}').next().unwrap_or_default().trim());
        state.path.truncate(depth - 1);
        state.path.push(name.trim_end_matches("(ignored)").trim().to_owned());
        (state.section, state.rows, state.key) = (None, 0, None);
        let path = state.path.join("/");
        if whole.ends_with("(ignored)") {
            builder.warn(At::Line(at), format!("{path} was ignored by its harness"));
            return Ok(());
        }
        if cells.first().is_none_or(|cell| cell.is_empty()) {
            return Ok(());
        }
        state.key = builder.key(At::Line(at), &path, BTreeMap::new());
        return match state.key.clone() {
            Some(key) => values(builder, at, &key, &cells, Row::Time),
            None => Ok(()),
        };
    }
    let Some(key) = state.key.clone() else {
        builder.unknown_line(at, line);
        return Ok(());
    };
    if let Some(section) = cells.first().and_then(|cell| cell.strip_suffix(':')) {
        (state.section, state.rows) = (Some(section.to_owned()), 0);
        return Ok(());
    }
    state.rows += 1;
    let name = match &state.section {
        None => "throughput".to_owned(),
        // Allocation rows come in pairs: how many, and how many bytes.
        Some(section) if state.rows == 1 => format!("{section} count"),
        Some(section) => format!("{section} bytes"),
    };
    values(builder, at, &key, &cells, Row::Counter(&name))
}

fn values(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    cells: &[&str],
    row: Row<'_>,
) -> Result<(), ParseError> {
    let cell = |column: usize| cells.get(column).and_then(|cell| split_unit(cell, Marks::ThousandsComma));
    let (measure, better) = match row {
        Row::Time => ("median".to_owned(), Some(Better::Lower)),
        Row::Counter("throughput") => ("throughput median".to_owned(), Some(Better::Higher)),
        Row::Counter(name) => (format!("{name} median"), Some(Better::Lower)),
    };
    let Some((median, unit)) = cell(2) else {
        builder.unknown_line(at, &cells.join(" | "));
        return Ok(());
    };
    let (unit, scale) = counted(unit, row);
    let reading = Reading { better, ..Reading::summary(&measure, &unit, median * scale) };
    builder.observe(At::Line(at), key, Some(Kind::Micro), reading)?;
    for (column, name) in [(0, "fastest"), (1, "slowest"), (3, "mean")] {
        let name = measure.replace("median", name);
        if let Some((value, unit)) = cell(column) {
            let (unit, scale) = counted(unit, row);
            builder.figure(
                At::Line(at),
                key,
                &measure,
                FigureReading { name: &name, unit: &unit, value: value * scale },
            );
        }
    }
    if row == Row::Time {
        for (column, name) in [(4, "samples"), (5, "iters")] {
            if let Some(value) = cells.get(column).and_then(|cell| number(cell, Marks::ThousandsComma)) {
                builder.figure(At::Line(at), key, &measure, FigureReading { name, unit: "count", value });
            }
        }
    }
    Ok(())
}

/// Items and characters a second come with decimal prefixes: `1.2 Mitem/s`.
fn counted(unit: &str, row: Row<'_>) -> (String, f64) {
    if row == Row::Time {
        return (unit.to_owned(), 1.0);
    }
    for things in ["item/s", "char/s", "cycle/s", "Hz"] {
        if let Some(prefix) = unit.strip_suffix(things) {
            let scale = crate::number::prefix_scale(prefix).unwrap_or(1.0);
            return (things.to_owned(), scale);
        }
    }
    (if unit.is_empty() { "count".to_owned() } else { unit.to_owned() }, 1.0)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints};

    #[test]
    fn counters_and_allocations_stand_below_their_row() {
        let text = "\
b         fastest       \u{2502} slowest       \u{2502} median        \u{2502} mean          \u{2502} samples \u{2502} iters
\u{251c}\u{2500} a      1 ns          \u{2502} 3 \u{b5}s          \u{2502} 2 ns          \u{2502} 2 ns          \u{2502} 1,000   \u{2502} 100
\u{2502}         2 Mitem/s     \u{2502} 1 Mitem/s     \u{2502} 1.5 Kitem/s   \u{2502} 1 Mitem/s     \u{2502}         \u{2502}
\u{2502}         alloc:        \u{2502}               \u{2502}               \u{2502}               \u{2502}         \u{2502}
\u{2502}           1           \u{2502} 1             \u{2502} 1             \u{2502} 1             \u{2502}         \u{2502}
\u{2502}           8 B         \u{2502} 8 B           \u{2502} 1 KB          \u{2502} 8 B           \u{2502}         \u{2502}
\u{2570}\u{2500} c      (ignored)     \u{2502}               \u{2502}               \u{2502}               \u{2502}         \u{2502}
";
        let parsed = crate::read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let values: Vec<(&str, f64)> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| (m.measure.name.as_str(), m.observations[0]))
            .collect();
        assert_eq!(
            values,
            [
                ("median", 2.0),
                ("throughput median", 1500.0),
                ("alloc count median", 1.0),
                ("alloc bytes median", 1000.0)
            ]
        );
        assert!(parsed.warnings[0].text.starts_with("c was ignored"), "{:?}", parsed.warnings);
    }
}
