//! Catch2 (2.9 and later, 3): its console and its XML reporter.
//!
//! Written from Catch2's `ConsoleReporter` and `XmlReporter` (<https://github.com/catchorg/Catch2>). The mean over all
//! samples is the observation, its interval and the standard deviation are figures. Names are those of `BENCHMARK`; a
//! test case that failed is a failed result of its own name.

mod console;
mod xml;

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::read::Reader;
use crate::report::builder::{Builder, FigureReading, Reading};

pub(super) const CONSOLE: Reader = Reader {
    name: "catch2",
    about: "what Catch2 prints of benchmarks",
    sniff: console::sniff,
    read: console::read,
};
pub(super) const XML: Reader =
    Reader { name: "catch2-xml", about: "Catch2's XML reporter", sniff: xml::sniff, read: xml::read };

const KIND: Option<Kind> = Some(Kind::Micro);
const MEAN: &str = "mean";

fn key(builder: &mut Builder<'_>, at: usize, name: &str) -> Option<BenchmarkKey> {
    builder.key(At::Line(at), name, BTreeMap::new())
}

/// A value with its interval: middle, low, high, each with a unit.
type Estimate<'a> = [Option<(f64, &'a str)>; 3];

fn estimate(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    what: &str,
    [middle, low, high]: Estimate<'_>,
) -> Result<(), ParseError> {
    if let Some((value, unit)) = middle {
        if what == MEAN {
            let reading = Reading::summary(MEAN, unit, value).towards(Better::Lower);
            builder.observe(At::Line(at), key, KIND, reading)?;
        } else {
            builder.figure(At::Line(at), key, MEAN, FigureReading { name: what, unit, value });
        }
    }
    for (bound, label) in [(low, "low"), (high, "high")] {
        if let Some((value, unit)) = bound {
            let name = format!("{label} {what}");
            builder.figure(At::Line(at), key, MEAN, FigureReading { name: &name, unit, value });
        }
    }
    Ok(())
}
