//! `k6 --out json`: a line declares a metric or gives one point of it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Contains, POINTS, contains, metric};
use crate::error::{At, ParseError};
use crate::json::{Field, Json, at_line, documents, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::text;

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let is_point = |line: &str| {
        line.starts_with('{')
            && line.contains("\"metric\":")
            && (line.contains("\"type\":\"Point\"") || line.contains("\"type\":\"Metric\""))
    };
    if head.lines().next().is_some_and(is_point) { Sniff::Yes } else { Sniff::No }
}

#[derive(Default)]
struct Metric {
    kind: Option<String>,
    contains: Option<Contains>,
    values: Vec<f64>,
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(POINTS.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
    let mut skipped: FxHashMap<String, usize> = FxHashMap::default();
    for (line, document) in documents(&text) {
        match parse(POINTS.name, document.as_bytes(), input.limits) {
            Ok(json) => {
                let root = Field::root(POINTS.name, &json);
                point(&mut metrics, &mut skipped, &root).map_err(|error| at_line(error, line))?;
            }
            Err(error) => {
                let error = at_line(error, line);
                builder.warn(error.at, format!("skipped: {}", error.kind));
            }
        }
    }
    for (kind, n) in skipped {
        builder.warn(At::File, format!("{n} lines of type {kind:?} are skipped"));
    }
    for (name, points) in metrics.into_iter().filter(|(_, metric)| !metric.values.is_empty()) {
        let contains = points.contains.unwrap_or_else(|| contains(&name));
        let values = summary(points);
        metric(&mut builder, &At::Field(name.clone()), &name, contains, &values)?;
    }
    builder.finish(None)
}

fn point(
    metrics: &mut BTreeMap<String, Metric>,
    skipped: &mut FxHashMap<String, usize>,
    root: &Field<'_>,
) -> Result<(), ParseError> {
    let name = root.need("metric")?.text()?.to_owned();
    let data = root.need("data")?;
    let kind = root.need("type")?.text()?;
    let metric = metrics.entry(name).or_default();
    match kind {
        "Metric" => {
            metric.kind = data.get("type").map(|kind| kind.scalar()).transpose()?;
            metric.contains = match data.get("contains").map(|contains| contains.text()).transpose()? {
                Some("time") => Some(Contains::Time),
                Some("data") => Some(Contains::Data),
                _ => Some(Contains::Other),
            };
        }
        "Point" => {
            if let Some(value) = data.get("value").filter(|value| matches!(value.json, Json::Number(_))) {
                metric.values.push(value.number()?);
            }
        }
        other => *skipped.entry(other.to_owned()).or_default() += 1,
    }
    Ok(())
}

/// The values that k6's own summary has of such a metric.
fn summary(mut metric: Metric) -> Vec<(String, f64, Option<&'static str>)> {
    metric.values.sort_by(f64::total_cmp);
    let n = metric.values.len() as f64;
    let sum: f64 = metric.values.iter().sum();
    let at = |share: f64| {
        // k6 interpolates between the neighbours, as most do (R's type 7).
        let place = share * (n - 1.0);
        let value = |i: f64| metric.values.get(i as usize).copied().unwrap_or_default();
        value(place.floor()) + (value(place.ceil()) - value(place.floor())) * place.fract()
    };
    let row = |name: &str, value| (name.to_owned(), value, None);
    match metric.kind.as_deref() {
        Some("counter") => vec![row("count", sum)],
        Some("rate") => {
            vec![("rate".to_owned(), sum / n, Some("ratio")), row("passes", sum), row("fails", n - sum)]
        }
        Some("gauge") => vec![row("max", at(1.0)), row("avg", sum / n), row("min", at(0.0))],
        _ => vec![
            row("avg", sum / n),
            row("min", at(0.0)),
            row("med", at(0.5)),
            row("max", at(1.0)),
            row("p(90)", at(0.9)),
            row("p(95)", at(0.95)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn points_become_what_the_summary_says() {
        let mut text = "{\"type\":\"Metric\",\"data\":{\"type\":\"trend\",\"contains\":\"time\"},\"metric\":\"http_req_duration\"}\n".to_owned();
        for i in 1..=5 {
            text.push_str(&format!(
                "{{\"metric\":\"http_req_duration\",\"type\":\"Point\",\"data\":{{\"value\":{i}}}}}\n"
            ));
        }
        text.push_str("{\"cut");
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let values: Vec<f64> = report.benchmarks[0].measurements.iter().map(|m| m.observations[0]).collect();
        assert_eq!(values, [3e6, 3e6, 4.6e6, 4.8e6]);
        assert_eq!(parsed.warnings.len(), 1);
    }
}
