//! The one function of this crate: pairs what both sides measured and hands each pair through the rules.

use model::verdict::{Confidence, Finding, FindingOutcome, Summary};
use model::{
    Benchmark, BenchmarkKey, Better, Kind, Measure, Measurement, Policy, RunData, Status, Unit, Verdict,
};
use rustc_hash::FxHashMap;

use crate::compare::{Comparison, compare, summary};
use crate::decide::{Decision, Question, bears_weight, decide};
use crate::headline::{headline, time_exponent};
use crate::policy::{Evidence, Nature};
use crate::profile::{TimeSource, compare_all};
use crate::rank_test::NullTables;
use crate::{budget, drift, fdr, policy as floors, report};

pub(crate) use crate::profile::BenchmarkTime;

/// A finding with what the report needs to weigh it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judged {
    pub(crate) finding: Finding,
    /// It speaks for its benchmark.
    pub(crate) is_headline: bool,
    /// It may decide the run.
    pub(crate) bears_weight: bool,
}

/// One measure of one benchmark on its way to a finding.
struct Pending<'a> {
    key: &'a BenchmarkKey,
    kind: Option<Kind>,
    measure: &'a Measure,
    is_headline: bool,
    sides: [Option<Summary>; 2],
    numbers: Option<Comparison>,
    floor: f64,
    /// Decided without numbers: new, missing, failed.
    said: Option<(FindingOutcome, String)>,
}

/// Judges a candidate against a baseline by a policy. Without a baseline the outcome is `NoBaseline`, and budgets
/// are still judged. The same input always gives the same verdict; the order of benchmarks does not matter.
pub fn judge(base: Option<&RunData>, head: &RunData, policy: &Policy) -> Verdict {
    let mut notes = Vec::new();
    let pending = pending(base, head, policy, &mut notes);
    let mut judged = settle(&pending);
    notes.extend(drift::temper(&mut judged));
    let times = times(&pending, &judged);
    let breaches = budget::breaches(&head.profiles, policy);
    let profiles = match base {
        Some(base) if !(base.profiles.is_empty() && head.profiles.is_empty()) => {
            let (profiles, unpaired) =
                compare_all(&base.profiles, &head.profiles, &TimeSource { times: &times });
            notes.extend(unpaired);
            profiles
        }
        _ => vec![],
    };
    report::report(report::Parts { has_baseline: base.is_some(), judged, profiles, breaches, notes })
}

fn pending<'a>(
    base: Option<&'a RunData>,
    head: &'a RunData,
    policy: &Policy,
    notes: &mut Vec<String>,
) -> Vec<Pending<'a>> {
    let empty = FxHashMap::default();
    let by_key = |run: &'a RunData| -> FxHashMap<&'a BenchmarkKey, &'a Benchmark> {
        run.benchmarks.iter().rev().map(|benchmark| (&benchmark.key, benchmark)).collect()
    };
    let (before, after) = (base.map_or(empty, by_key), by_key(head));
    let mut keys: Vec<&BenchmarkKey> = before.keys().chain(after.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    let mut tables = NullTables::default();
    let mut pending = Vec::new();
    for key in keys {
        let sides = [before.get(key).copied(), after.get(key).copied()];
        let pair = PairOfBenchmarks { key, sides, kind: floors::kind(policy, sides), policy };
        pair.collect(&mut tables, &mut pending, notes);
    }
    pending
}

struct PairOfBenchmarks<'a, 'p> {
    key: &'a BenchmarkKey,
    sides: [Option<&'a Benchmark>; 2],
    kind: Option<Kind>,
    policy: &'p Policy,
}

impl<'a> PairOfBenchmarks<'a, '_> {
    fn collect(&self, tables: &mut NullTables, pending: &mut Vec<Pending<'a>>, notes: &mut Vec<String>) {
        if let Some((Status::Failed(why), side)) = self.failure() {
            notes.push(format!("{} failed in the {side}: {why}", self.key));
        }
        let [base, head] = self.sides.map(|side| side.map_or(&[][..], Benchmark::judged));
        let head_failed = self.sides[1].is_some_and(|benchmark| benchmark.status != Status::Ok);
        let measures = measures(base, head);
        let speaker = headline(measures.iter().copied());
        for (i, measure) in measures.into_iter().enumerate() {
            let find = |side: &'a [Measurement]| side.iter().find(|m| same(&m.measure, measure));
            let pair = [find(base), find(head)];
            let said = match pair {
                [Some(_), None] if head_failed => {
                    Some((FindingOutcome::Failed, "it failed in the candidate"))
                }
                [Some(_), None] => Some((FindingOutcome::Missing, "only the baseline has it")),
                [None, _] => Some((FindingOutcome::New, "only the candidate has it")),
                _ => None,
            };
            if said.is_some_and(|(outcome, _)| outcome == FindingOutcome::Failed) && Some(i) != speaker {
                continue;
            }
            let nature = Nature::of(measure);
            let numbers = match pair {
                [Some(base), Some(head)] => compare(nature, base, head, tables),
                _ => None,
            };
            let evidence = numbers.map_or(Evidence::Single, |numbers| numbers.evidence);
            pending.push(Pending {
                key: self.key,
                kind: self.kind,
                measure,
                is_headline: Some(i) == speaker,
                sides: pair.map(|side| side.and_then(summary)),
                numbers,
                floor: floors::floor(self.policy, self.key, measure, evidence),
                said: said.map(|(outcome, why)| (outcome, why.to_owned())),
            });
        }
    }

    fn failure(&self) -> Option<(&'a Status, &'static str)> {
        let failed =
            |side: Option<&'a Benchmark>| side.map(|b| &b.status).filter(|status| **status != Status::Ok);
        failed(self.sides[1])
            .map(|s| (s, "candidate"))
            .or_else(|| failed(self.sides[0]).map(|s| (s, "baseline")))
    }
}

fn same(a: &Measure, b: &Measure) -> bool {
    a.name == b.name && a.unit == b.unit
}

/// Every measure of both sides once, in the candidate's order, then what only the baseline has.
fn measures<'a>(base: &'a [Measurement], head: &'a [Measurement]) -> Vec<&'a Measure> {
    let mut all: Vec<&Measure> = Vec::with_capacity(head.len());
    for measurement in head.iter().chain(base) {
        if !all.iter().any(|known| same(known, &measurement.measure)) {
            all.push(&measurement.measure);
        }
    }
    all
}

/// Corrects all p-values of the report together, then decides each measure.
fn settle(pending: &[Pending<'_>]) -> Vec<Judged> {
    let judgeable = |p: &&Pending<'_>| p.measure.better != Better::Neither;
    let p_values: Vec<f64> = pending.iter().filter(judgeable).filter_map(|p| p.numbers?.p).collect();
    let mut adjusted = fdr::adjust(&p_values).into_iter();
    pending
        .iter()
        .map(|asked| {
            let has_p = judgeable(&asked) && asked.numbers.is_some_and(|numbers| numbers.p.is_some());
            let p_adjusted = if has_p { adjusted.next() } else { None };
            asked.settle(p_adjusted, p_values.len())
        })
        .collect()
}

impl Pending<'_> {
    fn settle(&self, p_adjusted: Option<f64>, tests: usize) -> Judged {
        let decision = match (&self.said, &self.numbers) {
            (Some((outcome, reason)), _) => {
                Decision { outcome: *outcome, confidence: Confidence::Noise, reason: reason.clone() }
            }
            (None, Some(numbers)) => {
                decide(Question { measure: self.measure, numbers, floor: self.floor, p_adjusted, tests })
            }
            (None, None) => Decision {
                outcome: FindingOutcome::Inconclusive,
                confidence: Confidence::Noise,
                reason: "a side holds no usable reading".to_owned(),
            },
        };
        let moved = matches!(decision.outcome, FindingOutcome::Regressed | FindingOutcome::Improved);
        let numbers = self.numbers.as_ref();
        Judged {
            is_headline: self.is_headline,
            bears_weight: moved && bears_weight(self.measure, self.is_headline, decision.confidence),
            finding: Finding {
                benchmark: self.key.clone(),
                kind: self.kind,
                measure: self.measure.clone(),
                outcome: decision.outcome,
                confidence: decision.confidence,
                base: self.sides[0],
                head: self.sides[1],
                change: numbers.and_then(|numbers| numbers.change),
                change_interval: numbers.and_then(|numbers| numbers.interval),
                test: numbers.map(|numbers| numbers.test),
                p: numbers.and_then(|numbers| numbers.p),
                p_adjusted,
                floor: self.floor,
                smallest_visible: numbers.and_then(|numbers| numbers.smallest_visible),
                reason: decision.reason,
            },
        }
    }
}

/// What the benchmarks say about the cost of an operation: their headlines, and processor time where it is measured.
fn times(pending: &[Pending<'_>], judged: &[Judged]) -> Vec<BenchmarkTime> {
    let both = pending.iter().zip(judged);
    both.filter_map(|(pending, judged)| {
        let name = pending.measure.name.as_str().to_ascii_lowercase();
        let exponent = time_exponent(pending.measure)?;
        let per_operation = ["/op", "per_op", "per op"].iter().any(|way| name.contains(way));
        let is_cpu = exponent > 0 && name.contains("cpu") && per_operation;
        if !pending.is_headline && !is_cpu {
            return None;
        }
        let medians = [pending.sides[0]?.median, pending.sides[1]?.median];
        let time = medians.map(|median| if exponent > 0 { median } else { 1e9 / median });
        let ratio = time[1] / time[0];
        let usable = time.iter().all(|t| t.is_finite() && *t > 0.0) && ratio.is_finite() && ratio > 0.0;
        let counts_operations = matches!(pending.measure.unit, Unit::Nanoseconds | Unit::PerSecond(_));
        usable.then(|| BenchmarkTime {
            benchmark: pending.key.to_string(),
            name: pending.key.name.to_string(),
            measure: pending.measure.name.to_string(),
            nanoseconds: counts_operations.then_some(time),
            ratio,
            changed: matches!(judged.finding.outcome, FindingOutcome::Regressed | FindingOutcome::Improved),
            is_cpu,
        })
    })
    .collect()
}
