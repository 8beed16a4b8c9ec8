//! Whether weights are profiler ticks or what ticks stand for, and how many ticks a line is.
//!
//! Folded text keeps one number a stack. Collapsers of perf write the sum of the samples' periods into it (`perf
//! script` prints them), async-profiler the number of samples, or nanoseconds with `--total`. Statistics need the
//! number of samples; where the text does not say it, it is estimated on the low side, never invented.

use model::Unit;

use super::header::{Header, is_tick};

/// Weights that add up to more than this are not ticks when the middle one is large as well …
const PERIODS_FROM_TOTAL: f64 = 10_000_000.0;
/// … that is, at least this: no stack of a real profile in ticks is typically seen 100,000 times.
const PERIODS_FROM_MEDIAN: f64 = 100_000.0;
/// A period below this many nanoseconds or cycles is chance: nobody samples that often.
const SMALLEST_PERIOD: f64 = 1_000.0;
/// How far from a multiple, in periods, a weight may lie …
const OFF_A_MULTIPLE: f64 = 0.01;
/// … and how many of the weights have to lie that close for the period to be believed.
const MULTIPLES_NEEDED: f64 = 0.9;

/// How samples follow from a line's weight as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::profile) enum Samples {
    /// The weight is their number.
    Weight,
    /// The weight is their number times this period.
    Period(f64),
    /// Unknown: a line with a weight is at least one.
    OneALine,
}

/// The unit of the weights, the factor to it, and the rule for samples.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::profile) struct Meaning {
    /// The base unit.
    pub(in crate::profile) unit: Unit,
    /// What a weight in the file is multiplied with.
    pub(in crate::profile) scale: f64,
    /// How samples follow.
    pub(in crate::profile) samples: Samples,
}

/// Decides what the weights of a file mean.
///
/// Told a unit of ticks, or nothing and the weights are whole: samples are the weights. Told another unit, or the
/// weights are too large for ticks: samples are weights in units of the common period if there is one, else one a
/// line. Bytes have no period: sizes repeat for other reasons.
pub(in crate::profile) fn decide(weights: &[f64], header: &Header) -> Meaning {
    let (unit, scale) = match &header.unit {
        Some((unit, scale)) => (unit.clone(), *scale),
        None if look_like_periods(weights) => (period_unit(header.event.as_deref()), 1.0),
        None => (Unit::Count("samples".to_owned()), 1.0),
    };
    let samples = if header.sample_a_line {
        Samples::OneALine
    } else if is_tick(&unit) {
        let whole = weights.iter().all(|weight| weight.fract() == 0.0);
        if whole { Samples::Weight } else { Samples::OneALine }
    } else if unit == Unit::Bytes {
        Samples::OneALine
    } else {
        common_period(weights, scale).map_or(Samples::OneALine, Samples::Period)
    };
    Meaning { unit, scale, samples }
}

impl Samples {
    /// The number of samples of one line.
    pub(in crate::profile) fn of(self, weight: f64) -> u64 {
        let estimate = match self {
            // Saturates at the largest number.
            Self::Weight => return weight as u64,
            Self::Period(period) => (weight / period).round() as u64,
            Self::OneALine => 1,
        };
        if weight == 0.0 { 0 } else { estimate.max(1) }
    }
}

fn look_like_periods(weights: &[f64]) -> bool {
    if weights.iter().sum::<f64>() <= PERIODS_FROM_TOTAL {
        return false;
    }
    let mut sorted = weights.to_vec();
    let middle = sorted.len() / 2;
    if middle >= sorted.len() {
        return false;
    }
    *sorted.select_nth_unstable_by(middle, f64::total_cmp).1 >= PERIODS_FROM_MEDIAN
}

/// perf's clock events have periods in nanoseconds and `cycles` in cycles; of others nothing is known.
fn period_unit(event: Option<&str>) -> Unit {
    match event {
        Some(name) if name.contains("cycles") => Unit::Cycles,
        Some(name) if name.contains("clock") => Unit::Nanoseconds,
        Some(name) if name.contains("instructions") => Unit::Instructions,
        _ => Unit::Other("events".to_owned()),
    }
}

fn common_period(weights: &[f64], scale: f64) -> Option<f64> {
    let smallest = weights.iter().copied().filter(|weight| *weight > 0.0).min_by(f64::total_cmp)?;
    if smallest * scale < SMALLEST_PERIOD {
        return None;
    }
    let is_multiple = |weight: &&f64| {
        let multiple = **weight / smallest;
        (multiple - multiple.round()).abs() <= OFF_A_MULTIPLE
    };
    let multiples = weights.iter().filter(is_multiple).count();
    (multiples as f64 >= MULTIPLES_NEEDED * weights.len() as f64).then_some(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(unit: &str) -> Header {
        Header { unit: Some(Unit::parse(unit)), ..Header::default() }
    }

    #[test]
    fn small_whole_weights_are_ticks() {
        let meaning = decide(&[6000.0, 4000.0, 1.0], &Header::default());
        assert_eq!((meaning.unit, meaning.samples), (Unit::Count("samples".into()), Samples::Weight));
        assert_eq!(Samples::Weight.of(6000.0), 6000);
        assert_eq!(Samples::Weight.of(1e30), u64::MAX);
    }

    #[test]
    fn fractions_are_not_ticks() {
        assert_eq!(decide(&[31.23, 6.0], &Header::default()).samples, Samples::OneALine);
    }

    #[test]
    fn periods_of_a_fixed_clock_are_found() {
        let meaning = decide(&[1_003_009.0, 2_006_018.0, 168_505_512.0], &Header::default());
        assert_eq!(
            (meaning.unit, meaning.samples),
            (Unit::Other("events".into()), Samples::Period(1_003_009.0))
        );
        assert_eq!(meaning.samples.of(168_505_512.0), 168);
        let meaning = decide(&[5e6, 1e7], &told("ns"));
        assert_eq!((meaning.unit, meaning.samples.of(1e7)), (Unit::Nanoseconds, 2));
        assert_eq!(decide(&[5.0, 10.0], &told("ms")).samples, Samples::Period(5.0));
    }

    #[test]
    fn without_a_common_period_a_line_is_one_sample() {
        let cycles = [4_614_996.0, 438_507.0, 29_005_000.0, 3_946_818.0];
        assert_eq!(decide(&cycles, &Header::default()).samples, Samples::OneALine);
        assert_eq!(decide(&[8.0, 16.0, 4096.0], &told("ns")).samples, Samples::OneALine);
        assert_eq!(decide(&[4096.0, 8192.0], &told("B")).samples, Samples::OneALine);
        assert_eq!((Samples::OneALine.of(0.0), Samples::OneALine.of(7.0)), (0, 1));
    }
}
