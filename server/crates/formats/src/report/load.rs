//! What readers of load generators share: latencies, rates, and requests that are logged one by one.

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::report::builder::{Builder, FigureReading, Reading};

/// Load on a server is an end-to-end benchmark.
pub(super) const KIND: Option<Kind> = Some(Kind::EndToEnd);

/// Which way a kind of value is better, for tools that print one of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Is {
    /// A time that a request takes.
    Latency,
    /// Requests or bytes a second.
    Rate,
    /// Requests that went wrong.
    Failure,
    /// How much was done or for how long: what the run was told to do.
    Amount,
}

impl Is {
    fn better(self) -> Better {
        match self {
            Self::Latency | Self::Failure => Better::Lower,
            Self::Rate => Better::Higher,
            Self::Amount => Better::Neither,
        }
    }
}

/// One benchmark of a load generator.
#[derive(Debug)]
pub(super) struct Load<'b, 'a> {
    pub(super) builder: &'b mut Builder<'a>,
    pub(super) key: BenchmarkKey,
}

impl Load<'_, '_> {
    /// A value that stands for many requests.
    pub(super) fn value(
        &mut self,
        at: At,
        is: Is,
        measure: &str,
        unit: &str,
        value: f64,
    ) -> Result<(), ParseError> {
        let reading = Reading::summary(measure, unit, value).towards(is.better());
        self.builder.observe(at, &self.key, KIND, reading)
    }

    /// What the tool says about a measure besides.
    pub(super) fn figure(&mut self, at: At, measure: &str, name: &str, unit: &str, value: f64) {
        self.builder.figure(at, &self.key, measure, FigureReading { name, unit, value });
    }

    /// The run failed as a whole.
    pub(super) fn fail(&mut self, why: &str) -> Result<(), ParseError> {
        self.builder.fail(&self.key, KIND, why)
    }
}

/// Requests of one kind, logged one by one.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// How long each took.
    values: Vec<f64>,
    /// Those that went wrong.
    pub(super) failed: usize,
}

/// Percentiles reported of logged requests.
const PERCENTILES: [(f64, &str); 4] = [(50.0, "p50"), (90.0, "p90"), (95.0, "p95"), (99.0, "p99")];

impl Requests {
    pub(super) fn push(&mut self, value: f64, failed: bool) {
        self.values.push(value);
        self.failed += usize::from(failed);
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The mean with its spread, and percentiles by nearest rank, named `elapsed mean`, `elapsed p99` …
    pub(super) fn report(
        mut self,
        load: &mut Load<'_, '_>,
        what: &str,
        unit: &str,
    ) -> Result<(), ParseError> {
        let n = self.values.len() as f64;
        if self.values.is_empty() {
            return Ok(());
        }
        self.values.sort_by(f64::total_cmp);
        let mean = self.values.iter().sum::<f64>() / n;
        let measure = format!("{what} mean");
        load.value(At::File, Is::Latency, &measure, unit, mean)?;
        let variance =
            self.values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let ends = [("min", self.values.first()), ("max", self.values.last())];
        for (name, value) in ends {
            load.figure(At::File, &measure, &format!("{what} {name}"), unit, value.copied().unwrap_or(mean));
        }
        load.figure(At::File, &measure, &format!("{what} stddev"), unit, variance.sqrt());
        for (percent, name) in PERCENTILES {
            let rank = (percent / 100.0 * n).ceil().max(1.0) as usize;
            if let Some(value) = self.values.get(rank - 1) {
                load.value(At::File, Is::Latency, &format!("{what} {name}"), unit, *value)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::limits::Limits;
    use crate::read::Content;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let limits = Limits::default();
        let mut builder = Builder::new("test", &limits);
        let key = builder.key(At::File, "a", BTreeMap::new()).unwrap();
        let mut requests = Requests::default();
        (1..=100).for_each(|value| requests.push(f64::from(value), value > 98));
        assert_eq!((requests.len(), requests.failed), (100, 2));
        requests.report(&mut Load { builder: &mut builder, key }, "elapsed", "ns").unwrap();
        let Content::Report(report) = builder.finish(None).unwrap().content else { panic!("a report") };
        let values: Vec<f64> = report.benchmarks[0].measurements.iter().map(|m| m.observations[0]).collect();
        assert_eq!(values, [50.5, 50.0, 90.0, 95.0, 99.0]);
        assert_eq!(report.benchmarks[0].measurements[0].figures[1].value, 100.0);
    }
}
