//! The body that the run page and the comparison page share: verdict first, then what explains it, then all of it.

use model::{Outcome, Verdict};

use super::findings::{self, FindingTable, Place};
use super::suspects::{self, ProfileDrawings, ProfileSection};
use crate::web::words::{self, Chip};

/// A drawing with its caption.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// The SVG, made by `render`, which escapes every name in it.
    pub(crate) svg: String,
    /// What it shows, where its own heading does not say it.
    pub(crate) caption: Option<String>,
}

/// Every drawing of a verdict, made by `render`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drawings {
    /// Both sides of each benchmark, latency percentiles, grids, in the order of the page.
    pub(crate) figures: Vec<Figure>,
    /// One per comparison of profiles, in the verdict's order.
    pub(crate) profiles: Vec<ProfileDrawings>,
}

/// A verdict, ready to be printed.
#[derive(Debug, Clone)]
pub(crate) struct VerdictBody {
    /// What it comes to.
    pub(crate) chip: Chip,
    /// How sure that is, where it says something.
    pub(crate) confidence: Option<Chip>,
    /// The sentence.
    pub(crate) sentence: String,
    /// What the candidate was compared with.
    pub(crate) baseline: String,
    /// What the reader should know.
    pub(crate) notes: Vec<String>,
    /// Budgets exceeded.
    pub(crate) budgets: Vec<BudgetRow>,
    /// Comparisons of profiles.
    pub(crate) profiles: Vec<ProfileSection>,
    /// Charts of benchmarks.
    pub(crate) figures: Vec<Figure>,
    /// Every finding.
    pub(crate) findings: FindingTable,
    /// Counts of outcomes: `2 regressed`, `41 unchanged`.
    pub(crate) tally: Vec<(Chip, usize)>,
    /// Version of the rules.
    pub(crate) rules_version: u32,
}

/// A budget exceeded.
#[derive(Debug, Clone)]
pub(crate) struct BudgetRow {
    /// The category or frame.
    pub(crate) subject: String,
    /// The event.
    pub(crate) event: String,
    /// Its share.
    pub(crate) share: String,
    /// What is allowed.
    pub(crate) limit: String,
    /// The dearest frames within it.
    pub(crate) frames: Vec<(String, String)>,
}

/// Builds the body. `drawings.profiles` may be shorter than the verdict's list: what is missing is not drawn.
pub(crate) fn body(place: Place<'_>, verdict: &Verdict, drawings: Drawings) -> VerdictBody {
    let mut profile_drawings = drawings.profiles.into_iter();
    VerdictBody {
        chip: words::outcome_chip(Some(verdict.outcome)),
        confidence: judged(verdict.outcome).then(|| words::confidence_chip(verdict.confidence)),
        sentence: verdict.sentence.clone(),
        baseline: baseline_text(verdict),
        notes: verdict.notes.clone(),
        budgets: verdict.budgets.iter().map(budget_row).collect(),
        profiles: verdict
            .profiles
            .iter()
            .map(|comparison| suspects::section(comparison, profile_drawings.next().unwrap_or_default()))
            .collect(),
        figures: drawings.figures,
        findings: findings::table(place, &verdict.findings),
        tally: tally(verdict),
        rules_version: verdict.rules_version,
    }
}

fn judged(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Regressed | Outcome::Improved | Outcome::Mixed)
}

/// What the candidate was compared with.
pub(crate) fn baseline_text(verdict: &Verdict) -> String {
    match (&verdict.baseline, verdict.outcome) {
        (Some(baseline), _) => format!("Compared with {baseline}"),
        (None, Outcome::NoBaseline) => "Compared with nothing: this is the first of its kind".to_owned(),
        (None, _) => "The baseline was not recorded".to_owned(),
    }
}

fn budget_row(breach: &model::verdict::BudgetBreach) -> BudgetRow {
    BudgetRow {
        subject: breach.subject.clone(),
        event: breach.event.clone(),
        share: words::percent(breach.share),
        limit: words::percent(breach.limit),
        frames: breach.frames.iter().map(|(frame, share)| (frame.clone(), words::percent(*share))).collect(),
    }
}

/// How many findings had each outcome, in the order of first appearance.
fn tally(verdict: &Verdict) -> Vec<(Chip, usize)> {
    let mut counts: Vec<(Chip, usize)> = Vec::new();
    for chip in verdict.findings.iter().map(|finding| words::finding_chip(finding.outcome)) {
        match counts.iter_mut().find(|(known, _)| *known == chip) {
            Some((_, n)) => *n += 1,
            None => counts.push((chip, 1)),
        }
    }
    counts
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use model::verdict::{Normalisation, Presence, ProfileSide, Summary, Test};
    use model::{
        BenchmarkKey, BenchmarkName, Better, Category, Confidence, Finding, FindingOutcome, Measure,
        MeasureName, ProfileComparison, Suspect, Unit,
    };

    /// A finding on a throughput of ten readings.
    pub(crate) fn finding(name: &str, outcome: FindingOutcome, change: Option<f64>) -> Finding {
        let side = |median: f64| Summary {
            n: 10,
            median,
            lo: median * 0.99,
            hi: median * 1.01,
            min: median,
            max: median,
        };
        Finding {
            benchmark: BenchmarkKey {
                name: BenchmarkName::parse(name).unwrap(),
                parameters: std::collections::BTreeMap::default(),
            },
            kind: None,
            measure: Measure {
                name: MeasureName::parse("throughput").unwrap(),
                unit: Unit::PerSecond("op".to_owned()),
                better: Better::Higher,
            },
            outcome,
            confidence: Confidence::Confirmed,
            base: Some(side(1000.0)),
            head: change.map(|change| side(1000.0 * (1.0 + change))),
            change,
            change_interval: None,
            test: Some(Test::MannWhitney),
            p: Some(0.008),
            p_adjusted: Some(0.016),
            floor: 0.05,
            smallest_visible: None,
            reason: "past the 5 % floor, p = 0.008".to_owned(),
        }
    }

    /// A suspect that costs 4 µs more.
    pub(crate) fn suspect(frame: &str, explained_share: Option<f64>) -> Suspect {
        Suspect {
            frame: frame.to_owned(),
            category: Category::Logging,
            of_which: vec![(Category::Allocation, 0.61), (Category::Other, 0.001)],
            called_from: Some("Pager.nextPage".to_owned()),
            path: vec!["main".to_owned(), frame.to_owned()],
            self_cost: (0.0, 100.0),
            total_cost: (1_000.0, 5_000.0),
            share: (0.1, 0.4),
            delta: 4_000.0,
            explained_share,
            presence: Presence::Both,
            p: Some(0.000_01),
            confidence: Confidence::Confirmed,
        }
    }

    /// A comparison of processor time without suspects.
    pub(crate) fn comparison() -> ProfileComparison {
        let side =
            ProfileSide { profiles: 1, samples: 3_600, weight: 3.6e10, cost: 1e4, background_share: 0.0 };
        ProfileComparison {
            benchmark: None,
            event: "cpu".to_owned(),
            unit: Unit::Nanoseconds,
            cost_unit: Unit::Nanoseconds,
            normalisation: Normalisation::TimePerOperation {
                benchmark: "read".to_owned(),
                measure: "op rate".to_owned(),
            },
            base: side,
            head: side,
            categories: Vec::new(),
            suspects: Vec::new(),
            moved: Vec::new(),
            quality: Vec::new(),
            smallest_visible_share: Some(0.017),
        }
    }

    /// A verdict with one finding.
    pub(crate) fn verdict(outcome: Outcome) -> Verdict {
        Verdict {
            outcome,
            confidence: Confidence::Confirmed,
            sentence: "Throughput of read fell by 40 %.".to_owned(),
            baseline: None,
            findings: vec![finding("read", FindingOutcome::Regressed, Some(-0.4))],
            profiles: vec![comparison()],
            budgets: Vec::new(),
            notes: Vec::new(),
            rules_version: 1,
        }
    }

    const PLACE: Place<'_> = Place { project: "kv", run: None, testbed: "ci", branch: "main" };

    #[test]
    fn no_baseline_is_said_and_has_no_confidence() {
        let body = body(PLACE, &verdict(Outcome::NoBaseline), Drawings::default());
        assert!(body.baseline.contains("nothing"), "{}", body.baseline);
        assert_eq!(body.confidence, None);
    }

    #[test]
    fn a_missing_drawing_leaves_the_numbers() {
        let body = body(PLACE, &verdict(Outcome::Regressed), Drawings::default());
        assert_eq!((body.profiles.len(), body.profiles[0].flame.is_none()), (1, true));
        assert_eq!(
            body.tally.iter().map(|(chip, n)| (chip.label, *n)).collect::<Vec<_>>(),
            [("regressed", 1)]
        );
    }
}
