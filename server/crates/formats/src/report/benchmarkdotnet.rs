//! BenchmarkDotNet's JSON exporters: full, brief and their compressed forms.
//!
//! Written from BenchmarkDotNet 0.10 to 0.14 (<https://benchmarkdotnet.org/articles/configs/exporters.html>). Times are
//! nanoseconds. `OriginalValues` are the readings where an exporter keeps them.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};

pub(super) const READER: Reader =
    Reader { name: "benchmarkdotnet", about: "BenchmarkDotNet's JSON", sniff, read };

const TIME: &str = "time";
const KIND: Option<Kind> = Some(Kind::Micro);
const FIGURES: [&str; 8] = ["Mean", "Median", "StandardDeviation", "StandardError", "Min", "Max", "Q1", "Q3"];

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |depth: usize, member: &str| {
        outline.at_depth(depth).any(|(path, _)| path.last().is_some_and(|p| p == member))
    };
    if has(1, "HostEnvironmentInfo") && (has(1, "Benchmarks") || has(2, "BenchmarkDotNetCaption")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let json = parse(READER.name, input.bytes, input.limits)?;
    let root = Field::root(READER.name, &json);
    if let Some(host) = root.get("HostEnvironmentInfo") {
        for (name, value) in host.members()? {
            if let Ok(value) = value.scalar() {
                builder.fact(name, &value);
            }
        }
    }
    for benchmark in root.need("Benchmarks")?.items()? {
        self::benchmark(&mut builder, &benchmark)?;
    }
    builder.finish(None)
}

/// `Namespace.Type.Method`, without the parameters that `FullName` repeats in brackets.
fn name(benchmark: &Field<'_>) -> Result<String, ParseError> {
    if let Some(full) = benchmark.get("FullName") {
        let full = full.text()?;
        return Ok(full.split_once('(').map_or(full, |(name, _)| name).to_owned());
    }
    let parts = ["Namespace", "Type", "Method"]
        .map(|part| benchmark.get(part).map(|part| part.text().map(str::to_owned)));
    let parts: Vec<String> = parts.into_iter().flatten().collect::<Result<_, _>>()?;
    Ok(parts.join("."))
}

fn benchmark(builder: &mut Builder<'_>, benchmark: &Field<'_>) -> Result<(), ParseError> {
    let mut parameters = BTreeMap::new();
    if let Some(given) = benchmark.get("Parameters") {
        // `Size=10&Mode=Fast`.
        let pairs = given.text()?.split('&').filter_map(|pair| pair.split_once('='));
        parameters.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    // The same method under another job is another benchmark: `Type.Method: Job-ABCDEF(…)`.
    if let Some(display) = benchmark.get("DisplayInfo")
        && let Some((_, job)) = display.text()?.split_once(": ")
        && !matches!(job, "DefaultJob" | "Job.Default")
    {
        let job = job.split_once('(').map_or(job, |(job, _)| job);
        let job = job.split_once(" [").map_or(job, |(job, _)| job);
        parameters.insert("job".to_owned(), job.to_owned());
    }
    let Some(key) = builder.key(benchmark.at(), &name(benchmark)?, parameters) else { return Ok(()) };
    match benchmark.get("Statistics") {
        Some(statistics) => self::statistics(builder, &key, &statistics)?,
        None => builder.fail(&key, KIND, "it has no statistics: it threw or was not run")?,
    }
    if let Some(memory) = benchmark.get("Memory") {
        self::memory(builder, &key, &memory)?;
    }
    if let Some(metrics) = benchmark.get("Metrics") {
        for metric in metrics.items()? {
            self::metric(builder, &key, &metric)?;
        }
    }
    Ok(())
}

fn statistics(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    statistics: &Field<'_>,
) -> Result<(), ParseError> {
    let mut n = 0;
    if let Some(values) = statistics.get("OriginalValues") {
        for value in values.items()? {
            let reading = Reading::raw(TIME, "ns", value.number()?).towards(Better::Lower);
            builder.observe(value.at(), key, KIND, reading)?;
            n += 1;
        }
    }
    if n == 0 {
        let mean = statistics.need("Mean")?;
        let reading = Reading::summary(TIME, "ns", mean.number()?).towards(Better::Lower);
        builder.observe(mean.at(), key, KIND, reading)?;
    }
    for name in FIGURES {
        if let Some(field) = statistics.get(name).filter(|field| !matches!(field.json, Json::Text(_))) {
            let value = field.number()?;
            builder.figure(field.at(), key, TIME, FigureReading { name, unit: "ns", value });
        }
    }
    if let Some(interval) = statistics.get("ConfidenceInterval") {
        for (member, name) in [("Lower", "lower bound"), ("Upper", "upper bound")] {
            // Without enough readings the bounds are the text `NaN`.
            if let Some(field) = interval.get(member).filter(|field| !matches!(field.json, Json::Text(_))) {
                let value = field.number()?;
                builder.figure(field.at(), key, TIME, FigureReading { name, unit: "ns", value });
            }
        }
    }
    Ok(())
}

fn memory(builder: &mut Builder<'_>, key: &BenchmarkKey, memory: &Field<'_>) -> Result<(), ParseError> {
    for (member, unit) in [
        ("BytesAllocatedPerOperation", "B"),
        ("Gen0Collections", "count"),
        ("Gen1Collections", "count"),
        ("Gen2Collections", "count"),
    ] {
        if let Some(field) = memory.get(member) {
            let reading = Reading::summary(member, unit, field.number()?);
            let better = if unit == "B" { Better::Lower } else { Better::Neither };
            builder.observe(field.at(), key, KIND, reading.towards(better))?;
        }
    }
    Ok(())
}

/// A diagnoser's metric, with what it says of itself. Memory's are in `Memory` already.
fn metric(builder: &mut Builder<'_>, key: &BenchmarkKey, metric: &Field<'_>) -> Result<(), ParseError> {
    let descriptor = metric.need("Descriptor")?;
    let id = descriptor.need("Id")?.text()?;
    if matches!(id, "Allocated Memory" | "Gen0Collects" | "Gen1Collects" | "Gen2Collects") {
        return Ok(());
    }
    let unit = descriptor.get("Unit").map_or(Ok(""), |unit| unit.text())?;
    let greater =
        descriptor.get("TheGreaterTheBetter").is_some_and(|greater| *greater.json == Json::Bool(true));
    let Some(value) = metric.get("Value").filter(|value| !matches!(value.json, Json::Text(_))) else {
        return Ok(());
    };
    let unit = if unit == "Count" { "count" } else { unit };
    let better = if greater { Better::Higher } else { Better::Lower };
    let reading = Reading::summary(id, unit, value.number()?).towards(better);
    builder.observe(value.at(), key, KIND, reading)
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn parameters_jobs_and_failures_are_told_apart() {
        let text = r#"{"HostEnvironmentInfo":{"BenchmarkDotNetVersion":"0.14"},"Benchmarks":[
            {"DisplayInfo":"T.M: Job-X(A=1) [N=5]","Parameters":"N=5","FullName":"Ns.T.M(N: 5)","Statistics":{"OriginalValues":[1,3],"Mean":2,"ConfidenceInterval":{"Lower":"NaN","Upper":4}},
             "Metrics":[{"Value":7,"Descriptor":{"Id":"CacheMisses","Unit":"Count","TheGreaterTheBetter":false}}]},
            {"Method":"Bad","Statistics":null}]}"#;
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].key.to_string(), "Ns.T.M [N=5, job=Job-X]");
        assert_eq!(report.benchmarks[0].measurements.len(), 2);
        assert!(matches!(report.benchmarks[1].status, Status::Failed(_)));
    }
}
