//! k6's two forms of a summary as JSON.

use super::{Contains, JSON, contains, metric};
use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|p| p == member));
    let metrics = ["http_reqs", "iterations", "iteration_duration", "vus", "data_sent", "checks"];
    let known = outline.at_depth(2).any(|(path, _)| {
        matches!(path, [first, metric] if first == "metrics" && metrics.contains(&metric.as_str()))
    });
    if has("metrics") && (has("root_group") || has("state") || known) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    for (name, field) in root.need("metrics")?.members()? {
        match field.get("values") {
            Some(values) => nested(&mut builder, name, &field, &values)?,
            None => flat(&mut builder, name, &field)?,
        }
    }
    builder.finish(None)
}

fn nested(
    builder: &mut Builder<'_>,
    name: &str,
    field: &Field<'_>,
    values: &Field<'_>,
) -> Result<(), ParseError> {
    let contains = match field.get("contains").map(|contains| contains.text()).transpose()? {
        Some("time") => Contains::Time,
        Some("data") => Contains::Data,
        _ => Contains::Other,
    };
    let mut numbers = Vec::new();
    let is_rate = field.get("type").is_some_and(|kind| *kind.json == Json::Text("rate".into()));
    for (measure, value) in values.members()? {
        let unit = (is_rate && measure == "rate").then_some("ratio");
        numbers.push((measure.to_owned(), value.number()?, unit));
    }
    metric(builder, &field.at(), name, contains, &numbers)?;
    if let Some(thresholds) = field.get("thresholds") {
        for (threshold, held) in thresholds.members()? {
            let failed = match held.get("ok") {
                Some(ok) => *ok.json == Json::Bool(false),
                None => *held.json == Json::Bool(true),
            };
            tell(builder, &held, name, threshold, failed);
        }
    }
    Ok(())
}

fn flat(builder: &mut Builder<'_>, name: &str, field: &Field<'_>) -> Result<(), ParseError> {
    let mut numbers = Vec::new();
    let is_rate = field.get("passes").is_some();
    for (measure, value) in field.members()? {
        if let Json::Number(number) = value.json {
            numbers.push((measure.to_owned(), *number, (is_rate && measure == "value").then_some("ratio")));
        }
    }
    metric(builder, &field.at(), name, contains(name), &numbers)?;
    if let Some(thresholds) = field.get("thresholds") {
        for (threshold, failed) in thresholds.members()? {
            tell(builder, &failed, name, threshold, *failed.json == Json::Bool(true));
        }
    }
    Ok(())
}

/// A threshold that failed says that the run is not good enough, and not that its values are wrong.
fn tell(builder: &mut Builder<'_>, field: &Field<'_>, name: &str, threshold: &str, failed: bool) {
    if failed {
        builder.warn(field.at(), format!("the threshold {threshold:?} on {name} failed"));
        builder.fact(&format!("threshold {name} {threshold}"), "failed");
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Hints, read};

    #[test]
    fn the_two_forms_mean_opposite_things_by_true() {
        for (text, failed) in [
            (
                r#"{"root_group":{},"metrics":{"x":{"passes":1,"fails":2,"value":0.3,"thresholds":{"rate<0.05":true}}}}"#,
                1,
            ),
            (
                r#"{"root_group":{},"metrics":{"x":{"passes":1,"fails":2,"value":0.3,"thresholds":{"rate<0.05":false}}}}"#,
                0,
            ),
            (
                r#"{"state":{},"metrics":{"x":{"type":"rate","contains":"default","values":{"rate":0.3},"thresholds":{"rate<0.05":{"ok":true}}}}}"#,
                0,
            ),
            (
                r#"{"state":{},"metrics":{"x":{"type":"rate","contains":"default","values":{"rate":0.3},"thresholds":{"rate<0.05":{"ok":false}}}}}"#,
                1,
            ),
        ] {
            let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
            assert_eq!(parsed.warnings.len(), failed, "{text}");
        }
    }
}
