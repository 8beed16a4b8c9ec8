//! criterion's default text: `name  time: [low estimate high]`, also with `thrpt:` and a `change:` block.
//!
//! Written from the output of criterion 0.3 to 0.8 (<https://bheisler.github.io/criterion.rs/book/>). The estimate is
//! the observation, a summary of all samples; the ends of its interval are figures. The percentages of a `change:`
//! block compare with a run that this file does not hold: they are a figure, `change`.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

pub(in crate::report) const READER: Reader =
    Reader { name: "criterion-text", about: "the text that criterion prints", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let is_estimate =
        |line: &str| triple(&without_colours(line)).is_some_and(|(_, label, _)| label == "time");
    if head.lines().any(is_estimate) {
        Sniff::Yes
    } else if head.lines().any(|line| line.starts_with("Benchmarking ") && line.ends_with(": Analyzing")) {
        Sniff::Maybe
    } else {
        Sniff::No
    }
}

/// The lower bound, the estimate and the upper bound with their units.
type Bounds<'a> = [(f64, &'a str); 3];

/// `name  time:   [3.4 µs 3.5 µs 3.6 µs]`: the name, which may stand on a line before, the label and the three
/// values. Percentages are no values.
fn triple(line: &str) -> Option<(&str, &str, Bounds<'_>)> {
    let (before, rest) = line.split_once('[')?;
    let before = before.trim_end().strip_suffix(':')?;
    let label = ["time", "thrpt"].into_iter().find(|label| before.ends_with(label))?;
    let name = before.strip_suffix(label)?;
    if !(name.is_empty() || name.ends_with(char::is_whitespace)) {
        return None;
    }
    let mut words = rest.split_once(']')?.0.split_whitespace();
    let mut value = || Some((number(words.next()?, Marks::Point)?, words.next()?));
    Some((name.trim(), label, [value()?, value()?, value()?]))
}

/// The middle of `change: [−1.0% +2.0% +3.0%]`, or of the `time:` line in a block below `change:`.
fn change(line: &str) -> Option<f64> {
    let (label, rest) = line.trim().split_once('[')?;
    if !matches!(label.trim_end(), "change:" | "time:") {
        return None;
    }
    let middle = rest.split_once(']')?.0.split_whitespace().nth(1)?;
    number(middle.strip_suffix('%')?, Marks::Point)
}

/// A micro sign that an editor saved as Latin-1 has become a replacement character; no other unit has one.
fn unit(printed: &str) -> String {
    printed.replace('\u{fffd}', "\u{b5}")
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    // The name of the last `Benchmarking name` line, which is whole where the result's own line is wrapped.
    let mut announced: Option<String> = None;
    let mut key: Option<BenchmarkKey> = None;
    let mut measured = true;
    let mut panicked = None;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(name) = line.strip_prefix("Benchmarking ") {
            let name = name.trim_end();
            if announced.as_deref().is_none_or(|known| !is_stage_of(name, known)) {
                if !measured {
                    unfinished(&mut builder, at, announced.as_deref(), "it printed no result")?;
                }
                announced = Some(stage(name).to_owned());
                measured = false;
            }
            continue;
        }
        if let Some((printed, label, values)) = triple(&line) {
            if label == "time" {
                let name = match (printed, &announced) {
                    ("", Some(name)) => name.clone(),
                    (printed, _) => printed.to_owned(),
                };
                key = builder.key(At::Line(at), &name, BTreeMap::new());
                measured = true;
            }
            if let Some(key) = &key {
                estimate(&mut builder, at, key, label, values)?;
            }
        } else if let Some(percent) = change(&line) {
            if let Some(key) = &key {
                let figure = FigureReading { name: "change", unit: "%", value: percent };
                builder.figure(At::Line(at), key, "time", figure);
            }
        } else if line.contains("panicked at") {
            panicked = Some(line.trim().to_owned());
        } else if !is_known(&line) {
            // A long name stands alone on the line before its result.
            announced = Some(line.trim_end().to_owned());
        }
    }
    if !measured {
        let why = panicked.unwrap_or_else(|| "it printed no result".to_owned());
        unfinished(&mut builder, text.lines().count(), announced.as_deref(), &why)?;
    }
    builder.finish(None)
}

/// What criterion says of its progress behind a benchmark's name.
const STAGES: [&str; 4] = [": Warming up for ", ": Collecting ", ": Analyzing", ": Profiling for "];

/// The name without the stage behind it.
fn stage(name: &str) -> &str {
    STAGES.iter().filter_map(|stage| name.rfind(stage)).min().and_then(|end| name.get(..end)).unwrap_or(name)
}

fn is_stage_of(name: &str, known: &str) -> bool {
    stage(name) == known
}

fn unfinished(builder: &mut Builder<'_>, at: usize, name: Option<&str>, why: &str) -> Result<(), ParseError> {
    let key = name.and_then(|name| builder.key(At::Line(at), name, BTreeMap::new()));
    key.map_or(Ok(()), |key| builder.fail(&key, Some(Kind::Micro), why))
}

fn estimate(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    label: &str,
    [low, middle, high]: [(f64, &str); 3],
) -> Result<(), ParseError> {
    let (measure, better) =
        if label == "time" { ("time", Better::Lower) } else { ("throughput", Better::Higher) };
    let name = unit(middle.1);
    let reading = Reading::summary(measure, &name, middle.0).towards(better);
    builder.observe(At::Line(at), key, Some(Kind::Micro), reading)?;
    for (which, (value, printed)) in [("lower bound", low), ("upper bound", high)] {
        let name = unit(printed);
        let figure = FigureReading { name: which, unit: &name, value };
        builder.figure(At::Line(at), key, measure, figure);
    }
    Ok(())
}

/// How lines begin that criterion and cargo print around results.
const STARTS: [&str; 24] = [
    "Found ",
    "Warning: ",
    "WARNING: ",
    "Gnuplot not found",
    "running ",
    "test ",
    "test result:",
    "Running ",
    "Compiling ",
    "Finished ",
    "Downloaded ",
    "Downloading ",
    "Updating ",
    "change:",
    "thrpt:",
    "time:",
    "No change in performance",
    "Performance has ",
    "Change within noise",
    "thread '",
    "note: run with",
    "error: ",
    "Complete (",
    "Doc-tests",
];

fn is_known(line: &str) -> bool {
    let text = line.trim();
    text.is_empty()
        || STARTS.iter().any(|start| text.starts_with(start))
        || text.contains("% change")
        || text.contains("outliers among")
        || ["high mild", "high severe", "low mild", "low severe"].iter().any(|end| text.ends_with(end))
        || line.contains(" change: [")
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read as read_any};

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn changes_are_no_values_and_bounds_are_figures() {
        let report = report(
            "Benchmarking a/b\nBenchmarking a/b: Analyzing\na/b   time:   [1.0 \u{3bc}s 2.0 \u{b5}s 3.0 ms]\n\
             \u{20}       thrpt:  [1.0 Kelem/s 2.0 Kelem/s 3.0 Melem/s]\n  change:\n    time:   [\u{2212}1.0% +2.0% +3.0%] (p = 0.1 > 0.05)\n",
        );
        let [time, throughput] = &report.benchmarks[0].measurements[..] else { panic!("{report:?}") };
        assert_eq!((time.observations[0], time.figures[1].value), (2e3, 3e6));
        assert_eq!((throughput.observations[0], throughput.measure.unit.to_string()), (2e3, "elem/s".into()));
    }

    #[test]
    fn a_long_name_stands_on_its_own_line_and_a_benchmark_without_result_failed() {
        let report = report(
            "a name, with \"quotes\"\n                        time:   [1.0 ns 2.0 ns 3.0 ns]\n\
             Benchmarking dies\nBenchmarking dies: Warming up for 3.0 s\nthread 'main' panicked at b.rs:1: boom\n",
        );
        assert_eq!(report.benchmarks[0].key.name.as_str(), "a name, with \"quotes\"");
        assert!(matches!(&report.benchmarks[1].status, Status::Failed(why) if why.contains("boom")));
    }
}
