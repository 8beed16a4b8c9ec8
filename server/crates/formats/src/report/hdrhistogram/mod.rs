//! HdrHistogram's percentile output (`.hgrm`), as its libraries and many load generators write it.
//!
//! Written from `AbstractHistogram.outputPercentileDistribution`
//! (<https://github.com/HdrHistogram/HdrHistogram>). Values are already scaled, by what the file does not say, so their
//! unit is nobody's: `as scaled`, unless the sender tells it. The library prints points whatever the locale is.

mod log;

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

pub(super) const READER: Reader = Reader {
    name: "hdrhistogram",
    about: "HdrHistogram's percentile output (.hgrm); hint unit says what values are in",
    sniff,
    read,
};

pub(super) const LOG: Reader = Reader {
    name: "hdrhistogram-log",
    about: "HdrHistogram's interval log (.hlog); hint unit says what values are in",
    sniff: log::sniff,
    read: log::read,
};

const NAME: &str = "histogram";
const MEAN: &str = "mean";
/// The unit where the sender tells none.
const NO_UNIT: &str = "as scaled";

/// What one line says.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A value at a percentile, 0 to 100.
    Percentile { percent: f64, value: f64 },
    /// `#[Mean = 1.169, StdDeviation = 1.596]` and the other two: named numbers.
    Footer(Vec<(&'static str, f64)>),
}

impl Line {
    /// Names as expectations and people have them, values, and whether a value counts things.
    pub(super) fn values(self) -> Vec<(String, f64, bool)> {
        match self {
            Self::Percentile { percent, value } => vec![(format!("p{percent}"), value, false)],
            Self::Footer(values) => {
                let counts = ["total count", "buckets", "subbuckets"];
                values
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value, counts.contains(&name)))
                    .collect()
            }
        }
    }
}

/// Reads one line of a distribution; `None` for headings and foreign lines.
pub(super) fn line(line: &str) -> Option<Line> {
    if let Some(footer) = line.trim().strip_prefix("#[") {
        return self::footer(footer.trim_end_matches(']'));
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    // The last line lacks the fourth column, or has `inf` there.
    let ([value, percentile, count] | [value, percentile, count, _]) = words.as_slice() else { return None };
    count.parse::<u64>().ok()?;
    let fraction = number(percentile, Marks::Point).filter(|fraction| (0.0..=1.0).contains(fraction))?;
    // Six decimals of a fraction are four of a percentage.
    let percent = (fraction * 1e6).round() / 1e4;
    Some(Line::Percentile { percent, value: number(value, Marks::Point)? })
}

fn footer(text: &str) -> Option<Line> {
    let names = [
        ("Mean", "mean"),
        ("StdDeviation", "stddev"),
        ("Max", "max"),
        ("Total count", "total count"),
        ("Buckets", "buckets"),
        ("SubBuckets", "subbuckets"),
    ];
    let values: Vec<(&'static str, f64)> = text
        .split(',')
        .filter_map(|part| {
            let (name, value) = part.split_once('=')?;
            let (_, ours) = names.iter().find(|(theirs, _)| *theirs == name.trim())?;
            Some((*ours, number(value, Marks::Point)?))
        })
        .collect();
    (!values.is_empty()).then_some(Line::Footer(values))
}

fn is_heading(line: &str) -> bool {
    line.split_whitespace().eq(["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    // Load generators print the same table below their own lines.
    let first = head.lines().find(|line| !line.trim().is_empty());
    if first.is_some_and(is_heading) { Sniff::Yes } else { Sniff::No }
}

/// Percentiles that are measures of their own; all others are figures.
const MEASURES: [f64; 8] = [50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0];

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let unit = input.hints.unit.as_deref().unwrap_or(NO_UNIT);
    let Some(key) = builder.key(At::File, NAME, BTreeMap::new()) else { return builder.finish(None) };
    let mut rows = Vec::new();
    for (at, text) in lines(&text) {
        match line(text) {
            Some(line) => rows.extend(line.values().into_iter().map(|value| (at, value))),
            None if is_heading(text) || text.trim().is_empty() => {}
            None => builder.unknown_line(at, text),
        }
    }
    distribution(&mut builder, &key, unit, &rows)?;
    builder.finish(None)
}

/// A named value, whether it counts things, and the line that says it.
type Said = (usize, (String, f64, bool));

/// Puts one distribution into the builder.
fn distribution(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    unit: &str,
    rows: &[Said],
) -> Result<(), ParseError> {
    // The mean stands at the end, and everything else is said of it.
    let mean = rows.iter().find(|(_, (name, ..))| name == MEAN);
    if let Some((at, (_, value, _))) = mean {
        let reading = Reading::summary(MEAN, unit, *value).towards(Better::Lower);
        builder.observe(At::Line(*at), key, None, reading)?;
    } else {
        builder.warn(At::File, "the footer with the mean is missing: the file is cut off");
    }
    for (at, (name, value, is_count)) in rows {
        let unit = if *is_count { "count" } else { unit };
        let percent = name.strip_prefix('p').and_then(|percent| percent.parse::<f64>().ok());
        if percent.is_some_and(|percent| MEASURES.contains(&percent)) {
            let reading = Reading::summary(name, unit, *value).towards(Better::Lower);
            // The last percentiles of a small histogram are one value on several lines.
            if !builder.has(key, name) {
                builder.observe(At::Line(*at), key, None, reading)?;
            }
        } else if builder.has(key, MEAN) {
            builder.figure(At::Line(*at), key, MEAN, FigureReading { name, unit, value: *value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    #[test]
    fn the_sender_may_say_what_values_are_in() {
        let text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n       0.800 0.000000000000         12           1.00\n       2.000 0.500000000000         30           2.00\n      \
                    51.903 1.000000000000      50000\n#[Mean    =        1.169, StdDeviation   =        1.596]\n#[Max     =       51.903, Total count    =        50000]\n";
        let hints = Hints { unit: Some("ms".to_owned()), ..Hints::default() };
        let Content::Report(report) = read_any(text.as_bytes(), &hints, &Limits::default()).unwrap().content
        else {
            panic!("a report")
        };
        let values: Vec<(&str, f64)> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| (m.measure.name.as_str(), m.observations[0]))
            .collect();
        assert_eq!(values, [("mean", 1.169e6), ("p50", 2e6), ("p100", 51.903e6)]);
    }
}
