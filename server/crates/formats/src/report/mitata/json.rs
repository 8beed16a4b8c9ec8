//! `run({ format: 'json' })`, in version 0 `run({ json: true })`.

use std::collections::BTreeMap;

use model::Better;

use super::{AVERAGE, JSON, KIND};
use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, Reading, Readings};
use crate::report::entry::Entry;

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |path: &str| outline.paths.iter().any(|known| known.join("/") == path);
    let new = has("benchmarks/[]/runs") && (has("layout") || has("benchmarks/[]/alias"));
    // The samples may fill the head before the average comes.
    let old = has("benchmarks/[]/name")
        && (has("benchmarks/[]/stats/avg")
            || (has("benchmarks/[]/baseline") && has("benchmarks/[]/stats/samples")));
    if outline.opens == Some('{') && (new || old) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    context(&mut builder, &root);
    let layout = root.get("layout");
    let groups: Vec<Option<String>> = match &layout {
        Some(layout) => layout.items()?.map(|group| group.get("name")?.scalar().ok()).collect(),
        None => Vec::new(),
    };
    for benchmark in root.need("benchmarks")?.items()? {
        let group = benchmark.get("group").and_then(|group| match group.json {
            Json::Text(name) => Some(name.as_ref()),
            _ => usize::try_from(group.count().ok()?).ok().and_then(|at| groups.get(at)?.as_deref()),
        });
        match benchmark.get("runs") {
            Some(runs) => {
                for run in runs.items()? {
                    read_run(&mut builder, &benchmark, &run, group)?;
                }
            }
            None => read_run(&mut builder, &benchmark, &benchmark, group)?,
        }
    }
    builder.finish(None)
}

fn context(builder: &mut Builder<'_>, root: &Field<'_>) {
    let context = root.get("context");
    let context = context.as_ref().unwrap_or(root);
    for name in ["arch", "runtime", "version"] {
        if let Some(value) = context.get(name).and_then(|field| field.scalar().ok()) {
            builder.fact(name, &value);
        }
    }
    if let Some(cpu) = context.get("cpu")
        && let Some(name) = cpu.scalar().ok().or_else(|| cpu.get("name")?.scalar().ok())
    {
        builder.fact("cpu", &name);
    }
}

fn read_run(
    builder: &mut Builder<'_>,
    benchmark: &Field<'_>,
    run: &Field<'_>,
    group: Option<&str>,
) -> Result<(), ParseError> {
    let named = run.get("name").or_else(|| benchmark.get("alias")).or_else(|| benchmark.get("name"));
    let name = named.ok_or_else(|| run.invalid("the field \"name\" is missing"))?;
    let mut parameters = BTreeMap::new();
    if let Some(group) = group {
        parameters.insert("group".to_owned(), group.to_owned());
    }
    if let Some(args) = run.get("args") {
        for (name, value) in args.members()? {
            parameters.insert(
                name.to_owned(),
                value.scalar().unwrap_or_else(|_| value.json.to_value().to_string()),
            );
        }
    }
    let Some(mut entry) = Entry::new(builder, run.at(), name.text()?, parameters, KIND) else {
        return Ok(());
    };
    if let Some(stats) = run.get("stats") {
        statistics(&mut entry, &stats)?;
    }
    match run.get("error") {
        Some(error) => {
            let message = error.scalar().ok().or_else(|| error.get("message")?.scalar().ok());
            entry.fail(message.as_deref().unwrap_or("error"))
        }
        None if run.get("stats").is_none() => entry.fail("it has no result"),
        None => Ok(()),
    }
}

fn statistics(entry: &mut Entry<'_, '_>, stats: &Field<'_>) -> Result<(), ParseError> {
    let average = stats.need(AVERAGE)?.number()?;
    match stats.get("samples").filter(|samples| matches!(samples.json, Json::List(list) if !list.is_empty()))
    {
        Some(samples) => {
            let (better, values, mean) = (Some(Better::Lower), &samples.numbers()?[..], Some(average));
            let readings = Readings { measure: AVERAGE, unit: "ns", better, values, mean };
            entry.observe_all(&samples.at(), readings)?;
            entry.figure(AVERAGE, AVERAGE, "ns", average);
        }
        None => entry.observe(Reading::summary(AVERAGE, "ns", average).towards(Better::Lower))?,
    }
    for (member, field) in stats.members()? {
        match (member, field.json) {
            ("min" | "max", Json::Number(value)) => entry.figure(AVERAGE, member, "ns", *value),
            (_, Json::Number(value)) if member.starts_with('p') => {
                entry.observe(Reading::summary(member, "ns", *value).towards(Better::Lower))?;
            }
            ("heap" | "gc", Json::Object(_)) => {
                let unit = if member == "heap" { "B" } else { "ns" };
                if let Some(average) = field.get(AVERAGE) {
                    entry
                        .observe(Reading::summary(member, unit, average.number()?).towards(Better::Lower))?;
                    for bound in ["min", "max"] {
                        if let Some(value) = field.get(bound) {
                            entry.figure(member, &format!("{member} {bound}"), unit, value.number()?);
                        }
                    }
                }
            }
            ("counters", Json::Object(_)) => counters(entry, "", &field)?,
            _ => {}
        }
    }
    Ok(())
}

/// Averages of the processor's counters, which nest: `cache` holds `misses`. `serde_json`'s depth limit bounds the
/// recursion.
fn counters(entry: &mut Entry<'_, '_>, path: &str, counters: &Field<'_>) -> Result<(), ParseError> {
    for (member, field) in counters.members()? {
        let Json::Object(_) = field.json else { continue };
        let name = format!("{path} {}", member.trim_start_matches('_').replace('_', " "));
        let name = name.trim_start();
        if let Some(average) = field.get(AVERAGE) {
            let unit = if matches!(name, "cycles" | "instructions") { name } else { "count" };
            entry.observe(Reading::summary(name, unit, average.number()?).towards(Better::Lower))?;
        }
        self::counters(entry, name, &field)?;
    }
    Ok(())
}
