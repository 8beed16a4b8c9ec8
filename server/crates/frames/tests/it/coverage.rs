//! How much of real profiles the rules explain, and whose threads the rest runs on. The files are those of
//! `fixtures/`; the Go ones are folded from its pprof files.

use frames::{Rules, normalise};
use model::{Category, Profile};
use rstest::rstest;

use crate::folded;

struct Coverage {
    /// Share of the weight whose own frame is classified.
    leaf: f64,
    /// Share of the weight with a classified frame anywhere on its stack.
    deepest: f64,
    /// Share of the weight that is charged to a category.
    charged: f64,
}

fn coverage(profile: &Profile) -> Coverage {
    let total = profile.tree.weight();
    let answers = profile.tree.stack_categories();
    let share = |classified: &dyn Fn(usize) -> bool| {
        let weights =
            profile.tree.nodes.iter().enumerate().filter(|(i, _)| classified(*i)).map(|(_, n)| n.self_weight);
        weights.sum::<f64>() / total
    };
    Coverage {
        leaf: share(&|i| *answers[i].leaf != Category::Other),
        deepest: share(&|i| answers[i].deepest.is_some()),
        charged: share(&|i| *answers[i].charged() != Category::Other),
    }
}

#[rstest]
#[case::java_a("java-debug-log-a", include_str!("../../../../../fixtures/profiles/classified/java-debug-log-a.folded"), 0.72, 0.95)]
#[case::java_b("java-debug-log-b", include_str!("../../../../../fixtures/profiles/classified/java-debug-log-b.folded"), 0.4, 0.43)]
#[case::vertx("java-vertx-perf", include_str!("../../../../../fixtures/profiles/classified/java-vertx-perf.folded"), 0.45, 0.9)]
#[case::go_a("go-eager-debug-args-a", include_str!("../../../../../fixtures/profiles/classified/go-eager-debug-args-a.folded"), 0.85, 0.95)]
#[case::go_b("go-eager-debug-args-b", include_str!("../../../../../fixtures/profiles/classified/go-eager-debug-args-b.folded"), 0.44, 0.44)]
#[case::go_log("go-log-2pp-b1", include_str!("../../../../../fixtures/profiles/classified/go-log-2pp-b1.folded"), 0.78, 0.85)]
#[case::rust_a("rust-copy-twice-a", include_str!("../../../../../fixtures/profiles/classified/rust-copy-twice-a.folded"), 0.98, 0.98)]
#[case::rust_b("rust-copy-twice-b", include_str!("../../../../../fixtures/profiles/classified/rust-copy-twice-b.folded"), 0.96, 0.96)]
#[case::python_a("python-deepcopy-a", include_str!("../../../../../fixtures/profiles/classified/python-deepcopy-a.folded"), 0.95, 0.95)]
#[case::kernel("perf-dd-kernel", include_str!("../../../../../fixtures/profiles/classified/perf-dd-kernel.folded"), 0.85, 0.87)]
fn real_profiles_are_classified(
    #[case] name: &str,
    #[case] text: &str,
    #[case] leaf: f64,
    #[case] deepest: f64,
) {
    let profile = normalise(folded::profile(text), &Rules::built_in());
    let found = coverage(&profile);
    show(name, &found);
    assert!(
        found.leaf >= leaf && found.deepest >= deepest,
        "{name}: leaf {}, deepest {}",
        found.leaf,
        found.deepest
    );
}

#[expect(clippy::print_stdout, reason = "the figures are what the test is read for")]
fn show(name: &str, found: &Coverage) {
    println!("{name}: leaf {:.3}, deepest {:.3}, charged {:.3}", found.leaf, found.deepest, found.charged);
}

/// Samples of the whole profile, of stacks that hold the program's main function, and of the runtime's threads.
fn threads(profile: &Profile, main: &str) -> (u64, u64, u64) {
    let background = profile.tree.background();
    let (mut of_main, mut of_runtime) = (0, 0);
    for (i, node) in profile.tree.nodes.iter().enumerate() {
        let path = profile.tree.path(i as u32);
        let is_main = path.iter().any(|frame| profile.tree.frames[*frame as usize].name == main);
        assert!(!(is_main && background[i]), "a stack is both the program's and the runtime's");
        of_main += if is_main { node.self_samples } else { 0 };
        of_runtime += if background[i] { node.self_samples } else { 0 };
    }
    (profile.tree.samples(), of_main, of_runtime)
}

/// The rest of the Java samples are class loading before `main` and stacks that the profiler could not walk.
#[rstest]
#[case::java_a(include_str!("../../../../../fixtures/profiles/classified/java-debug-log-a.folded"), "PagerReads.main", (1296, 657, 624))]
#[case::java_b(include_str!("../../../../../fixtures/profiles/classified/java-debug-log-b.folded"), "PagerReads.main", (400, 366, 27))]
#[case::go_a(include_str!("../../../../../fixtures/profiles/classified/go-eager-debug-args-a.folded"), "testing.(*B).launch", (447, 413, 18))]
fn the_runtimes_threads_are_told_from_the_programs(
    #[case] text: &str,
    #[case] main: &str,
    #[case] expected: (u64, u64, u64),
) {
    let raw = folded::profile(text);
    let normal = normalise(raw.clone(), &Rules::built_in());
    assert_eq!(threads(&normal, main), expected);
    let background = |profile: &Profile| {
        let marks = profile.tree.background();
        profile
            .tree
            .nodes
            .iter()
            .zip(marks)
            .filter(|(_, mark)| *mark)
            .map(|(node, _)| node.self_samples)
            .sum::<u64>()
    };
    assert_eq!(background(&raw), expected.2, "raw names give the same answer");
}

#[test]
fn logging_is_charged_for_what_the_log_call_costs() {
    let profile = normalise(
        folded::profile(include_str!("../../../../../fixtures/profiles/classified/java-debug-log-a.folded")),
        &Rules::built_in(),
    );
    let answers = profile.tree.stack_categories();
    let below = |name: &str, wanted: Option<&Category>| -> u64 {
        let nodes = profile.tree.nodes.iter().enumerate().filter(|(i, _)| {
            let path = profile.tree.path(*i as u32);
            path.iter().any(|frame| profile.tree.frames[*frame as usize].name == name)
                && wanted.is_none_or(|wanted| answers[*i].charged() == wanted)
        });
        nodes.map(|(_, node)| node.self_samples).sum()
    };
    let all = below("PagerReads$Pager.logPage", None);
    let logging = below("PagerReads$Pager.logPage", Some(&Category::Logging));
    assert_eq!(all, 519);
    assert!(
        logging * 100 >= all * 90,
        "{logging} of {all} samples below the log call are charged to logging"
    );
}
