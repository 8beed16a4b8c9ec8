//! Rust's `#[bench]` text, which criterion's `--output-format bencher` and nextest's copies also print:
//! `test name ... bench: 1,234.50 ns/iter (+/- 6.70) = 102400 MB/s`.
//!
//! The comma is always the thousands mark (libtest's `fmt_thousands_sep`). The value is a median of many samples and
//! `+/-` the distance of the largest from the smallest.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

pub(super) const READER: Reader = Reader {
    name: "libtest",
    about: "the text of Rust's #[bench], also criterion's --output-format bencher",
    sniff,
    read,
};

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let tests = || head.lines().filter_map(test);
    if tests().any(|(_, outcome)| outcome.starts_with("bench:")) {
        Sniff::Yes
    } else if tests().next().is_some() || head.lines().any(|line| line.starts_with("test result: ")) {
        Sniff::Maybe
    } else {
        Sniff::No
    }
}

/// `test name ... outcome`.
fn test(line: &str) -> Option<(&str, &str)> {
    let (name, outcome) = line.trim_end().strip_prefix("test ")?.rsplit_once(" ... ")?;
    Some((name.trim(), outcome.trim()))
}

/// `1,234.5 ns/iter (+/- 6) = 10 MB/s`.
struct Printed<'a> {
    value: f64,
    unit: &'a str,
    spread: Option<f64>,
    megabytes: Option<f64>,
}

fn result(outcome: &str) -> Option<Printed<'_>> {
    let (value, rest) = outcome.split_once(' ')?;
    let (unit, rest) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
    let marks = Marks::ThousandsComma;
    let spread = rest.split_once("(+/- ").and_then(|(_, rest)| number(rest.split(')').next()?, marks));
    let megabytes = rest.split_once("= ").and_then(|(_, rest)| number(rest.strip_suffix("MB/s")?, marks));
    let value = number(value, marks).filter(|value| *value >= 0.0)?;
    Some(Printed { value, unit, spread, megabytes })
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let (mut ignored, mut summaries) = (0, 0);
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        let Some((name, outcome)) = test(&line) else {
            summaries += usize::from(line.starts_with("test result: "));
            continue;
        };
        let Some(key) = builder.key(At::Line(at), name, BTreeMap::new()) else { continue };
        if let Some(printed) = outcome.strip_prefix("bench:") {
            match result(printed.trim_start()) {
                Some(result) => observe(&mut builder, at, &key, &result)?,
                None => builder.unknown_line(at, raw),
            }
        } else if outcome.starts_with("FAILED") {
            builder.fail(&key, Some(Kind::Micro), &reason(&text, name))?;
        } else if outcome.starts_with("ignored") {
            ignored += 1;
            builder.warn(At::Line(at), format!("{name} was ignored by its harness"));
        }
    }
    if builder.is_empty() && (summaries > 0 || ignored > 0) {
        return Ok(builder.finish_empty(At::File, "the harness ran no benchmark"));
    }
    builder.finish(None)
}

fn observe(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    result: &Printed<'_>,
) -> Result<(), ParseError> {
    let is_time =
        result.unit.starts_with("ns/") || result.unit.starts_with("us/") || result.unit.starts_with("ms/");
    let measure = if is_time { "time" } else { "value" };
    let kind = Some(Kind::Micro);
    builder.observe(At::Line(at), key, kind, Reading::summary(measure, result.unit, result.value))?;
    if let Some(spread) = result.spread {
        let figure = FigureReading { name: "plus or minus", unit: result.unit, value: spread };
        builder.figure(At::Line(at), key, measure, figure);
    }
    if let Some(megabytes) = result.megabytes {
        let reading = Reading::summary("throughput", "MB/s", megabytes).towards(Better::Higher);
        builder.observe(At::Line(at), key, kind, reading)?;
    }
    Ok(())
}

/// What a failed test said: the line behind its heading that speaks of a panic, and what follows.
fn reason(text: &str, name: &str) -> String {
    let heading = format!("---- {name} stdout ----");
    let mut said = text.lines().skip_while(|line| line.trim() != heading).skip(1);
    let panic = said.by_ref().take(50).find(|line| line.contains("panicked at"));
    match (panic, said.next()) {
        (Some(place), Some(message)) => format!("{} {}", place.trim(), message.trim()),
        (Some(place), None) => place.trim().to_owned(),
        (None, _) => "FAILED".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use model::Status;

    use super::*;
    use crate::limits::Limits;
    use crate::read::{Content, Hints};

    fn parse(text: &str) -> Parsed {
        crate::read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap()
    }

    #[test]
    fn commas_are_thousands_and_a_failure_tells_its_panic() {
        let parsed = parse(
            "running 3 tests\ntest a ... FAILED\ntest b c ... bench:  13,967,756.30 ns/iter (+/- 266,769.64) = 12 MB/s\n\
             test d ... bench:  1,2 ns/iter (+/- 1)\n\nfailures:\n\n---- a stdout ----\n\nthread 'main' panicked at x.rs:7:46:\nboom\n",
        );
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert!(matches!(&report.benchmarks[0].status, Status::Failed(why) if why.ends_with("boom")));
        let [time, throughput] = &report.benchmarks[1].measurements[..] else { panic!("{report:?}") };
        assert_eq!((time.observations[0], throughput.observations[0]), (13_967_756.30, 12e6));
        assert_eq!(parsed.warnings.len(), 1, "1,2 is no number of libtest: {:?}", parsed.warnings);
    }

    #[test]
    fn no_benchmarks_at_all_is_an_empty_report_with_a_remark() {
        let parsed = parse("running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n");
        assert!(matches!(&parsed.content, Content::Report(report) if report.benchmarks.is_empty()));
        assert_eq!(parsed.warnings.len(), 1);
    }
}
