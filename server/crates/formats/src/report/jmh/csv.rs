//! JMH's CSV (`-rf csv`), and SCSV with semicolons.

use std::collections::BTreeMap;

use super::{CSV, KIND, SCORE, better, value};
use crate::csv::{Row, Rows};
use crate::error::{At, Kind, ParseError};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

fn separator(text: &str) -> Option<char> {
    [',', ';', '\t'].into_iter().find(|separator| {
        text.starts_with(&format!("\"Benchmark\"{separator}\"Mode\"{separator}"))
            || text.starts_with(&format!("Benchmark{separator}Mode{separator}Threads{separator}"))
    })
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    if separator(&String::from_utf8_lossy(head)).is_some() { Sniff::Yes } else { Sniff::No }
}

/// Columns by their headings.
struct Columns<'a> {
    header: &'a Row<'a>,
}

impl Columns<'_> {
    fn at(&self, is: impl Fn(&str) -> bool) -> Option<usize> {
        self.header.cells.iter().position(|cell| is(cell.trim()))
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut rows = Rows::new(CSV.name, &text, separator(&text).unwrap_or(','));
    let header = match rows.next() {
        Some(header) => header?,
        None => return Err(builder.error(At::File, Kind::Empty)),
    };
    let columns = Columns { header: &header };
    let column = |name: &'static str| {
        columns.at(|cell| cell == name).ok_or_else(|| {
            let expected = "a heading with Benchmark, Mode, Score and Unit";
            let found = header.cells.join(",");
            ParseError::new(CSV.name, At::Line(header.line), Kind::Expected { expected, found })
        })
    };
    let (benchmark, mode, score, unit) =
        (column("Benchmark")?, column("Mode")?, column("Score")?, column("Unit")?);
    // The heading itself is in the locale: `Score Error (99,9%)`.
    let error = columns.at(|cell| cell.starts_with("Score Error"));
    let threads = columns.at(|cell| cell == "Threads");
    let params: Vec<(usize, &str)> = header
        .cells
        .iter()
        .enumerate()
        .filter_map(|(column, cell)| Some((column, cell.trim().strip_prefix("Param: ")?)))
        .collect();
    for row in rows {
        let row = row?;
        let at = || At::Line(row.line);
        let mut parameters = BTreeMap::from([("mode".to_owned(), row.cell(mode).to_owned())]);
        let given = params.iter().filter(|(column, _)| !row.cell(*column).is_empty());
        parameters.extend(given.map(|(column, name)| ((*name).to_owned(), row.cell(*column).to_owned())));
        if let Some(threads) =
            threads.map(|column| row.cell(column)).filter(|threads| !matches!(*threads, "" | "1"))
        {
            parameters.insert("threads".to_owned(), threads.to_owned());
        }
        let Some(key) = builder.key(at(), row.cell(benchmark), parameters) else { continue };
        let unit = row.cell(unit);
        let Some(mean) = value(row.cell(score)) else {
            builder.warn(at(), format!("the score {:?} is no number, skipped", row.cell(score)));
            continue;
        };
        let reading = Reading { better: better(unit), ..Reading::summary(SCORE, unit, mean) };
        builder.observe(at(), &key, KIND, reading)?;
        if let Some(error) = error.and_then(|column| value(row.cell(column))) {
            builder.figure(at(), &key, SCORE, FigureReading { name: "error", unit, value: error });
        }
    }
    builder.finish(None)
}
