//! The tables that pytest-benchmark prints, and those of `pytest-benchmark compare`.
//!
//! Written from pytest-benchmark 3 to 5 (<https://pytest-benchmark.readthedocs.io/>). The unit of all times of a table
//! stands in its head, behind each value its ratio to the best. The mean is the observation, as in the JSON without
//! data; without it the median is, then the least.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::{text, without_colours};

pub(super) const READER: Reader =
    Reader { name: "pytest-benchmark-text", about: "the tables that pytest-benchmark prints", sniff, read };

const TIME: &str = "time";
const KIND: Option<Kind> = Some(Kind::Micro);
/// Columns of times, the one that is observed first.
const TIMES: [&str; 6] = ["Mean", "Median", "Min", "Max", "StdDev", "IQR"];

/// The unit in the head of a table, and what its columns are called.
fn head(line: &str) -> Option<(&str, Vec<&str>)> {
    let (unit, rest) = line.trim_start().strip_prefix("Name (time in ")?.split_once(')')?;
    Some((unit, rest.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()))
}

fn sniff(bytes: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(bytes);
    if text.lines().any(|line| head(&without_colours(line)).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// The name of a row and its cells, as many as the head has columns, from the end: names may hold blanks.
fn row<'l>(line: &'l str, columns: &[&str]) -> Option<(&'l str, Vec<&'l str>)> {
    let mut rest = line.trim_end();
    let mut cells = Vec::with_capacity(columns.len());
    for _ in columns {
        let (before, cell) = rest.rsplit_once("  ")?;
        cells.push(cell.trim());
        rest = before.trim_end();
    }
    cells.reverse();
    Some((rest.trim(), cells))
}

/// The value of `1,234.5678 (1.02)`.
fn value(cell: &str) -> Option<f64> {
    number(cell.split(' ').next()?, Marks::ThousandsComma)
}

/// What a comparison writes behind a name: `NOW` or the number of a stored run.
fn side(name: &str) -> Option<(&str, &str)> {
    let (name, side) = name.strip_suffix(')')?.rsplit_once(" (")?;
    let digits = side.bytes().take_while(u8::is_ascii_digit).count();
    (side == "NOW" || digits >= 4).then_some((name, side))
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let compares_now = lines(&text).any(|(_, line)| line.contains(" (NOW)"));
    let mut table: Option<(String, Vec<String>)> = None;
    let (mut failures, mut others) = (Failures::default(), 0_usize);
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some((unit, columns)) = head(&line) {
            table = Some((unit.to_owned(), columns.into_iter().map(str::to_owned).collect()));
        } else if line.trim().is_empty() || line.starts_with("Legend:") {
            table = None;
        } else if let Some((unit, columns)) = table.as_ref().filter(|_| !line.starts_with("---")) {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            let Some((name, cells)) = row(&line, &columns) else {
                builder.unknown_line(at, &line);
                continue;
            };
            match side(name) {
                Some((name, "NOW")) => benchmark(&mut builder, at, name, unit, (&columns, &cells))?,
                Some(_) if compares_now => others += 1,
                _ => benchmark(&mut builder, at, name, unit, (&columns, &cells))?,
            }
        } else if let Some((node, reason)) = failures.line(&line)
            && let name = shown_as(&mut builder, at, node)
            && let Some(mut entry) = Entry::new(&mut builder, At::Line(at), name, BTreeMap::new(), KIND)
        {
            entry.fail(reason)?;
        }
    }
    if others > 0 {
        builder.warn(At::File, format!("{others} rows of stored runs are skipped; those of now are read"));
    }
    builder.finish(None)
}

fn benchmark(
    builder: &mut Builder<'_>,
    at: usize,
    name: &str,
    unit: &str,
    (columns, cells): (&[&str], &[&str]),
) -> Result<(), ParseError> {
    let cell = |wanted: &str| {
        let place = columns.iter().position(|column| *column == wanted)?;
        value(cells.get(place)?)
    };
    let Some(mut entry) = Entry::new(builder, At::Line(at), name, BTreeMap::new(), KIND) else {
        return Ok(());
    };
    let Some(observed) = TIMES.into_iter().take(3).find_map(cell) else {
        entry.builder.warn(At::Line(at), format!("{name} has no time and is skipped"));
        return Ok(());
    };
    entry.observe(Reading::summary(TIME, unit, observed).towards(Better::Lower))?;
    for column in TIMES {
        if let Some(value) = cell(column) {
            entry.figure(TIME, &column.to_ascii_lowercase(), unit, value);
        }
    }
    for column in ["Rounds", "Iterations"] {
        if let Some(value) = cell(column) {
            entry.figure(TIME, &column.to_ascii_lowercase(), "count", value);
        }
    }
    Ok(())
}

/// How the table calls a test, which `--benchmark-name` says: by its name (`normal`), by the name without `test_`
/// (`short`) or with its file (`long`).
fn shown_as<'n>(builder: &mut Builder<'_>, at: usize, node: &'n str) -> &'n str {
    let name = node.rsplit("::").next().unwrap_or(node);
    let names = [Some(name), name.strip_prefix("test_"), Some(node)];
    let mut known = names.into_iter().flatten().filter(|name| {
        builder.key(At::Line(at), name, BTreeMap::new()).is_some_and(|key| builder.has(&key, TIME))
    });
    known.next().unwrap_or(name)
}

/// Tests that failed, of which those with the fixture are benchmarks.
#[derive(Default)]
struct Failures {
    /// The test whose failure is shown.
    shown: String,
    benchmarks: Vec<String>,
}

impl Failures {
    /// Looks at a line; the test's node and the reason where it is the summary of a benchmark's failure.
    fn line<'l>(&mut self, line: &'l str) -> Option<(&'l str, &'l str)> {
        if let Some(title) = line.strip_prefix("____").filter(|title| title.ends_with("____")) {
            title.trim_matches(['_', ' ']).clone_into(&mut self.shown);
        } else if line.starts_with("benchmark = <pytest_benchmark.") {
            self.benchmarks.push(std::mem::take(&mut self.shown));
        }
        let rest = ["FAILED ", "ERROR "].into_iter().find_map(|word| line.strip_prefix(word))?;
        let (node, reason) = rest.split_once(" - ").unwrap_or((rest, "it failed"));
        let name = node.rsplit("::").next()?;
        self.benchmarks.iter().any(|known| known == name).then_some((node, reason))
    }
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> (Report, usize) {
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!(parsed.format, super::READER.name);
        let Content::Report(report) = parsed.content else { panic!("a report") };
        (report, parsed.warnings.len())
    }

    #[test]
    fn the_mean_is_observed_in_the_unit_of_the_head_and_a_benchmark_that_threw_failed() {
        let text = "____ test_b[x-1] ____\nbenchmark = <pytest_benchmark.fixture.BenchmarkFixture object at 0x7f>\n____ test_c ____\n\n\
            --- benchmark: 1 tests ---\nName (time in us)       Min                 Mean            Outliers  OPS (Kops/s)\n---------\n\
            test_a[1 - 2]       1,000.5000 (>1000.0)  2,000.2500 (1.0)       2;3        0.5000 (1.0)\n---------\n\nLegend:\n  x\n\
            FAILED a.py::test_b[x-1] - ZeroDivisionError\nFAILED a.py::test_c - assert 0\n";
        let (report, warned) = report(text);
        let [a, b] = &report.benchmarks[..] else { panic!("{report:?}") };
        assert_eq!((a.key.name.as_str(), b.key.name.as_str()), ("test_a[1 - 2]", "test_b[x-1]"));
        assert_eq!(a.measurements[0].observations, [2_000_250.0]);
        assert_eq!(b.status, Status::Failed("ZeroDivisionError".to_owned()));
        assert_eq!(warned, 0);
    }

    #[test]
    fn of_a_comparison_the_rows_of_now_are_read() {
        let text = "Name (time in ms)          Min        Max\n----\ntest_a (0001_base)     5.0 (1.0)  6.0 (1.0)\ntest_a (NOW)           7.0 (1.4)  8.0 (1.3)\n";
        let (report, warned) = report(text);
        assert_eq!(report.benchmarks[0].measurements[0].observations, [7e6]);
        assert_eq!((report.benchmarks.len(), warned), (1, 1));
    }
}
