//! k6: `--summary-export`, `handleSummary`'s data, `--out json` points, and the end-of-test text of 0.x and 1.x.
//!
//! Written from k6 0.26 to 1.4 (<https://grafana.com/docs/k6/latest/results-output/>). A metric is a benchmark. Times are
//! milliseconds, kB and MB are decimal. The legacy export writes `true` for a threshold that failed, the nested form
//! `ok: true` for one that held. `passes` of a rate counts true values: of `http_req_failed` those are the failures.

mod json;
mod points;
mod text;

use std::collections::BTreeMap;

use model::Better;

use crate::error::{At, ParseError};
use crate::read::Reader;
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::report::load::KIND;

pub(super) const JSON: Reader = Reader {
    name: "k6",
    about: "k6's summary as JSON: --summary-export and handleSummary",
    sniff: json::sniff,
    read: json::read,
};
pub(super) const POINTS: Reader =
    Reader { name: "k6-points", about: "k6 --out json", sniff: points::sniff, read: points::read };
pub(super) const TEXT: Reader =
    Reader { name: "k6-text", about: "k6's end-of-test summary", sniff: text::sniff, read: text::read };

/// What a metric's values are in.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Contains {
    Time,
    Data,
    Other,
}

/// What built-in metrics contain, for exports that do not say it.
fn contains(metric: &str) -> Contains {
    let name = metric.split('{').next().unwrap_or(metric);
    if matches!(name, "data_sent" | "data_received") {
        Contains::Data
    } else if name.ends_with("_duration")
        || (name.starts_with("http_req_") && name != "http_req_failed")
        || matches!(name, "ws_connecting" | "ws_ping" | "iteration_duration")
    {
        Contains::Time
    } else {
        Contains::Other
    }
}

/// Puts a metric's values into the builder: the mean (else the median) first, because ends are figures of it.
fn metric(
    builder: &mut Builder<'_>,
    at: &At,
    name: &str,
    contains: Contains,
    values: &[(String, f64, Option<&str>)],
) -> Result<(), ParseError> {
    let Some(key) = builder.key(at.clone(), name, BTreeMap::new()) else { return Ok(()) };
    let is_rate = |measure: &str| measure == "rate";
    let centre = ["avg", "med"].into_iter().find(|centre| values.iter().any(|(name, ..)| name == centre));
    let ordered = values.iter().filter(|(name, ..)| Some(name.as_str()) == centre);
    let ordered = ordered.chain(values.iter().filter(|(name, ..)| Some(name.as_str()) != centre));
    for (measure, value, unit) in ordered {
        let unit = unit.unwrap_or(match contains {
            Contains::Time => "ms",
            Contains::Data if is_rate(measure) => "B/s",
            Contains::Data => "B",
            Contains::Other => "",
        });
        if let (Some(centre), "min" | "max") = (centre, measure.as_str()) {
            builder.figure(at.clone(), &key, centre, FigureReading { name: measure, unit, value: *value });
            continue;
        }
        let reading = Reading::summary(measure, unit, *value).towards(better(name, measure, contains));
        builder.observe(at.clone(), &key, KIND, reading)?;
    }
    Ok(())
}

fn better(metric: &str, measure: &str, contains: Contains) -> Better {
    let fails = ["fail", "error", "dropped"].iter().any(|word| metric.contains(word));
    match (contains, measure) {
        _ if fails => match measure {
            // Of a rate of failures `fails` counts what was well.
            "fails" => Better::Neither,
            _ => Better::Lower,
        },
        (Contains::Time, _) => Better::Lower,
        (_, "rate" | "value") if metric.starts_with("checks") => Better::Higher,
        (_, "rate") if matches!(metric, "http_reqs" | "iterations" | "data_sent" | "data_received") => {
            Better::Higher
        }
        _ => Better::Neither,
    }
}
