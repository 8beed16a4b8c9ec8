//! gungraun's JSON summaries (`--output-format=json`), one document a benchmark, among whatever cargo prints.
//!
//! The `version` member says how metrics are written (<https://github.com/gungraun/gungraun>, `summary.schema.json`):
//! up to 6 in `summaries.total.summary.<Tool>.<Event>.metrics` as `Left` (new), `Right` (old) or `Both`; from 7 in
//! `data.total.metrics.<Event>.values.{new,old}`. Other versions are tried as the nearest of these.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Kind};

use crate::error::{At, ParseError};
use crate::json::{Field, Json, at_line, documents, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

pub(super) const READER: Reader = Reader {
    name: "gungraun",
    about: "the JSON summaries of gungraun (iai-callgrind), versions 6 and 7",
    sniff,
    read,
};

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let begins = head.lines().any(|line| line.starts_with('{'));
    let has = |member: &str| head.contains(member);
    if begins && has("\"module_path\"") && has("\"function_name\"") && has("\"profiles\"") {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (line, document) in documents(&text) {
        let json = match parse(READER.name, document.as_bytes(), input.limits) {
            Ok(json) => json,
            Err(error) => {
                let error = at_line(error, line);
                builder.warn(error.at, format!("skipped: {}", error.kind));
                continue;
            }
        };
        let root = Field::root(READER.name, &json);
        benchmark(&mut builder, line, &root).map_err(|error| at_line(error, line))?;
    }
    builder.finish(None)
}

fn benchmark(builder: &mut Builder<'_>, line: usize, root: &Field<'_>) -> Result<(), ParseError> {
    let (Some(path), Some(profiles)) = (root.get("module_path"), root.get("profiles")) else {
        builder.warn(At::Line(line), "a document that is no benchmark's summary, skipped");
        return Ok(());
    };
    let before_7 = root.get("version").is_some_and(|version| {
        version
            .scalar()
            .ok()
            .and_then(|version| version.parse::<u32>().ok())
            .is_some_and(|version| version < 7)
    });
    let id = root.get("id").map(|id| id.scalar()).transpose()?;
    let separator = if before_7 { '.' } else { ' ' };
    let name = match id {
        Some(id) => format!("{}{separator}{id}", path.text()?),
        None => path.text()?.to_owned(),
    };
    let Some(key) = builder.key(At::Line(line), &name, BTreeMap::new()) else { return Ok(()) };
    for profile in profiles.items()? {
        let tool = profile.get("tool").map_or(Ok("tool".to_owned()), |tool| tool.scalar())?;
        if let Some(data) = profile.get("data") {
            total(builder, line, &key, &tool, &data)?;
        } else if let Some(summaries) = profile.get("summaries") {
            total(builder, line, &key, &tool, &summaries)?;
        } else {
            builder.warn(At::Line(line), format!("{tool} has no figures in {name}"));
        }
    }
    Ok(())
}

/// The totals over all parts of a tool's run.
fn total(
    builder: &mut Builder<'_>,
    line: usize,
    key: &BenchmarkKey,
    tool: &str,
    data: &Field<'_>,
) -> Result<(), ParseError> {
    let total = data.need("total")?;
    if let Some(metrics) = total.get("metrics") {
        return events(builder, line, key, tool, &metrics);
    }
    let summary = total.need("summary")?;
    // Version 6 puts a level with the kind of tool around the events.
    for (_, events_of_kind) in summary.members()? {
        if matches!(events_of_kind.json, Json::Object(_)) {
            events(builder, line, key, tool, &events_of_kind)?;
        }
    }
    Ok(())
}

fn events(
    builder: &mut Builder<'_>,
    line: usize,
    key: &BenchmarkKey,
    tool: &str,
    metrics: &Field<'_>,
) -> Result<(), ParseError> {
    for (event, field) in metrics.members()? {
        let measure = format!("{tool}/{event}");
        let unit = if event.ends_with("Rate") { "%" } else { "count" };
        let (new, old) = sides(&field)?;
        let Some(new) = new else {
            builder.warn(At::Line(line), format!("{measure} has a value of the run before only, skipped"));
            continue;
        };
        builder.observe(At::Line(line), key, Some(Kind::Micro), Reading::raw(&measure, unit, new))?;
        if let Some(old) = old {
            let figure = FigureReading { name: "run before", unit, value: old };
            builder.figure(At::Line(line), key, &measure, figure);
        }
    }
    Ok(())
}

/// New and old value of an event.
fn sides(event: &Field<'_>) -> Result<(Option<f64>, Option<f64>), ParseError> {
    if let Some(values) = event.get("values") {
        let side = |name| values.get(name).map(|value| value.number()).transpose();
        return Ok((side("new")?, side("old")?));
    }
    let metrics = event.need("metrics")?;
    let side = |name| metrics.get(name).map(|value| tagged(&value)).transpose();
    if let Some(both) = metrics.get("Both") {
        let values = both.items()?.map(|value| tagged(&value)).collect::<Result<Vec<f64>, _>>()?;
        return Ok((values.first().copied(), values.get(1).copied()));
    }
    Ok((side("Left")?, side("Right")?))
}

/// `{"Int": 6}`, `{"Float": 0.1}` or a bare number.
fn tagged(value: &Field<'_>) -> Result<f64, ParseError> {
    match value.json {
        Json::Object(_) => {
            let mut members = value.members()?;
            let inner = members.next().ok_or_else(|| value.invalid("it holds no number"))?.1;
            inner.number()
        }
        _ => value.number(),
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints};

    #[test]
    fn both_versions_of_the_schema_are_read_among_foreign_lines() {
        let text = "running 0 tests\n\
            {\"version\":\"6\",\"function_name\":\"f\",\"module_path\":\"a::f\",\"id\":\"x\",\"profiles\":[{\"tool\":\"Callgrind\",\"summaries\":\
            {\"total\":{\"summary\":{\"Callgrind\":{\"Ir\":{\"metrics\":{\"Both\":[{\"Int\":5},{\"Int\":4}]}}}}}}}]}\n\
            {\"version\":\"7\",\"function_name\":\"f\",\"module_path\":\"a::f\",\"id\":null,\"profiles\":[{\"tool\":\"DHAT\",\"data\":{\"total\":\
            {\"metrics\":{\"TotalBytes\":{\"values\":{\"new\":9,\"old\":null}},\"Gone\":{\"values\":{\"old\":1}}}}}}]}\n{\"cut\": ";
        let parsed = crate::read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(names, ["a::f.x", "a::f"]);
        assert_eq!(report.benchmarks[0].measurements[0].figures[0].value, 4.0);
        assert_eq!(report.benchmarks[1].measurements[0].observations, [9.0]);
        assert_eq!(parsed.warnings.len(), 2, "{:?}", parsed.warnings);
    }
}
