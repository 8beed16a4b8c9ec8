//! What pyperf prints: `name: Mean +- std dev: 6.10 us +- 0.32 us`, and the longer `show` and `stats`.
//!
//! Written from pyperf 1 and 2 (<https://pyperf.readthedocs.io/en/latest/analyze.html>). Of several benchmarks each name
//! stands in front or is a heading of its own, underlined.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::text;

pub(super) const READER: Reader = Reader { name: "pyperf-text", about: "what pyperf prints", sniff, read };

/// What a benchmark without a name is called, as in the JSON.
const UNNAMED: &str = "pyperf";
const MEAN: &str = "Mean +- std dev: ";

/// Lines of `stats` and the figure that each holds.
const FIGURES: [(&str, &str); 7] = [
    ("Minimum:", "min"),
    ("Median +- MAD:", "median"),
    ("Maximum:", "max"),
    ("5th percentile:", "p5"),
    ("25th percentile:", "p25"),
    ("75th percentile:", "p75"),
    ("95th percentile:", "p95"),
];

/// The name in front, the mean and the deviation.
fn mean(line: &str) -> Option<(&str, &str, &str)> {
    let at = line.find(MEAN)?;
    let (name, rest) = line.split_at_checked(at)?;
    let (mean, deviation) = rest.strip_prefix(MEAN)?.split_once(" +- ")?;
    // `[a] 6.10 us +- 0.32 us -> [b] …` compares two files.
    let is_plain = split_unit(mean, Marks::Point).is_some() && !deviation.contains("->");
    is_plain.then(|| (name.trim().trim_end_matches(':'), mean, deviation))
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| mean(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// `6.10 us`, `12.5 MiB (3% of the mean)`.
fn value(text: &str) -> Option<(f64, &str)> {
    split_unit(text.split(" (").next()?.trim(), Marks::Point).map(|(value, unit)| (value, unit.trim()))
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let (mut before, mut heading) = ("", "");
    let mut figures: Vec<(&str, &str, f64)> = Vec::new();
    let mut last: Option<&str> = None;
    for (at, line) in lines(&text) {
        let is_rule = line.len() > 2 && line.bytes().all(|byte| byte == b'-');
        if is_rule && line.len() == before.chars().count() {
            (heading, last) = (before, None);
            figures.clear();
        } else if let Some((name, mean, deviation)) = mean(line) {
            let name = [name, heading, UNNAMED].into_iter().find(|name| !name.is_empty());
            last = name;
            benchmark(&mut builder, at, name.unwrap_or_default(), (mean, deviation), &figures)?;
            figures.clear();
        } else if let Some((label, name)) = FIGURES.iter().find(|(label, _)| line.trim().starts_with(label)) {
            let rest = line.trim().strip_prefix(label).unwrap_or_default();
            if let Some((number, unit)) = value(rest.split(" +- ").next().unwrap_or_default()) {
                // Those behind the mean belong to the benchmark that it began.
                match last
                    .and_then(|last| Entry::new(&mut builder, At::Line(at), last, BTreeMap::new(), None))
                {
                    Some(mut entry) => entry.figure(measure(unit), name, unit, number),
                    None => figures.push((name, unit, number)),
                }
            }
        }
        before = line;
    }
    builder.finish(None)
}

fn measure(unit: &str) -> &'static str {
    match unit {
        "ns" | "us" | "ms" | "sec" | "s" | "min" => "time",
        _ if unit.ends_with('B') || unit.starts_with("byte") => "memory",
        _ => "value",
    }
}

fn benchmark(
    builder: &mut Builder<'_>,
    at: usize,
    name: &str,
    (mean, deviation): (&str, &str),
    figures: &[(&str, &str, f64)],
) -> Result<(), ParseError> {
    let Some(mut entry) = Entry::new(builder, At::Line(at), name, BTreeMap::new(), Some(Kind::Micro)) else {
        return Ok(());
    };
    let Some((value_read, unit)) = value(mean) else { return Ok(()) };
    let measure = measure(unit);
    entry.observe(Reading::summary(measure, unit, value_read).towards(Better::Lower))?;
    if let Some((value, unit)) = value(deviation) {
        entry.figure(measure, "stddev", unit, value);
    }
    for (name, unit, value) in figures {
        entry.figure(measure, name, unit, *value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!(parsed.format, super::READER.name);
        let Content::Report(report) = parsed.content else { panic!("a report") };
        report
    }

    #[test]
    fn names_stand_in_front_or_above() {
        let report = report(
            "...\nWARNING: the benchmark result may be unstable\n* a\n\nlist mul: Mean +- std dev: 934 ns +- 121 ns\n\n\
             dict\n----\n\nMinimum:         141 ns\nMean +- std dev: 1.42 us +- 2 ns\nMaximum:         1.6 us\n\n  5th percentile: 1.3 us (-1% of the mean)\n",
        );
        let [list, dict] = &report.benchmarks[..] else { panic!("{report:?}") };
        assert_eq!((list.key.name.as_str(), dict.key.name.as_str()), ("list mul", "dict"));
        assert_eq!(dict.measurements[0].observations, [1420.0]);
        let figures: Vec<_> =
            dict.measurements[0].figures.iter().map(|f| (f.name.as_str(), f.value)).collect();
        assert_eq!(figures, [("stddev", 2.0), ("min", 141.0), ("max", 1600.0), ("p5", 1300.0)]);
    }

    #[test]
    fn one_benchmark_without_a_name_is_called_after_the_tool() {
        let report = report("....\nMean +- std dev: 1.50 sec +- 0.01 sec\n");
        assert_eq!(report.benchmarks[0].key.name.as_str(), "pyperf");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1.5e9]);
    }
}
