//! The cells that every form of a report shares.

use model::quantity::signed_percent;
use model::{Change, Finding, FindingOutcome, ProfileComparison, Quantity, Unit, Verdict};

/// A cost in the unit of its comparison: `91.2 µs/op`, or a share.
pub fn cost(comparison: &ProfileComparison, value: f64) -> String {
    let quantity = Quantity { value, unit: &comparison.cost_unit }.to_string().replace('-', "\u{2212}");
    if comparison.cost_unit == Unit::Ratio { quantity } else { format!("{quantity}/op") }
}

/// Both sides of a finding as `12,655 op/s → 6,681 op/s`, or the one that exists.
pub fn sides(finding: &Finding) -> String {
    let one = |side: &model::verdict::Summary| {
        Quantity { value: side.median, unit: &finding.measure.unit }.to_string()
    };
    match (&finding.base, &finding.head) {
        (Some(base), Some(head)) => format!("{} \u{2192} {}", one(base), one(head)),
        (Some(base), None) => format!("{} \u{2192} \u{2013}", one(base)),
        (None, Some(head)) => format!("\u{2013} \u{2192} {}", one(head)),
        (None, None) => "\u{2013}".to_owned(),
    }
}

/// The change of a finding with its sign and, where there is a direction, the word.
pub fn finding_change(finding: &Finding) -> String {
    let Some(relative) = finding.change else { return finding.outcome.name().to_owned() };
    let word = match (finding.outcome, Change { relative }.is_worse(finding.measure.better)) {
        (FindingOutcome::Regressed, _) | (FindingOutcome::Improved, true) => " worse",
        (FindingOutcome::Improved, false) => " better",
        _ => "",
    };
    format!("{}{word}", signed_percent(relative))
}

/// How many findings came to each outcome: `2 regressed, 14 unchanged`.
pub(super) fn counts(verdict: &Verdict) -> String {
    const ORDER: [FindingOutcome; 9] = [
        FindingOutcome::Regressed,
        FindingOutcome::Failed,
        FindingOutcome::Improved,
        FindingOutcome::Unstable,
        FindingOutcome::Inconclusive,
        FindingOutcome::Missing,
        FindingOutcome::New,
        FindingOutcome::Unchanged,
        FindingOutcome::Informational,
    ];
    let parts: Vec<String> = ORDER
        .into_iter()
        .filter_map(|outcome| {
            let n = verdict.with_outcome(outcome).count();
            (n > 0).then(|| format!("{n} {}", outcome.name()))
        })
        .collect();
    parts.join(", ")
}

/// The normalisation of a profile comparison, in words.
pub(super) fn normalisation(comparison: &ProfileComparison) -> String {
    use model::verdict::Normalisation as N;
    let how = match &comparison.normalisation {
        N::TimePerOperation { benchmark, measure } => {
            format!("share of the profile \u{d7} time per operation ({benchmark}, {measure})")
        }
        N::RelativeTime { benchmarks: 1 } => {
            "share of the profile \u{d7} time of its benchmark, in parts of the baseline's time".to_owned()
        }
        N::RelativeTime { benchmarks } => {
            format!(
                "share of the profile \u{d7} time relative to the baseline (geometric mean of {benchmarks} benchmarks)"
            )
        }
        N::WeightPerOperation => "weight per operation".to_owned(),
        N::Share => {
            "share of the profile only: no benchmark says how the time per operation changed".to_owned()
        }
    };
    format!(
        "{}: {how}; {} v {} samples",
        comparison.event,
        whole(comparison.base.samples),
        whole(comparison.head.samples)
    )
}

/// A count with its thousands set apart.
fn whole(n: u64) -> String {
    if n < 1000 { n.to_string() } else { model::quantity::significant(n as f64) }
}
