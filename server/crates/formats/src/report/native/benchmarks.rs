//! The `benchmarks` part of the native format.

use std::collections::BTreeMap;

use model::{
    Benchmark, BenchmarkKey, BenchmarkName, Better, Kind, Measure, MeasureName, Measurement, Status, Unit,
};
use rustc_hash::FxHashSet;

use crate::error::{Kind as ErrorKind, ParseError};
use crate::json::{Field, Json};
use crate::limits::Limits;
use crate::warnings::Warnings;

const MEMBERS: [&str; 6] = ["name", "parameters", "kind", "status", "reason", "measures"];
const MEASURE_MEMBERS: [&str; 4] = ["unit", "better", "observations", "summarised"];
/// Parameters of one benchmark, and bytes of a parameter's name or value.
const PARAMETERS: usize = 64;
const PARAMETER_BYTES: usize = 1024;

pub(super) fn list(
    list: &Field<'_>,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Vec<Benchmark>, ParseError> {
    let items = list.items()?;
    at_most(list, items.len(), "benchmarks", limits.benchmarks, "max_benchmarks")?;
    let mut keys = FxHashSet::default();
    let mut benchmarks = Vec::with_capacity(items.len());
    for item in items {
        let benchmark = benchmark(&item, limits, warnings)?;
        if !keys.insert(benchmark.key.clone()) {
            return Err(item.invalid(format!(
                "the benchmark {} stands twice; put all observations into one",
                benchmark.key
            )));
        }
        benchmarks.push(benchmark);
    }
    Ok(benchmarks)
}

fn at_most(
    field: &Field<'_>,
    count: usize,
    what: &'static str,
    limit: usize,
    setting: &'static str,
) -> Result<(), ParseError> {
    if count > limit {
        return Err(field.error(ErrorKind::Limit { what, limit: limit as u64, setting }));
    }
    Ok(())
}

fn benchmark(item: &Field<'_>, limits: &Limits, warnings: &mut Warnings) -> Result<Benchmark, ParseError> {
    let (mut name, mut parameters, mut kind, mut measurements) = (None, BTreeMap::new(), None, Vec::new());
    let (mut failed, mut reason) = (false, None);
    for (member, field) in item.members()? {
        if field.json == &Json::Null && MEMBERS.contains(&member) {
            continue;
        }
        match member {
            "name" => name = Some(field.parsed::<BenchmarkName>()?),
            "parameters" => parameters = self::parameters(&field)?,
            "kind" => kind = Some(self::kind(&field)?),
            "status" => failed = status(&field)?,
            "reason" => reason = Some(field.text()?.to_owned()),
            "measures" => measurements = measures(&field, limits)?,
            _ => return Err(field.unknown(&MEMBERS)),
        }
    }
    let name = name.ok_or_else(|| item.invalid("the field \"name\" is missing"))?;
    if failed && !measurements.is_empty() {
        warnings.add(item.at(), "the measures of a failed benchmark are dropped");
        measurements.clear();
    }
    if !failed && measurements.is_empty() {
        return Err(
            item.invalid("it has no measures; a benchmark that did not run has \"status\": \"failed\"")
        );
    }
    let status =
        if failed { Status::Failed(reason.unwrap_or_else(|| "failed".to_owned())) } else { Status::Ok };
    Ok(Benchmark { key: BenchmarkKey { name, parameters }, kind, status, measurements })
}

fn parameters(field: &Field<'_>) -> Result<BTreeMap<String, String>, ParseError> {
    let mut parameters = BTreeMap::new();
    for (name, value) in field.members()? {
        let text = value.scalar()?;
        let fits = |text: &str| text.len() <= PARAMETER_BYTES && !text.contains(char::is_control);
        if name.is_empty() || !fits(name) || !fits(&text) || parameters.len() >= PARAMETERS {
            return Err(value.invalid(format!(
                "a benchmark has at most {PARAMETERS} parameters of {PARAMETER_BYTES} bytes without control characters"
            )));
        }
        parameters.insert(name.to_owned(), text);
    }
    Ok(parameters)
}

/// One of a few words; the error names them.
fn word<T: Copy>(field: &Field<'_>, expected: &'static str, words: &[(&str, T)]) -> Result<T, ParseError> {
    let text = field.text()?;
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
        let found = text.chars().take(64).collect();
        field.error(ErrorKind::Expected { expected, found })
    })
}

fn kind(field: &Field<'_>) -> Result<Kind, ParseError> {
    word(field, "end-to-end or micro", &[("end-to-end", Kind::EndToEnd), ("micro", Kind::Micro)])
}

/// Whether it failed.
fn status(field: &Field<'_>) -> Result<bool, ParseError> {
    word(field, "ok or failed", &[("ok", false), ("failed", true)])
}

fn better(field: &Field<'_>) -> Result<Better, ParseError> {
    let words = [("higher", Better::Higher), ("lower", Better::Lower), ("neither", Better::Neither)];
    word(field, "higher, lower or neither", &words)
}

fn measures(field: &Field<'_>, limits: &Limits) -> Result<Vec<Measurement>, ParseError> {
    let mut measurements = Vec::new();
    for (name, measure) in field.members()? {
        at_most(field, measurements.len() + 1, "measures of one benchmark", limits.measures, "max_measures")?;
        let name = MeasureName::parse(name).map_err(|error| measure.invalid(error.to_string()))?;
        measurements.push(measurement(name, &measure, limits)?);
    }
    Ok(measurements)
}

fn measurement(name: MeasureName, measure: &Field<'_>, limits: &Limits) -> Result<Measurement, ParseError> {
    let (mut unit, mut scale) = (Unit::Count(String::new()), 1.0);
    let (mut better, mut summarised) = (None, false);
    let mut readings = Vec::new();
    // The unit may stand behind the observations, so they are scaled when all is read.
    for (member, field) in measure.members()? {
        if field.json == &Json::Null && MEASURE_MEMBERS.contains(&member) {
            continue;
        }
        match member {
            "unit" => {
                let text: MeasureName = match field.text()? {
                    "" => continue,
                    _ => field.parsed()?,
                };
                (unit, scale) = Unit::parse(text.as_str());
            }
            "better" => better = Some(self::better(&field)?),
            "summarised" => {
                let Json::Bool(value) = field.json else {
                    return Err(field.invalid("it must be true or false"));
                };
                summarised = *value;
            }
            "observations" => {
                let items = field.items()?;
                at_most(
                    &field,
                    items.len(),
                    "observations of one measure",
                    limits.observations,
                    "max_observations",
                )?;
                readings = items.map(|item| item.number()).collect::<Result<_, _>>()?;
            }
            _ => return Err(field.unknown(&MEASURE_MEMBERS)),
        }
    }
    if readings.is_empty() {
        return Err(measure.invalid("it has no observations"));
    }
    let observations = readings.iter().enumerate().map(|(index, reading)| {
        let value = reading * scale + 0.0;
        let impossible = !value.is_finite() || (value < 0.0 && is_never_negative(&unit));
        if impossible {
            return Err(measure.invalid(format!("observation {index} is {reading}, which {unit} cannot be")));
        }
        Ok(value)
    });
    let observations = observations.collect::<Result<_, _>>()?;
    let better = better.unwrap_or_else(|| Measure::guess_better(name.as_str(), &unit));
    Ok(Measurement { summarised, ..Measurement::new(Measure { name, unit, better }, observations) })
}

fn is_never_negative(unit: &Unit) -> bool {
    !matches!(unit, Unit::Ratio | Unit::Other(_))
}
