//! tinybench: its tasks as JSON, and `table()` as JSON or as `console.table` prints it.
//!
//! See <https://github.com/tinylibs/tinybench>. Times are milliseconds. Before version 3 the statistics stand in the
//! result itself, with `hz` for the rate; later there are `latency` and `throughput`. The table is made for people:
//! its cells are texts such as `1914.0 ± 88.33%`, its heads name the units.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::json::{Field, Json, outline, parse};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::report::js_statistics::{Block, block};
use crate::text::{text, without_colours};

pub(super) const JSON: Reader =
    Reader { name: "tinybench", about: "tinybench's tasks as JSON", sniff: sniff_json, read: read_json };
pub(super) const TABLE: Reader = Reader {
    name: "tinybench-table",
    about: "tinybench's table() as JSON or printed by console.table",
    sniff: sniff_table,
    read: read_table,
};

const KIND: Option<Kind> = Some(Kind::Micro);

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    if outline.opens != Some('[') {
        return Sniff::No;
    }
    let path =
        |keys: [&str; 4]| outline.at_depth(4).any(|(path, _)| path.iter().zip(keys).all(|(a, b)| a == b));
    let result = |key: &str| {
        outline.at_depth(3).any(|(path, _)| {
            path.get(1).is_some_and(|p| p == "result") && path.get(2).is_some_and(|p| p == key)
        })
    };
    let named = outline.at_depth(2).any(|(path, _)| path.last().is_some_and(|key| key == "name"));
    let new =
        path(["[]", "result", "latency", "mean"]) || result("timestampProviderName") || result("latency");
    if named && (new || (result("hz") && result("samples"))) { Sniff::Yes } else { Sniff::No }
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    for task in root.items()? {
        let name = task.need("name")?;
        let Some(mut entry) = Entry::new(&mut builder, task.at(), name.text()?, BTreeMap::new(), KIND) else {
            continue;
        };
        match task.get("result") {
            Some(result) => read_result(&mut entry, &result)?,
            None => entry.builder.warn(task.at(), format!("{} has no result, it was not run", name.text()?)),
        }
    }
    builder.finish(None)
}

fn read_result(entry: &mut Entry<'_, '_>, result: &Field<'_>) -> Result<(), ParseError> {
    for fact in ["runtime", "runtimeVersion"] {
        if let Some(value) = result.get(fact).and_then(|field| field.scalar().ok()) {
            entry.builder.fact(fact, &value);
        }
    }
    let latency = Block { prefix: "latency ", unit: "ms", better: Better::Lower, percentiles: true };
    let throughput =
        Block { prefix: "throughput ", unit: "ops/s", better: Better::Higher, percentiles: false };
    if let Some(field) = result.get("latency") {
        block(entry, &field, &latency)?;
        if let Some(field) = result.get("throughput") {
            block(entry, &field, &throughput)?;
        }
    } else if result.get("mean").is_some() {
        block(entry, result, &latency)?;
        if let Some(hz) = result.get("hz") {
            entry.observe(
                Reading::summary("throughput mean", "ops/s", hz.number()?).towards(Better::Higher),
            )?;
        }
    }
    let state = result.get("state").and_then(|field| field.text().ok()).unwrap_or_default();
    let error = result.get("error");
    if error.is_some() || matches!(state, "errored" | "aborted") {
        let message = error.as_ref().and_then(|error| match error.json {
            Json::Text(text) => Some(text.to_string()),
            _ => error.get("message")?.scalar().ok(),
        });
        entry.fail(
            &message
                .unwrap_or_else(|| if state.is_empty() { "errored".to_owned() } else { state.to_owned() }),
        )?;
    } else if matches!(state, "not-started" | "started" | "aborted-with-statistics") {
        entry.builder.warn(result.at(), format!("{} is {state}", entry.key.name));
    }
    Ok(())
}

/// The head of the column that names the task.
fn is_name(head: &str) -> bool {
    matches!(head, "Task name" | "Task Name")
}

fn sniff_table(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let keys = |key: &str| {
        outline.opens == Some('[') && outline.at_depth(2).any(|(p, _)| p.last().is_some_and(|k| k == key))
    };
    if keys("Task name") || keys("Task Name") {
        return Sniff::Yes;
    }
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| cells(line).is_some_and(|cells| cells.iter().any(|cell| is_name(cell)))) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

/// The cells of a line between box-drawing bars, without the quotes in which `console.table` puts texts.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('\u{2502}')?.strip_suffix('\u{2502}')?;
    let bare = |cell: &'_ str| -> Option<(usize, usize)> {
        let quote = cell.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        cell.strip_prefix(quote)?.strip_suffix(quote).map(|inner| (1, inner.len()))
    };
    Some(
        inner
            .split('\u{2502}')
            .map(str::trim)
            .map(|cell| bare(cell).and_then(|(from, length)| cell.get(from..from + length)).unwrap_or(cell))
            .collect(),
    )
}

fn read_table(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TABLE.name, input.limits);
    if sniff_is_json(input.bytes) {
        let json = parse(TABLE.name, input.bytes, input.limits)?;
        for row in Field::root(TABLE.name, &json).items()? {
            let mut cells = Vec::new();
            for (head, field) in row.members()? {
                if !matches!(field.json, Json::Null) {
                    cells.push((head, field.scalar()?));
                }
            }
            let cells: Vec<(&str, &str)> = cells.iter().map(|(head, cell)| (*head, cell.as_str())).collect();
            table_row(&mut builder, row.at(), &cells)?;
        }
        return builder.finish(None);
    }
    let text = text(&input, &mut builder.warnings);
    let mut heads: Option<Vec<String>> = None;
    for (at, line) in lines(&text) {
        let line = without_colours(line);
        match (cells(&line), &heads) {
            (Some(cells), _) if cells.iter().any(|cell| is_name(cell)) => {
                heads = Some(cells.iter().map(|&cell| cell.to_owned()).collect());
            }
            (Some(cells), Some(heads)) => {
                let row: Vec<(&str, &str)> = heads.iter().map(String::as_str).zip(cells).skip(1).collect();
                table_row(&mut builder, At::Line(at), &row)?;
            }
            _ if line.trim().is_empty()
                || line.trim_start().starts_with(['\u{250c}', '\u{251c}', '\u{2514}']) => {}
            _ => builder.unknown_line(at, &line),
        }
    }
    builder.finish(None)
}

fn sniff_is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"[")
}

/// The unit in a head: `Latency avg (ns)`, `ops/sec`.
fn unit_of(head: &str) -> &str {
    match head.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        Some((_, unit)) => unit,
        None if head == "ops/sec" => "ops/s",
        None => "count",
    }
}

fn table_row(builder: &mut Builder<'_>, at: At, row: &[(&str, &str)]) -> Result<(), ParseError> {
    let Some((_, name)) = row.iter().find(|(head, _)| is_name(head)) else {
        builder.warn(at, "a row without a task's name is skipped");
        return Ok(());
    };
    let Some(mut entry) = Entry::new(builder, at, name, BTreeMap::new(), KIND) else { return Ok(()) };
    let mut measured: Option<&str> = None;
    for (head, cell) in row.iter().filter(|(head, cell)| !is_name(head) && !cell.is_empty()) {
        if *head == "Error" {
            entry.fail(cell)?;
        } else if matches!(*head, "Margin" | "Remarks" | "Stack") || *cell == "N/A" || *cell == "undefined" {
            // The margin is said about the measure before it.
            let margin =
                cell.trim_start_matches('\u{b1}').strip_suffix('%').and_then(|n| number(n, Marks::Point));
            if let (Some(margin), Some(measure)) = (margin, measured) {
                entry.figure(measure, head, "%", margin);
            }
        } else if let Some((value, spread)) = printed(cell) {
            let unit = unit_of(head);
            let better = match *head {
                "Samples" => Better::Neither,
                _ if unit.starts_with("ops/") => Better::Higher,
                _ => Better::Lower,
            };
            entry.observe(Reading {
                measure: head,
                unit,
                value,
                better: Some(better),
                summarised: *head != "Samples",
            })?;
            measured = Some(head);
            if let Some((spread, percent)) = spread {
                entry.figure(head, "\u{b1}", if percent { "%" } else { unit }, spread);
            }
        } else {
            let text = format!("{head} is {cell:?}, not a number, and skipped");
            entry.builder.warn(entry.at.clone(), text);
        }
    }
    Ok(())
}

/// `1914.0 ± 88.33%`: a value and its spread, perhaps in percent. Rates of version 2 have thousands marks.
fn printed(cell: &str) -> Option<(f64, Option<(f64, bool)>)> {
    let (value, spread) = match cell.split_once('\u{b1}') {
        Some((value, spread)) => (value, Some(spread)),
        None => (cell, None),
    };
    let spread = spread.and_then(|spread| split_unit(spread, Marks::ThousandsComma));
    Some((number(value, Marks::ThousandsComma)?, spread.map(|(value, unit)| (value, unit == "%"))))
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};
    use model::Status;

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn flat_results_of_old_versions_keep_their_samples() {
        let report = report(
            r#"[{"name": "a", "result": {"totalTime": 3, "min": 1, "max": 2, "hz": 666, "period": 1.5,
                 "samples": [1, 2], "mean": 1.5, "p99": 2, "rme": 5}},
                {"name": "b", "result": {"error": {"message": "boom"}}}, {"name": "c"}]"#,
        );
        let read: Vec<_> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| (m.measure.name.as_str(), m.observations.clone()))
            .collect();
        assert_eq!(
            read,
            [("latency mean", vec![1e6, 2e6]), ("latency p99", vec![2e6]), ("throughput mean", vec![666.0])]
        );
        assert_eq!(report.benchmarks[1].status, Status::Failed("boom".to_owned()));
    }

    #[test]
    fn console_tables_of_two_versions_are_read() {
        let new = "\u{250c}\u{2500}\u{2510}\n\u{2502} (index) \u{2502} Task name \u{2502} Latency avg (ns) \u{2502} Samples \u{2502}\n\
                   \u{251c}\u{2500}\u{2524}\n\u{2502} 0 \u{2502} 'fast' \u{2502} '63768 \u{b1} 4.02%' \u{2502} 1585 \u{2502}\n\u{2514}\u{2500}\u{2518}\n";
        let measurement = &report(new).benchmarks[0].measurements[0];
        assert_eq!((measurement.observations[0], measurement.figures[0].value), (63768.0, 0.0402));
        let old = "\u{2502} (index) \u{2502} Task Name \u{2502} ops/sec \u{2502} Average Time (ns) \u{2502} Margin \u{2502} Samples \u{2502}\n\
                   \u{2502} 0 \u{2502} 'slow' \u{2502} '41,621' \u{2502} 24025.79 \u{2502} '\u{b1}0.50%' \u{2502} 20811 \u{2502}\n";
        let read = report(old).benchmarks.remove(0);
        assert_eq!(read.measurements[0].observations, [41621.0]);
        assert_eq!(read.measurements[1].figures[0].value, 0.005);
    }
}
