//! Every value that the corpus and the fixtures expect of benchmark files, format by format, as one table.
//!
//! An expectation is a list of rows (benchmark, measure, value, unit). A row is right when the reader gives that value
//! as an observation or as a figure of that measure of that benchmark; what a folder's expectations call otherwise is
//! told in [`adapt`]. `CORPUS=jmh,fio` in the environment looks at those folders only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use formats::{Content, Hints, Limits, Parsed, Report, read};
use model::{Benchmark, BenchmarkKey, Status, Unit};
use serde_json::Value;

use crate::adapt::{self, Wanted};
use crate::{corpus, fixtures_with_expectations, with_expectations};

/// A value that a reader gave, not yet matched with a row.
struct Held {
    side: Option<String>,
    key: BenchmarkKey,
    measure: String,
    unit: Unit,
    value: f64,
    taken: bool,
}

/// What one file holds.
struct Read {
    format: &'static str,
    values: Vec<Held>,
    benchmarks: Vec<Benchmark>,
    warnings: Vec<String>,
}

fn parse(path: &Path, column: Option<&str>) -> Result<Parsed, String> {
    let hints = Hints {
        column: column.map(str::to_owned),
        file_name: path.file_name().map(|name| name.to_string_lossy().into_owned()),
        format: adapt::told_format(path),
        mapping: adapt::told_mapping(path),
        ..Hints::default()
    };
    read(&std::fs::read(path).unwrap(), &hints, &Limits::default()).map_err(|error| error.to_string())
}

fn reports(parsed: Parsed) -> Vec<(Option<String>, Report)> {
    match parsed.content {
        Content::Report(report) => vec![(None, report)],
        Content::History(points) => points.into_iter().map(|point| (point.commit, point.report)).collect(),
        Content::Profiles(_) => Vec::new(),
    }
}

fn hold(read: &mut Read, side: Option<&str>, report: Report) {
    for benchmark in report.benchmarks {
        for measurement in &benchmark.measurements {
            let mut hold = |measure: &str, unit: &Unit, value: f64| {
                read.values.push(Held {
                    side: side.map(str::to_owned),
                    key: benchmark.key.clone(),
                    measure: measure.to_owned(),
                    unit: unit.clone(),
                    value,
                    taken: false,
                });
            };
            let measure = &measurement.measure;
            for value in &measurement.observations {
                hold(measure.name.as_str(), &measure.unit, *value);
            }
            for figure in &measurement.figures {
                hold(&figure.name, &figure.unit, figure.value);
                // The mean of a measure's readings is what expectations call the measure's value.
                if figure.name == "mean" {
                    hold(measure.name.as_str(), &figure.unit, figure.value);
                }
            }
        }
        read.benchmarks.push(benchmark);
    }
}

fn file(path: &Path) -> Result<Read, String> {
    let first = parse(path, None)?;
    let warnings = first.warnings.iter().map(|warning| format!("{}: {}", warning.at, warning.text)).collect();
    let mut read = Read { format: first.format, values: Vec::new(), benchmarks: Vec::new(), warnings };
    let first = reports(first);
    let columns = match first.as_slice() {
        [(_, only)] => only.columns.clone(),
        _ => Vec::new(),
    };
    if columns.is_empty() {
        for (side, report) in first {
            hold(&mut read, side.as_deref(), report);
        }
    }
    for column in columns {
        for (_, report) in reports(parse(path, Some(&column))?) {
            hold(&mut read, Some(&column), report);
        }
    }
    Ok(read)
}

fn same_family(a: &Unit, b: &Unit) -> bool {
    let family = |unit: &Unit| match unit {
        Unit::Nanoseconds => 1,
        Unit::Bytes => 2,
        Unit::BytesPerSecond => 3,
        Unit::Ratio => 4,
        _ => 0,
    };
    family(a) == family(b)
}

/// Takes the value that a row asks for out of those not yet taken.
fn take(read: &mut Read, wanted: &Wanted) -> Result<(), String> {
    let named = |held: &Held| {
        wanted.side.as_ref().is_none_or(|side| held.side.as_ref() == Some(side))
            && (adapt::is_called(&held.key, &wanted.name)
                || (wanted.may_go_on && held.key.name.as_str().starts_with(&format!("{} ", wanted.name))))
            && wanted.parameters.iter().all(|(name, value)| held.key.parameters.get(name) == Some(value))
            && wanted.measures.contains(&held.measure)
            && wanted
                .parameter_values
                .iter()
                .all(|value| held.key.parameters.values().any(|own| own == value))
    };
    if let Some(statistic) = &wanted.follows {
        let mut values: Vec<f64> =
            read.values.iter().filter(|held| named(held)).map(|held| held.value).collect();
        read.values
            .iter_mut()
            .filter(|held| wanted.measures.contains(&held.measure))
            .for_each(|held| held.taken = true);
        let scale = wanted.unit.as_deref().map_or(1.0, |unit| Unit::parse(unit).1);
        let found = follows(statistic, &mut values) / scale;
        let close = (found - wanted.value).abs() <= wanted.tolerance * wanted.value.abs();
        return if close { Ok(()) } else { Err(format!("follows as {found}")) };
    }
    let (unit, scale) = wanted.unit.as_deref().map_or((None, 1.0), |unit| {
        let (unit, scale) = Unit::parse(unit);
        (Some(unit), scale)
    });
    let value = wanted.value * scale;
    let close = |a: f64| (a - value).abs() <= wanted.tolerance * value.abs().max(f64::MIN_POSITIVE);
    let right = |held: &Held| {
        named(held)
            && unit.as_ref().map_or(close(held.value) || is_scaled(held, wanted), |unit| {
                same_family(unit, &held.unit) && close(held.value)
            })
    };
    // A value may be told twice (a mean that is also the observation), so a taken one still counts.
    let found = read.values.iter().position(|held| !held.taken && right(held));
    if let Some(found) = found.or_else(|| read.values.iter().position(right)) {
        read.values[found].taken = true;
        return Ok(());
    }
    let near: Vec<String> = read
        .values
        .iter()
        .filter(|held| named(held))
        .take(6)
        .map(|held| format!("{} {}", held.value, held.unit))
        .collect();
    if near.is_empty() {
        let benchmark = read.values.iter().find(|held| adapt::is_called(&held.key, &wanted.name));
        return Err(match benchmark {
            Some(held) => format!("has no such measure (there is {:?} on {})", held.measure, held.key),
            None => "has no such benchmark".to_owned(),
        });
    }
    Err(format!("is {}", near.join(", ")))
}

/// A statistic of readings.
fn follows(statistic: &str, values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    match statistic {
        "mean" => mean,
        "median" => f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]),
        _ => (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt(),
    }
}

/// Rows without a unit give the number as printed; the reader may know the unit.
fn is_scaled(held: &Held, wanted: &Wanted) -> bool {
    let scales: &[f64] = match held.unit {
        Unit::Nanoseconds => &[1e3, 1e6, 1e9],
        Unit::Ratio => &[0.01],
        Unit::Bytes | Unit::BytesPerSecond => &[1e3, 1024.0, 1e6, 1_048_576.0],
        _ => &[],
    };
    scales.iter().any(|scale| (held.value / (wanted.value * scale) - 1.0).abs() <= wanted.tolerance)
}

/// Whether a benchmark ended as a row says.
fn ended(read: &Read, name: &str, status: &str) -> Result<(), String> {
    let status = status.to_ascii_lowercase();
    let is_failure = ["fail", "error", "not supported"].iter().any(|word| status.contains(word));
    let benchmark = read.benchmarks.iter().find(|benchmark| adapt::is_called(&benchmark.key, name));
    let failed = benchmark.is_some_and(|benchmark| matches!(benchmark.status, Status::Failed(_)));
    let told = read.warnings.iter().any(|warning| warning.contains(name));
    match (is_failure, failed, told) {
        (true, true, _) | (false, _, true) => Ok(()),
        _ => Err(format!("should be {status}; failed: {failed}, told: {told}")),
    }
}

/// Files, expected, right.
#[derive(Default)]
struct Tally {
    files: usize,
    expected: usize,
    right: usize,
    surplus: usize,
}

fn check(path: &Path, expectation: &Value, tally: &mut Tally, wrong: &mut Vec<String>) {
    tally.files += 1;
    let rows = expectation["results"].as_array().map_or(&[][..], Vec::as_slice);
    let mut read = match file(path) {
        Ok(read) => read,
        // A file without a single value, such as a usage text, may be refused.
        Err(_) if rows.is_empty() => return,
        Err(error) => {
            tally.expected += rows.len().max(1);
            wrong.push(format!("{}: {error}", path.display()));
            return;
        }
    };
    for row in rows {
        let Some(wanted) = adapt::wanted(path, read.format, row) else { continue };
        tally.expected += 1;
        let result = match &wanted.status {
            Some(status) => ended(&read, &wanted.name, status),
            None => take(&mut read, &wanted),
        };
        match result {
            Ok(()) => tally.right += 1,
            Err(why) => wrong.push(format!(
                "{} ({}): {} / {} = {} {:?} {why}",
                path.display(),
                read.format,
                wanted.name,
                wanted.measures.join("|"),
                wanted.value,
                wanted.unit,
            )),
        }
    }
    tally.surplus += read.values.iter().filter(|held| !held.taken).count();
}

/// Every file with rows: the corpus, the pairs and the fixtures; a name for its folder first.
fn cases() -> Vec<(String, PathBuf, Value)> {
    let mut cases = Vec::new();
    let mut add = |root: &Path| {
        for (path, expectation) in with_expectations(root) {
            if expectation["results"].is_array() || path.starts_with(root.join("benchmarks")) {
                let folder =
                    path.strip_prefix(root).unwrap().iter().nth(usize::from(!root.ends_with("pairs")));
                let folder = folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                cases.push((folder, path, expectation));
            }
        }
    };
    if let Some(corpus) = corpus() {
        add(&corpus);
    }
    let fixtures = fixtures_with_expectations("reports");
    cases
        .extend(fixtures.into_iter().map(|(path, expectation)| ("(fixtures)".to_owned(), path, expectation)));
    let only = std::env::var("CORPUS").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    cases.retain(|(folder, ..)| only.is_empty() || only.contains(&folder.as_str()));
    cases
}

#[test]
fn every_expected_value_is_read() {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (folder, path, expectation) in cases() {
        check(&path, &expectation, tallies.entry(folder).or_default(), &mut wrong);
    }
    let mut sum = Tally::default();
    eprintln!("{:<28}{:>6}{:>10}{:>8}{:>8}{:>9}", "format", "files", "expected", "right", "wrong", "beyond");
    for (folder, tally) in &tallies {
        let Tally { files, expected, right, surplus } = tally;
        eprintln!("{folder:<28}{files:>6}{expected:>10}{right:>8}{:>8}{surplus:>9}", expected - right);
        sum.files += files;
        sum.expected += expected;
        sum.right += right;
    }
    eprintln!(
        "{:<28}{:>6}{:>10}{:>8}{:>8}",
        "all",
        sum.files,
        sum.expected,
        sum.right,
        sum.expected - sum.right
    );
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
