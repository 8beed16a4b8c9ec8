//! Bencher Metric Format: `{"benchmark": {"measure": {"value": 1.0, "lower_value": 0.9, "upper_value": 1.1}}}`.
//!
//! The format has no units; Bencher's own measures have fixed ones (source: its table of built-in measures).

use std::collections::BTreeMap;

use crate::error::ParseError;
use crate::json::{Field, outline, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};

pub(super) const READER: Reader = Reader { name: "bmf", about: "Bencher Metric Format (JSON)", sniff, read };

const VALUES: [&str; 3] = ["value", "lower_value", "upper_value"];

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let is_object = |(_, opens): (&[String], char)| matches!(opens, '{' | ' ');
    let objects = outline.at_depth(1).all(is_object) && outline.at_depth(2).all(is_object);
    let leaves = || outline.at_depth(3).filter_map(|(path, _)| path.last());
    let known = leaves().all(|key| VALUES.contains(&key.as_str())) && leaves().any(|key| key == "value");
    let lists = outline.paths.iter().flatten().any(|key| key == "[]");
    match (outline.opens, objects && known && !lists) {
        (Some('{'), true) => Sniff::Yes,
        _ => Sniff::No,
    }
}

/// The unit of a measure by its name.
fn unit_of(measure: &str) -> &'static str {
    match measure {
        "latency" => "ns",
        "throughput" => "op/s",
        "build-time" => "s",
        "instructions" => "instructions",
        "estimated-cycles" | "total-cycles" => "cycles",
        // `file-size` is Bencher's own; the others are what dhat counts, as iai-callgrind hands it on.
        "file-size" | "Total Bytes" | "Max Bytes" | "Final Bytes" | "total-bytes" | "at-t-gmax-bytes"
        | "at-t-end-bytes" => "B",
        _ => "",
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let json = parse(READER.name, input.bytes, input.limits)?;
    let root = Field::root(READER.name, &json);
    for (name, benchmark) in root.members()? {
        let Some(key) = builder.key(benchmark.at(), name, BTreeMap::new()) else { continue };
        for (measure, metric) in benchmark.members()? {
            let mut value = None;
            let mut bounded = false;
            for (member, number) in metric.members()? {
                match member {
                    "value" => value = Some(number.number()?),
                    "lower_value" | "upper_value" => {
                        bounded |= number.json != &crate::json::Json::Null;
                    }
                    _ => builder.warn(number.at(), "not known and skipped"),
                }
            }
            let Some(value) = value else { return Err(metric.invalid("the field \"value\" is missing")) };
            // A value with bounds around it sums several readings up.
            let reading =
                Reading { measure, unit: unit_of(measure), value, better: None, summarised: bounded };
            builder.observe(metric.at(), &key, None, reading)?;
        }
    }
    builder.finish(None)
}
