//! One benchmark being filled: where it stands, its key and its kind, said once for all its values.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Kind};

use crate::error::{At, ParseError};
use crate::report::builder::{Builder, FigureReading, Reading, Readings};

/// A benchmark to which values are added.
pub(super) struct Entry<'b, 'a> {
    pub(super) builder: &'b mut Builder<'a>,
    pub(super) at: At,
    pub(super) key: BenchmarkKey,
    pub(super) kind: Option<Kind>,
}

impl<'b, 'a> Entry<'b, 'a> {
    /// `None`, with a warning, where the name cannot be one.
    pub(super) fn new(
        builder: &'b mut Builder<'a>,
        at: At,
        name: &str,
        parameters: BTreeMap<String, String>,
        kind: Option<Kind>,
    ) -> Option<Self> {
        let key = builder.key(at.clone(), name, parameters)?;
        Some(Self { builder, at, key, kind })
    }

    pub(super) fn observe(&mut self, reading: Reading<'_>) -> Result<(), ParseError> {
        self.builder.observe(self.at.clone(), &self.key, self.kind, reading)
    }

    /// Adds every reading of a measure, which stand at `at`.
    pub(super) fn observe_all(&mut self, at: &At, readings: Readings<'_>) -> Result<(), ParseError> {
        self.builder.observe_all(at, &self.key, self.kind, readings)
    }

    pub(super) fn figure(&mut self, measure: &str, name: &str, unit: &str, value: f64) {
        self.builder.figure(self.at.clone(), &self.key, measure, FigureReading { name, unit, value });
    }

    pub(super) fn fail(&mut self, reason: &str) -> Result<(), ParseError> {
        self.builder.fail(&self.key, self.kind, reason)
    }
}
