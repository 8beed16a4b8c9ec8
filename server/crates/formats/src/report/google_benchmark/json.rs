//! Google Benchmark's JSON.

use std::collections::BTreeMap;

use super::{Entry, JSON, KIND, counter, finish};
use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;

/// Members of an entry that are no counters.
const KNOWN: [&str; 22] = [
    "name",
    "family_index",
    "per_family_instance_index",
    "run_name",
    "run_type",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "time_unit",
    "aggregate_name",
    "aggregate_unit",
    "label",
    "error_occurred",
    "error_message",
    "skipped",
    "skip_message",
    "big_o",
    "cpu_coefficient",
    "real_coefficient",
];

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |depth: usize, member: &str| {
        outline.at_depth(depth).any(|(path, _)| path.last().is_some_and(|p| p == member))
    };
    let entry = has(3, "real_time") || has(3, "cpu_time") || has(3, "error_occurred");
    let context =
        has(1, "context") && (has(2, "num_cpus") || has(2, "library_build_type") || has(2, "executable"));
    if has(1, "benchmarks") && (entry || context) && !has(1, "machine_info") { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    if let Some(context) = root.get("context") {
        for (name, field) in context.members()? {
            if let Ok(value) = field.scalar() {
                builder.fact(name, &value);
            }
        }
    }
    let list = root.need("benchmarks")?;
    let items: Vec<Field<'_>> = list.items()?.collect();
    let mut entries = Vec::new();
    for item in &items {
        entries.extend(entry(&mut builder, item)?);
    }
    finish(&mut builder, &entries)?;
    builder.finish(None)
}

fn entry<'j>(builder: &mut Builder<'_>, item: &'j Field<'j>) -> Result<Option<Entry<'j>>, ParseError> {
    let name = item.need("name")?.text()?;
    let mut entry = Entry::new(item.at(), name.into());
    let run = item.get("run_name").map_or(Ok(name), |run| run.text())?;
    match item.get("aggregate_name").map(|aggregate| aggregate.text()).transpose()? {
        Some(aggregate) => (entry.run, entry.aggregate) = (run.into(), Some(aggregate.into())),
        // Without the member the name alone may look like an aggregate's.
        None if item.get("run_type").is_some() => (entry.run, entry.aggregate) = (run.into(), None),
        None => {}
    }
    for (flag, message) in [("error_occurred", "error_message"), ("skipped", "skip_message")] {
        let Some(Json::Bool(true)) = item.get(flag).map(|flag| flag.json) else { continue };
        let message = item.get(message).map_or(Ok(String::new()), |message| message.scalar())?;
        if flag == "skipped" {
            builder.warn(item.at(), format!("{run} was skipped: {message}"));
        } else if let Some(key) = builder.key(item.at(), run, BTreeMap::new()) {
            builder.fail(&key, KIND, &message)?;
        }
        return Ok(None);
    }
    let unit = item.get("time_unit").map_or(Ok("ns"), |unit| unit.text())?;
    for measure in ["real_time", "cpu_time"] {
        if let Some(field) = item.get(measure) {
            entry.push(measure, unit, field.number()?);
        }
    }
    if entry.values.is_empty() {
        // What a fit of complexity found is no measurement.
        builder.warn(item.at(), format!("{name} has no time, skipped"));
        return Ok(None);
    }
    for (member, field) in item.members()? {
        if let (false, Json::Number(value)) = (KNOWN.contains(&member), field.json) {
            // JSON does not say whether a user's counter is a rate.
            let (unit, _) = counter(member, false);
            entry.push(member, unit, *value);
        }
    }
    Ok(Some(entry))
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn repetitions_are_readings_and_lone_aggregates_stand_for_them() {
        let text = r#"{"context":{"num_cpus":2},"benchmarks":[
            {"name":"a","run_name":"a","run_type":"iteration","real_time":1,"cpu_time":2,"time_unit":"us","hits":3},
            {"name":"a","run_name":"a","run_type":"iteration","real_time":2,"cpu_time":2,"time_unit":"us"},
            {"name":"a_mean","run_name":"a","run_type":"aggregate","aggregate_name":"mean","real_time":1.5,"cpu_time":2,"time_unit":"us"},
            {"name":"b_mean","run_name":"b","run_type":"aggregate","aggregate_name":"mean","real_time":5,"cpu_time":2,"time_unit":"ms"},
            {"name":"b_cv","run_name":"b","run_type":"aggregate","aggregate_name":"cv","aggregate_unit":"percentage","real_time":0.1,"cpu_time":0.2,"time_unit":"ms"},
            {"name":"c","run_name":"c","run_type":"iteration","error_occurred":true,"error_message":"disk"},
            {"name":"d_BigO","run_name":"d","run_type":"aggregate","aggregate_name":"BigO","cpu_coefficient":2,"time_unit":"ns"}]}"#;
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let [c, a, b] = &report.benchmarks[..] else { panic!("{report:?}") };
        assert!(matches!(&c.status, Status::Failed(why) if why == "disk"));
        assert_eq!(
            (&a.measurements[0].observations[..], a.measurements[0].figures.len()),
            (&[1e3, 2e3][..], 1)
        );
        assert_eq!((b.measurements[0].observations[0], b.measurements[0].summarised), (5e6, true));
        assert_eq!(b.measurements[0].figures[1].unit.to_string(), "ratio");
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    }
}
