//! One measure of one benchmark on both sides: levels, change, interval, p. No floor and no verdict yet.

use model::Measurement;
use model::verdict::{Summary, Test};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::policy::{Evidence, Nature};
use crate::rank_test::{NullTables, mann_whitney, pairs_left_out};
use crate::robust::{median, median_interval, moments, pairwise_differences, sorted_finite};

/// From this many readings a side on, ranks decide; below, a rank test cannot reach significance.
const RANKS_FROM: usize = 5;

/// What the readings say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) base: Summary,
    pub(crate) head: Summary,
    /// Relative change of the level; `None` from a baseline of 0.
    pub(crate) change: Option<f64>,
    /// 95 % interval of the change.
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) test: Test,
    pub(crate) p: Option<f64>,
    pub(crate) smallest_visible: Option<f64>,
    /// How much was read of the weaker side.
    pub(crate) evidence: Evidence,
    /// Neither side's range reaches into the other's.
    pub(crate) apart: bool,
}

/// One side, summarised; `None` without a finite reading.
pub(crate) fn summary(measurement: &Measurement) -> Option<Summary> {
    summary_of(&sorted_finite(&measurement.observations))
}

fn summary_of(sorted: &[f64]) -> Option<Summary> {
    let (lo, hi) = median_interval(sorted);
    Some(Summary {
        n: sorted.len(),
        median: median(sorted),
        lo,
        hi,
        min: *sorted.first()?,
        max: *sorted.last()?,
    })
}

fn evidence(sorted: &[f64], summarised: bool) -> Evidence {
    match (sorted.len(), summarised) {
        (0 | 1, false) => Evidence::Single,
        (0 | 1, true) => Evidence::Summarised,
        _ => Evidence::Several,
    }
}

/// Compares two sides of one measure; `None` where a side holds no finite reading.
pub(crate) fn compare(
    nature: Nature,
    base: &Measurement,
    head: &Measurement,
    tables: &mut NullTables,
) -> Option<Comparison> {
    let sides = [sorted_finite(&base.observations), sorted_finite(&head.observations)];
    let [b, h] = [&sides[0][..], &sides[1][..]];
    let (base_summary, head_summary) = (summary_of(b)?, summary_of(h)?);
    let constant = base_summary.min == base_summary.max && head_summary.min == head_summary.max;
    let evidence = evidence(b, base.summarised).min(evidence(h, head.summarised));
    let single = Comparison {
        base: base_summary,
        head: head_summary,
        change: relative(base_summary.median, head_summary.median),
        interval: None,
        test: if nature == Nature::Exact { Test::Exact } else { Test::FloorOnly },
        p: None,
        smallest_visible: None,
        evidence,
        apart: base_summary.max < head_summary.min || head_summary.max < base_summary.min,
    };
    if constant && nature != Nature::Exact && evidence == Evidence::Several {
        // Timings that never vary are a coarse clock or one reading copied, not certainty.
        return Some(Comparison { evidence: Evidence::Single, ..single });
    }
    if constant || evidence != Evidence::Several {
        let test = if constant { single.test } else { Test::FloorOnly };
        return Some(Comparison { test, ..single });
    }
    Some(several(single, b, h, tables))
}

fn relative(base: f64, head: f64) -> Option<f64> {
    model::Change::between(base, head).map(|change| change.relative).filter(|change| change.is_finite())
}

/// Both sides hold several readings: test, shift and interval, on logarithms where all are positive, because
/// noise of times and rates multiplies.
fn several(single: Comparison, base: &[f64], head: &[f64], tables: &mut NullTables) -> Comparison {
    let positive = base[0] > 0.0 && head[0] > 0.0;
    let (b, h): (Vec<f64>, Vec<f64>) = if positive {
        (base.iter().map(|v| v.ln()).collect(), head.iter().map(|v| v.ln()).collect())
    } else {
        (base.to_vec(), head.to_vec())
    };
    // From a difference on the test's scale to a relative change.
    let level = single.base.median;
    let to_change = |shift: f64| {
        let change = if positive { shift.exp_m1() } else { shift / level.abs() };
        change.is_finite().then_some(change)
    };
    let welch = Welch::of(&b, &h);
    let shifts = pairwise_differences(&b, &h);
    let shift = median(&shifts);
    let ranks = (base.len().min(head.len()) >= RANKS_FROM).then(|| mann_whitney(base, head, tables));
    let ends = match ranks {
        Some(_) => {
            let k = pairs_left_out(base.len(), head.len(), tables);
            let kept = base.len() * head.len() - 2 * k;
            // Thinned sides keep the same part of their pairs.
            let skip = (shifts.len() - (shifts.len() * kept).div_ceil(base.len() * head.len())) / 2;
            Some((shifts[skip], shifts[shifts.len() - 1 - skip]))
        }
        None => welch.interval(),
    };
    let identical = base == head;
    Comparison {
        // Hodges and Lehmann's shift (Ann. Math. Stat. 34, 1963): as robust as medians, far steadier for few values.
        change: if level == 0.0 { single.change } else { to_change(shift) },
        interval: ends.and_then(|(lo, hi)| Some((to_change(lo)?, to_change(hi)?))),
        test: if ranks.is_some() { Test::MannWhitney } else { Test::Welch },
        p: if identical { Some(1.0) } else { ranks.map(|test| test.p).or(welch.p()) },
        smallest_visible: welch.smallest_visible().and_then(to_change).map(f64::abs),
        apart: ranks.map_or(single.apart, |test| test.apart),
        ..single
    }
}

/// Welch's t (Biometrika 34, 1947): means of two samples whose spreads may differ.
#[derive(Debug, Clone, Copy)]
struct Welch {
    difference: f64,
    standard_error: f64,
    degrees: f64,
}

impl Welch {
    fn of(base: &[f64], head: &[f64]) -> Self {
        let [(m0, v0), (m1, v1)] = [moments(base), moments(head)];
        let [n0, n1] = [base.len() as f64, head.len() as f64];
        let (e0, e1) = (v0 / n0, v1 / n1);
        let degrees = (e0 + e1).powi(2) / (e0.powi(2) / (n0 - 1.0) + e1.powi(2) / (n1 - 1.0));
        Self { difference: m1 - m0, standard_error: (e0 + e1).sqrt(), degrees }
    }

    fn distribution(self) -> Option<StudentsT> {
        // One side may not vary at all, then the other's degrees count; both constant gives NaN and no test.
        let usable = self.standard_error.is_finite() && self.standard_error > 0.0 && self.degrees.is_finite();
        usable.then(|| StudentsT::new(0.0, 1.0, self.degrees.max(1.0)).ok()).flatten()
    }

    fn p(self) -> Option<f64> {
        let t = (self.difference / self.standard_error).abs();
        let p = 2.0 * self.distribution()?.sf(t);
        p.is_finite().then_some(p.clamp(0.0, 1.0))
    }

    fn interval(self) -> Option<(f64, f64)> {
        let reach = self.distribution()?.inverse_cdf(0.975) * self.standard_error;
        reach.is_finite().then_some((self.difference - reach, self.difference + reach))
    }

    /// The shift seen with 80 % power at 5 %.
    fn smallest_visible(self) -> Option<f64> {
        let t = self.distribution()?;
        let shift = (t.inverse_cdf(0.975) + t.inverse_cdf(0.8)) * self.standard_error;
        shift.is_finite().then_some(shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Better, Measure, MeasureName, Unit};

    fn readings(values: &[f64]) -> Measurement {
        let measure = Measure {
            name: MeasureName::parse("ns/op").unwrap(),
            unit: Unit::Nanoseconds,
            better: Better::Lower,
        };
        Measurement::new(measure, values.to_vec())
    }

    fn compared(base: &[f64], head: &[f64]) -> Comparison {
        compare(Nature::Centre, &readings(base), &readings(head), &mut NullTables::default()).unwrap()
    }

    #[test]
    fn four_readings_a_side_are_tested_by_welch_on_logarithms() {
        let found = compared(&[458.75, 469.64, 458.72, 465.89], &[389.08, 398.94, 407.81, 409.70]);
        assert_eq!(found.test, Test::Welch);
        // Computed independently: t = −12.2 with 4.2 degrees of freedom.
        let p = found.p.unwrap();
        assert!(p > 1e-4 && p < 4e-4, "{p}");
        let change = found.change.unwrap();
        assert!((change + 0.13).abs() < 0.005, "{change}");
        let (lo, hi) = found.interval.unwrap();
        assert!(lo < change && change < hi && hi < -0.09, "{lo} {hi}");
    }

    #[test]
    fn the_interval_of_ten_readings_comes_from_their_ranks() {
        let base: Vec<f64> = (0..10).map(|i| 100.0 + f64::from(i)).collect();
        let head: Vec<f64> = base.iter().map(|v| v * 1.2).collect();
        let found = compared(&base, &head);
        let (lo, hi) = found.interval.unwrap();
        assert_eq!(found.test, Test::MannWhitney);
        assert!((found.change.unwrap() - 0.2).abs() < 1e-9 && lo > 0.15 && hi < 0.25, "{lo} {hi}");
        assert!(found.apart && found.smallest_visible.unwrap() < 0.1);
    }

    #[test]
    fn timings_that_never_vary_count_as_one_reading() {
        let found = compared(&[5.0; 8], &[6.0; 8]);
        assert_eq!((found.test, found.evidence, found.p), (Test::FloorOnly, Evidence::Single, None));
    }

    #[test]
    fn absurd_readings_give_no_number_rather_than_a_wrong_one() {
        let found = compared(&[f64::MIN_POSITIVE, 1e-300], &[1e300, f64::MAX]);
        assert_eq!(found.change, None);
        let found = compared(&[-1e308, 1e308], &[1e308, 1e308]);
        assert!(found.p.is_none_or(|p| (0.0..=1.0).contains(&p)));
    }
}
