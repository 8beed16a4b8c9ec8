//! `key=value` lines, as small benchmark programs print them: each line is one repetition.
//!
//! Numbers are measures whose unit is in the key (`ops_per_s`, `latency_p99_us`, `cpu_us_per_op`); words
//! (`mode=debug`) are facts about the run and no part of the benchmark's identity, because they are what differs
//! between the sides of a comparison. The benchmark's name is in `benchmark=`, else it is the file's name.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::heads::{COUNTERS, is_logged, unit_of};
use crate::text::{excerpt, text};

pub(super) const READER: Reader =
    Reader { name: "key-value", about: "lines of key=value pairs, one repetition a line", sniff, read };

/// The benchmark's name where neither a line nor the file gives one.
const UNNAMED: &str = "run";
const NAME_KEYS: [&str; 3] = ["benchmark", "bench", "name"];

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    // Lines of several pairs, of a single pair, and others: a single pair also stands in settings files.
    let (mut whole, mut single, mut other) = (0, 0, 0);
    for line in head.lines().filter(|line| !is_comment(line)) {
        let pairs = pairs(line).filter(|pairs| pairs.iter().any(|(_, value)| measured(value).is_some()));
        match pairs.map_or(0, |pairs| pairs.len()) {
            0 => other += 1,
            1 => single += 1,
            _ => whole += 1,
        }
    }
    match (whole, other + single) {
        (0, n) if n == single && n > 0 => Sniff::Maybe,
        (0, _) => Sniff::No,
        // The last line may be cut at the end of the head.
        (_, 0) | (2.., 1) => Sniff::Yes,
        (whole, other) if whole > other => Sniff::Maybe,
        _ => Sniff::No,
    }
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// The pairs of a line; `None` when anything else stands in it. A quoted value may hold blanks.
fn pairs(line: &str) -> Option<Vec<(&str, &str)>> {
    let mut pairs = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        if key.is_empty()
            || !key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '%'))
        {
            return None;
        }
        let (value, more) = match after.strip_prefix('"') {
            Some(quoted) => split_quoted(quoted)?,
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        pairs.push((key, value));
        rest = more.trim_start();
    }
    Some(pairs)
}

/// Splits behind a closing quote; a quote behind a backslash does not close, and stays as it is written.
fn split_quoted(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = text.find(|c| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// A number, perhaps with a unit behind it (`12.5ms`).
fn measured(value: &str) -> Option<(f64, &str)> {
    let (value, unit) = split_unit(value, Marks::Point)?;
    let known = unit.is_empty() || !matches!(model::Unit::parse(unit).0, model::Unit::Other(_));
    known.then_some((value, unit))
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let file_name = input.hints.file_name.as_deref().and_then(stem).unwrap_or(UNNAMED);
    let mut facts = Facts::default();
    for (at, line) in lines(&text).filter(|(_, line)| !is_comment(line)) {
        let Some(pairs) = pairs(line) else {
            builder.unknown_line(at, line);
            continue;
        };
        let named = pairs.iter().find(|(key, _)| NAME_KEYS.contains(key)).map(|(_, name)| *name);
        let Some(key) = builder.key(At::Line(at), named.unwrap_or(file_name), BTreeMap::new()) else {
            continue;
        };
        repetition(&mut builder, &mut facts, at, &key, &pairs)?;
    }
    facts.keep(&mut builder);
    builder.finish(None)
}

/// `runs` of `a/runs.txt`.
fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    (!stem.trim().is_empty()).then_some(stem)
}

fn repetition(
    builder: &mut Builder<'_>,
    facts: &mut Facts,
    at: usize,
    key: &BenchmarkKey,
    pairs: &[(&str, &str)],
) -> Result<(), ParseError> {
    // Logs say when and how loud; `time=` alone is a measure.
    let logged = pairs.iter().any(|(name, _)| matches!(*name, "level" | "lvl" | "severity" | "msg"));
    let has_rate = pairs.iter().any(|(name, _)| name.contains("_per_s") && !name.starts_with("profile_"));
    let is_about_the_line =
        |name: &str| NAME_KEYS.contains(&name) || COUNTERS.contains(&name) || (logged && is_logged(name));
    for (name, printed) in pairs.iter().filter(|(name, _)| !is_about_the_line(name)) {
        match measured(printed) {
            Some((value, own_unit)) => {
                let guessed = unit_of(name);
                let unit = if own_unit.is_empty() { guessed.as_str() } else { own_unit };
                let better = is_ingredient(name, unit, has_rate).then_some(Better::Neither);
                let reading = Reading { measure: name, unit, value, better, summarised: false };
                builder.observe(At::Line(at), key, None, reading)?;
            }
            None if crate::number::is_not_a_number(printed) => {
                builder.warn(At::Line(at), format!("{name} is {printed:?}, not a number, and skipped"));
            }
            None => facts.add(name, printed),
        }
    }
    Ok(())
}

/// Whether a value is not judged by itself: the time that a rate was computed from (it is the rate again, or a fixed
/// duration), and what belongs to the profiled repetition, which is slower by the profiler.
fn is_ingredient(name: &str, unit: &str, has_rate: bool) -> bool {
    let duration = unit == "s" && (name.ends_with("seconds") || matches!(name, "elapsed" | "duration"));
    name.starts_with("profile_") || (has_rate && duration)
}

/// Words found in the lines. What is the same in all of them is a fact about the run; what differs is not.
#[derive(Debug, Default)]
struct Facts(BTreeMap<String, Option<String>>);

impl Facts {
    fn add(&mut self, name: &str, value: &str) {
        match self.0.get_mut(name) {
            Some(known) if known.as_deref() != Some(value) => *known = None,
            Some(_) => {}
            None => drop(self.0.insert(name.to_owned(), Some(value.to_owned()))),
        }
    }

    fn keep(self, builder: &mut Builder<'_>) {
        for (name, value) in self.0 {
            if let Some(value) = value {
                builder.fact(&name, &value);
            } else {
                let text = format!("{} differs between lines and is no fact about the run", excerpt(&name));
                builder.warn(At::File, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str, file_name: Option<&str>) -> Report {
        let hints = Hints { file_name: file_name.map(str::to_owned), ..Hints::default() };
        match read_any(text.as_bytes(), &hints, &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn a_line_is_a_repetition_and_words_are_facts() {
        let report = report(
            "mode=debug pages=40 seconds=2.5 pages_per_s=16\nmode=debug pages=40 seconds=2.0 pages_per_s=20\n",
            Some("a/runs.txt"),
        );
        assert_eq!(report.benchmarks.len(), 1);
        assert_eq!(report.benchmarks[0].key.to_string(), "runs");
        assert_eq!(report.environment["mode"], "debug");
        let read: Vec<_> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| {
                (
                    m.measure.name.as_str(),
                    m.measure.unit.to_string(),
                    m.measure.better,
                    m.observations.clone(),
                )
            })
            .collect();
        assert_eq!(
            read,
            [
                ("pages", "count".to_owned(), Better::Neither, vec![40.0, 40.0]),
                ("seconds", "ns".to_owned(), Better::Neither, vec![2.5e9, 2e9]),
                ("pages_per_s", "pages/s".to_owned(), Better::Higher, vec![16.0, 20.0]),
            ]
        );
    }

    #[test]
    fn seconds_without_a_rate_are_judged() {
        let report = report("run=1 seconds=2.5\nrun=2 seconds=2.0\n", None);
        assert_eq!(report.benchmarks[0].key.to_string(), "run");
        assert_eq!(report.benchmarks[0].measurements.len(), 1);
        assert_eq!(report.benchmarks[0].measurements[0].measure.better, Better::Lower);
    }

    #[test]
    fn lines_that_name_benchmarks_are_several() {
        let report = report("benchmark=a p99_us=5\nbenchmark=\"b c\" p99_us=6ms\n", None);
        let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(names, ["a", "b c"]);
        assert_eq!(report.benchmarks[1].measurements[0].observations, [6e6]);
    }

    #[test]
    fn log_lines_say_when_and_how_loud_and_quote() {
        let report = report(
            "ts=2026-01-01T00:00:00Z level=info msg=\"all \\\"done\\\"\" benchmark=a p99_us=5 rate=10\n\
             ts=2026-01-01T00:00:01Z level=info msg=\"all done\" benchmark=a p99_us=6 rate=11\n",
            None,
        );
        let names: Vec<_> =
            report.benchmarks[0].measurements.iter().map(|m| m.measure.name.as_str()).collect();
        assert_eq!(names, ["p99_us", "rate"]);
        assert!(report.environment.is_empty());
    }
}
