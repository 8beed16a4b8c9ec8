//! All findings to one outcome. Never an average: what got worse and what got better are told apart.

use std::cmp::Reverse;

use model::verdict::{BudgetBreach, Confidence, FindingOutcome, Outcome, ProfileComparison};
use model::{Kind, Verdict};

use crate::RULES_VERSION;
use crate::budget::Breach;
use crate::headline::is_whole;
use crate::judge::Judged;
use crate::sentence;

/// Everything that was found out.
pub(crate) struct Parts {
    pub(crate) has_baseline: bool,
    pub(crate) judged: Vec<Judged>,
    pub(crate) profiles: Vec<ProfileComparison>,
    pub(crate) breaches: Vec<Breach>,
    pub(crate) notes: Vec<String>,
}

/// What the parts come to, before it is put in words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Conclusion {
    pub(crate) outcome: Outcome,
    pub(crate) confidence: Confidence,
}

/// Adds all parts up.
pub(crate) fn report(mut parts: Parts) -> Verdict {
    parts.judged.sort_by(|a, b| importance(a).cmp(&importance(b)));
    for judged in parts.judged.iter().filter(|judged| !judged.bears_weight) {
        parts.notes.extend(weightless(judged));
    }
    let conclusion = conclude(&parts);
    let sentence = sentence::sentence(&parts, conclusion);
    Verdict {
        outcome: conclusion.outcome,
        confidence: conclusion.confidence,
        sentence,
        baseline: None,
        findings: parts.judged.into_iter().map(|judged| judged.finding).collect(),
        profiles: parts.profiles,
        budgets: parts.breaches.into_iter().map(|breach| breach.breach).collect::<Vec<BudgetBreach>>(),
        notes: parts.notes,
        rules_version: RULES_VERSION,
    }
}

/// Errors that appear from nothing are said even where they do not decide.
fn weightless(judged: &Judged) -> Option<String> {
    let finding = &judged.finding;
    let name = finding.measure.name.as_str();
    let errors = ["error", "fail", "timeout"].iter().any(|word| name.to_ascii_lowercase().contains(word));
    (errors && finding.outcome == FindingOutcome::Regressed)
        .then(|| format!("{name} of {} went {}", finding.benchmark, finding.reason))
}

/// Sorts findings: what decides first, worse before better, end-to-end before micro, surer and larger first.
fn importance(judged: &Judged) -> impl Ord + use<'_> {
    let finding = &judged.finding;
    let outcome = match finding.outcome {
        FindingOutcome::Regressed => 0,
        FindingOutcome::Failed => 1,
        FindingOutcome::Improved => 2,
        FindingOutcome::Unstable => 3,
        FindingOutcome::Inconclusive => 4,
        FindingOutcome::Missing => 5,
        FindingOutcome::Unchanged => 6,
        FindingOutcome::New => 7,
        FindingOutcome::Informational => 8,
    };
    // Changes as whole parts per million: sortable, and finer than any floor.
    let size = finding.change.map_or(0, |change| (change.abs() * 1e6).min(1e18) as i64);
    let decides = (
        !judged.bears_weight,
        outcome,
        finding.kind != Some(Kind::EndToEnd),
        !judged.is_headline,
        !is_whole(&finding.benchmark),
    );
    (decides, Reverse(finding.confidence), Reverse(size), &finding.benchmark, &finding.measure)
}

/// Findings that decide, with one outcome, most important first. Where the headline of a benchmark moved, it speaks
/// for the measures that follow it; only exact counts of the same benchmark still speak for themselves.
pub(crate) fn deciding(parts: &Parts, outcome: FindingOutcome) -> impl Iterator<Item = &Judged> {
    parts.judged.iter().filter(move |judged| {
        judged.bears_weight && judged.finding.outcome == outcome && !spoken_for(&parts.judged, judged)
    })
}

fn spoken_for(all: &[Judged], judged: &Judged) -> bool {
    let is_exact = judged.finding.test == Some(model::verdict::Test::Exact);
    !judged.is_headline
        && !is_exact
        && all.iter().any(|other| {
            other.is_headline && other.bears_weight && other.finding.benchmark == judged.finding.benchmark
        })
}

fn conclude(parts: &Parts) -> Conclusion {
    let breach = parts.breaches.iter().map(|breach| breach.confidence).max();
    if !parts.has_baseline {
        return Conclusion { outcome: Outcome::NoBaseline, confidence: breach.unwrap_or(Confidence::Noise) };
    }
    let surest = |outcome| deciding(parts, outcome).map(|judged| judged.finding.confidence).max();
    let worse = surest(FindingOutcome::Regressed).max(breach);
    let better = surest(FindingOutcome::Improved);
    let (outcome, confidence) = match (worse, better) {
        (Some(worse), Some(better)) => (Outcome::Mixed, worse.max(better)),
        (Some(worse), None) => (Outcome::Regressed, worse),
        // What failed may have got worse without limit, so nothing is called better meanwhile.
        (None, Some(better)) if !has(parts, FindingOutcome::Failed) => (Outcome::Improved, better),
        _ => (without_change(parts), Confidence::Noise),
    };
    Conclusion { outcome, confidence }
}

fn has(parts: &Parts, outcome: FindingOutcome) -> bool {
    parts.judged.iter().any(|judged| judged.finding.outcome == outcome)
}

/// Nothing decided a change: was there enough to see one? The headlines vote, and noise must be in the majority to
/// make the whole run noisy.
fn without_change(parts: &Parts) -> Outcome {
    let count = |outcome| {
        parts.judged.iter().filter(|judged| judged.is_headline && judged.finding.outcome == outcome).count()
    };
    let quiet = count(FindingOutcome::Unchanged);
    let (unstable, thin) = (count(FindingOutcome::Unstable), count(FindingOutcome::Inconclusive));
    if has(parts, FindingOutcome::Failed) || quiet + unstable + thin == 0 {
        let compared =
            parts.judged.iter().any(|judged| judged.finding.outcome == FindingOutcome::Informational);
        return if compared && !has(parts, FindingOutcome::Failed) {
            Outcome::Unchanged
        } else {
            Outcome::Inconclusive
        };
    }
    match quiet >= unstable + thin && quiet > 0 {
        true => Outcome::Unchanged,
        false if unstable >= thin => Outcome::Unstable,
        false => Outcome::Inconclusive,
    }
}
