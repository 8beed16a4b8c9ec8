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
