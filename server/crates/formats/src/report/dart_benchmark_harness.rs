//! Dart's `benchmark_harness`: `Name(RunTime): 12.5 us.`
//!
//! Written from benchmark_harness 1 and 2 (<https://pub.dev/packages/benchmark_harness>). The name in brackets is that
//! of the emitter: `RunTime`, `RunTimeRaw`, or a benchmark's own.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::text;

pub(super) const READER: Reader =
    Reader { name: "dart-benchmark-harness", about: "what Dart's benchmark_harness prints", sniff, read };

/// Name, measure, value and unit.
fn result(line: &str) -> Option<(&str, &str, f64, &str)> {
    let (before, value) = line.trim().rsplit_once("): ")?;
    let (name, measure) = before.rsplit_once('(')?;
    let (value, unit) = split_unit(value.trim_end_matches('.'), Marks::Point)?;
    let is_time = matches!(unit, "us" | "ms" | "s" | "ns" | "\u{b5}s" | "\u{3bc}s");
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "._- ".contains(c));
    (is_time && !name.trim().is_empty() && is_name(measure)).then_some((name.trim(), measure, value, unit))
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut results = head.lines().filter_map(result);
    match results.next() {
        Some((_, measure, ..)) if measure.starts_with("RunTime") => Sniff::Yes,
        Some(_) => Sniff::Maybe,
        None => Sniff::No,
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (at, line) in lines(&text) {
        let Some((name, measure, value, unit)) = result(line) else {
            if !line.trim().is_empty() {
                builder.unknown_line(at, line);
            }
            continue;
        };
        let Some(key) = builder.key(At::Line(at), name, BTreeMap::new()) else { continue };
        let reading = Reading::summary(measure, unit, value).towards(Better::Lower);
        builder.observe(At::Line(at), &key, Some(Kind::Micro), reading)?;
    }
    builder.finish(None)
}
