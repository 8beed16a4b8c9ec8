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

/// A name with nothing behind its colon: the benchmark threw.
fn failed(line: &str) -> Option<&str> {
    line.strip_suffix(": ").map(str::trim).filter(|name| !name.is_empty())
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
            (Some(found), _) => (found.name, Some(found)),
            (None, Some(name)) => (name, None),
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
        let Some(Line { rate, rme, runs, .. }) = found else {
            entry.fail("it threw")?;
            continue;
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
}
