//! `perf stat`: its text, `-x` separated values and `-j` JSON lines.
//!
//! Written from perf-stat(1) of Linux 4.9 to 6.12. Counters that the machine does not have (`<not supported>`) or that
//! were never scheduled (`<not counted>`) are told and skipped: the command itself ran. Intervals (`-I`) are readings
//! of one command, one a line.

mod separated;
mod text;

use std::collections::BTreeMap;

use model::{BenchmarkKey, Kind};

use crate::error::{At, ParseError};
use crate::read::Reader;
use crate::report::builder::{Builder, FigureReading, Reading};

pub(super) const TEXT: Reader =
    Reader { name: "perf-stat", about: "the text of perf stat", sniff: text::sniff, read: text::read };
pub(super) const CSV: Reader = Reader {
    name: "perf-stat-csv",
    about: "perf stat -x",
    sniff: separated::sniff_csv,
    read: separated::read_csv,
};
pub(super) const JSON: Reader = Reader {
    name: "perf-stat-json",
    about: "perf stat -j",
    sniff: separated::sniff_json,
    read: separated::read_json,
};

/// The benchmark's name where the output does not say what ran.
const UNNAMED: &str = "perf stat";
const KIND: Option<Kind> = Some(Kind::EndToEnd);

fn key(builder: &mut Builder<'_>, at: usize, name: &str) -> Option<BenchmarkKey> {
    builder.key(At::Line(at), name, BTreeMap::new())
}

/// perf's `msec` is milliseconds; counts have no unit.
/// The processors that a count is of, with `-A` and `--per-core` and their like, as a parameter: `CPU0`, `S0-D0-C1`,
/// `N0`.
fn place(text: &str) -> Option<(&'static str, &str)> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(number) = text.strip_prefix("CPU").filter(|number| is_number(number)) {
        return Some(("cpu", number));
    }
    let last = text.rsplit('-').next()?.chars().next()?;
    let is_part = |part: &str| {
        // The level of a shared cache and its number: `L3-ID0`.
        let part = part.strip_prefix("ID").or_else(|| part.strip_prefix(['S', 'D', 'C', 'N', 'L']));
        part.is_some_and(is_number)
    };
    let name = match last {
        'S' => "socket",
        'D' => "die",
        'C' => "core",
        'N' => "node",
        'I' | 'L' => "cache",
        _ => return None,
    };
    text.split('-').all(is_part).then_some((name, text))
}

/// The benchmark of a count on some of the processors.
fn at_place(key: &BenchmarkKey, place: Option<(&str, &str)>) -> BenchmarkKey {
    let mut key = key.clone();
    key.parameters.extend(place.map(|(name, value)| (name.to_owned(), value.to_owned())));
    key
}

fn unit(printed: &str) -> &str {
    match printed {
        "" => "count",
        "msec" => "ms",
        other => other,
    }
}

/// Whether a counter has no value, and perf says why.
fn is_missing(value: &str) -> bool {
    value.starts_with('<')
}

/// One counter: its value, and its spread over repetitions in per cent.
struct Counter<'a> {
    name: &'a str,
    unit: &'a str,
    value: f64,
    /// Relative standard deviation of the repetitions, in per cent.
    spread: Option<f64>,
    /// The value is a mean over repetitions.
    repeated: bool,
}

fn observe(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    counter: &Counter<'_>,
) -> Result<(), ParseError> {
    let summarised = counter.repeated || counter.spread.is_some();
    let reading = Reading { summarised, ..Reading::raw(counter.name, counter.unit, counter.value) };
    builder.observe(At::Line(at), key, KIND, reading)?;
    if let Some(spread) = counter.spread {
        let figure = FigureReading { name: "relative stddev", unit: "%", value: spread };
        builder.figure(At::Line(at), key, counter.name, figure);
    }
    Ok(())
}
