//! Single files of `target/criterion/<benchmark>/new`: `estimates.json`, `sample.json`, `benchmark.json`.
//!
//! Written from what criterion 0.3 to 0.8 leaves behind. Times are nanoseconds. `change/estimates.json` has the same
//! name and holds ratios: it lacks a standard deviation. None of them but `benchmark.json` names the benchmark, so the
//! file's folder as an archive is the better thing to send.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::{KIND, TIME};
use crate::error::{At, ParseError};
use crate::json::{Field, Outline, outline, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};

pub(in crate::report) const ESTIMATES: Reader = Reader {
    name: "criterion-estimates",
    about: "criterion's estimates.json",
    sniff: |head| sure(&outline(head), &["mean", "median"], Some(("mean", "point_estimate"))),
    read: read_estimates,
};
pub(in crate::report) const SAMPLE: Reader = Reader {
    name: "criterion-sample",
    about: "criterion's sample.json",
    sniff: |head| sure(&outline(head), &["sampling_mode", "iters", "times"], None),
    read: read_sample,
};
pub(in crate::report) const BENCHMARK: Reader = Reader {
    name: "criterion-benchmark",
    about: "criterion's benchmark.json, which names a benchmark and holds no value",
    sniff: |head| sure(&outline(head), &["group_id", "full_id", "directory_name"], None),
    read: read_benchmark,
};

fn sure(outline: &Outline, members: &[&str], inner: Option<(&str, &str)>) -> Sniff {
    let has = |member: &&str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|p| p == *member));
    let has_inner = inner.is_none_or(|(a, b)| {
        outline.at_depth(2).any(|(path, _)| matches!(path, [first, second] if first == a && second == b))
    });
    if members.iter().all(has) && has_inner { Sniff::Yes } else { Sniff::No }
}

fn read_estimates(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(ESTIMATES.name, input.limits);
    let json = parse(ESTIMATES.name, input.bytes, input.limits)?;
    let root = Field::root(ESTIMATES.name, &json);
    let is_change = root.get("std_dev").is_none();
    let name = if is_change { "change" } else { "estimates" };
    let Some(key) = builder.key(At::File, name, BTreeMap::new()) else { return builder.finish(None) };
    let unit = if is_change { "ratio" } else { "ns" };
    let mean = root.need("mean")?;
    let point = mean.need("point_estimate")?;
    let better = if is_change { Better::Neither } else { Better::Lower };
    let reading = Reading::summary("mean", unit, point.number()?).towards(better);
    builder.observe(point.at(), &key, KIND, reading)?;
    estimates(&mut builder, &key, "mean", unit, &root)?;
    if !is_change {
        builder.warn(
            At::File,
            "the file does not name its benchmark; send the folder target/criterion as tar or zip",
        );
    }
    builder.finish(None)
}

/// Every estimate with its interval as figures of a measure.
pub(super) fn estimates(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    measure: &str,
    unit: &str,
    root: &Field<'_>,
) -> Result<(), ParseError> {
    for (name, estimate) in root.members()? {
        // The slope is null where criterion sampled flat.
        let Some(point) = estimate.get("point_estimate") else { continue };
        let figure = FigureReading { name, unit, value: point.number()? };
        builder.figure(point.at(), key, measure, figure);
        let Some(interval) = estimate.get("confidence_interval") else { continue };
        for (member, label) in [("lower_bound", "lower bound"), ("upper_bound", "upper bound")] {
            if let Some(bound) = interval.get(member) {
                let name = format!("{name} {label}");
                let figure = FigureReading { name: &name, unit, value: bound.number()? };
                builder.figure(bound.at(), key, measure, figure);
            }
        }
    }
    Ok(())
}

fn read_sample(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(SAMPLE.name, input.limits);
    let json = parse(SAMPLE.name, input.bytes, input.limits)?;
    let root = Field::root(SAMPLE.name, &json);
    let Some(key) = builder.key(At::File, "sample", BTreeMap::new()) else { return builder.finish(None) };
    sample(&mut builder, &key, "ns", &root.need("iters")?, &root.need("times")?)?;
    builder.warn(
        At::File,
        "the file does not name its benchmark; send the folder target/criterion as tar or zip",
    );
    builder.finish(None)
}

/// Samples as readings: each took `times[i]` for `iters[i]` iterations.
pub(super) fn sample(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    unit: &str,
    iters: &Field<'_>,
    times: &Field<'_>,
) -> Result<(), ParseError> {
    let (iters_list, times_list) = (iters.items()?, times.items()?);
    if iters_list.len() != times_list.len() {
        let text = format!("{} iteration counts for {} times", iters_list.len(), times_list.len());
        return Err(times.invalid(text));
    }
    for (n, time) in iters_list.zip(times_list) {
        let n_iters = n.number()?;
        if n_iters <= 0.0 {
            return Err(n.invalid("a sample without an iteration"));
        }
        let reading = Reading::raw(TIME, unit, time.number()? / n_iters).towards(Better::Lower);
        builder.observe(time.at(), key, KIND, reading)?;
    }
    Ok(())
}

fn read_benchmark(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(BENCHMARK.name, input.limits);
    let json = parse(BENCHMARK.name, input.bytes, input.limits)?;
    let root = Field::root(BENCHMARK.name, &json);
    builder.fact("benchmark", root.need("full_id")?.text()?);
    let text = "it names a benchmark and holds no value; send the folder target/criterion as tar or zip";
    Ok(builder.finish_empty(At::File, text))
}
