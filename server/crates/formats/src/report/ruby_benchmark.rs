//! Ruby's `Benchmark.bm` and `bmbm`, and the `benchmark-ips` gem.
//!
//! Descriptions: <https://ruby-doc.org/stdlib/libdoc/benchmark/rdoc/Benchmark.html>,
//! <https://github.com/evanphx/benchmark-ips>. Of `bmbm` the rehearsal is no measurement.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

pub(super) const BENCHMARK: Reader = Reader {
    name: "ruby-benchmark",
    about: "what Ruby's Benchmark prints",
    sniff: sniff_benchmark,
    read: read_benchmark,
};
pub(super) const IPS: Reader = Reader {
    name: "benchmark-ips",
    about: "what Ruby's benchmark-ips prints",
    sniff: sniff_ips,
    read: read_ips,
};

const KIND: Option<Kind> = Some(Kind::Micro);

fn is_heading(line: &str) -> bool {
    line.split_whitespace().eq(["user", "system", "total", "real"])
}

fn sniff_benchmark(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(is_heading) { Sniff::Yes } else { Sniff::No }
}

/// `label:  0.95  0.00  0.95 (  0.952039)`.
fn row(line: &str) -> Option<(&str, [f64; 4])> {
    let (before, real) = line.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let mut words: Vec<&str> = before.split_whitespace().collect();
    let mut take = || number(words.pop()?, Marks::Point);
    let (total, system, user) = (take()?, take()?, take()?);
    // The label ends where the third number from the right begins.
    let mut end = before.trim_end();
    for _ in 0..3 {
        end = end.trim_end().rsplit_once(char::is_whitespace).map_or("", |(rest, _)| rest);
    }
    Some((end.trim().trim_end_matches(':'), [user, system, total, number(real, Marks::Point)?]))
}

fn read_benchmark(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(BENCHMARK.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut rehearsal = false;
    let mut unnamed = 0;
    for (at, line) in lines(&text) {
        if line.starts_with("Rehearsal ") {
            rehearsal = true;
        } else if is_heading(line) {
            // Behind the rehearsal the real measurement has a heading of its own.
            rehearsal = false;
        } else if let Some((label, values)) = row(line) {
            if rehearsal {
                continue;
            }
            let name = if label.is_empty() {
                unnamed += 1;
                format!("report {unnamed}")
            } else {
                label.to_owned()
            };
            let Some(key) = builder.key(At::Line(at), &name, BTreeMap::new()) else { continue };
            for (measure, value) in ["user", "system", "total", "real"].into_iter().zip(values) {
                let reading = Reading::raw(measure, "s", value).towards(Better::Lower);
                builder.observe(At::Line(at), &key, KIND, reading)?;
            }
        } else if !(line.trim().is_empty() || line.starts_with("----")) {
            builder.unknown_line(at, line);
        }
    }
    builder.finish(None)
}

/// `label   1.234M (± 2.3%) i/s -  6.2M in   5.0s`, newer with `(812 ns/i)`.
fn ips_row(line: &str) -> Option<(&str, f64, f64)> {
    let (before, _) = line.split_once(" i/s")?;
    let (before, spread) = before.rsplit_once("(\u{b1}").or_else(|| before.rsplit_once("(+/-"))?;
    let spread = number(spread.trim().strip_suffix(')')?.strip_suffix('%')?, Marks::Point)?;
    let (label, rate) = before.trim_end().rsplit_once(char::is_whitespace)?;
    let (value, prefix) = split_unit(rate, Marks::ThousandsComma)?;
    let scale = match prefix {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "B" => 1e9,
        "T" => 1e12,
        _ => return None,
    };
    Some((label.trim(), value * scale, spread))
}

fn sniff_ips(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| ips_row(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

fn read_ips(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(IPS.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut comparison = false;
    for (at, line) in lines(&text) {
        // What follows repeats the rates, sorted.
        comparison |= line.starts_with("Comparison:");
        let Some((label, rate, spread)) = ips_row(line).filter(|_| !comparison) else { continue };
        let Some(key) = builder.key(At::Line(at), label, BTreeMap::new()) else { continue };
        let reading = Reading::summary("iterations per second", "i/s", rate).towards(Better::Higher);
        builder.observe(At::Line(at), &key, KIND, reading)?;
        let figure = FigureReading { name: "stddev", unit: "%", value: spread };
        builder.figure(At::Line(at), &key, "iterations per second", figure);
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        match read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn a_rehearsal_is_no_measurement() {
        let report = report(
            "Rehearsal -----------------------------\na b   1.0   0.0   1.0 (  1.0)\n-------- total: 1.0sec\n\n          user     system      total        real\na b   2.0   0.0   2.0 (  2.5)\n",
        );
        assert_eq!(report.benchmarks[0].key.to_string(), "a b");
        assert_eq!(report.benchmarks[0].measurements[3].observations, [2.5e9]);
    }

    #[test]
    fn iterations_a_second_have_decimal_prefixes() {
        let report = report(
            "Calculating -----\n   add two    12.5M (\u{b1} 2.3%) i/s   (80.00 ns/i) -  62.5M in 5.0s\nComparison:\n   add two: 12500000.0 i/s\n",
        );
        assert_eq!(report.benchmarks[0].key.to_string(), "add two");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [12.5e6]);
    }
}
