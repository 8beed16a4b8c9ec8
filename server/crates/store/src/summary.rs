//! The summary kept beside the observations, for charts and lists. Verdicts never read it: they are computed from
//! the observations.

use model::verdict::Summary;

/// Standard normal quantile of 97.5 %.
const Z: f64 = 1.959_964;

/// Fewest observations whose range covers the median with 95 %: 1 − 2 · 0.5⁶ = 0.969, but 0.9375 for five.
const FEWEST: usize = 6;

/// Up to here the binomial is summed; past it the normal approximation is off by less than one rank.
const EXACT: usize = 200;

/// Median, its 95 % interval by order statistics, and the range. `None` without observations.
///
/// The interval is distribution-free: the number of observations below the true median is binomial (n, ½), so
/// the k-th smallest and k-th largest enclose it (Conover, *Practical Nonparametric Statistics*, §3.2). With
/// fewer than six observations no interval reaches 95 % and the range is given.
pub(crate) fn summarise(observations: &[f64]) -> Option<Summary> {
    let mut sorted = observations.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (&min, &max) = (sorted.first()?, sorted.last()?);
    let n = sorted.len();
    let middle = sorted[n / 2];
    let median = if n % 2 == 1 { middle } else { f64::midpoint(sorted[n / 2 - 1], middle) };
    let rank = lower_rank(n);
    Some(Summary { n, median, lo: sorted[rank], hi: sorted[n - 1 - rank], min, max })
}

/// How many observations lie outside of the interval on each side.
fn lower_rank(n: usize) -> usize {
    if n < FEWEST {
        return 0;
    }
    if n > EXACT {
        return ((n as f64 - Z * (n as f64).sqrt()) / 2.0).floor() as usize;
    }
    // P(X ≤ k) for X binomial (n, ½), term by term: C(n, k+1) = C(n, k) · (n − k) / (k + 1).
    let mut term = 0.5_f64.powf(n as f64);
    let mut below = term;
    let mut rank = 0;
    while below + term * (n - rank) as f64 / (rank + 1) as f64 <= 0.025 {
        term *= (n - rank) as f64 / (rank + 1) as f64;
        below += term;
        rank += 1;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_summary() {
        assert!(summarise(&[]).is_none());
    }

    #[test]
    fn few_observations_give_their_range() {
        let summary = summarise(&[3.0, 1.0, 2.0, 10.0]).unwrap();
        assert_eq!((summary.n, summary.median, summary.lo, summary.hi), (4, 2.5, 1.0, 10.0));
    }

    /// Ranks from published tables of the sign test's interval (Conover, table A3), counted from zero.
    #[test]
    fn ranks_agree_with_the_tables() {
        for (n, rank) in
            [(5, 0), (6, 0), (8, 0), (9, 1), (10, 1), (12, 2), (15, 3), (20, 5), (25, 7), (50, 17)]
        {
            assert_eq!(lower_rank(n), rank, "n = {n}");
        }
    }

    #[test]
    fn sum_and_approximation_meet() {
        assert!(lower_rank(EXACT).abs_diff(lower_rank(EXACT + 1)) <= 1);
    }
}
