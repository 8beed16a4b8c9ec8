//! Google Benchmark: JSON, console and CSV.
//!
//! Written from Google Benchmark 1.3 to 1.9 (<https://github.com/google/benchmark/blob/main/docs/user_guide.md>). Each
//! repetition is a reading; aggregates (`mean`, `median`, `stddev`, `cv` and a user's own) are figures of what they
//! aggregate, and readings only where nothing else was reported (`--benchmark_report_aggregates_only`).

mod console;
mod csv;
mod json;

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};
use rustc_hash::FxHashSet;

use crate::error::{At, ParseError};
use crate::read::Reader;
use crate::report::builder::{Builder, FigureReading, Reading};

pub(super) const JSON: Reader = Reader {
    name: "google-benchmark",
    about: "Google Benchmark's JSON",
    sniff: json::sniff,
    read: json::read,
};
pub(super) const CONSOLE: Reader = Reader {
    name: "google-benchmark-text",
    about: "what Google Benchmark prints",
    sniff: console::sniff,
    read: console::read,
};
pub(super) const CSV: Reader = Reader {
    name: "google-benchmark-csv",
    about: "Google Benchmark's CSV",
    sniff: csv::sniff,
    read: csv::read,
};

const KIND: Option<Kind> = Some(Kind::Micro);

/// Aggregates that the library computes itself; the console and CSV tell them by the name's end only.
const AGGREGATES: [&str; 4] = ["mean", "median", "stddev", "cv"];

/// One value of one entry.
struct Value<'t> {
    measure: Cow<'t, str>,
    unit: Cow<'t, str>,
    number: f64,
}

/// One entry: a repetition, or an aggregate over them.
struct Entry<'t> {
    at: At,
    /// The name without the aggregate's.
    run: Cow<'t, str>,
    aggregate: Option<Cow<'t, str>>,
    values: Vec<Value<'t>>,
}

impl<'t> Entry<'t> {
    fn new(at: At, name: Cow<'t, str>) -> Self {
        let known = AGGREGATES
            .iter()
            .find_map(|aggregate| Some((name.strip_suffix(aggregate)?.strip_suffix('_')?, *aggregate)));
        match known {
            Some((run, aggregate)) => {
                let run = run.to_owned().into();
                Self { at, run, aggregate: Some(aggregate.into()), values: Vec::with_capacity(2) }
            }
            None => Self { at, run: name, aggregate: None, values: Vec::with_capacity(2) },
        }
    }

    fn push(&mut self, measure: impl Into<Cow<'t, str>>, unit: impl Into<Cow<'t, str>>, number: f64) {
        // A coefficient of variation is a ratio, whatever the time's unit is.
        let unit = unit.into();
        let is_relative = self.aggregate.as_deref() == Some("cv") && unit != "%";
        let unit = if is_relative { "ratio".into() } else { unit };
        self.values.push(Value { measure: measure.into(), unit, number });
    }
}

/// Rows of `Complexity()`: the coefficient `2.50 NlgN`, and how well it fits in per cent.
fn is_fit(name: &str) -> bool {
    name.ends_with("_BigO") || name.ends_with("_RMS")
}

/// The unit and the direction of a counter by its name and whether it is a rate.
fn counter(name: &str, is_rate: bool) -> (String, Option<Better>) {
    match name {
        "bytes_per_second" => ("B/s".to_owned(), Some(Better::Higher)),
        "items_per_second" => ("items/s".to_owned(), Some(Better::Higher)),
        _ if is_rate => (format!("{name}/s"), None),
        _ => (String::new(), None),
    }
}

/// Puts entries into the builder: repetitions first, then what was computed from them.
fn finish(builder: &mut Builder<'_>, entries: &[Entry<'_>]) -> Result<(), ParseError> {
    let repeated: FxHashSet<&str> =
        entries.iter().filter(|entry| entry.aggregate.is_none()).map(|entry| entry.run.as_ref()).collect();
    let mut keys: BTreeMap<&str, Option<BenchmarkKey>> = BTreeMap::new();
    for entry in entries {
        if !keys.contains_key(entry.run.as_ref()) {
            let key = builder.key(entry.at.clone(), &entry.run, BTreeMap::new());
            keys.insert(&entry.run, key);
        }
        let Some(Some(key)) = keys.get(entry.run.as_ref()) else { continue };
        let alone = !repeated.contains(entry.run.as_ref());
        for Value { measure, unit, number } in &entry.values {
            let reading = Reading {
                summarised: alone,
                better: direction(measure),
                ..Reading::raw(measure, unit, *number)
            };
            if entry.aggregate.is_none() || (alone && entry.aggregate.as_deref() == Some("mean")) {
                builder.observe(entry.at.clone(), key, KIND, reading)?;
            }
            if let Some(aggregate) = &entry.aggregate {
                let figure = FigureReading { name: aggregate, unit, value: *number };
                builder.figure(entry.at.clone(), key, measure, figure);
            }
        }
    }
    Ok(())
}

fn direction(measure: &str) -> Option<Better> {
    match measure {
        "real_time" | "cpu_time" => Some(Better::Lower),
        _ => counter(measure, false).1,
    }
}
