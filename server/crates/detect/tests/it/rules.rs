//! Single rules on made-up numbers.

use model::policy::{Budget, FloorRule, KindRule};
use model::verdict::{Confidence, FindingOutcome, Outcome, Test};
use model::{
    Better, CallTreeBuilder, Category, Event, Kind, Node, Policy, Profile, RunData, Status, Unit, Verdict,
};
use rstest::rstest;

use crate::corpus::{benchmark, key, measurement, one};

fn judge(base: &RunData, head: &RunData) -> Verdict {
    detect::judge(Some(base), head, &Policy::default())
}

fn measured(name: &str, unit: &str, values: &[f64]) -> RunData {
    RunData {
        benchmarks: vec![benchmark(key("x", &[]), None, vec![measurement(name, unit, values)])],
        profiles: vec![],
    }
}

const QUIET: [f64; 6] = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2];

fn times(factor: f64) -> Vec<f64> {
    QUIET.iter().map(|v| v * factor).collect()
}

#[rstest]
#[case::clear_loss(&QUIET, &times(1.2), FindingOutcome::Regressed, Confidence::Confirmed)]
#[case::clear_gain(&QUIET, &times(0.8), FindingOutcome::Improved, Confidence::Confirmed)]
#[case::below_the_floor(&QUIET, &times(1.03), FindingOutcome::Unchanged, Confidence::Noise)]
#[case::noisy(&[50.0, 150.0, 90.0, 120.0, 60.0], &[70.0, 190.0, 80.0, 130.0, 95.0], FindingOutcome::Unstable, Confidence::Noise)]
#[case::thin_but_clear(&QUIET[..3], &times(1.5)[..3], FindingOutcome::Regressed, Confidence::Likely)]
#[case::thin_and_doubtful(&[100.0, 140.0], &[150.0, 120.0], FindingOutcome::Inconclusive, Confidence::Noise)]
#[case::one_reading_past_its_floor(&[100.0], &[111.0], FindingOutcome::Regressed, Confidence::Likely)]
#[case::one_reading_within_its_floor(&[100.0], &[109.0], FindingOutcome::Unchanged, Confidence::Noise)]
#[case::constant_timings_are_no_proof(&[100.0; 8], &[107.0; 8], FindingOutcome::Unchanged, Confidence::Noise)]
#[case::one_reading_inside_the_others_range(&[80.0, 100.0, 90.0, 125.0], &[120.0], FindingOutcome::Unchanged, Confidence::Noise)]
fn timings(
    #[case] base: &[f64],
    #[case] head: &[f64],
    #[case] outcome: FindingOutcome,
    #[case] confidence: Confidence,
) {
    let verdict = judge(&measured("ns/op", "ns", base), &measured("ns/op", "ns", head));
    let finding = &verdict.findings[0];
    assert_eq!((finding.outcome, finding.confidence), (outcome, confidence), "{}", finding.reason);
}

#[rstest]
#[case::any_growth_of_a_count_is_real(&[48.0; 5], &[56.0; 5], FindingOutcome::Regressed, Confidence::Confirmed)]
#[case::from_nothing(&[0.0; 5], &[8.0; 5], FindingOutcome::Regressed, Confidence::Confirmed)]
#[case::to_nothing(&[8.0; 5], &[0.0; 5], FindingOutcome::Improved, Confidence::Confirmed)]
#[case::counted_once(&[48.0], &[56.0], FindingOutcome::Regressed, Confidence::Likely)]
#[case::half_a_percent(&[1000.0; 3], &[1005.0; 3], FindingOutcome::Unchanged, Confidence::Noise)]
#[case::the_same(&[48.0; 5], &[48.0; 5], FindingOutcome::Unchanged, Confidence::Noise)]
fn counts(
    #[case] base: &[f64],
    #[case] head: &[f64],
    #[case] outcome: FindingOutcome,
    #[case] confidence: Confidence,
) {
    let verdict = judge(&measured("B/op", "B/op", base), &measured("B/op", "B/op", head));
    let finding = &verdict.findings[0];
    assert_eq!((finding.outcome, finding.confidence), (outcome, confidence), "{}", finding.reason);
    assert_eq!(finding.test, Some(Test::Exact));
}

#[test]
fn a_small_significant_change_says_that_it_is_below_the_floor() {
    let base: Vec<f64> = (0..10).map(|i| 100.0 + f64::from(i) * 0.01).collect();
    let head: Vec<f64> = base.iter().map(|v| v * 1.02).collect();
    let verdict = judge(&measured("ns/op", "ns", &base), &measured("ns/op", "ns", &head));
    assert_eq!(verdict.outcome, Outcome::Unchanged);
    assert!(
        verdict.findings[0].reason.starts_with("significant (p < 0.0001) but below the 5.00 % floor"),
        "{}",
        verdict.findings[0].reason
    );
    let strict = Policy {
        floors: vec![FloorRule { benchmark: "*".to_owned(), measure: "ns*".to_owned(), relative: 0.01 }],
        ..Policy::default()
    };
    let verdict =
        detect::judge(Some(&measured("ns/op", "ns", &base)), &measured("ns/op", "ns", &head), &strict);
    assert_eq!((verdict.outcome, verdict.confidence), (Outcome::Regressed, Confidence::Confirmed));
}

#[test]
fn noise_that_reaches_past_the_floor_tells_what_could_have_been_seen() {
    let verdict = judge(
        &measured("ns/op", "ns", &[50.0, 150.0, 90.0, 120.0, 60.0]),
        &measured("ns/op", "ns", &[70.0, 190.0, 80.0, 130.0, 95.0]),
    );
    assert_eq!(verdict.outcome, Outcome::Unstable);
    assert!(verdict.findings[0].smallest_visible.is_some_and(|visible| visible > 0.5));
}

#[test]
fn a_tail_of_one_reading_does_not_decide_a_run() {
    let side = |rate: f64, p99: f64| {
        let all = vec![measurement("op rate", "op/s", &[rate]), measurement("latency_p99", "ms", &[p99])];
        RunData { benchmarks: vec![benchmark(key("x", &[]), None, all)], profiles: vec![] }
    };
    let verdict = judge(&side(1000.0, 10.0), &side(990.0, 30.0));
    assert_eq!(verdict.outcome, Outcome::Unchanged);
    assert_eq!(verdict.with_outcome(FindingOutcome::Regressed).count(), 1);
}

#[test]
fn a_tail_confirmed_by_many_readings_does() {
    let side = |factor: f64| {
        let tail = times(factor);
        let all = vec![measurement("op rate", "op/s", &QUIET), measurement("latency_p99", "ms", &tail)];
        RunData { benchmarks: vec![benchmark(key("x", &[]), None, all)], profiles: vec![] }
    };
    let verdict = judge(&side(1.0), &side(1.5));
    assert_eq!(
        (verdict.outcome, verdict.confidence),
        (Outcome::Regressed, Confidence::Confirmed),
        "{}",
        verdict.sentence
    );
}

#[test]
fn what_has_no_direction_is_only_told() {
    let verdict = judge(&one("x", Better::Neither, &[1.0]), &one("x", Better::Neither, &[9.0]));
    assert_eq!(verdict.findings[0].outcome, FindingOutcome::Informational);
    assert_eq!(verdict.outcome, Outcome::Unchanged);
}

#[test]
fn a_failed_benchmark_is_never_green() {
    let base = measured("ns/op", "ns", &QUIET);
    let mut head = RunData { benchmarks: vec![benchmark(key("x", &[]), None, vec![])], profiles: vec![] };
    head.benchmarks[0].status = Status::Failed("exit status 2".to_owned());
    let verdict = judge(&base, &head);
    assert_eq!(
        (verdict.outcome, verdict.findings[0].outcome),
        (Outcome::Inconclusive, FindingOutcome::Failed)
    );
    assert_eq!(verdict.notes, ["x failed in the candidate: exit status 2"]);
    assert_eq!(judge(&base, &RunData::default()).findings[0].outcome, FindingOutcome::Missing);
    assert_eq!(judge(&RunData::default(), &base).findings[0].outcome, FindingOutcome::New);
}

#[test]
fn one_of_many_noisy_benchmarks_does_not_make_a_run_noisy() {
    let suite = |noisy: [f64; 5]| {
        let mut all: Vec<_> = (0..20)
            .map(|i| benchmark(key(&format!("b{i}"), &[]), None, vec![measurement("ns/op", "ns", &QUIET)]))
            .collect();
        all.push(benchmark(key("noisy", &[]), None, vec![measurement("ns/op", "ns", &noisy)]));
        RunData { benchmarks: all, profiles: vec![] }
    };
    let verdict = judge(&suite([50.0, 150.0, 90.0, 120.0, 60.0]), &suite([70.0, 190.0, 80.0, 130.0, 95.0]));
    assert_eq!(verdict.outcome, Outcome::Unchanged, "{}", verdict.sentence);
}

#[test]
fn one_real_change_among_many_is_found_after_correction() {
    let suite = |factor: f64| {
        let mut all: Vec<_> = (0..200)
            .map(|i| {
                let values: Vec<f64> =
                    (0..10).map(|j| 100.0 + f64::from((i * 7 + j * 13) % 11) * 0.3).collect();
                benchmark(key(&format!("b{i}"), &[]), None, vec![measurement("ns/op", "ns", &values)])
            })
            .collect();
        for value in &mut all[77].measurements[0].observations {
            *value *= factor;
        }
        RunData { benchmarks: all, profiles: vec![] }
    };
    let verdict = judge(&suite(1.0), &suite(1.3));
    assert_eq!((verdict.outcome, verdict.confidence), (Outcome::Regressed, Confidence::Confirmed));
    assert_eq!(verdict.findings[0].benchmark.to_string(), "b77");
}

#[test]
fn a_policy_says_the_kind_where_the_sender_did_not() {
    let policy = Policy {
        kinds: vec![KindRule { benchmark: "x*".to_owned(), kind: Kind::EndToEnd }],
        ..Policy::default()
    };
    let run = measured("ns/op", "ns", &QUIET);
    assert_eq!(detect::judge(Some(&run), &run, &policy).findings[0].kind, Some(Kind::EndToEnd));
}

fn logging_profile(logging: u64, work: u64) -> Profile {
    let mut builder = CallTreeBuilder::new();
    for (stack, samples) in [(["main", "handle", "log4j.log"], logging), (["main", "handle", "work"], work)] {
        let leaf = stack.iter().fold(Node::ROOT, |at, name| {
            let frame = builder.frame(name, None, None);
            builder.child(at, frame, false)
        });
        builder.add(leaf, samples, samples as f64);
    }
    let mut tree = builder.finish();
    for frame in &mut tree.frames {
        if frame.name == "log4j.log" {
            frame.category = Category::Logging;
        }
    }
    Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Count("samples".to_owned()) }, tree)
}

fn with_budget(subject: &str, max_share: f64) -> Policy {
    Policy {
        budgets: vec![Budget { subject: subject.to_owned(), max_share, event: None }],
        ..Policy::default()
    }
}

#[rstest]
#[case::far_over("logging", 300, true)]
#[case::by_frame("log4j*", 300, true)]
#[case::under("logging", 20, false)]
fn budgets_need_no_baseline(#[case] subject: &str, #[case] logging: u64, #[case] breached: bool) {
    let head = RunData { benchmarks: vec![], profiles: vec![logging_profile(logging, 1000 - logging)] };
    let verdict = detect::judge(None, &head, &with_budget(subject, 0.03));
    assert_eq!(verdict.outcome, Outcome::NoBaseline);
    assert_eq!(verdict.budgets.len(), usize::from(breached));
    if breached {
        assert_eq!(verdict.confidence, Confidence::Confirmed);
        assert_eq!(verdict.budgets[0].frames, [("log4j.log".to_owned(), 0.3)]);
        assert!(
            verdict.sentence.contains("takes 30.0 % of the cpu profile, over its budget of 3.00 %"),
            "{}",
            verdict.sentence
        );
    }
}

#[test]
fn a_breach_within_its_sampling_error_is_likely_and_regresses_the_run() {
    let head = RunData { benchmarks: vec![], profiles: vec![logging_profile(4, 96)] };
    let verdict = detect::judge(Some(&head), &head, &with_budget("logging", 0.03));
    assert_eq!(
        (verdict.outcome, verdict.confidence),
        (Outcome::Regressed, Confidence::Likely),
        "{}",
        verdict.sentence
    );
}

#[test]
fn shares_typed_by_a_person_are_shown_and_not_tested() {
    let typed = |frame: &str, share: f64| {
        let mut builder = CallTreeBuilder::new();
        let leaf =
            ["CodedOutputStream.writeTo", frame, "Unsafe.copyMemory"].iter().fold(Node::ROOT, |at, name| {
                let frame = builder.frame(name, None, None);
                builder.child(at, frame, false)
            });
        builder.add(leaf, 0, share);
        let mut tree = builder.finish();
        tree.frames[2].category = Category::Copy;
        let mut profile = Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Ratio }, tree);
        profile.handwritten = true;
        profile.partial = true;
        RunData { benchmarks: vec![], profiles: vec![profile] }
    };
    let verdict = judge(&typed("NioByteString.writeTo", 0.157), &typed("LiteralByteString.writeTo", 0.007));
    let comparison = &verdict.profiles[0];
    let copy = &comparison.categories[0];
    assert_eq!((copy.category.clone(), copy.base_share, copy.head_share), (Category::Copy, 0.157, 0.007));
    assert!(comparison.quality[0].starts_with("shares typed by a person"));
    assert!(
        comparison.suspects.iter().all(|s| s.p.is_none() && s.confidence <= Confidence::Likely),
        "{comparison:?}"
    );
}

#[test]
fn different_units_are_refused() {
    let profile = logging_profile(10, 10);
    let mut other = profile.clone();
    other.event.unit = Unit::Bytes;
    let side = |profile| RunData { benchmarks: vec![], profiles: vec![profile] };
    let comparison = &judge(&side(profile), &side(other)).profiles[0];
    assert!(comparison.suspects.is_empty() && comparison.quality[0].contains("cannot be compared"));
}
