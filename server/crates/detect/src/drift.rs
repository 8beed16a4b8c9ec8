//! A machine that changed under an unchanged program: every timing moves the same way while every count stays.
//!
//! A test cannot tell this from a change of the code, because the readings of one side share the machine's mood. So
//! what it confirmed is lowered to *likely*, and the reason says why.

use model::verdict::Confidence;

use crate::judge::Judged;
use crate::policy::Nature;

/// Fewer benchmarks than this move alike by chance.
const FEWEST_BENCHMARKS: usize = 3;

/// Lowers the confidence of timings that look like drift, and says so in a note.
pub(crate) fn temper(judged: &mut [Judged]) -> Option<String> {
    let timed =
        |j: &Judged| j.is_headline && matches!(Nature::of(&j.finding.measure), Nature::Rate | Nature::Centre);
    let past = |j: &&Judged| j.finding.change.is_some_and(|change| change.abs() > j.finding.floor);
    let headlines: Vec<&Judged> = judged.iter().filter(|j| timed(j)).collect();
    let worse = |j: &&&Judged| {
        let relative = j.finding.change.unwrap_or(0.0);
        model::Change { relative }.is_worse(j.finding.measure.better)
    };
    let n_worse = headlines.iter().filter(worse).count();
    let alike = headlines.len() >= FEWEST_BENCHMARKS
        && headlines.iter().all(past)
        && (n_worse == 0 || n_worse == headlines.len());
    let mut counts = judged.iter().filter(|j| Nature::of(&j.finding.measure) == Nature::Exact).peekable();
    // A count from nothing has no change in percent and changed all the same.
    if !alike || counts.peek().is_none() || counts.any(|j| j.finding.change != Some(0.0)) {
        return None;
    }
    let n = headlines.len();
    for judged in judged.iter_mut().filter(|j| j.finding.confidence == Confidence::Confirmed) {
        judged.finding.confidence = Confidence::Likely;
        judged
            .finding
            .reason
            .push_str("; all timings moved alike while counts stayed, as when the machine changes");
        judged.bears_weight &= judged.is_headline;
    }
    Some(format!(
        "the timings of all {n} benchmarks moved the same way while every count stayed: the machine may have changed, so repeat the runs interleaved"
    ))
}
