//! benchmark.js: `fib(10) x 1,431,759 ops/sec ±0.74% (93 runs sampled)`.
//!
//! See <https://benchmarkjs.com/docs/#prototype_toString>. A benchmark that threw prints its name, a colon and what the
//! error shows of itself, which in most engines is nothing.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::{text, without_colours};

pub(super) const READER: Reader =
    Reader { name: "benchmark-js", about: "benchmark.js result lines", sniff, read };

struct Line<'t> {
    name: &'t str,
    rate: f64,
    rme: Option<f64>,
    runs: Option<f64>,
}

/// The rate is behind the last ` x ` before ` ops/sec`, because a name may hold one too.
fn result(line: &str) -> Option<Line<'_>> {
    let (before, after) = line.split_once(" ops/sec")?;
    let (name, rate) = before.rsplit_once(" x ")?;
    let rate = number(rate, Marks::ThousandsComma)?;
    let spread = after.trim_start().strip_prefix('\u{b1}');
    let rme =
        spread.and_then(|rest| rest.split_once('%')).and_then(|(rme, _)| number(rme, Marks::ThousandsComma));
    let runs = after.rsplit_once('(').and_then(|(_, rest)| rest.split_once(" run"));
    let runs = runs.and_then(|(runs, _)| number(runs, Marks::ThousandsComma));
    let name = name.trim();
    (!name.is_empty()).then_some(Line { name, rate, rme, runs })
}

/// The name of a benchmark that threw and what it threw. Behind its colon stands nothing, an error as JavaScript shows
/// it, or an error's own members. Any other value may be a line that somebody printed, and is not taken for a failure.
fn failed(line: &str) -> Option<(&str, &str)> {
    if let Some(name) = line.strip_suffix(": ") {
        return Some((name.trim(), "it threw")).filter(|(name, _)| !name.is_empty());
    }
    let colons = line.match_indices(": ").map(|(at, _)| at);
    colons.filter_map(|at| line.split_at_checked(at)).find_map(|(name, rest)| {
        let thrown = rest.strip_prefix(": ")?;
        let word = thrown.split([':', ' ']).next()?;
        let is_error = word.ends_with("Error")
            || word.ends_with("Exception")
            || ["generatedMessage: ", "code: ERR_", "errno: "].iter().any(|head| thrown.starts_with(head));
        (is_error && !name.trim().is_empty()).then_some((name.trim(), thrown.trim()))
    })
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let told = |line: &str| {
        result(&without_colours(line)).is_some_and(|line| line.rme.is_some() && line.runs.is_some())
    };
    if head.lines().any(told) { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (at, line) in lines(&text) {
        let line = without_colours(line);
        let (name, found) = match (result(&line), failed(&line)) {
            (Some(found), _) => (found.name, Ok(found)),
            (None, Some((name, thrown))) => (name, Err(thrown)),
            (None, None) => {
                if !is_known(line.trim()) {
                    builder.unknown_line(at, &line);
                }
                continue;
            }
        };
        let kind = Some(Kind::Micro);
        let Some(mut entry) = Entry::new(&mut builder, At::Line(at), name, BTreeMap::new(), kind) else {
            continue;
        };
        let Line { rate, rme, runs, .. } = match found {
            Ok(line) => line,
            Err(thrown) => {
                entry.fail(thrown)?;
                continue;
            }
        };
        entry.observe(Reading::summary("throughput", "ops/sec", rate).towards(Better::Higher))?;
        for (name, unit, value) in [("rme", "%", rme), ("runs sampled", "count", runs)] {
            if let Some(value) = value {
                entry.figure("throughput", name, unit, value);
            }
        }
    }
    builder.finish(None)
}

/// What the examples of the documentation print around the results.
fn is_known(line: &str) -> bool {
    line.is_empty()
        || line == "Done!"
        || ["Fastest is", "Slowest is", "Running "].iter().any(|head| line.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_an_x_and_one_run_is_singular() {
        let line = result("  3 x 4 matrix x 1,005 ops/sec \u{b1}1.50% (1 run sampled)").unwrap();
        assert_eq!(
            (line.name, line.rate, line.rme, line.runs),
            ("3 x 4 matrix", 1005.0, Some(1.5), Some(1.0))
        );
        assert!(result("this x line should be ignored").is_none());
    }

    #[test]
    fn what_was_thrown_stands_behind_the_name() {
        for (line, thrown) in [
            ("a: ", Some(("a", "it threw"))),
            ("a: b: TypeError: x", Some(("a: b", "TypeError: x"))),
            (
                "a: generatedMessage: true, code: ERR_ASSERTION",
                Some(("a", "generatedMessage: true, code: ERR_ASSERTION")),
            ),
            ("Platform: linux", None),
            ("TypeError: x is not a function", None),
        ] {
            assert_eq!(failed(line), thrown, "{line}");
        }
    }
}
