//! From numbers to the outcome of one finding: floor **and** significance, and the reason in words.

use model::quantity::{Quantity, signed_percent, significant};
use model::verdict::{Confidence, FindingOutcome, Test};
use model::{Better, Change, Measure, Share};

use crate::compare::Comparison;
use crate::fdr;
use crate::policy::{Evidence, Nature};

/// Fewer readings than this on a side never confirm.
const CONFIRM_FROM: usize = 4;

/// What became of a measure and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    pub(crate) outcome: FindingOutcome,
    pub(crate) confidence: Confidence,
    pub(crate) reason: String,
}

impl Decision {
    fn new(outcome: FindingOutcome, confidence: Confidence, reason: String) -> Self {
        Self { outcome, confidence, reason }
    }

    fn quiet(outcome: FindingOutcome, reason: String) -> Self {
        Self::new(outcome, Confidence::Noise, reason)
    }
}

/// What the rule looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) measure: &'a Measure,
    pub(crate) numbers: &'a Comparison,
    pub(crate) floor: f64,
    pub(crate) p_adjusted: Option<f64>,
    /// How many p-values were corrected together.
    pub(crate) tests: usize,
}

/// Applies the rules.
pub(crate) fn decide(asked: Question<'_>) -> Decision {
    if asked.measure.better == Better::Neither {
        return Decision::quiet(FindingOutcome::Informational, "no direction of it is better".to_owned());
    }
    let Some(change) = asked.numbers.change else {
        return without_ratio(asked);
    };
    let change = Change { relative: change };
    if change.relative == 0.0 {
        return Decision::quiet(FindingOutcome::Unchanged, "no difference".to_owned());
    }
    let past = change.relative.abs() > asked.floor;
    match (asked.numbers.test, asked.p_adjusted) {
        (Test::MannWhitney | Test::Welch, Some(adjusted)) => tested(asked, change, past, adjusted),
        (Test::MannWhitney | Test::Welch, None) => Decision::quiet(
            FindingOutcome::Inconclusive,
            "the readings are beyond what a test can tell".to_owned(),
        ),
        (Test::Exact | Test::FloorOnly, _) => untested(asked, change, past),
    }
}

fn moved(change: Change, better: Better) -> FindingOutcome {
    if change.is_worse(better) { FindingOutcome::Regressed } else { FindingOutcome::Improved }
}

/// From a baseline of 0, or from and to numbers whose ratio no double holds.
fn without_ratio(asked: Question<'_>) -> Decision {
    let (base, head) = (asked.numbers.base, asked.numbers.head);
    let reason = format!(
        "from {} to {}",
        Quantity { value: base.median, unit: &asked.measure.unit },
        Quantity { value: head.median, unit: &asked.measure.unit }
    );
    let grew = base.median == 0.0 && base.max == 0.0 && head.min > 0.0;
    let nothing_before = grew && asked.measure.better == Better::Lower && asked.measure.unit.is_counted();
    if nothing_before {
        let sure = asked.numbers.test == Test::Exact && asked.numbers.evidence == Evidence::Several;
        let confidence = if sure { Confidence::Confirmed } else { Confidence::Likely };
        return Decision::new(FindingOutcome::Regressed, confidence, reason);
    }
    Decision::quiet(FindingOutcome::Inconclusive, format!("{reason}, which no ratio describes"))
}

/// Floor only: single readings, and counts that repeat exactly.
fn untested(asked: Question<'_>, change: Change, past: bool) -> Decision {
    let numbers = asked.numbers;
    let exact = numbers.test == Test::Exact;
    let read = match (numbers.base.n, numbers.head.n, numbers.evidence) {
        (_, _, Evidence::Several) if exact => "counted, the same in every repetition".to_owned(),
        (_, _, Evidence::Single) if numbers.base.n.min(numbers.head.n) > 1 => {
            "readings that never vary".to_owned()
        }
        (_, _, Evidence::Summarised) => "one summary a side".to_owned(),
        (1, 1, _) if exact => "counted once a side".to_owned(),
        (1, 1, _) => "one reading a side".to_owned(),
        (base, head, _) => format!("{base} against {head} readings"),
    };
    let floor = Share(asked.floor);
    if !past {
        return Decision::quiet(FindingOutcome::Unchanged, format!("within the {floor} floor, {read}"));
    }
    if !numbers.apart && numbers.base.n != numbers.head.n {
        return Decision::quiet(
            FindingOutcome::Unchanged,
            format!("the single reading lies within the other side's range, {read}"),
        );
    }
    let confirmed = exact && numbers.evidence == Evidence::Several;
    let confidence = if confirmed { Confidence::Confirmed } else { Confidence::Likely };
    let outcome = moved(change, asked.measure.better);
    Decision::new(outcome, confidence, format!("past the {floor} floor, {read}"))
}

/// Several readings a side.
fn tested(asked: Question<'_>, change: Change, past: bool, adjusted: f64) -> Decision {
    let numbers = asked.numbers;
    let floor = Share(asked.floor);
    let p = numbers.p.unwrap_or(1.0);
    let n = numbers.base.n.min(numbers.head.n);
    let sizes = format!("n = {} and {}", numbers.base.n, numbers.head.n);
    let said_p = p_in_words(p, adjusted, asked.tests);
    match (past, adjusted <= fdr::RATE) {
        (true, true) => {
            let confidence = if n >= CONFIRM_FROM { Confidence::Confirmed } else { Confidence::Likely };
            let outcome = moved(change, asked.measure.better);
            Decision::new(outcome, confidence, format!("past the {floor} floor, {said_p}, {sizes}"))
        }
        (false, true) => Decision::quiet(
            FindingOutcome::Unchanged,
            format!("significant ({said_p}) but below the {floor} floor, {sizes}"),
        ),
        (false, false) => {
            let unseen = numbers.smallest_visible.filter(|visible| *visible > asked.floor);
            let blind = unseen.map(|v| format!("; a change under {} could have gone unseen", Share(v)));
            Decision::quiet(
                FindingOutcome::Unchanged,
                format!("within the {floor} floor, {said_p}, {sizes}{}", blind.unwrap_or_default()),
            )
        }
        (true, false) => {
            let need = numbers.smallest_visible.map(|v| format!("; visible from {} on", Share(v)));
            let reason = format!(
                "{} is past the {floor} floor but could be noise: {said_p}, {sizes}{}",
                signed_percent(change.relative),
                need.unwrap_or_default()
            );
            // Significant on its own, or too few to be: more readings would settle it, so this is not noise.
            let thin = n < CONFIRM_FROM || p <= fdr::RATE;
            let outcome = if thin { FindingOutcome::Inconclusive } else { FindingOutcome::Unstable };
            Decision::quiet(outcome, reason)
        }
    }
}

fn p_in_words(p: f64, adjusted: f64, tests: usize) -> String {
    let write = |p: f64| if p < 1e-4 { "< 0.0001".to_owned() } else { format!("= {}", short_p(p)) };
    if tests > 1 && adjusted > p * 1.005 {
        format!(
            "p {} ({} after correction for {tests} comparisons)",
            write(p),
            write(adjusted).trim_start_matches("= ")
        )
    } else {
        format!("p {}", write(p))
    }
}

/// Two significant digits, trailing zeros dropped.
fn short_p(p: f64) -> String {
    if p >= 0.995 {
        return "1".to_owned();
    }
    let text = if p >= 0.01 { format!("{p:.3}") } else { significant(p).chars().take(7).collect() };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Whether a measure alone may decide a run: single readings of tails and of what the system used may not.
pub(crate) fn bears_weight(measure: &Measure, is_headline: bool, confidence: Confidence) -> bool {
    match Nature::of(measure) {
        _ if is_headline => confidence >= Confidence::Likely,
        Nature::Exact => confidence >= Confidence::Likely,
        Nature::Resource => false,
        _ => confidence == Confidence::Confirmed,
    }
}
