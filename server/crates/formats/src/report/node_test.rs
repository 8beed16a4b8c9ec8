//! Durations of the Node.js test runner: its TAP and its spec reporter.
//!
//! Written from Node 18 to 22 (<https://nodejs.org/api/test.html>). In TAP a test is `ok 1 - name` with a YAML block that
//! holds `duration_ms`; nesting is indentation. The spec reporter prints `✔ name (1.5ms)`.

use std::collections::BTreeMap;

use model::Better;

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::{text, without_colours};

pub(super) const TAP: Reader = Reader {
    name: "node-test",
    about: "the TAP of the Node.js test runner",
    sniff: sniff_tap,
    read: read_tap,
};
pub(super) const SPEC: Reader = Reader {
    name: "node-test-spec",
    about: "the spec reporter of the Node.js test runner",
    sniff: sniff_spec,
    read: read_spec,
};

/// Levels of nested tests.
const LEVELS: usize = 100;

fn sniff_tap(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let tap = head.lines().any(|line| line.trim_start().starts_with("TAP version "));
    let timed = head.lines().any(|line| line.trim_start().starts_with("duration_ms: "));
    match (tap, timed) {
        (true, true) => Sniff::Yes,
        (true, false) => Sniff::Maybe,
        _ => Sniff::No,
    }
}

/// `ok 1 - name # SKIP`: whether it passed, the name and the directive.
fn point(line: &str) -> Option<(bool, &str, &str)> {
    let (passed, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok ")?),
    };
    let (number, rest) = rest.split_once(" - ")?;
    number.parse::<usize>().ok()?;
    let (name, directive) = rest.split_once(" # ").unwrap_or((rest, ""));
    Some((passed, name.trim(), directive))
}

/// A name without the backslashes in front of what TAP gives a meaning.
fn unescaped(name: &str) -> String {
    name.replace("\\#", "#").replace("\\\\", "\\")
}

/// A test whose block is being read.
struct Point {
    at: usize,
    level: usize,
    name: String,
    passed: bool,
    skipped: bool,
    duration: Option<f64>,
    error: Option<String>,
    is_suite: bool,
}

fn read_tap(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TAP.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    // A suite's own point comes behind those of its tests; their names stand in `# Subtest:` lines in front.
    let mut path: Vec<String> = Vec::new();
    let mut current: Option<Point> = None;
    let mut block = false;
    for (at, raw) in lines(&text) {
        let level = (raw.len() - raw.trim_start().len()) / 4;
        let line = raw.trim();
        if level > LEVELS {
            builder.unknown_line(at, raw);
        } else if let Some(name) = line.strip_prefix("# Subtest: ") {
            path.truncate(level);
            path.push(unescaped(name));
        } else if let Some((passed, name, directive)) = point(line) {
            settle(&mut builder, current.take())?;
            let name = unescaped(name);
            let full: Vec<&str> = path.iter().take(level).map(String::as_str).chain([&*name]).collect();
            let skipped = directive.starts_with("SKIP") || directive.starts_with("TODO");
            let name = full.join(" > ");
            current = Some(Point {
                at,
                level,
                name,
                passed,
                skipped,
                duration: None,
                error: None,
                is_suite: false,
            });
        } else if let Some(point) = current.as_mut().filter(|point| level >= point.level) {
            if let Some(value) = line.strip_prefix("duration_ms: ") {
                point.duration = number(value, Marks::Point);
            } else if let Some(value) = line.strip_prefix("error: ") {
                // Of a block of lines the first one follows.
                point.error = Some(value.trim_matches('\'')).filter(|text| *text != "|-").map(str::to_owned);
                block = value == "|-";
            } else if std::mem::take(&mut block) {
                point.error = Some(line.to_owned());
            } else if line == "type: 'suite'" {
                point.is_suite = true;
            } else if line == "..." {
                settle(&mut builder, current.take())?;
            }
        }
    }
    settle(&mut builder, current)?;
    builder.finish(None)
}

fn settle(builder: &mut Builder<'_>, point: Option<Point>) -> Result<(), ParseError> {
    // A suite's time is the sum of its tests'.
    let Some(point) = point.filter(|point| !point.is_suite) else { return Ok(()) };
    if point.skipped {
        builder.warn(At::Line(point.at), format!("{} was skipped by its runner", point.name));
        return Ok(());
    }
    observe(
        builder,
        point.at,
        &point.name,
        point.duration,
        (!point.passed).then(|| point.error.unwrap_or_default()),
    )
}

fn observe(
    builder: &mut Builder<'_>,
    at: usize,
    name: &str,
    milliseconds: Option<f64>,
    failure: Option<String>,
) -> Result<(), ParseError> {
    let Some(key) = builder.key(At::Line(at), name, BTreeMap::new()) else { return Ok(()) };
    if let Some(value) = milliseconds {
        let reading = Reading::raw("duration", "ms", value).towards(Better::Lower);
        builder.observe(At::Line(at), &key, None, reading)?;
    } else if failure.is_none() {
        builder.warn(At::Line(at), format!("{name} has no duration, skipped"));
    }
    failure.map_or(Ok(()), |why| builder.fail(&key, None, if why.is_empty() { "it failed" } else { &why }))
}

/// `  ✔ name (1.5ms)`: level, whether it passed, name and milliseconds.
fn spec(line: &str) -> Option<(usize, Option<bool>, &str, f64)> {
    let trimmed = line.trim_start();
    let level = (line.len() - trimmed.len()) / 2;
    let mut chars = trimmed.chars();
    let passed = match chars.next()? {
        '\u{2714}' => Some(true),
        '\u{2716}' => Some(false),
        '\u{25b6}' => None,
        _ => return None,
    };
    let (name, duration) = chars.as_str().trim().rsplit_once(" (")?;
    let (value, unit) = split_unit(duration.split(')').next()?, Marks::Point)?;
    (unit == "ms").then_some((level, passed, name.trim(), value))
}

/// What stands before a test that ran or was to run later.
const MARKS: [char; 4] = ['\u{2714}', '\u{2716}', '\u{fe63}', '\u{26a0}'];

fn sniff_spec(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let results = head.lines().filter(|line| spec(&without_colours(line)).is_some()).count();
    let totals = head.contains("\u{2139} duration_ms ");
    match (results, totals) {
        (0, _) => Sniff::No,
        (_, true) => Sniff::Yes,
        (_, false) => Sniff::Maybe,
    }
}

fn read_spec(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(SPEC.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut path: Vec<String> = Vec::new();
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        // Failures are told once more at the end.
        if line.contains("\u{2716} failing tests:") {
            break;
        }
        let directive = [" # SKIP", " # TODO"].into_iter().find(|word| line.contains(word));
        if let Some(directive) = directive.filter(|_| line.trim_start().starts_with(MARKS)) {
            let name =
                line.trim_start().trim_start_matches(MARKS).split(directive).next().unwrap_or_default();
            let name = name.rsplit_once(" (").map_or(name, |(name, _)| name).trim();
            builder.warn(At::Line(at), format!("{name} was skipped by its runner"));
            continue;
        }
        match spec(&line) {
            Some((level, Some(passed), name, value)) if level <= LEVELS => {
                let full: Vec<&str> = path.iter().take(level).map(String::as_str).chain([name]).collect();
                observe(&mut builder, at, &full.join(" > "), Some(value), (!passed).then(String::new))?;
            }
            // The suite once more behind its tests, with its sum.
            Some(_) => {}
            None => {
                let trimmed = line.trim_start();
                let level = (line.len() - trimmed.len()) / 2;
                if let Some(name) = trimmed.strip_prefix('\u{25b6}').filter(|_| level <= LEVELS) {
                    path.truncate(level);
                    path.push(name.trim().to_owned());
                }
            }
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        match read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn nested_tests_have_their_path_and_suites_no_time_of_their_own() {
        let report = report(
            "TAP version 13\n# Subtest: suite\n    # Subtest: one\n    ok 1 - one\n      ---\n      duration_ms: 1.5\n      ...\n    not ok 2 - two\n      ---\n      duration_ms: 2.5\n      error: 'boom'\n      ...\n    \
             1..2\nok 1 - suite\n  ---\n  duration_ms: 9\n  type: 'suite'\n  ...\nok 2 - top # SKIP\n1..2\n# duration_ms 12\n",
        );
        let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(names, ["suite > one", "suite > two"]);
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1.5e6]);
        assert!(matches!(&report.benchmarks[1].status, Status::Failed(why) if why == "boom"));
    }

    #[test]
    fn the_spec_reporter_is_read() {
        let report = report(
            "\u{25b6} suite\n  \u{2714} one (1.5ms)\n  \u{2716} two (2ms)\n\u{25b6} suite (9ms)\n\u{2714} top (0.5ms)\n\u{2139} tests 3\n\u{2139} duration_ms 12\n\n\u{2716} failing tests:\n\n\u{2716} two (2ms)\n",
        );
        let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(names, ["suite > one", "suite > two", "top"]);
    }

    #[test]
    fn names_are_unescaped_blocks_give_their_first_line_and_what_is_to_do_is_no_result() {
        let tap = report(
            "TAP version 13\nnot ok 1 - a \\# b\n  ---\n  duration_ms: 1.5\n  error: |-\n    multi\n    line\n  code: 'X'\n  ...\n",
        );
        assert_eq!(tap.benchmarks[0].key.to_string(), "a # b");
        assert!(matches!(&tap.benchmarks[0].status, Status::Failed(why) if why == "multi"));
        let spec = report(
            "\u{2714} a (1.5ms)\n\u{2716} b (0.1ms) # TODO\n\u{fe63} c (0.1ms) # SKIP\n\u{2139} duration_ms 12\n",
        );
        assert_eq!(spec.benchmarks.len(), 1);
    }
}
