//! `perf stat -x SEPARATOR` and `perf stat -j`.

use std::borrow::Cow;

use super::{CSV, Counter, JSON, UNNAMED, at_place, is_missing, key, observe, place, unit};
use crate::csv::{Row, Rows};
use crate::error::{At, ParseError};
use crate::json::{Field, at_line, documents, parse};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::text;

/// Separators that people pass to `-x`.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// Where the columns of a row are: behind a timestamp with `-I`, behind a spread with `-r`.
struct Columns<'a> {
    /// The processors that were counted on, where they are told apart.
    place: Option<(&'a str, &'a str)>,
    value: &'a str,
    unit: &'a str,
    event: &'a str,
    spread: Option<f64>,
    running: &'a str,
}

/// Reads a row by its shape: value, unit, event, then either `spread%`, or the running time in nanoseconds, and the
/// percentage of time that the counter ran.
fn columns<'a>(cells: &'a [Cow<'a, str>]) -> Option<Columns<'a>> {
    let is_value = |text: &str| is_missing(text) || number(text, Marks::Point).is_some();
    let is_event = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.contains(' ');
    let from = |first: usize| -> Option<Columns<'a>> {
        let cell = |i: usize| cells.get(first + i).map_or("", |cell| cell.trim());
        if !(is_value(cell(0)) && is_event(cell(2)) && !is_value(cell(1))) {
            return None;
        }
        let spread = cell(3).strip_suffix('%').and_then(|spread| number(spread, Marks::Point));
        let at = if cell(3).ends_with('%') { 4 } else { 3 };
        // The time that the counter ran in whole nanoseconds, and the share of the run in per cent with two decimals.
        let ran = !cell(at).is_empty() && cell(at).bytes().all(|b| b.is_ascii_digit());
        let share = cell(at + 1).split_once('.').is_some_and(|(_, decimals)| decimals.len() == 2);
        let before = cells.get(..first).unwrap_or_default();
        let place = before.iter().find_map(|cell| place(cell.trim()));
        (ran && share).then_some(Columns {
            place,
            value: cell(0),
            unit: cell(1),
            event: cell(2),
            spread,
            running: cell(at + 1),
        })
    };
    // With -I the time stands in front; with -A or --per-socket the processor and a count do.
    (0..4).find_map(from)
}

fn separator(head: &str) -> Option<char> {
    let rows: Vec<&str> =
        head.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).take(20).collect();
    SEPARATORS.into_iter().find(|separator| {
        let fits = |line: &&&str| {
            let cells: Vec<Cow<'_, str>> = line.split(*separator).map(Cow::Borrowed).collect();
            cells.len() >= 5 && columns(&cells).is_some()
        };
        // The last line may be cut.
        !rows.is_empty() && rows.iter().filter(fits).count() * 2 > rows.len()
    })
}

pub(super) fn sniff_csv(head: &[u8]) -> Sniff {
    if separator(&String::from_utf8_lossy(head)).is_some() { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read_csv(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let separator = separator(&text).unwrap_or(',');
    for row in Rows::new(CSV.name, &text, separator) {
        let row = row?;
        if row.cell(0).trim_start().starts_with('#') {
            continue;
        }
        match columns(&row.cells) {
            Some(columns) => counter(&mut builder, row.line, &columns)?,
            None => skipped(&mut builder, &row),
        }
    }
    builder.finish(None)
}

/// A row that only carries a metric of the counter before has neither value nor event.
fn skipped(builder: &mut Builder<'_>, row: &Row<'_>) {
    if row.cells.iter().take(3).any(|cell| !cell.trim().is_empty()) {
        builder.unknown_line(row.line, &row.cells.join(","));
    }
}

fn counter(builder: &mut Builder<'_>, at: usize, columns: &Columns<'_>) -> Result<(), ParseError> {
    let Columns { place, value, unit: printed_unit, event, spread, running } = columns;
    let Some(value) = number(value, Marks::Point) else {
        builder.warn(
            At::Line(at),
            format!("{event} is {} on this machine, skipped", value.trim_matches(['<', '>'])),
        );
        return Ok(());
    };
    if number(running, Marks::Point).is_some_and(|percent| percent < 50.0) {
        builder.warn(
            At::Line(at),
            format!("{event} ran only {running} % of the time; perf has scaled its count"),
        );
    }
    let Some(key) = key(builder, at, UNNAMED) else { return Ok(()) };
    let key = at_place(&key, *place);
    let counter =
        Counter { name: event, unit: unit(printed_unit), value, spread: *spread, repeated: spread.is_some() };
    observe(builder, at, &key, &counter)
}

pub(super) fn sniff_json(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let line = head.lines().find(|line| line.starts_with('{'));
    let ours = line.is_some_and(|line| line.contains("\"counter-value\"") && line.contains("\"event\""));
    if ours { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (line, document) in documents(&text) {
        match parse(JSON.name, document.as_bytes(), input.limits) {
            Ok(json) => {
                let root = Field::root(JSON.name, &json);
                object(&mut builder, line, &root).map_err(|error| at_line(error, line))?;
            }
            Err(error) => {
                let error = at_line(error, line);
                builder.warn(error.at, format!("skipped: {}", error.kind));
            }
        }
    }
    builder.finish(None)
}

fn object(builder: &mut Builder<'_>, line: usize, root: &Field<'_>) -> Result<(), ParseError> {
    let (Some(value), Some(event)) = (root.get("counter-value"), root.get("event")) else {
        // Metric-only lines repeat what counters say.
        return Ok(());
    };
    let value = value.scalar()?;
    let text = |name| root.get(name).map_or(Ok(String::new()), |field| field.scalar());
    let spread = root.get("variance").map(|field| field.number()).transpose()?;
    let places = ["cpu", "core", "die", "socket", "node", "cache", "thread"];
    let place = places.into_iter().find_map(|name| Some((name, root.get(name)?.scalar().ok()?)));
    let columns = Columns {
        place: place.as_ref().map(|(name, value)| (*name, value.as_str())),
        value: value.trim(),
        unit: &text("unit")?,
        event: event.text()?,
        spread,
        running: &text("pcnt-running")?,
    };
    counter(builder, line, &columns)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn processors_are_parameters_and_not_repetitions() {
        let rows = "CPU0,1200,,cycles,100,100.00,,\nCPU1,1300,,cycles,100,100.00,,\n1.0,S0-D0-C1,2,900,,cycles,100,100.00,,\n";
        let objects = "{\"cpu\" : \"0\", \"counter-value\" : \"1200.0\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n\
                       {\"cpu\" : \"1\", \"counter-value\" : \"1300.0\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n";
        for (text, n) in [(rows, 3), (objects, 2)] {
            let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
            let Content::Report(report) = &parsed.content else { panic!("a report") };
            assert_eq!(report.benchmarks.len(), n, "{report:?}");
            assert_eq!(report.benchmarks[1].key.to_string(), "perf stat [cpu=1]");
            assert_eq!(report.benchmarks[1].measurements[0].observations, [1300.0]);
        }
    }

    #[test]
    fn intervals_repetitions_and_missing_counters_are_told_apart_by_shape() {
        let text = "# started on Mon\n     1.000,19.60,msec,task-clock,19598918,100.00,0.274,CPUs utilized\n     2.000,18.00,msec,task-clock,1959,100.00,,\n\
                    7,,faults,25.00%,195,40.00,,\n<not counted>,,cycles,0,0.00,,\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let [clock, faults] = &report.benchmarks[0].measurements[..] else { panic!("{report:?}") };
        assert_eq!((clock.observations.len(), faults.figures[0].value), (2, 0.25));
        assert_eq!(parsed.warnings.len(), 2, "{:?}", parsed.warnings);
    }
}
