//! The text of `perf stat`, once, repeated (`-r`) and in intervals (`-I`).

use model::BenchmarkKey;

use super::{Counter, TEXT, UNNAMED, at_place, is_missing, key, observe, place, unit};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::{text, without_colours};

const HEADING: &str = "Performance counter stats for ";

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.contains(HEADING) || head.lines().any(is_interval_heading) { Sniff::Yes } else { Sniff::No }
}

/// `#           time             counts unit events`.
fn is_interval_heading(line: &str) -> bool {
    line.starts_with('#') && line.split_whitespace().skip(1).eq(["time", "counts", "unit", "events"])
}

/// The command or what was watched: `'./a b' (4 runs):`, `'system wide':`, `process id '12':`.
fn subject(line: &str) -> Option<(&str, bool)> {
    let rest = line.trim().strip_prefix(HEADING)?;
    let rest = rest.trim_end_matches(':').trim_end();
    let (what, repeated) = match rest.rsplit_once(" (") {
        Some((what, runs)) if runs.ends_with(" runs)") => (what, true),
        _ => (rest, false),
    };
    let name = what.rsplit_once(" '").map_or(what, |(_, quoted)| quoted);
    let name = if what.starts_with('\'') { what } else { name };
    Some((name.trim_matches('\''), repeated))
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let intervals = text.lines().any(is_interval_heading);
    let mut current: Option<(BenchmarkKey, bool)> = None;
    if intervals {
        current = key(&mut builder, 1, UNNAMED).map(|key| (key, false));
    }
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some((name, repeated)) = subject(&line) {
            current = key(&mut builder, at, name).map(|key| (key, repeated));
            continue;
        }
        let Some((key, repeated)) = &current else { continue };
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        counter_line(&mut builder, at, key, *repeated, intervals, &line)?;
    }
    builder.finish(None)
}

/// A number as perf prints it under any locale: the last mark followed by other than three digits is the decimal
/// mark, every other separates thousands. `1.234` alone is decimal: counts have no decimals, so a thousands mark
/// there would need the locale that perf ran in, and English is what CI runs in.
fn value(text: &str) -> Option<f64> {
    let (commas, points) = (text.matches(',').count(), text.matches('.').count());
    match (commas, points) {
        (0, 0 | 1) => number(text, Marks::Point),
        (0, _) => number(text, Marks::ThousandsPoint),
        (1, 0) if text.split_once(',').is_some_and(|(_, rest)| rest.len() != 3) => {
            number(text, Marks::DecimalComma)
        }
        (_, 0) => number(text, Marks::ThousandsComma),
        _ if text.rfind(',') > text.rfind('.') => number(text, Marks::ThousandsPoint),
        _ => number(text, Marks::ThousandsComma),
    }
}

/// `( +-  0.95% )` at a line's end.
fn spread(line: &str) -> Option<f64> {
    let (_, rest) = line.rsplit_once("+-")?;
    number(rest.trim_end_matches(')').trim().strip_suffix('%')?, Marks::Point)
}

fn counter_line(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    repeated: bool,
    intervals: bool,
    line: &str,
) -> Result<(), ParseError> {
    let (counted, remark) = line.split_once('#').unwrap_or((line, ""));
    // What follows the value in brackets is a share of time or a spread.
    let (counted, _) = counted.split_once(" (").unwrap_or((counted, ""));
    let mut words = counted.split_whitespace();
    if intervals {
        words.next();
    }
    let mut words: Vec<&str> = words.collect();
    let place = words.first().and_then(|word| place(word));
    if place.is_some() {
        words.remove(0);
        // How many processors were added up stands between.
        let is_count = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        if words.first().is_some_and(is_count)
            && words.get(1).is_some_and(|word| is_missing(word) || value(word).is_some())
        {
            words.remove(0);
        }
    }
    let key = &at_place(key, place);
    let seconds = |name| -> Option<Counter<'_>> {
        let value = value(words.first()?)?;
        Some(Counter { name, unit: "s", value, spread: spread(line), repeated })
    };
    let counter = match words.as_slice() {
        [.., "seconds", "time", "elapsed"] => seconds("time elapsed"),
        [.., "seconds", "user"] => seconds("user"),
        [.., "seconds", "sys"] => seconds("sys"),
        [missing, ..] if is_missing(missing) => {
            let name = words.last().copied().unwrap_or_default();
            let why = if words.get(1) == Some(&"counted>") { "not counted" } else { "not supported" };
            builder.warn(At::Line(at), format!("{name} is {why} on this machine, skipped"));
            return Ok(());
        }
        [printed, name] => {
            value(printed).map(|value| Counter { name, unit: "count", value, spread: spread(line), repeated })
        }
        [printed, printed_unit, name] => value(printed).map(|value| Counter {
            name,
            unit: unit(printed_unit),
            value,
            spread: spread(line),
            repeated,
        }),
        _ => None,
    };
    match counter {
        Some(counter) => observe(builder, at, key, &counter),
        // A second line of metrics belongs to the counter before; so does perf's talk.
        None if counted.trim().is_empty() && !remark.is_empty() => Ok(()),
        None => {
            builder.unknown_line(at, line);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, Parsed, read};

    fn parse(text: &str) -> Parsed {
        read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap()
    }

    #[test]
    fn locales_and_repetitions_are_understood() {
        let parsed = parse(
            " Performance counter stats for 'a b' (4 runs):\n\n   1.234.567      cycles:u   #  3,1 GHz   ( +-  0.95% )\n       18,01 msec task-clock\n  \
             1,234      faults   (50.01%)\n   <not counted>      branches\n\n   0.09458 +- 0.00203 seconds time elapsed  ( +-  2.15% )\n",
        );
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let values: Vec<(&str, f64)> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| (m.measure.name.as_str(), m.observations[0]))
            .collect();
        let wanted = [
            ("cycles:u", 1_234_567.0),
            ("task-clock", 18_010_000.0),
            ("faults", 1234.0),
            ("time elapsed", 94_580_000.0),
        ];
        for ((name, value), (wanted_name, wanted)) in values.iter().zip(wanted) {
            assert_eq!(*name, wanted_name);
            assert!((value / wanted - 1.0).abs() < 1e-12, "{name} {value}");
        }
        assert!(report.benchmarks[0].measurements[0].summarised);
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    }

    #[test]
    fn counts_of_single_processors_are_told_apart() {
        let parsed = parse(
            " Performance counter stats for 'system wide':\n\nCPU0    1,234,567   cycles  #  0.19  GHz\nCPU1    5   cycles\n\
             S0-D0-C0    2    7,000  cycles\nS0   4   <not counted>   cycles\n  1.5 seconds time elapsed\n",
        );
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let values: Vec<(String, f64)> = report
            .benchmarks
            .iter()
            .map(|b| (b.key.to_string(), b.measurements[0].observations[0]))
            .collect();
        let wanted = [
            ("system wide [cpu=0]", 1_234_567.0),
            ("system wide [cpu=1]", 5.0),
            ("system wide [core=S0-D0-C0]", 7000.0),
            ("system wide", 1.5e9),
        ];
        assert_eq!(values, wanted.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    }

    #[test]
    fn what_was_watched_is_the_benchmarks_name() {
        for (heading, name) in
            [("'system wide'", "system wide"), ("process id '12'", "12"), ("'a 'b''", "a 'b")]
        {
            let parsed = parse(&format!(" Performance counter stats for {heading}:\n\n  5      faults\n"));
            let Content::Report(report) = &parsed.content else { panic!("a report") };
            assert_eq!(report.benchmarks[0].key.to_string(), name);
        }
    }
}
