//! What must hold for any input whatever.

use model::verdict::{FindingOutcome, Outcome};
use model::{Better, CallTreeBuilder, Category, Event, Node, Policy, Profile, RunData, Unit};
use proptest::prelude::*;

use crate::corpus::{benchmark, key, measurement};

const NAMES: [&str; 12] = [
    "main.run",
    "main.handle",
    "main.log",
    "runtime.mallocgc",
    "fmt.Sprintf",
    "main.encode",
    "java.util.List.add",
    "CompileBroker::compiler_thread_loop",
    "[unknown]",
    "main.a",
    "main.b",
    "memcpy",
];

fn category(frame: usize) -> Category {
    let all = [Category::Other, Category::Logging, Category::Allocation, Category::Idle, Category::Gc];
    all[frame % all.len()].clone()
}

/// Stacks of few names, so that recursion, shared frames and inlined leaves all occur.
fn profile() -> impl Strategy<Value = Profile> {
    let stack = proptest::collection::vec((0..NAMES.len(), any::<bool>()), 1..7);
    let stacks = proptest::collection::vec((stack, 0..400_u64, 0.0..1e6_f64), 0..25);
    (stacks, any::<bool>(), 0..3_usize).prop_map(|(stacks, counted, event)| {
        let mut builder = CallTreeBuilder::new();
        for (stack, samples, weight) in stacks {
            let leaf = stack.into_iter().fold(Node::ROOT, |at, (frame, inlined)| {
                let frame = builder.frame(NAMES[frame], None, None);
                builder.child(at, frame, inlined)
            });
            builder.add(leaf, if counted { samples } else { 0 }, weight);
        }
        let mut tree = builder.finish();
        for (i, frame) in tree.frames.iter_mut().enumerate() {
            frame.category = category(i);
        }
        let name = ["cpu", "wall", "alloc_space"][event];
        Profile::new(Event { name: name.to_owned(), unit: Unit::Nanoseconds }, tree)
    })
}

fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.5..1e9_f64,
        1 => Just(0.0),
        1 => any::<f64>(),
        1 => prop_oneof![Just(f64::MAX), Just(f64::MIN_POSITIVE), Just(-1.0), Just(f64::NAN)],
    ]
}

fn run(values: impl Strategy<Value = f64>, most: usize) -> impl Strategy<Value = RunData> {
    let measures =
        [("throughput", "op/s"), ("ns/op", "ns"), ("latency_p99", "ms"), ("B/op", "B/op"), ("pages", "")];
    let one = (0..3_usize, 0..measures.len(), proptest::collection::vec(values, 0..most));
    let benchmarks = proptest::collection::vec(one, 0..6);
    (benchmarks, proptest::collection::vec(profile(), 0..3)).prop_map(move |(found, profiles)| {
        let mut run = RunData { benchmarks: vec![], profiles };
        for (name, measure, values) in found {
            let (measure, unit) = measures[measure];
            let measured = measurement(measure, unit, &values);
            run.benchmarks.push(benchmark(key(["a", "b", "c"][name], &[]), None, vec![measured]));
        }
        run
    })
}

fn judge(base: &RunData, head: &RunData) -> model::Verdict {
    detect::judge(Some(base), head, &Policy::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_panics_and_every_number_is_finite(base in run(any_value(), 9), head in run(any_value(), 9)) {
        let verdict = judge(&base, &head);
        prop_assert!(verdict.sentence.ends_with('.') && verdict.sentence.len() > 5);
        for finding in &verdict.findings {
            let numbers = [finding.change, finding.p, finding.p_adjusted, finding.smallest_visible];
            prop_assert!(numbers.iter().flatten().all(|n| n.is_finite()), "{finding:?}");
            prop_assert!(finding.p.is_none_or(|p| (0.0..=1.0).contains(&p)));
            if let Some((lo, hi)) = finding.change_interval {
                prop_assert!(lo <= hi, "{finding:?}");
            }
        }
        for suspect in verdict.suspects() {
            prop_assert!(suspect.delta.is_finite() && suspect.explained_share.is_none_or(f64::is_finite));
        }
        detect::judge(None, &head, &Policy::default());
    }

    #[test]
    fn a_run_against_itself_is_unchanged_without_suspects(run in run(0.5..1e9_f64, 9)) {
        let verdict = judge(&run, &run);
        prop_assert!([Outcome::Unchanged, Outcome::Inconclusive].contains(&verdict.outcome), "{}", verdict.sentence);
        prop_assert_eq!(verdict.suspects().count(), 0);
        prop_assert!(verdict.profiles.iter().all(|profile| profile.moved.is_empty()));
    }

    #[test]
    fn the_scale_of_both_sides_does_not_matter(base in run(0.5..1e6_f64, 9), head in run(0.5..1e6_f64, 9), exponent in -20..20_i32) {
        // Powers of two scale without rounding.
        let scaled = |run: &RunData| {
            let mut run = run.clone();
            for value in run.benchmarks.iter_mut().flat_map(|b| &mut b.measurements).flat_map(|m| &mut m.observations) {
                *value *= 2.0_f64.powi(exponent);
            }
            run
        };
        let (plain, other) = (judge(&base, &head), judge(&scaled(&base), &scaled(&head)));
        prop_assert_eq!(plain.outcome, other.outcome);
        // Order depends on sizes that differ in the last bit, so findings are compared as a set.
        let outcomes = |verdict: &model::Verdict| {
            let mut all: Vec<_> = verdict.findings.iter().map(|f| (f.benchmark.clone(), f.measure.clone(), f.outcome.name())).collect();
            all.sort();
            all
        };
        prop_assert_eq!(outcomes(&plain), outcomes(&other));
    }

    #[test]
    fn swapping_the_sides_swaps_worse_and_better(
        a in proptest::collection::vec(50.0..200.0_f64, 1..12),
        b in proptest::collection::vec(50.0..200.0_f64, 1..12),
        factor in 0.2..5.0_f64,
    ) {
        let b: Vec<f64> = b.iter().map(|v| v * factor).collect();
        let (a, b) = (crate::corpus::one("x", Better::Lower, &a), crate::corpus::one("x", Better::Lower, &b));
        let (there, back) = (judge(&a, &b).findings.remove(0), judge(&b, &a).findings.remove(0));
        prop_assert_eq!(there.p.map(|p| (p * 1e9).round()), back.p.map(|p| (p * 1e9).round()));
        // A relative floor is not symmetric (+25 % one way is −20 % the other), so only contradictions are wrong.
        let (moved, opposite) = (
            [FindingOutcome::Regressed, FindingOutcome::Improved].contains(&there.outcome),
            there.outcome == back.outcome,
        );
        prop_assert!(!(moved && opposite), "{there:?} {back:?}");
    }

    #[test]
    fn category_costs_add_up_to_the_whole(base in profile(), head in profile()) {
        let side = |profile: Profile| RunData { benchmarks: vec![], profiles: vec![profile] };
        let verdict = judge(&side(base), &side(head));
        for comparison in verdict.profiles.iter().filter(|c| !c.categories.is_empty()) {
            let sums = comparison.categories.iter().fold((0.0, 0.0), |sum, c| (sum.0 + c.base_share, sum.1 + c.head_share));
            prop_assert!((sums.0 - 1.0).abs() < 1e-9 && (sums.1 - 1.0).abs() < 1e-9, "{sums:?}");
        }
    }
}
