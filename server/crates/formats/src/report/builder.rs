//! Collects what a reader finds: benchmarks by key, observations within the limits, warnings within theirs.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use model::{
    Benchmark, BenchmarkKey, BenchmarkName, Figure, Kind, Measure, MeasureName, Measurement, Status, Unit,
};
use rustc_hash::FxBuildHasher;

use crate::error::{At, Kind as ErrorKind, ParseError};
use crate::limits::Limits;
use crate::read::{Content, Parsed, Report};
pub(crate) use crate::report::reading::{FigureReading, Reading, Readings};
use crate::text::{cut, excerpt};
use crate::warnings::Warnings;

/// Facts about the machine that are kept of one file; a tool prints a handful.
const ENVIRONMENT_ENTRIES: usize = 256;
/// Bytes of one such fact.
const ENVIRONMENT_BYTES: usize = 1024;
/// Figures that a tool says about one measure; a whole percentile spectrum has about 200 lines.
const FIGURES: usize = 512;
/// Bytes of a figure's name.
const FIGURE_BYTES: usize = 128;

/// Collects one file's benchmarks in the order they are first seen.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    format: &'static str,
    limits: &'a Limits,
    benchmarks: Vec<Benchmark>,
    /// The place of each benchmark by the hash of its key.
    places: HashTable<usize>,
    /// Facts for [`Report::environment`]; use [`Builder::fact`].
    environment: BTreeMap<String, String>,
    /// Remarks.
    pub(crate) warnings: Warnings,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(format: &'static str, limits: &'a Limits) -> Self {
        Self {
            format,
            limits,
            benchmarks: Vec::new(),
            places: HashTable::new(),
            environment: BTreeMap::new(),
            warnings: Warnings::new(limits),
        }
    }

    pub(crate) fn warn(&mut self, at: At, text: impl Into<String>) {
        self.warnings.add(at, text);
    }

    /// Warns of a line that means nothing to the reader.
    pub(crate) fn unknown_line(&mut self, number: usize, line: &str) {
        self.warn(At::Line(number), format!("not understood and skipped: {:?}", excerpt(line)));
    }

    pub(crate) fn error(&self, at: At, kind: ErrorKind) -> ParseError {
        ParseError::new(self.format, at, kind)
    }

    /// A key, or a warning why the name cannot be one.
    pub(crate) fn key(
        &mut self,
        at: At,
        name: &str,
        parameters: BTreeMap<String, String>,
    ) -> Option<BenchmarkKey> {
        // Labels that people type may go over lines; names may not.
        let joined =
            name.contains(['\n', '\r', '\t']).then(|| name.split_whitespace().collect::<Vec<_>>().join(" "));
        match BenchmarkName::parse(joined.as_deref().unwrap_or(name)) {
            Ok(name) => Some(BenchmarkKey { name, parameters }),
            Err(error) => {
                self.warn(at, format!("skipped, because the {error}"));
                None
            }
        }
    }

    /// Adds one observation. What cannot be a measure is skipped with a warning.
    pub(crate) fn observe(
        &mut self,
        at: At,
        key: &BenchmarkKey,
        kind: Option<Kind>,
        reading: Reading<'_>,
    ) -> Result<(), ParseError> {
        let Some(name) = self.measure_name(at.clone(), reading.measure) else { return Ok(()) };
        let (unit, scale) = Unit::parse(reading.unit);
        // Adding zero turns a negative zero into zero.
        let value = reading.value * scale + 0.0;
        if !value.is_finite() {
            self.warn(at, format!("{name} is out of range and skipped"));
            return Ok(());
        }
        let limits = self.limits;
        let format = self.format;
        let too_many = |what, limit: usize, setting| {
            let kind = ErrorKind::Limit { what, limit: limit as u64, setting };
            Err(ParseError::new(format, at.clone(), kind))
        };
        let Some(benchmark) = self.benchmark(key, kind) else {
            return too_many("benchmarks", limits.benchmarks, "max_benchmarks");
        };
        let known =
            benchmark.measurements.iter_mut().find(|m| m.measure.name == name && m.measure.unit == unit);
        if let Some(measurement) = known {
            if measurement.observations.len() >= limits.observations {
                return too_many("observations of one measure", limits.observations, "max_observations");
            }
            measurement.observations.push(value);
            return Ok(());
        }
        if benchmark.measurements.len() >= limits.measures {
            return too_many("measures of one benchmark", limits.measures, "max_measures");
        }
        let better = reading.better.unwrap_or_else(|| Measure::guess_better(reading.measure, &unit));
        benchmark.measurements.push(Measurement {
            measure: Measure { name, unit, better },
            observations: vec![value],
            summarised: reading.summarised,
            figures: Vec::new(),
        });
        Ok(())
    }

    /// Adds every reading of a measure. Of more than the limit their mean stands for them, the tool's own where it
    /// says one.
    pub(crate) fn observe_all(
        &mut self,
        at: &At,
        key: &BenchmarkKey,
        kind: Option<Kind>,
        readings: Readings<'_>,
    ) -> Result<(), ParseError> {
        let Readings { measure, unit, better, values, mean } = readings;
        let (n, limit) = (values.len(), self.limits.observations);
        if n <= limit {
            return values.iter().try_for_each(|&value| {
                let reading = Reading { measure, unit, value, better, summarised: false };
                self.observe(at.clone(), key, kind, reading)
            });
        }
        let text = format!(
            "{measure} has {n} readings, more than {limit} (max_observations); their mean stands for them"
        );
        self.warn(at.clone(), text);
        // Shares of the mean are added, because a sum of readings may be out of range.
        let value = mean.unwrap_or_else(|| values.iter().map(|value| value / n as f64).sum());
        self.observe(at.clone(), key, kind, Reading { measure, unit, value, better, summarised: true })
    }

    /// Keeps what the tool says about a measure that has been observed: a mean of its readings, a spread, a bound.
    /// The last of two figures of one name stands.
    pub(crate) fn figure(&mut self, at: At, key: &BenchmarkKey, measure: &str, figure: FigureReading<'_>) {
        let (unit, scale) = Unit::parse(figure.unit);
        let value = figure.value * scale + 0.0;
        if !value.is_finite() {
            self.warn(at, format!("{} is out of range and skipped", excerpt(figure.name)));
            return;
        }
        let place = self.place(key);
        let benchmark = place.and_then(|place| self.benchmarks.get_mut(place));
        let measurement =
            benchmark.and_then(|b| b.measurements.iter_mut().find(|m| m.measure.name.as_str() == measure));
        let Some(measurement) = measurement else {
            self.warn(at, format!("{} belongs to no measure and is skipped", excerpt(figure.name)));
            return;
        };
        let name = cut(figure.name, FIGURE_BYTES).to_owned();
        if let Some(known) = measurement.figures.iter_mut().find(|known| known.name == name) {
            *known = Figure { name, unit, value };
        } else if measurement.figures.len() < FIGURES {
            measurement.figures.push(Figure { name, unit, value });
        } else {
            self.warn(at, format!("more than {FIGURES} figures of one measure, {name} is skipped"));
        }
    }

    /// Records that a benchmark did not run to its end.
    pub(crate) fn fail(
        &mut self,
        key: &BenchmarkKey,
        kind: Option<Kind>,
        reason: &str,
    ) -> Result<(), ParseError> {
        let reason = excerpt(reason).into_owned();
        let Some(benchmark) = self.benchmark(key, kind) else {
            return Err(self.error(
                At::File,
                ErrorKind::Limit {
                    what: "benchmarks",
                    limit: self.limits.benchmarks as u64,
                    setting: "max_benchmarks",
                },
            ));
        };
        benchmark.status = Status::Failed(reason);
        Ok(())
    }

    /// Takes benchmarks that are already whole, each key once.
    pub(crate) fn adopt(&mut self, benchmarks: Vec<Benchmark>) {
        self.benchmarks = benchmarks;
    }

    /// Whether a measure of this name was observed.
    pub(crate) fn has(&self, key: &BenchmarkKey, measure: &str) -> bool {
        let benchmark = self.place(key).and_then(|place| self.benchmarks.get(place));
        benchmark.is_some_and(|b| b.measurements.iter().any(|m| m.measure.name.as_str() == measure))
    }

    /// Whether no benchmark was found so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.benchmarks.is_empty()
    }

    /// Keeps a fact about the machine or the run.
    pub(crate) fn fact(&mut self, name: &str, value: &str) {
        let room = self.environment.len() < ENVIRONMENT_ENTRIES || self.environment.contains_key(name);
        if room && name.len() <= ENVIRONMENT_BYTES {
            self.environment.insert(name.to_owned(), cut(value, ENVIRONMENT_BYTES).to_owned());
        }
    }

    /// The fact of this name, if one is kept.
    pub(crate) fn known_fact(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str)
    }

    /// Every measurement so far, to set what the file says about a unit as a whole.
    pub(crate) fn measurements_mut(&mut self) -> impl Iterator<Item = &mut Measurement> {
        self.benchmarks.iter_mut().flat_map(|benchmark| &mut benchmark.measurements)
    }

    /// What was read where the tool itself says that there was nothing to measure: an empty report with a warning.
    pub(crate) fn finish_empty(mut self, at: At, text: &str) -> Parsed {
        self.warn(at, text);
        let report = Report { environment: self.environment, ..Report::default() };
        self.warnings.parsed(self.format, Content::Report(report))
    }

    /// What was read; an error when that is nothing, because an empty report must not look like a passing one.
    pub(crate) fn finish(self, sides: Option<(Vec<String>, usize)>) -> Result<Parsed, ParseError> {
        if self.benchmarks.is_empty() {
            return Err(match self.warnings.first() {
                None => self.error(At::File, ErrorKind::Empty),
                Some(first) => {
                    let text = format!("nothing in it could be read: {}", first.text);
                    self.error(first.at.clone(), ErrorKind::Invalid(text))
                }
            });
        }
        let (columns, column) = match sides {
            Some((columns, column)) => (columns, Some(column)),
            None => (Vec::new(), None),
        };
        let report = Report { benchmarks: self.benchmarks, columns, column, environment: self.environment };
        Ok(self.warnings.parsed(self.format, Content::Report(report)))
    }

    fn measure_name(&mut self, at: At, name: &str) -> Option<MeasureName> {
        MeasureName::parse(name).map_err(|error| self.warn(at, format!("skipped, because the {error}"))).ok()
    }

    fn place(&self, key: &BenchmarkKey) -> Option<usize> {
        let is_it = |place: &usize| self.benchmarks.get(*place).is_some_and(|known| known.key == *key);
        self.places.find(hash(key), is_it).copied()
    }

    /// The benchmark of a key, new where it is not known; `None` when there are too many.
    fn benchmark(&mut self, key: &BenchmarkKey, kind: Option<Kind>) -> Option<&mut Benchmark> {
        let place = match self.place(key) {
            Some(place) => place,
            None if self.benchmarks.len() >= self.limits.benchmarks => return None,
            None => {
                let place = self.benchmarks.len();
                let (key, status, measurements) = (key.clone(), Status::Ok, Vec::with_capacity(1));
                self.benchmarks.push(Benchmark { key, kind, status, measurements });
                let benchmarks = &self.benchmarks;
                let hash_of = |place: &usize| benchmarks.get(*place).map_or(0, |known| hash(&known.key));
                if let Some(added) = benchmarks.last() {
                    self.places.insert_unique(hash(&added.key), place, hash_of);
                }
                place
            }
        };
        self.benchmarks.get_mut(place)
    }
}

fn hash(key: &BenchmarkKey) -> u64 {
    FxBuildHasher.hash_one(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> BenchmarkKey {
        BenchmarkKey { name: BenchmarkName::parse(name).unwrap(), parameters: BTreeMap::new() }
    }

    fn reading(measure: &str, value: f64) -> Reading<'_> {
        Reading { measure, unit: "ms", value, better: None, summarised: false }
    }

    #[test]
    fn limits_are_errors_that_name_their_setting() {
        let limits = Limits { benchmarks: 1, measures: 1, observations: 2, ..Limits::default() };
        let mut builder = Builder::new("test", &limits);
        builder.observe(At::Line(1), &key("a"), None, reading("x", 1.0)).unwrap();
        builder.observe(At::Line(2), &key("a"), None, reading("x", 1.0)).unwrap();
        for (name, measure, setting) in
            [("a", "x", "max_observations"), ("a", "y", "max_measures"), ("b", "x", "max_benchmarks")]
        {
            let error = builder.observe(At::Line(3), &key(name), None, reading(measure, 1.0)).unwrap_err();
            assert!(error.to_string().contains(setting), "{error}");
        }
    }

    #[test]
    fn a_mean_stands_for_more_readings_than_the_limit() {
        let limits = Limits { observations: 2, ..Limits::default() };
        let mut builder = Builder::new("test", &limits);
        for (name, mean) in [("a", None), ("b", Some(5.0))] {
            let values = &[1.0, 2.0, 6.0];
            let readings = Readings { measure: "x", unit: "ns", better: None, values, mean };
            builder.observe_all(&At::File, &key(name), None, readings).unwrap();
        }
        let parsed = builder.finish(None).unwrap();
        assert!(parsed.warnings[0].text.contains("3 readings, more than 2 (max_observations)"));
        let Content::Report(report) = parsed.content else { panic!("a report") };
        for (benchmark, mean) in report.benchmarks.iter().zip([3.0, 5.0]) {
            let read = &benchmark.measurements[0];
            assert_eq!((&read.observations[..], read.summarised), (&[mean][..], true));
        }
    }

    #[test]
    fn what_a_failed_benchmark_measured_is_kept_and_not_judged() {
        let limits = Limits::default();
        let mut builder = Builder::new("test", &limits);
        builder.observe(At::Line(1), &key("a"), None, reading("x", 1.0)).unwrap();
        builder.fail(&key("a"), None, "exit status 1").unwrap();
        let Content::Report(report) = builder.finish(None).unwrap().content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].status, Status::Failed("exit status 1".to_owned()));
        assert_eq!((report.benchmarks[0].measurements.len(), report.benchmarks[0].judged().len()), (1, 0));
    }
}
