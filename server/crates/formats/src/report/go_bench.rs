//! `go test -bench`: the Go benchmark format.
//!
//! Source of the line forms: the "Go 14313: benchmark data format" proposal and what `testing` prints around it.
//! A benchmark is its package, its name and its `GOMAXPROCS`; repeats of a line are observations of one benchmark.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};
use rustc_hash::FxHashMap;

use crate::error::{At, ParseError};
use crate::number::{Marks, is_not_a_number, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::{excerpt, text};

pub(super) const READER: Reader =
    Reader { name: "go-bench", about: "the output of go test -bench", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let failed = |line: &str| line.trim_start().starts_with("--- FAIL: Benchmark");
    // A name alone and a result alone: the benchmark's own output came between.
    let apart =
        || head.lines().any(|line| is_benchmark_name(line.trim())) && head.lines().any(is_late_result);
    if head.lines().any(|line| is_result(line) || failed(line)) || apart() {
        Sniff::Yes
    } else if head.lines().any(|line| line.starts_with("FAIL\t") || line.starts_with("ok  \t")) {
        Sniff::Maybe
    } else {
        Sniff::No
    }
}

/// `BenchmarkName iterations value unit …`, as far as sniffing needs it.
fn is_result(line: &str) -> bool {
    let mut fields = line.split_whitespace();
    let named = fields.next().is_some_and(is_benchmark_name);
    let counted = fields.next().is_some_and(|n| n.parse::<u64>().is_ok());
    let valued = fields.next().is_some_and(|v| number(v, Marks::Point).is_some() || is_not_a_number(v));
    named && counted && valued && fields.next().is_some_and(|unit| number(unit, Marks::Point).is_none())
}

/// The rule of `testing`: `Benchmark`, and then nothing or anything but a lower-case letter.
fn is_benchmark_name(word: &str) -> bool {
    !word.contains(char::is_whitespace)
        && word.strip_prefix("Benchmark").is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// What the lines so far say about those that follow.
#[derive(Debug, Default)]
struct State<'t> {
    /// The value of the last `pkg:` line.
    package: Option<&'t str>,
    /// A benchmark's name alone on its line: its own output came between name and result.
    pending: Option<&'t str>,
    /// The units of the last complete result, to recognise a cut line by.
    units: Vec<&'t str>,
    /// `Unit` lines that say which way is better.
    better: FxHashMap<&'t str, Better>,
    /// A `--- FAIL` was seen in this package, so that its `FAIL` line adds nothing.
    failed: bool,
    /// Lines of a benchmark's own log follow.
    logging: bool,
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut state = State::default();
    let last = text.lines().count();
    let ended = text.ends_with('\n');
    for (at, line) in lines(&text) {
        if at == last && !ended && is_cut(line, &state) {
            builder.warn(At::Line(at), "the last line is cut off and skipped");
            continue;
        }
        read_line(&mut builder, &mut state, at, line)?;
    }
    for measurement in builder.measurements_mut() {
        if let Some(better) = state.better.get(measurement.measure.name.as_str()) {
            measurement.measure.better = *better;
        }
    }
    builder.finish(None)
}

fn read_line<'t>(
    builder: &mut Builder<'_>,
    state: &mut State<'t>,
    at: usize,
    line: &'t str,
) -> Result<(), ParseError> {
    let first = line.split_whitespace().next().unwrap_or_default();
    let indented = line.starts_with([' ', '\t']);
    if state.logging && indented && !line.trim_start().starts_with("---") {
        return Ok(());
    }
    state.logging = false;
    match first {
        "" | "PASS" | "FAIL" if line.trim() == first => {}
        "FAIL" => package_failed(builder, state, at, line)?,
        "---" => outcome(builder, state, at, line)?,
        "ok" | "?" | "testing:" | "coverage:" | "===" => state.failed = false,
        "exit" if line.starts_with("exit status") => {}
        "Unit" => unit_line(builder, state, at, line),
        "panic:" => builder.unknown_line(at, line),
        _ if first.starts_with('#') => {}
        _ if is_benchmark_name(first) => {
            let rest = line.trim_start().strip_prefix(first).unwrap_or_default();
            result(builder, state, at, first, rest)?;
        }
        _ => match (configuration(line), state.pending) {
            (Some((name, value)), _) => configure(builder, state, at, name, value),
            (None, Some(name)) if is_late_result(line) => result(builder, state, at, name, line)?,
            _ => builder.unknown_line(at, line),
        },
    }
    Ok(())
}

/// A line that the file's end cuts has other units than the complete lines before it.
fn is_cut(line: &str, state: &State<'_>) -> bool {
    if !line.split_whitespace().next().is_some_and(is_benchmark_name) || state.units.is_empty() {
        return false;
    }
    let units: Vec<&str> = line.split_whitespace().skip(3).step_by(2).collect();
    let odd = line.split_whitespace().count() % 2 == 1;
    odd || units != state.units
}

/// `   123  456 ns/op`: the result of a name that was printed earlier.
fn is_late_result(line: &str) -> bool {
    let mut fields = line.split_whitespace();
    fields.next().is_some_and(|n| n.parse::<u64>().is_ok())
        && fields.next().is_some_and(|v| number(v, Marks::Point).is_some())
        && fields.next() == Some("ns/op")
}

/// `goos: linux`: a key begins with a lower-case letter and holds neither blanks nor capitals.
fn configuration(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let fits =
        key.starts_with(char::is_lowercase) && !key.contains(|c: char| c.is_whitespace() || c.is_uppercase());
    (fits && (value.is_empty() || value.starts_with([' ', '\t']))).then_some((key, value.trim()))
}

fn configure<'t>(builder: &mut Builder<'_>, state: &mut State<'t>, at: usize, name: &'t str, value: &'t str) {
    if name == "pkg" {
        state.package = Some(value).filter(|value| !value.is_empty());
        state.failed = false;
        return;
    }
    if let Some(before) = builder.known_fact(name).filter(|before| *before != value) {
        let text = format!(
            "{name} changes from {:?} to {:?}; observations of both are taken together",
            excerpt(before),
            excerpt(value)
        );
        builder.warn(At::Line(at), text);
    }
    builder.fact(name, value);
}

/// `Unit x assume=exact better=higher`.
fn unit_line<'t>(builder: &mut Builder<'_>, state: &mut State<'t>, at: usize, line: &'t str) {
    let mut fields = line.split_whitespace().skip(1);
    let Some(unit) = fields.next() else {
        builder.unknown_line(at, line);
        return;
    };
    for field in fields {
        match field {
            "better=higher" => drop(state.better.insert(unit, Better::Higher)),
            "better=lower" => drop(state.better.insert(unit, Better::Lower)),
            _ if field.contains('=') => {}
            _ => builder.unknown_line(at, line),
        }
    }
}

/// `--- FAIL: BenchmarkX-8`, `--- SKIP: …`, `--- BENCH: …` and the log lines that follow.
fn outcome(
    builder: &mut Builder<'_>,
    state: &mut State<'_>,
    at: usize,
    line: &str,
) -> Result<(), ParseError> {
    state.logging = true;
    let mut words = line.split_whitespace().skip(1);
    let (what, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if what != "FAIL:" || !is_benchmark_name(name) {
        match what {
            "SKIP:" => builder.warn(At::Line(at), format!("{name} skipped itself")),
            "FAIL:" => builder.unknown_line(at, line),
            _ => {}
        }
        return Ok(());
    }
    state.failed = true;
    state.pending = None;
    match key(builder, state, at, name) {
        Some(key) => builder.fail(&key, Some(Kind::Micro), line),
        None => Ok(()),
    }
}

/// `FAIL example.test/pkg [build failed]`: nothing of the package ran to its end.
fn package_failed(
    builder: &mut Builder<'_>,
    state: &mut State<'_>,
    at: usize,
    line: &str,
) -> Result<(), ParseError> {
    if std::mem::take(&mut state.failed) {
        return Ok(());
    }
    let name = line.split_whitespace().nth(1).unwrap_or_default();
    match builder.key(At::Line(at), name, BTreeMap::new()) {
        Some(key) => builder.fail(&key, Some(Kind::Micro), line),
        None => Ok(()),
    }
}

/// The key of `BenchmarkSend/size=64-2`: the number of processors and parts of the form `k=v` are parameters; the
/// parts also stay in the name, which people know by heart.
fn key(builder: &mut Builder<'_>, state: &State<'_>, at: usize, full: &str) -> Option<BenchmarkKey> {
    let is_count = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let (name, procs) = match full.rsplit_once('-') {
        Some((name, digits)) if is_count(digits) => (name, Some(digits)),
        _ => (full, None),
    };
    let parts = name.split('/').skip(1).filter_map(|part| part.split_once('='));
    let mut parameters: BTreeMap<String, String> =
        parts.filter(|(k, _)| !k.is_empty()).map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    for (parameter, value) in [("procs", procs), ("pkg", state.package)] {
        if let Some(value) = value {
            parameters.insert(parameter.to_owned(), value.to_owned());
        }
    }
    builder.key(At::Line(at), name, parameters)
}

fn result<'t>(
    builder: &mut Builder<'_>,
    state: &mut State<'t>,
    at: usize,
    name: &'t str,
    rest: &'t str,
) -> Result<(), ParseError> {
    let mut fields = rest.split_whitespace();
    let Some(iterations) = fields.next() else {
        state.pending = Some(name);
        return Ok(());
    };
    state.pending = None;
    if iterations.parse::<u64>().is_err() {
        let text = format!("skipped, because {:?} is not a number of iterations", excerpt(iterations));
        builder.warn(At::Line(at), text);
        return Ok(());
    }
    let Some(key) = key(builder, state, at, name) else { return Ok(()) };
    state.units.clear();
    while let Some(printed) = fields.next() {
        let Some(unit) = fields.next() else {
            builder
                .warn(At::Line(at), format!("the value {:?} has no unit and is skipped", excerpt(printed)));
            break;
        };
        state.units.push(unit);
        match number(printed, Marks::Point) {
            Some(value) if value < 0.0 && is_never_negative(unit) => {
                builder.warn(At::Line(at), format!("{printed} {unit} is negative and skipped"));
            }
            Some(value) => {
                let reading = Reading { measure: unit, unit, value, better: None, summarised: false };
                builder.observe(At::Line(at), &key, Some(Kind::Micro), reading)?;
            }
            None => {
                let text = format!("{:?} {} is not a number and skipped", excerpt(printed), excerpt(unit));
                builder.warn(At::Line(at), text);
            }
        }
    }
    Ok(())
}

/// What `testing` itself measures; a benchmark's own metrics may be negative.
fn is_never_negative(unit: &str) -> bool {
    matches!(unit, "ns/op" | "B/op" | "allocs/op" | "MB/s")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};
    use model::Status;

    fn parsed(text: &str) -> (Report, Vec<String>) {
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let warnings = parsed.warnings.iter().map(|w| format!("{}: {}", w.at, w.text)).collect();
        match parsed.content {
            Content::Report(report) => (report, warnings),
            _ => panic!("a report"),
        }
    }

    #[test]
    fn parameters_and_processors_are_part_of_the_key() {
        let (report, warnings) = parsed("pkg: a/b\nBenchmarkX/size=64/y-8 100 5 ns/op\n");
        assert_eq!(report.benchmarks[0].key.to_string(), "BenchmarkX/size=64/y [pkg=a/b, procs=8, size=64]");
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn repeats_are_observations_of_one_benchmark() {
        let (report, _) = parsed("BenchmarkX 100 5 ns/op\nBenchmarkX 100 6 ns/op\n");
        assert_eq!(report.benchmarks.len(), 1);
        assert_eq!(report.benchmarks[0].measurements[0].observations, [5.0, 6.0]);
    }

    #[test]
    fn the_same_name_in_two_packages_is_two_benchmarks() {
        let (report, _) = parsed("pkg: a\nBenchmarkX 1 5 ns/op\npkg: b\nBenchmarkX 1 6 ns/op\n");
        assert_eq!(report.benchmarks.len(), 2);
    }

    #[test]
    fn a_unit_line_says_which_way_is_better() {
        let (report, _) =
            parsed("BenchmarkX 1 5 hits 7 pauses\nUnit hits better=higher\nUnit pauses better=lower\n");
        let better: Vec<Better> =
            report.benchmarks[0].measurements.iter().map(|m| m.measure.better).collect();
        assert_eq!(better, [Better::Higher, Better::Lower]);
    }

    #[test]
    fn a_failure_is_a_failed_benchmark() {
        let (report, warnings) = parsed(
            "BenchmarkGood-2 1 5 ns/op\n--- FAIL: BenchmarkBad-2\n    x_test.go:7: no\nFAIL\nexit status 1\nFAIL\tx\t0.1s\n",
        );
        assert_eq!(report.benchmarks.len(), 2);
        assert_eq!(report.benchmarks[1].key.to_string(), "BenchmarkBad [procs=2]");
        assert!(matches!(&report.benchmarks[1].status, Status::Failed(why) if why.contains("FAIL")));
        assert!(warnings.is_empty(), "{warnings:?}");
        let (report, _) = parsed("FAIL\texample.test/x [build failed]\nFAIL\n");
        assert_eq!(report.benchmarks[0].key.to_string(), "example.test/x");
    }

    #[test]
    fn a_result_after_the_benchmarks_own_output_finds_its_name() {
        let (report, warnings) = parsed("BenchmarkX-2   \t\nhello from X\n  100\t 5 ns/op\n");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [5.0]);
        assert_eq!(warnings, ["line 2: not understood and skipped: \"hello from X\""]);
    }

    #[test]
    fn a_last_line_that_is_cut_is_not_read() {
        for cut in ["BenchmarkX 1 5 ns/op 7 B/op", "BenchmarkX 1 5 ns/op 7 B/op 1 allocs/o", "BenchmarkX 1 5"]
        {
            let (report, warnings) = parsed(&format!("BenchmarkX 1 5 ns/op 7 B/op 1 allocs/op\n{cut}"));
            assert!(report.benchmarks[0].measurements.iter().all(|m| m.observations.len() == 1), "{cut}");
            assert_eq!(warnings, ["line 2: the last line is cut off and skipped"]);
        }
        let (report, _) = parsed("BenchmarkX 1 5 ns/op\nBenchmarkX 1 6 ns/op");
        assert_eq!(report.benchmarks[0].measurements[0].observations.len(), 2);
    }

    #[test]
    fn impossible_values_are_skipped_with_a_warning() {
        let (report, warnings) =
            parsed("BenchmarkA 1 NaN ns/op 5 B/op\nBenchmarkB -3 5 ns/op\nBenchmarkC 1 -5 ns/op -5 x\n");
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert_eq!(report.benchmarks.len(), 2);
        assert_eq!(report.benchmarks[1].measurements[0].observations, [-5.0]);
    }
}
