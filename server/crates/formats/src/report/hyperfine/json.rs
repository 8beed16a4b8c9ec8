//! `--export-json`.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::{JSON, KIND, TIME};
use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading, Readings};

/// Statistics of the times, all in seconds.
const FIGURES: [&str; 5] = ["mean", "stddev", "median", "min", "max"];

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| {
        outline.at_depth(3).any(|(path, _)| {
            path.first().is_some_and(|p| p == "results") && path.last().is_some_and(|p| p == member)
        })
    };
    if has("command") && (has("mean") || has("times")) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    let results = root.need("results")?;
    for result in results.items()? {
        command(&mut builder, &result)?;
    }
    builder.finish(None)
}

fn command(builder: &mut Builder<'_>, result: &Field<'_>) -> Result<(), ParseError> {
    let name = result.need("command")?;
    let mut parameters = BTreeMap::new();
    if let Some(given) = result.get("parameters") {
        for (name, value) in given.members()? {
            parameters.insert(name.to_owned(), value.scalar()?);
        }
    }
    let Some(key) = builder.key(name.at(), name.text()?, parameters) else { return Ok(()) };
    times(builder, &key, result)?;
    for (member, measure) in [("user", "user"), ("system", "system"), ("memory_usage_byte", "memory usage")] {
        let Some(field) = result.get(member) else { continue };
        let unit = if member.ends_with("byte") { "B" } else { "s" };
        if let Json::List(_) = field.json {
            all(builder, &key, &field, (measure, unit), None)?;
        } else {
            let reading = Reading::summary(measure, unit, field.number()?).towards(Better::Lower);
            builder.observe(field.at(), &key, KIND, reading)?;
        }
    }
    exit_codes(builder, &key, result)
}

/// Every number of a list as a reading of a measure in a unit; how many there are.
fn all(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    list: &Field<'_>,
    (measure, unit): (&str, &str),
    mean: Option<f64>,
) -> Result<usize, ParseError> {
    let values = &list.numbers()?[..];
    let readings = Readings { measure, unit, better: Some(Better::Lower), values, mean };
    builder.observe_all(&list.at(), key, KIND, readings)?;
    Ok(values.len())
}

/// The single times where they are kept, the mean otherwise; the tool's statistics beside them.
fn times(builder: &mut Builder<'_>, key: &BenchmarkKey, result: &Field<'_>) -> Result<(), ParseError> {
    let mut n = 0;
    if let Some(times) = result.get("times") {
        let mean = result.get("mean").and_then(|mean| mean.number().ok());
        n = all(builder, key, &times, (TIME, "s"), mean)?;
    }
    if n == 0 {
        let mean = result.need("mean")?;
        let reading = Reading::summary(TIME, "s", mean.number()?).towards(Better::Lower);
        builder.observe(mean.at(), key, KIND, reading)?;
    }
    for name in FIGURES {
        // One run has no standard deviation.
        if let Some(figure) = result.get(name) {
            let value = figure.number()?;
            builder.figure(figure.at(), key, TIME, FigureReading { name, unit: "s", value });
        }
    }
    Ok(())
}

/// With `--ignore-failure` a command that fails has times all the same; they say how fast it fails.
fn exit_codes(builder: &mut Builder<'_>, key: &BenchmarkKey, result: &Field<'_>) -> Result<(), ParseError> {
    let Some(codes) = result.get("exit_codes") else { return Ok(()) };
    let (mut runs, mut failed, mut first) = (0_usize, 0_usize, None);
    for code in codes.items()? {
        runs += 1;
        // A run that a signal ended has no code.
        let code = if *code.json == Json::Null { None } else { Some(code.number()?) };
        if code != Some(0.0) {
            failed += 1;
            first.get_or_insert(code);
        }
    }
    let Some(first) = first else { return Ok(()) };
    let how = first.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
    builder.fail(key, KIND, &format!("{how} in {failed} of {runs} runs"))
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        match read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn times_are_readings_and_statistics_are_figures() {
        let report = report(
            r#"{"results":[{"command":"a 1","mean":2.0,"stddev":null,"median":2,"user":1,"system":0.5,"min":1,"max":3,
                "times":[1.0,3.0],"memory_usage_byte":[1024,2048],"exit_codes":[0,0],"parameters":{"n":"1"}},
               {"command":"b","mean":1.0,"exit_codes":[0,null],"newer":{}}]}"#,
        );
        let a = &report.benchmarks[0];
        assert_eq!(a.key.to_string(), "a 1 [n=1]");
        assert_eq!(
            (&a.measurements[0].observations[..], a.measurements[0].figures.len()),
            (&[1e9, 3e9][..], 4)
        );
        assert_eq!(a.measurements[3].observations, [1024.0, 2048.0]);
        let b = &report.benchmarks[1];
        assert!(b.measurements[0].summarised);
        assert!(matches!(&b.status, Status::Failed(why) if why == "a signal in 1 of 2 runs"));
    }
}
