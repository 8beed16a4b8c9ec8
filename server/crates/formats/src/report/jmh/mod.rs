//! JMH: its JSON and CSV results, and what it prints.
//!
//! Written from JMH 1.0 to 1.38 (<https://github.com/openjdk/jmh>, `JSONResultFormat`, `TextResultFormat`,
//! `XSVResultFormat`). Mode and parameters are part of a benchmark's identity: the same method is measured in several
//! modes in one file. Only JSON holds the iterations. JMH prints numbers in the locale it runs in and never groups
//! digits, so a comma in a number of its is always the decimal mark.

mod csv;
mod json;
mod text;

use model::{Better, Kind};

use crate::number::{Marks, number};
use crate::read::Reader;

pub(super) const JSON: Reader =
    Reader { name: "jmh", about: "JMH's JSON", sniff: json::sniff, read: json::read };
pub(super) const TEXT: Reader =
    Reader { name: "jmh-text", about: "what JMH prints", sniff: text::sniff, read: text::read };
pub(super) const CSV: Reader =
    Reader { name: "jmh-csv", about: "JMH's CSV and SCSV", sniff: csv::sniff, read: csv::read };

const KIND: Option<Kind> = Some(Kind::Micro);
/// The name of a text or CSV row's measure.
const SCORE: &str = "score";

/// Operations a time are better when more, time an operation when less; secondary metrics of profilers are guessed.
fn better(unit: &str) -> Option<Better> {
    if unit.starts_with("ops/") {
        Some(Better::Higher)
    } else if unit.ends_with("/op") {
        Some(Better::Lower)
    } else {
        None
    }
}

/// A number of JMH's in any locale.
fn value(text: &str) -> Option<f64> {
    number(text, if text.contains(',') { Marks::DecimalComma } else { Marks::Point })
}
