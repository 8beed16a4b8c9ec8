//! The block of statistics that tinybench computes and vitest passes on: a mean, percentiles, spreads, samples.

use model::Better;

use crate::error::ParseError;
use crate::json::{Field, Json};
use crate::report::builder::{Reading, Readings};
use crate::report::entry::Entry;

/// How a block is called and what it is about.
pub(super) struct Block<'a> {
    /// Said before each name: `latency `.
    pub(super) prefix: &'a str,
    pub(super) unit: &'a str,
    pub(super) better: Better,
    /// Percentiles are values of their own and not only said about the mean.
    pub(super) percentiles: bool,
}

/// Spreads, bounds and other numbers said about the mean, in its unit.
const FIGURES: [&str; 8] = ["min", "max", "sd", "sem", "moe", "mad", "aad", "median"];

fn is_percentile(member: &str) -> bool {
    member
        .strip_prefix('p')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Reads a block. Samples, where they were kept, are the readings; else the mean stands for them.
pub(super) fn block(
    entry: &mut Entry<'_, '_>,
    field: &Field<'_>,
    block: &Block<'_>,
) -> Result<(), ParseError> {
    let Block { prefix, unit, better, percentiles } = *block;
    let measure = format!("{prefix}mean");
    let samples =
        field.get("samples").filter(|samples| matches!(samples.json, Json::List(list) if !list.is_empty()));
    let mean = field.get("mean");
    match (&samples, &mean) {
        (Some(samples), _) => {
            let values = samples.numbers()?;
            let mean = mean.as_ref().map(Field::number).transpose()?;
            let (better, values) = (Some(better), &values[..]);
            entry.observe_all(&samples.at(), Readings { measure: &measure, unit, better, values, mean })?;
            if let Some(mean) = mean {
                entry.figure(&measure, &measure, unit, mean);
            }
        }
        (None, Some(mean)) => {
            entry.observe(Reading::summary(&measure, unit, mean.number()?).towards(better))?;
        }
        (None, None) => return Ok(()),
    }
    for (member, field) in field.members()? {
        let Json::Number(value) = field.json else { continue };
        let name = format!("{prefix}{member}");
        if is_percentile(member) && percentiles {
            entry.observe(Reading::summary(&name, unit, *value).towards(better))?;
        } else if is_percentile(member) || FIGURES.contains(&member) {
            entry.figure(&measure, &name, unit, *value);
        } else if member == "rme" {
            entry.figure(&measure, &name, "%", *value);
        } else if matches!(member, "samplesCount" | "sampleCount") {
            entry.figure(&measure, &format!("{prefix}samples"), "count", *value);
        }
    }
    Ok(())
}
