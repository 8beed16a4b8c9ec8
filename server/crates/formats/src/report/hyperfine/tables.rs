//! `--export-csv` and `--export-markdown` with its sisters for AsciiDoc and Org-mode.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::{CSV, KIND, MARKDOWN, TIME};
use crate::csv::Rows;
use crate::error::{At, Kind as ErrorKind, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

const CSV_HEADER: &str = "command,mean,stddev,median,user,system,min,max";

pub(super) fn sniff_csv(head: &[u8]) -> Sniff {
    if head.starts_with(CSV_HEADER.as_bytes()) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read_csv(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut rows = Rows::new(CSV.name, &text, ',');
    let header = match rows.next() {
        Some(header) => header?,
        None => return Err(builder.error(At::File, ErrorKind::Empty)),
    };
    let known = ["command", "mean", "stddev", "median", "user", "system", "min", "max"];
    for row in rows {
        let row = row?;
        let at = || At::Line(row.line);
        if row.cells.len() != header.cells.len() {
            builder.warn(
                at(),
                format!("{} cells where the heading has {}, skipped", row.cells.len(), header.cells.len()),
            );
            continue;
        }
        // Columns of parameters follow behind those of every export: `parameter_threads`.
        let parameters = header.cells.iter().zip(&row.cells).skip(known.len());
        let parameters: BTreeMap<String, String> = parameters
            .map(|(name, value)| {
                let name = name.strip_prefix("parameter_").unwrap_or(name);
                (name.to_owned(), value.to_string())
            })
            .collect();
        let Some(key) = builder.key(at(), row.cell(0), parameters) else { continue };
        let value = |column: usize| number(row.cell(column), Marks::Point);
        let Some(mean) = value(1) else {
            builder.warn(at(), format!("the mean {:?} is no number, skipped", row.cell(1)));
            continue;
        };
        time(&mut builder, row.line, &key, mean, "s")?;
        for (name, column) in [("stddev", 2), ("median", 3), ("min", 6), ("max", 7)] {
            if let Some(value) = value(column) {
                builder.figure(at(), &key, TIME, FigureReading { name, unit: "s", value });
            }
        }
        for (measure, column) in [("user", 4), ("system", 5)] {
            if let Some(value) = value(column) {
                let reading = Reading::summary(measure, "s", value).towards(Better::Lower);
                builder.observe(at(), &key, KIND, reading)?;
            }
        }
    }
    builder.finish(None)
}

fn time(
    builder: &mut Builder<'_>,
    line: usize,
    key: &BenchmarkKey,
    mean: f64,
    unit: &str,
) -> Result<(), ParseError> {
    let reading = Reading::summary(TIME, unit, mean).towards(Better::Lower);
    builder.observe(At::Line(line), key, KIND, reading)?;
    builder.figure(At::Line(line), key, TIME, FigureReading { name: "mean", unit, value: mean });
    Ok(())
}

/// Cells of a table's row, in whichever of the three markups.
fn cells(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let line = line.trim();
    let inner = line.strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    // A bar inside a command is written `\|`.
    let mut cells = vec![String::new()];
    let mut before = ' ';
    for c in inner.chars() {
        match (c, cells.last_mut()) {
            ('|', Some(cell)) if before == '\\' => {
                cell.pop();
                cell.push('|');
            }
            ('|', _) => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
        before = c;
    }
    Some(cells.into_iter().map(|cell| Cow::Owned(cell.trim().to_owned())).collect())
}

/// The unit of a heading `| Command | Mean [ms] | …`.
fn heading(line: &str) -> Option<String> {
    let cells = cells(line)?;
    let [command, mean, rest @ ..] = cells.as_slice() else { return None };
    let unit = mean.strip_prefix("Mean [")?.strip_suffix(']')?;
    let is_ours = command == "Command" && rest.iter().any(|cell| cell.starts_with("Min ["));
    is_ours.then(|| unit.to_owned())
}

/// Rows with the line on which each begins. AsciiDoc has a cell a line and a blank line behind each row.
fn rows(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    if !text.lines().any(|line| line.starts_with("|===")) {
        return lines(text).map(|(at, line)| (at, line.into())).collect();
    }
    let mut rows: Vec<(usize, Cow<'_, str>)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in lines(text) {
        let is_cell = line.starts_with('|') && !line.starts_with("|===");
        match rows.last_mut().filter(|_| is_cell && goes_on) {
            Some((_, row)) => row.to_mut().push_str(line),
            None => rows.push((at, line.into())),
        }
        goes_on = is_cell;
    }
    rows
}

pub(super) fn sniff_markdown(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if rows(&head).iter().any(|(_, line)| heading(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read_markdown(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(MARKDOWN.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut unit: Option<String> = None;
    for (at, line) in rows(&text) {
        if let Some(heading) = heading(&line) {
            unit = Some(heading);
            continue;
        }
        let (Some(unit), Some(cells)) = (&unit, cells(&line)) else { continue };
        // The rule below the heading, and the fences of AsciiDoc.
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, ':' | '-' | '+' | '='))) {
            continue;
        }
        let cell = |column: usize| cells.get(column).map_or("", |cell| cell.as_ref());
        let (mean, spread) = cell(1).split_once('\u{b1}').unwrap_or((cell(1), ""));
        let Some(mean) = number(mean, Marks::Point) else {
            builder.unknown_line(at, &line);
            continue;
        };
        let Some(key) = builder.key(At::Line(at), cell(0).trim_matches(['`', '=', '+']), BTreeMap::new())
        else {
            continue;
        };
        time(&mut builder, at, &key, mean, unit)?;
        for (name, printed) in [("stddev", spread), ("min", cell(2)), ("max", cell(3))] {
            if let Some(value) = number(printed, Marks::Point) {
                builder.figure(At::Line(at), &key, TIME, FigureReading { name, unit, value });
            }
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        match read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn asciidoc_has_a_cell_a_line() {
        let report = report(
            "[cols=\"<,>,>,>,>\"]\n|===\n| Command \n| Mean [ms] \n| Min [ms] \n| Max [ms] \n| Relative \n\n\
             | `sleep 0.01` \n| 12.4 \u{b1} 1.2 \n| 11.5 \n| 19.6 \n| 1.00 \n\n| `true` \n| 1.5 \u{b1} 1.0 \n| 0.5 \n| 2.0 \n| 1.00 \n|===\n",
        );
        let [sleep, other] = &report.benchmarks[..] else { panic!("{report:?}") };
        assert_eq!((sleep.key.name.as_str(), other.key.name.as_str()), ("sleep 0.01", "true"));
        assert_eq!(sleep.measurements[0].observations, [12.4e6]);
    }

    #[test]
    fn csv_holds_seconds_and_parameters_behind() {
        let report = report(
            "command,mean,stddev,median,user,system,min,max,parameter_n\n\"a, b\",1.5,,1.4,0.1,0.2,1,2,4\nshort,1\n",
        );
        assert_eq!(report.benchmarks.len(), 1);
        assert_eq!(report.benchmarks[0].key.to_string(), "a, b [n=4]");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1.5e9]);
    }

    #[test]
    fn the_heading_of_a_markdown_table_holds_the_unit() {
        let report = report(
            "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n| `a \\| b` | 2.5 \u{b1} 0.1 | 2.4 | 2.6 | 1.00 |\n| `c` | 1.0 | 1.0 | 1.0 | 1.00 |\n",
        );
        assert_eq!(report.benchmarks[0].key.to_string(), "a | b");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [2.5e6]);
        assert_eq!(report.benchmarks[1].measurements[0].figures.len(), 3);
    }
}
