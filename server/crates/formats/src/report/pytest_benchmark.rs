//! pytest-benchmark's JSON (`--benchmark-json`, `--benchmark-save`).
//!
//! Written from pytest-benchmark 3 to 5 (<https://pytest-benchmark.readthedocs.io/>). Seconds everywhere. `stats.data`
//! holds every round where it was asked for (`--benchmark-save-data`); otherwise the mean is the observation.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse, with_python_words};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading, Readings};

pub(super) const READER: Reader =
    Reader { name: "pytest-benchmark", about: "pytest-benchmark's JSON", sniff, read };

const TIME: &str = "time";
/// Statistics in seconds.
const FIGURES: [&str; 11] =
    ["min", "max", "mean", "stddev", "median", "iqr", "q1", "q3", "total", "ld15iqr", "hd15iqr"];

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |depth: usize, member: &str| {
        outline.at_depth(depth).any(|(path, _)| path.last().is_some_and(|p| p == member))
    };
    let ours = has(1, "machine_info") && (has(1, "benchmarks") || has(1, "commit_info"));
    if ours || (has(3, "fullname") && has(3, "stats")) { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let bytes = with_python_words(input.bytes);
    let json = parse(READER.name, &bytes, input.limits)?;
    let root = Field::root(READER.name, &json);
    if let Some(machine) = root.get("machine_info") {
        for fact in ["machine", "processor", "python_version", "system", "release"] {
            if let Some(value) = machine.get(fact) {
                builder.fact(fact, &value.scalar()?);
            }
        }
        if let Some(brand) =
            machine.get("cpu").as_ref().and_then(|cpu| cpu.get("brand_raw").map(|b| b.scalar()))
        {
            builder.fact("cpu", &brand?);
        }
    }
    for benchmark in root.need("benchmarks")?.items()? {
        self::benchmark(&mut builder, &benchmark)?;
    }
    builder.finish(None)
}

fn benchmark(builder: &mut Builder<'_>, benchmark: &Field<'_>) -> Result<(), ParseError> {
    let name = match benchmark.get("fullname") {
        Some(name) => name.text()?,
        None => benchmark.need("name")?.text()?,
    };
    let mut parameters = BTreeMap::new();
    if let Some(params) = benchmark.get("params") {
        for (name, value) in params.members()? {
            // What is no plain value is written as pytest shows it, in `param`.
            if let Ok(value) = value.scalar() {
                parameters.insert(name.to_owned(), value);
            }
        }
    }
    // The name ends with the parameters' own text, which the parameters say better.
    let param = benchmark.get("param").map(|param| param.scalar()).transpose()?;
    let bare =
        param.and_then(|param| name.strip_suffix(&format!("[{param}]"))).filter(|_| !parameters.is_empty());
    let Some(key) = builder.key(benchmark.at(), bare.unwrap_or(name), parameters) else { return Ok(()) };
    stats(builder, &key, &benchmark.need("stats")?)
}

fn stats(builder: &mut Builder<'_>, key: &BenchmarkKey, stats: &Field<'_>) -> Result<(), ParseError> {
    let kind = Some(Kind::Micro);
    let mut n = 0;
    if let Some(data) = stats.get("data") {
        let cut = data.items()?.find(|value| !matches!(value.json, Json::Number(_)));
        if let Some(cut) = &cut {
            builder.warn(cut.at(), "no number; the data is cut, so that the mean stands for it");
        }
        if cut.is_none() {
            let values = &data.numbers()?[..];
            let mean = stats.get("mean").and_then(|mean| mean.number().ok());
            let readings = Readings { measure: TIME, unit: "s", better: Some(Better::Lower), values, mean };
            builder.observe_all(&data.at(), key, kind, readings)?;
            n = values.len();
        }
    }
    if n == 0 {
        let mean = stats.need("mean")?;
        let reading = Reading::summary(TIME, "s", mean.number()?).towards(Better::Lower);
        builder.observe(mean.at(), key, kind, reading)?;
    }
    let mut figure = |name: &str, unit: &str| -> Result<(), ParseError> {
        let Some(field) = stats.get(name) else { return Ok(()) };
        // Python writes NaN and Infinity where a statistic has no value.
        if !matches!(field.json, Json::Text(_)) {
            let value = field.number()?;
            builder.figure(field.at(), key, TIME, FigureReading { name, unit, value });
        }
        Ok(())
    };
    for name in FIGURES {
        figure(name, "s")?;
    }
    figure("ops", "1/s")?;
    figure("rounds", "count")?;
    figure("iterations", "count")
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn data_are_readings_and_parameters_leave_the_name() {
        let text = r#"{"machine_info":{"cpu":{"brand_raw":"X"}},"benchmarks":[
            {"fullname":"a.py::t[10-z]","params":{"n":10,"kind":"z"},"param":"10-z","stats":{"data":[1.0,3.0],"mean":2.0,"stddev":NaN,"ops":0.5}},
            {"name":"u","params":null,"stats":{"mean":2.0}}]}"#;
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].key.to_string(), "a.py::t [kind=z, n=10]");
        let time = &report.benchmarks[0].measurements[0];
        assert_eq!((&time.observations[..], time.figures.len()), (&[1e9, 3e9][..], 2));
        assert!(report.benchmarks[1].measurements[0].summarised);
    }
}
