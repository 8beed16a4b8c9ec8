//! Whether a frame's share of the samples differs between the sides by more than sampling explains.
//!
//! A G-test on a two by two table, its variance inflated by the over-dispersion φ that runs of one program show
//! (quasi-binomial). With one run a side φ cannot be seen and is taken as 2: measured, physical frames of repeated
//! runs show 1.3 to 1.5 on average, and plain binomial tests (φ = 1) raise false alarms in every seventh comparison.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::frames::totals_of_run;
use super::pool::Union;

/// Frames with fewer samples on both sides together say nothing.
pub(super) const FEWEST_SAMPLES: u64 = 20;
/// φ with one run a side.
const UNSEEN_DISPERSION: f64 = 2.0;
/// How many degrees of freedom the mean over all frames is worth against the frame's own.
const PRIOR_DEGREES: f64 = 10.0;
/// Standard normal quantiles of α = 0.001 (two-sided) and 80 % power, for the smallest visible change.
const QUANTILES: f64 = 3.29 + 0.84;
/// The share of the frame that the smallest visible change is told for.
const REFERENCE_SHARE: f64 = 0.02;

/// Tests frames of one union.
#[derive(Debug)]
pub(super) struct FrameTest {
    /// φ by frame.
    dispersion: Vec<f64>,
    /// Denominator degrees of freedom of the F tail; `None` where φ was assumed, not seen.
    degrees: Option<f64>,
}

impl FrameTest {
    /// Estimates over-dispersion from the runs of both sides.
    pub(super) fn of(union: &Union) -> Self {
        let n_runs = union.runs.iter().map(Vec::len).sum::<usize>();
        let degrees = n_runs as f64 - 2.0;
        if degrees < 1.0 {
            return Self { dispersion: vec![UNSEEN_DISPERSION; union.frames.len()], degrees: None };
        }
        let heterogeneity = heterogeneity(union);
        let seen: Vec<f64> = heterogeneity.iter().flatten().map(|chi| chi / degrees).collect();
        let pooled = if seen.is_empty() { 1.0 } else { seen.iter().sum::<f64>() / seen.len() as f64 };
        let dispersion = heterogeneity
            .iter()
            .map(|chi| {
                let own = chi.unwrap_or(pooled * degrees);
                ((PRIOR_DEGREES * pooled + own) / (PRIOR_DEGREES + degrees)).max(1.0)
            })
            .collect();
        Self { dispersion, degrees: Some(PRIOR_DEGREES + degrees) }
    }

    /// The p-value of frame `frame` with `x` of `n` samples on both sides.
    pub(super) fn p(&self, frame: usize, x: [u64; 2], n: [u64; 2]) -> f64 {
        let dispersion = self.dispersion.get(frame).copied().unwrap_or(UNSEEN_DISPERSION);
        let statistic = g_statistic(x, n) / dispersion;
        let tail = match self.degrees {
            Some(degrees) => FisherSnedecor::new(1.0, degrees).map(|f| f.sf(statistic)).ok(),
            None => ChiSquared::new(1.0).map(|chi| chi.sf(statistic)).ok(),
        };
        tail.map_or(1.0, |p| if p.is_finite() { p.clamp(0.0, 1.0) } else { 1.0 })
    }

    /// Whether over-dispersion was seen rather than assumed, so that a finding may be called confirmed.
    pub(super) fn is_calibrated(&self) -> bool {
        self.degrees.is_some()
    }
}

/// Pearson's χ² of runs within their sides, by frame; `None` for frames with too few samples to tell.
fn heterogeneity(union: &Union) -> Vec<Option<f64>> {
    let n_frames = union.frames.len();
    let mut chi = vec![0.0; n_frames];
    let mut counted = vec![0_u64; n_frames];
    for side in &union.runs {
        let totals: Vec<Vec<u64>> = side.iter().map(|run| totals_of_run(union, run)).collect();
        let n: f64 = side.iter().map(|run| run.samples as f64).sum();
        for frame in 0..n_frames {
            let x: u64 = totals.iter().map(|run| run[frame]).fold(0, u64::saturating_add);
            counted[frame] = counted[frame].saturating_add(x);
            let share = x as f64 / n;
            if n <= 0.0 || share <= 0.0 || share >= 1.0 {
                continue;
            }
            for (run, totals) in side.iter().zip(&totals) {
                let expected = run.samples as f64 * share;
                if expected > 0.0 {
                    chi[frame] += (totals[frame] as f64 - expected).powi(2) / (expected * (1.0 - share));
                }
            }
        }
    }
    chi.into_iter()
        .zip(counted)
        .map(|(chi, x)| (x >= FEWEST_SAMPLES && f64::is_finite(chi)).then_some(chi))
        .collect()
}

/// 2 Σ O ln(O / E) of the table of samples with and without the frame on both sides.
pub(super) fn g_statistic(x: [u64; 2], n: [u64; 2]) -> f64 {
    let (x, n) = (x.map(|v| v as f64), n.map(|v| v as f64));
    let share = (x[0] + x[1]) / (n[0] + n[1]);
    let mut sum = 0.0;
    for side in 0..2 {
        for (observed, expected) in [(x[side], n[side] * share), (n[side] - x[side], n[side] * (1.0 - share))]
        {
            if observed > 0.0 && expected > 0.0 {
                sum += observed * (observed / expected).ln();
            }
        }
    }
    if sum.is_finite() { (2.0 * sum).max(0.0) } else { 0.0 }
}

/// The smallest change of a 2 % share that these samples could have shown, α = 0.001 and 80 % power.
pub(super) fn smallest_visible_share(union: &Union) -> Option<f64> {
    let [a, b] = union.kept_samples.map(|n| n as f64);
    if a < 1.0 || b < 1.0 {
        return None;
    }
    let runs = union.runs.iter().map(Vec::len).sum::<usize>();
    let dispersion = if runs > 2 { 1.5 } else { UNSEEN_DISPERSION };
    let mut change = 0.0;
    // A fixed point: the change itself widens the binomial.
    for _ in 0..20 {
        let share = (REFERENCE_SHARE + change / 2.0_f64).min(0.5);
        change = QUANTILES * (dispersion * share * (1.0 - share) * (1.0 / a + 1.0 / b)).sqrt();
    }
    Some(change.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_g_statistic_is_that_of_textbooks() {
        // 2 × 2 table 10/90 and 20/80: G = 3.98 (Pearson's χ² is 3.92).
        assert!((g_statistic([10, 20], [100, 100]) - 3.985).abs() < 0.01);
        assert_eq!(g_statistic([0, 0], [100, 100]), 0.0);
        assert_eq!(g_statistic([5, 10], [100, 200]), 0.0);
    }
}
