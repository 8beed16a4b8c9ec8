//! What a reader hands to the builder: one value, all readings of a measure, or a number about them.

use model::Better;

/// One value as a tool prints it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// The tool's name for the measure.
    pub(crate) measure: &'a str,
    /// The unit as the tool writes it.
    pub(crate) unit: &'a str,
    /// The value in that unit; finite.
    pub(crate) value: f64,
    /// What the tool says is better; guessed when it does not say.
    pub(crate) better: Option<Better>,
    /// The value stands for several readings.
    pub(crate) summarised: bool,
}

impl<'a> Reading<'a> {
    /// One raw reading, which way is better to be guessed.
    pub(crate) fn raw(measure: &'a str, unit: &'a str, value: f64) -> Self {
        Self { measure, unit, value, better: None, summarised: false }
    }

    /// A mean, median or percentile of several readings.
    pub(crate) fn summary(measure: &'a str, unit: &'a str, value: f64) -> Self {
        Self { measure, unit, value, better: None, summarised: true }
    }

    /// The same with a direction that the tool makes certain.
    pub(crate) fn towards(self, better: Better) -> Self {
        Self { better: Some(better), ..self }
    }
}

/// Every reading of one measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Readings<'a> {
    /// The tool's name for the measure.
    pub(crate) measure: &'a str,
    /// The unit as the tool writes it.
    pub(crate) unit: &'a str,
    /// What the tool says is better; guessed when it does not say.
    pub(crate) better: Option<Better>,
    /// The values in that unit.
    pub(crate) values: &'a [f64],
    /// Their mean, where the tool says it.
    pub(crate) mean: Option<f64>,
}

/// One number that the tool computed from the readings of a measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FigureReading<'a> {
    /// The tool's name for it.
    pub(crate) name: &'a str,
    /// The unit as the tool writes it.
    pub(crate) unit: &'a str,
    /// The value in that unit.
    pub(crate) value: f64,
}
