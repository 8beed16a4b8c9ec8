//! The verdict: computed once by `detect`, stored whole, and shown by the API, the pages, the command line and
//! the comment alike.

use serde::{Deserialize, Serialize};

use crate::profile::Category;
use crate::run::{BenchmarkKey, Kind, Measure};
use crate::unit::Unit;

/// What a run's verdict comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Something got worse and nothing of the same weight got better.
    Regressed,
    /// Something got better and nothing worse.
    Improved,
    /// Some got worse and some better; never averaged.
    Mixed,
    /// Nothing moved past its floor.
    Unchanged,
    /// Too noisy to judge either way.
    Unstable,
    /// Too little data; the findings hold the smallest change that could have been seen.
    Inconclusive,
    /// Nothing to compare with. Never green.
    NoBaseline,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Within noise or below the floor.
    Noise,
    /// Past the floor, without statistics that could confirm it.
    Likely,
    /// Past the floor and significant after correction for the number of comparisons.
    Confirmed,
}

/// What became of one measure of one benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingOutcome {
    /// Worse, past the floor.
    Regressed,
    /// Better, past the floor.
    Improved,
    /// Within floor or noise.
    Unchanged,
    /// Too noisy to judge.
    Unstable,
    /// Too little data to judge.
    Inconclusive,
    /// Only the candidate has it.
    New,
    /// Only the baseline has it.
    Missing,
    /// It ran and failed in the candidate.
    Failed,
    /// Shown for information: no direction is better.
    Informational,
}

/// One side of a finding, in the measure's base unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of observations.
    pub n: usize,
    /// Their median.
    pub median: f64,
    /// Lower end of the interval of the median (95 %, or the range when there are too few).
    pub lo: f64,
    /// Upper end of it.
    pub hi: f64,
    /// Smallest observation.
    pub min: f64,
    /// Largest observation.
    pub max: f64,
}

/// The rule that a finding came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Mann–Whitney U, exact.
    MannWhitney,
    /// Welch's t on logarithms.
    Welch,
    /// Counted values that repeat exactly: any difference is one.
    Exact,
    /// Single readings: the floor alone decides.
    FloorOnly,
}

/// One measure of one benchmark, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The benchmark.
    pub benchmark: BenchmarkKey,
    /// End-to-end or micro, where known.
    pub kind: Option<Kind>,
    /// The measure.
    pub measure: Measure,
    /// What became of it.
    pub outcome: FindingOutcome,
    /// How sure that is.
    pub confidence: Confidence,
    /// The baseline's side.
    pub base: Option<Summary>,
    /// The candidate's side.
    pub head: Option<Summary>,
    /// Relative change of the level, candidate against baseline: −0.13 is 13 % less.
    pub change: Option<f64>,
    /// 95 % interval of the change, where there are observations to tell.
    pub change_interval: Option<(f64, f64)>,
    /// The rule applied.
    pub test: Option<Test>,
    /// Probability of a difference this large without a change.
    pub p: Option<f64>,
    /// The same after Benjamini–Hochberg over the report.
    pub p_adjusted: Option<f64>,
    /// The smallest relative change worth reporting for this measure.
    pub floor: f64,
    /// The smallest relative change that these observations could have shown.
    pub smallest_visible: Option<f64>,
    /// Why, in a sentence fragment: "past the 5 % floor, p = 0.008".
    pub reason: String,
}

/// The cost of one category on both sides, in the unit of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategoryCost {
    /// The category that stacks are charged to (outermost cause, else the leaf's).
    pub category: Category,
    /// Cost on the baseline's side.
    pub base: f64,
    /// Cost on the candidate's side.
    pub head: f64,
    /// Share of the baseline profile.
    pub base_share: f64,
    /// Share of the candidate profile.
    pub head_share: f64,
}

/// How the costs of two profiles were made comparable. Said in words wherever costs are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Normalisation {
    /// Share of the profile times the measured time per operation: costs are nanoseconds an operation.
    TimePerOperation {
        /// The benchmark whose time was used.
        benchmark: String,
        /// The measure whose time was used.
        measure: String,
    },
    /// Share of the profile times the time per operation relative to the baseline's: costs are fractions of
    /// the baseline's time. Used when a profile spans several benchmarks (geometric mean of their ratios).
    RelativeTime {
        /// How many benchmarks entered the mean.
        benchmarks: usize,
    },
    /// Weight divided by the operations that the profiled runs did: costs are units an operation.
    WeightPerOperation,
    /// Shares only: no benchmark says how much work was done.
    Share,
}

/// One side of a profile comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProfileSide {
    /// Profiles pooled.
    pub profiles: usize,
    /// Samples in them.
    pub samples: u64,
    /// Weight in them, in the event's unit.
    pub weight: f64,
    /// Cost of an operation in the unit of the comparison (1.0 for shares).
    pub cost: f64,
    /// Share of stacks of the runtime's own threads (JIT, GC …), left out of shares of wall time.
    pub background_share: f64,
}

/// Whether a frame is there on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// Only in the candidate.
    New,
    /// Only in the baseline.
    Gone,
    /// On both sides.
    Both,
}

/// A frame that may explain a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// Canonical name.
    pub frame: String,
    /// What kind of work its stacks are charged to.
    pub category: Category,
    /// Leaf categories within it with their part of the change, largest first: "of which allocation 61 %".
    pub of_which: Vec<(Category, f64)>,
    /// The nearest caller that is the program's own code.
    pub called_from: Option<String>,
    /// Frames from the outermost caller to the suspect along its most expensive path.
    pub path: Vec<String>,
    /// Self cost on both sides, baseline first.
    pub self_cost: (f64, f64),
    /// Total cost on both sides, baseline first.
    pub total_cost: (f64, f64),
    /// Total share of both profiles, baseline first.
    pub share: (f64, f64),
    /// Change of the total cost, candidate minus baseline.
    pub delta: f64,
    /// Part of the change of the cost per operation that it accounts for; `None` when the benchmark's change
    /// is too small or too unsure to divide by.
    pub explained_share: Option<f64>,
    /// Whether both sides have it.
    pub presence: Presence,
    /// Probability of such a difference of shares without a change.
    pub p: Option<f64>,
    /// How sure that is.
    pub confidence: Confidence,
}

/// Two profiles of one event, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileComparison {
    /// The benchmark that the profiles belong to, where said.
    pub benchmark: Option<String>,
    /// The event counted.
    pub event: String,
    /// The unit of weights.
    pub unit: Unit,
    /// The unit of costs: `ns/op` as [`Unit::Nanoseconds`], a share as [`Unit::Ratio`].
    pub cost_unit: Unit,
    /// How costs were made comparable.
    pub normalisation: Normalisation,
    /// Baseline.
    pub base: ProfileSide,
    /// Candidate.
    pub head: ProfileSide,
    /// Every category present on either side, in the order of reports.
    pub categories: Vec<CategoryCost>,
    /// What explains the change, most first.
    pub suspects: Vec<Suspect>,
    /// Cost that moved between frames without changing the total.
    pub moved: Vec<Suspect>,
    /// Why the comparison is weak or refused, in sentence fragments.
    pub quality: Vec<String>,
    /// The smallest change of share that these profiles could have shown on a 2 % frame.
    pub smallest_visible_share: Option<f64>,
}

/// A frame or category over its budget in the candidate's profile, without any baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetBreach {
    /// The category or frame that the budget is for.
    pub subject: String,
    /// The event counted.
    pub event: String,
    /// Its share of the candidate's profile.
    pub share: f64,
    /// What the policy allows.
    pub limit: f64,
    /// The dearest frames within it with their share.
    pub frames: Vec<(String, f64)>,
}

/// The verdict on one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What it comes to.
    pub outcome: Outcome,
    /// The confidence of the finding that decided it.
    pub confidence: Confidence,
    /// The verdict in one sentence, the same wherever it is shown.
    pub sentence: String,
    /// What the candidate was compared with, in words ("run 0192… of main, 1 commit earlier"); set by the caller.
    pub baseline: Option<String>,
    /// Every measure of every benchmark, most important first.
    pub findings: Vec<Finding>,
    /// Every pair of profiles.
    pub profiles: Vec<ProfileComparison>,
    /// Budgets exceeded.
    pub budgets: Vec<BudgetBreach>,
    /// What the reader should know: a failed benchmark, a missing profile.
    pub notes: Vec<String>,
    /// Version of the rules of `detect`.
    pub rules_version: u32,
}

impl Verdict {
    /// Findings with one outcome, in the verdict's order.
    pub fn with_outcome(&self, outcome: FindingOutcome) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.outcome == outcome)
    }

    /// Every suspect of every profile comparison, most explaining first within each.
    pub fn suspects(&self) -> impl Iterator<Item = &Suspect> {
        self.profiles.iter().flat_map(|comparison| &comparison.suspects)
    }
}

impl Outcome {
    /// The name in the API and in exit messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Mixed => "mixed",
            Self::Unchanged => "unchanged",
            Self::Unstable => "unstable",
            Self::Inconclusive => "inconclusive",
            Self::NoBaseline => "no-baseline",
        }
    }
}

impl FindingOutcome {
    /// The name in the API and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Unchanged => "unchanged",
            Self::Unstable => "unstable",
            Self::Inconclusive => "inconclusive",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Failed => "failed",
            Self::Informational => "informational",
        }
    }
}

impl Confidence {
    /// The name in the API and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Likely => "likely",
            Self::Confirmed => "confirmed",
        }
    }
}
