//! autocannon's JSON, one document a run; several runs may stand behind each other.

use std::collections::BTreeMap;

use super::JSON;
use crate::error::{At, ParseError};
use crate::json::{Field, Json, at_line, documents, outline, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

/// Percentiles that are measures; the others are figures.
pub(super) const PERCENTILES: [&str; 6] = ["p50", "p75", "p90", "p97_5", "p99", "p99_9"];

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|p| p == member));
    if has("latency") && has("requests") && has("throughput") && (has("connections") || has("non2xx")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (line, document) in documents(&text) {
        let json =
            parse(JSON.name, document.as_bytes(), input.limits).map_err(|error| at_line(error, line))?;
        let root = Field::root(JSON.name, &json);
        run(&mut builder, line, &root).map_err(|error| at_line(error, line))?;
    }
    builder.finish(None)
}

fn run(builder: &mut Builder<'_>, line: usize, root: &Field<'_>) -> Result<(), ParseError> {
    let title = root.get("title").filter(|title| matches!(title.json, Json::Text(_)));
    let name = match title.or_else(|| root.get("url")) {
        Some(name) => name.text()?.to_owned(),
        None => JSON.name.to_owned(),
    };
    let mut parameters = BTreeMap::new();
    for parameter in ["connections", "pipelining"] {
        if let Some(value) = root.get(parameter) {
            parameters.insert(parameter.to_owned(), value.scalar()?);
        }
    }
    let Some(key) = builder.key(At::Line(line), &name, parameters) else { return Ok(()) };
    let mut load = Load { builder, key };
    for (section, unit, is) in
        [("latency", "ms", Is::Latency), ("requests", "1/s", Is::Rate), ("throughput", "B/s", Is::Rate)]
    {
        let Some(statistics) = root.get(section) else { continue };
        self::section(&mut load, section, unit, is, &statistics)?;
    }
    for member in ["errors", "timeouts", "mismatches", "non2xx", "resets"] {
        if let Some(count) = root.get(member) {
            load.value(count.at(), Is::Failure, member, "count", count.number()?)?;
        }
    }
    let number = |member| root.get(member).map(|field| field.number()).transpose();
    if number("2xx")? == Some(0.0) && number("errors")?.unwrap_or(0.0) > 0.0 {
        load.fail("no request was answered with success")?;
    }
    Ok(())
}

fn section(
    load: &mut Load<'_, '_>,
    section: &str,
    unit: &str,
    is: Is,
    statistics: &Field<'_>,
) -> Result<(), ParseError> {
    let average = statistics.need("average")?;
    let measure = format!("{section} average");
    load.value(average.at(), is, &measure, unit, average.number()?)?;
    for (member, field) in statistics.members()? {
        let name = format!("{section} {member}");
        match (member, field.json) {
            ("average", _) => {}
            ("total", Json::Number(value)) => {
                let unit = if section == "throughput" { "B" } else { "count" };
                load.value(field.at(), Is::Amount, &name, unit, *value)?;
            }
            // Percentiles of latencies are people's; those of rates are over seconds of the run.
            (_, Json::Number(value)) if section == "latency" && PERCENTILES.contains(&member) => {
                load.value(field.at(), is, &name, unit, *value)?;
            }
            ("totalCount" | "sent", Json::Number(value)) => {
                load.figure(field.at(), &measure, &name, "count", *value);
            }
            (_, Json::Number(value)) => load.figure(field.at(), &measure, &name, unit, *value),
            _ => {}
        }
    }
    Ok(())
}
