//! cargo-criterion's messages (`--message-format=json`), one a line among cargo's own.
//!
//! Description: <https://bheisler.github.io/criterion.rs/book/cargo_criterion/external_tools.html>. A message holds
//! every sample's time and iterations, which are the readings.

use std::collections::BTreeMap;

use model::BenchmarkKey;

use super::TIME;
use super::json::sample;
use crate::error::{At, ParseError};
use crate::json::{Field, at_line, documents, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading};
use crate::text::text;

pub(in crate::report) const READER: Reader =
    Reader { name: "cargo-criterion", about: "cargo-criterion's JSON messages", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let is_message = |line: &str| {
        line.starts_with('{')
            && (line.contains("\"reason\":\"benchmark-complete\"")
                || line.contains("\"reason\": \"benchmark-complete\""))
    };
    if head.lines().any(is_message) { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (line, document) in documents(&text) {
        match parse(READER.name, document.as_bytes(), input.limits) {
            Ok(json) => {
                let root = Field::root(READER.name, &json);
                message(&mut builder, &root).map_err(|error| at_line(error, line))?;
            }
            Err(error) => {
                let error = at_line(error, line);
                builder.warn(error.at, format!("skipped: {}", error.kind));
            }
        }
    }
    builder.finish(None)
}

fn message(builder: &mut Builder<'_>, root: &Field<'_>) -> Result<(), ParseError> {
    let reason = root.get("reason").map_or(Ok(""), |reason| reason.text())?;
    if reason != "benchmark-complete" {
        return Ok(());
    }
    let id = root.need("id")?;
    let Some(key) = builder.key(id.at(), id.text()?, BTreeMap::new()) else { return Ok(()) };
    let unit = root.get("unit").map_or(Ok("ns"), |unit| unit.text())?;
    sample(builder, &key, unit, &root.need("iteration_count")?, &root.need("measured_values")?)?;
    for name in ["typical", "mean", "median", "median_abs_dev", "slope"] {
        if let Some(estimate) = root.get(name) {
            self::estimate(builder, &key, name, &estimate)?;
        }
    }
    if let Some(throughput) = root.get("throughput") {
        for item in throughput.items()? {
            let (n, unit) = (item.need("per_iteration")?, item.need("unit")?);
            let figure =
                FigureReading { name: "throughput per iteration", unit: unit.text()?, value: n.number()? };
            builder.figure(item.at(), &key, TIME, figure);
        }
    }
    Ok(())
}

fn estimate(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    name: &str,
    estimate: &Field<'_>,
) -> Result<(), ParseError> {
    let unit = estimate.get("unit").map_or(Ok("ns"), |unit| unit.text())?;
    for (member, label) in
        [("estimate", ""), ("lower_bound", " lower bound"), ("upper_bound", " upper bound")]
    {
        if let Some(value) = estimate.get(member) {
            let name = format!("{name}{label}");
            builder.figure(At::File, key, TIME, FigureReading { name: &name, unit, value: value.number()? });
        }
    }
    Ok(())
}
