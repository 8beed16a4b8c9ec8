//! Order statistics: medians, quantiles, spread, shift. Nothing here knows what is measured.
//!
//! All functions are total; empty input gives 0.

use statrs::distribution::{Binomial, DiscreteCDF};

/// Sides longer than this are thinned to evenly spaced quantiles before pairwise work, which is quadratic.
const PAIRWISE_LIMIT: usize = 400;

/// A sorted copy without values that are not finite.
pub(crate) fn sorted_finite(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The quantile `q` (0 to 1) of sorted values, interpolated linearly (Hyndman and Fan's type 7).
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let below = at.floor() as usize;
    let (lo, hi) = (sorted[below.min(last)], sorted[(below + 1).min(last)]);
    let part = at - at.floor();
    // Weighted rather than `lo + (hi - lo) * part`, which overflows for the largest doubles.
    lo * (1.0 - part) + hi * part
}

/// The median of sorted values.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    quantile(sorted, 0.5)
}

/// Mean and unbiased variance.
pub(crate) fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mean = values.iter().map(|v| v / n).sum::<f64>();
    if values.len() < 2 {
        return (mean, 0.0);
    }
    (mean, values.iter().map(|v| (v - mean).powi(2) / (n - 1.0)).sum())
}

/// An interval that holds the median with at least 95 % probability, from order statistics; the range when there
/// are fewer than six values, which cannot give 95 %.
pub(crate) fn median_interval(sorted: &[f64]) -> (f64, f64) {
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return (0.0, 0.0) };
    let n = sorted.len();
    let Ok(fair) = Binomial::new(0.5, n as u64) else { return (min, max) };
    // The largest k whose k outer values a side may be left out: 2 · P(X ≤ k − 1) ≤ 5 %.
    let mut k = 0;
    while k < n / 2 && 2.0 * fair.cdf(k as u64) <= 0.05 {
        k += 1;
    }
    match k {
        0 => (min, max),
        k => (sorted[k - 1], sorted[n - k]),
    }
}

/// Every difference `head − base`, sorted; long sides are thinned.
pub(crate) fn pairwise_differences(base: &[f64], head: &[f64]) -> Vec<f64> {
    let (base, head) = (thinned(base), thinned(head));
    let mut all: Vec<f64> = head.iter().flat_map(|h| base.iter().map(move |b| h - b)).collect();
    all.sort_unstable_by(f64::total_cmp);
    all
}

fn thinned(sorted: &[f64]) -> std::borrow::Cow<'_, [f64]> {
    if sorted.len() <= PAIRWISE_LIMIT {
        return sorted.into();
    }
    let step = 1.0 / (PAIRWISE_LIMIT - 1) as f64;
    (0..PAIRWISE_LIMIT).map(|i| quantile(sorted, i as f64 * step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let sorted = sorted_finite(&[4.0, f64::NAN, 1.0, 3.0, 2.0]);
        assert_eq!((median(&sorted), quantile(&sorted, 0.0), quantile(&sorted, 1.0)), (2.5, 1.0, 4.0));
        assert_eq!(median(&[f64::MAX, f64::MAX]), f64::MAX);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn the_interval_of_a_median_leaves_out_only_what_it_may() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        // Known: for n = 10 the 2nd and 9th order statistics hold the median with 97.9 %.
        assert_eq!(median_interval(&values), (2.0, 9.0));
        assert_eq!(median_interval(&values[..5]), (1.0, 5.0));
        assert_eq!(median_interval(&values[..6]), (1.0, 6.0));
    }

    #[test]
    fn long_sides_are_thinned_without_moving_the_shift() {
        let base: Vec<f64> = (0..5000).map(f64::from).collect();
        let head: Vec<f64> = base.iter().map(|v| v + 7.0).collect();
        let shifts = pairwise_differences(&base, &head);
        assert_eq!(shifts.len(), PAIRWISE_LIMIT * PAIRWISE_LIMIT);
        assert!((median(&shifts) - 7.0).abs() < 1e-6);
    }
}
