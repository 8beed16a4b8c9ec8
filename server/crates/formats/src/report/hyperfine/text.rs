//! What hyperfine prints. Units stand behind each value and change from line to line.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::{KIND, TEXT, TIME};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

/// `Benchmark 1: command`, before 1.12 `Benchmark #1: command`.
fn benchmark(line: &str) -> Option<&str> {
    let (number, command) = line.trim().strip_prefix("Benchmark ")?.split_once(": ")?;
    number.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit()).then_some(command)
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut named = head.lines().filter(|line| benchmark(&without_colours(line)).is_some());
    let timed = head.lines().any(|line| line.trim_start().starts_with("Time ("));
    if named.next().is_some() && timed { Sniff::Yes } else { Sniff::No }
}

/// Every `value unit` of a line's part, in order: `1.214 s ±  0.085 s`.
fn values(text: &str) -> Vec<(f64, String)> {
    let parts = text.split(['\u{b1}', '\u{2026}', ',']);
    let value = |part: &str| {
        let (value, rest) = split_unit(part, Marks::Point)?;
        Some((value, rest.split_whitespace().next()?.to_owned()))
    };
    parts.filter_map(value).collect()
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut key: Option<BenchmarkKey> = None;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(command) = benchmark(&line) {
            key = builder.key(At::Line(at), command, BTreeMap::new());
            continue;
        }
        let Some(key) = &key else { continue };
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Time (") {
            time(&mut builder, at, key, rest)?;
        } else if let Some(rest) = line.strip_prefix("Range (") {
            let printed = rest.split_once(':').map_or("", |(_, values)| values);
            for (name, (value, unit)) in ["min", "max"].into_iter().zip(values(printed)) {
                builder.figure(At::Line(at), key, TIME, FigureReading { name, unit: &unit, value });
            }
        } else if line.starts_with("Warning: Ignoring non-zero exit code") {
            builder.fail(key, KIND, "an exit code other than 0 in at least one run")?;
        } else if let Some(why) = line.strip_prefix("Error: ") {
            builder.fail(key, KIND, why)?;
        }
    }
    builder.finish(None)
}

/// `mean ± σ):  1.214 s ±  0.085 s    [User: 0.223 s, System: 0.013 s]`, `abs ≡):` for a single run.
fn time(builder: &mut Builder<'_>, at: usize, key: &BenchmarkKey, rest: &str) -> Result<(), ParseError> {
    let printed = rest.split_once(':').map_or("", |(_, values)| values);
    let (printed, processor) = printed.split_once('[').unwrap_or((printed, ""));
    for (name, (value, unit)) in ["mean", "stddev"].into_iter().zip(values(printed)) {
        if name == "mean" {
            let reading = Reading::summary(TIME, &unit, value).towards(Better::Lower);
            builder.observe(At::Line(at), key, KIND, reading)?;
        }
        builder.figure(At::Line(at), key, TIME, FigureReading { name, unit: &unit, value });
    }
    for (label, measure) in [("User: ", "user"), ("System: ", "system")] {
        let found = processor.split_once(label).and_then(|(_, rest)| values(rest).into_iter().next());
        if let Some((value, unit)) = found {
            let unit = unit.trim_end_matches(']');
            let reading = Reading::summary(measure, unit, value).towards(Better::Lower);
            builder.observe(At::Line(at), key, KIND, reading)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn each_value_has_its_own_unit_and_failures_are_told() {
        let text = "Benchmark #1: sleep 1\n  Time (mean \u{b1} \u{3c3}):      1.2 s \u{b1}  85.0 ms    [User: 0.9 ms, System: 13 \u{b5}s]\n  \
                    Range (min \u{2026} max):   900.0 ms \u{2026}  1.4 s    15 runs\n \nBenchmark 2: false\n  Time (abs \u{2261}):   1.0 ms   [User: 1.0 ms, System: 0.0 ms]\n \n  \
                    Warning: Ignoring non-zero exit code.\n\nSummary\n  'a' ran\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = parsed.content else { panic!("a report") };
        let [time, user, system] = &report.benchmarks[0].measurements[..] else { panic!("{report:?}") };
        assert_eq!(
            (time.observations[0], time.figures[1].value, time.figures[3].value),
            (1.2e9, 85e6, 1.4e9)
        );
        assert_eq!((user.observations[0], system.observations[0]), (0.9e6, 13e3));
        assert!(matches!(report.benchmarks[1].status, Status::Failed(_)));
    }
}
