//! JMH's JSON.

use std::collections::BTreeMap;

use model::BenchmarkKey;

use super::{JSON, KIND, better};
use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};

/// The measure of what the benchmark is about.
const PRIMARY: &str = "primary";

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(2).any(|(path, _)| path.last().is_some_and(|p| p == member));
    let ours = outline.opens == Some('[') && has("benchmark") && has("mode");
    if ours && (has("primaryMetric") || has("jmhVersion")) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    for entry in root.items()? {
        benchmark(&mut builder, &entry)?;
    }
    builder.finish(None)
}

fn benchmark(builder: &mut Builder<'_>, entry: &Field<'_>) -> Result<(), ParseError> {
    let name = entry.need("benchmark")?;
    let mut parameters = BTreeMap::from([("mode".to_owned(), entry.need("mode")?.text()?.to_owned())]);
    if let Some(params) = entry.get("params") {
        for (name, value) in params.members()? {
            parameters.insert(name.to_owned(), value.scalar()?);
        }
    }
    if let Some(threads) = entry.get("threads").map(|threads| threads.scalar()).transpose()?
        && threads != "1"
    {
        parameters.insert("threads".to_owned(), threads);
    }
    for fact in ["jmhVersion", "jdkVersion", "vmName", "vmVersion"] {
        if let Some(value) = entry.get(fact) {
            builder.fact(fact, &value.scalar()?);
        }
    }
    let Some(key) = builder.key(name.at(), name.text()?, parameters) else { return Ok(()) };
    metric(builder, &key, PRIMARY, &entry.need("primaryMetric")?)?;
    if let Some(secondary) = entry.get("secondaryMetrics") {
        let method = name.text()?.rsplit('.').next().unwrap_or_default();
        for (label, field) in secondary.members()? {
            // Percentiles of the sample mode repeat the method's name: `copyOnce:p0.50`.
            let measure = label.strip_prefix(method).and_then(|rest| rest.strip_prefix(':')).unwrap_or(label);
            metric(builder, &key, measure, &field)?;
        }
    }
    Ok(())
}

fn metric(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    measure: &str,
    metric: &Field<'_>,
) -> Result<(), ParseError> {
    let unit = metric.get("scoreUnit").map_or(Ok(""), |unit| unit.text())?;
    let readings = readings(metric)?;
    let score = finite(metric, "score")?;
    // A single reading of a percentile is a percentile all the same.
    let raw = readings.iter().any(|value| Some(*value) != score) || readings.len() > 1;
    for value in &readings {
        let reading =
            Reading { summarised: !raw, better: better(unit), ..Reading::raw(measure, unit, *value) };
        builder.observe(metric.at(), key, KIND, reading)?;
    }
    if readings.is_empty() {
        let Some(score) = score else {
            builder.warn(metric.at(), format!("{measure} is no number, skipped"));
            return Ok(());
        };
        let reading = Reading { better: better(unit), ..Reading::summary(measure, unit, score) };
        builder.observe(metric.at(), key, KIND, reading)?;
    }
    let mut figure = |name: &str, value: Option<f64>| {
        if let Some(value) = value {
            builder.figure(metric.at(), key, measure, FigureReading { name, unit, value });
        }
    };
    figure("mean", score);
    figure("error", finite(metric, "scoreError")?);
    if let Some(interval) = metric.get("scoreConfidence") {
        let bounds: Vec<Field<'_>> = interval.items()?.collect();
        for (bound, name) in bounds.iter().zip(["lower bound", "upper bound"]) {
            figure(name, number_or_word(bound)?);
        }
    }
    Ok(())
}

/// JMH writes `"NaN"` where two readings or fewer give no error.
fn number_or_word(field: &Field<'_>) -> Result<Option<f64>, ParseError> {
    match field.json {
        Json::Text(word) if crate::number::is_not_a_number(word) => Ok(None),
        _ => field.number().map(Some),
    }
}

fn finite(metric: &Field<'_>, member: &str) -> Result<Option<f64>, ParseError> {
    metric.get(member).map_or(Ok(None), |field| number_or_word(&field))
}

/// One reading an iteration over all forks. Of the sample mode's histogram that is the mean of an iteration's samples,
/// which is what the other modes write.
fn readings(metric: &Field<'_>) -> Result<Vec<f64>, ParseError> {
    let mut readings = Vec::new();
    if let Some(forks) = metric.get("rawData") {
        for fork in forks.items()? {
            for value in fork.items()? {
                readings.extend(number_or_word(&value)?);
            }
        }
    } else if let Some(forks) = metric.get("rawDataHistogram") {
        for fork in forks.items()? {
            for iteration in fork.items()? {
                readings.extend(mean(&iteration)?);
            }
        }
    }
    Ok(readings)
}

/// The mean of `[[value, count], …]`.
fn mean(histogram: &Field<'_>) -> Result<Option<f64>, ParseError> {
    let (mut sum, mut n) = (0.0, 0.0);
    for bucket in histogram.items()? {
        let mut pair = bucket.items()?;
        let (Some(value), Some(count)) = (pair.next(), pair.next()) else {
            return Err(bucket.invalid("a pair of value and count is expected"));
        };
        let count = count.number()?;
        sum += value.number()? * count;
        n += count;
    }
    Ok((n > 0.0).then(|| sum / n))
}

#[cfg(test)]
mod tests {
    use crate::error::At;
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    #[test]
    fn mode_parameters_and_secondary_metrics_are_kept() {
        let text = r#"[{"benchmark":"p.B.m","mode":"sample","threads":2,"params":{"n":"1"},"primaryMetric":{"score":2.5,"scoreError":"NaN",
            "scoreConfidence":["NaN","NaN"],"scoreUnit":"us/op","rawDataHistogram":[[[[1,1],[2,3]],[[4,2]]]]},
            "secondaryMetrics":{"m:p0.50":{"score":1.0,"scoreUnit":"us/op","rawData":[[1.0]]},
            "\u00b7gc.alloc.rate.norm":{"score":24.0,"scoreUnit":"B/op","rawData":[[24.0,25.0]]},"x":{"score":"NaN","scoreUnit":"ms"}}}]"#;
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let benchmark = &report.benchmarks[0];
        assert_eq!(benchmark.key.to_string(), "p.B.m [mode=sample, n=1, threads=2]");
        let [primary, median, allocated] = &benchmark.measurements[..] else { panic!("{benchmark:?}") };
        assert_eq!(primary.observations, [1750.0, 4000.0]);
        assert_eq!((median.measure.name.as_str(), median.summarised), ("p0.50", true));
        assert_eq!((allocated.observations.len(), allocated.measure.unit.to_string()), (2, "B".to_owned()));
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    }

    #[test]
    fn a_place_in_the_document_is_named() {
        let text = r#"[{"benchmark":"a","mode":"thrpt","primaryMetric":{"score":true}}]"#;
        let error = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap_err();
        assert_eq!(error.at, At::Field("[0].primaryMetric.score".to_owned()));
    }
}
