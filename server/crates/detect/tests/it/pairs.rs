//! Pairs of real programs with known causes: the true suspect first, in both directions.

use model::verdict::{Confidence, Outcome, Presence};
use model::{Policy, RunData, Verdict};

use crate::corpus::{folded, go_bench, key_values, pprof};

fn judge(base: &RunData, head: &RunData) -> Verdict {
    detect::judge(Some(base), head, &Policy::default())
}

/// What a verdict says, for messages of failed assertions.
fn told(verdict: &Verdict) -> String {
    let mut lines = vec![format!("{:?} {:?}: {}", verdict.outcome, verdict.confidence, verdict.sentence)];
    for profile in &verdict.profiles {
        lines.push(format!("{:?} base {:?} head {:?}", profile.normalisation, profile.base, profile.head));
        lines.extend(profile.suspects.iter().map(|suspect| format!("suspect {suspect:?}")));
        lines.extend(profile.moved.iter().map(|suspect| format!("moved {suspect:?}")));
        lines.extend(profile.quality.iter().cloned());
    }
    lines.join("\n")
}

/// The first suspect with its explained share, and the whole verdict in words.
#[track_caller]
fn first(verdict: &Verdict) -> (&model::Suspect, f64, String) {
    let told = told(verdict);
    let Some(suspect) = verdict.profiles.first().and_then(|profile| profile.suspects.first()) else {
        panic!("no suspect in {told}")
    };
    (suspect, suspect.explained_share.unwrap_or(f64::NAN), told)
}

fn java() -> Option<[RunData; 2]> {
    let side = |side: &str| {
        let mut run = key_values(
            &format!("pairs/java-debug-log/{side}/runs.txt"),
            "read",
            &[("pages_per_s", "pages/s")],
        )?;
        run.profiles = vec![folded(&format!("pairs/java-debug-log/{side}/async-profiler.collapsed"), 1.0)?];
        Some(run)
    };
    Some([side("a")?, side("b")?])
}

#[test]
fn a_pager_that_logs_is_named_with_nearly_all_of_the_loss() {
    let Some([slow, fast]) = java() else { return };
    let verdict = judge(&fast, &slow);
    let (suspect, explained, told) = first(&verdict);
    assert_eq!(verdict.outcome, Outcome::Regressed, "{told}");
    assert_eq!(
        (suspect.frame.as_str(), suspect.category.name()),
        ("PagerReads$Pager.logPage", "logging"),
        "{told}"
    );
    assert_eq!(
        (suspect.called_from.as_deref(), suspect.presence),
        (Some("PagerReads$Pager.fetchPage"), Presence::New)
    );
    assert!((0.85..0.97).contains(&explained), "{told}");
    assert!(verdict.sentence.contains("logging entered from PagerReads$Pager.logPage explains"), "{told}");
    assert!(verdict.suspects().all(|s| !s.frame.contains("digest")), "{told}");

    let back = judge(&slow, &fast);
    let (suspect, explained, told) = first(&back);
    assert_eq!(back.outcome, Outcome::Improved, "{told}");
    assert_eq!(
        (suspect.frame.as_str(), suspect.presence),
        ("PagerReads$Pager.logPage", Presence::Gone),
        "{told}"
    );
    assert!((0.85..0.97).contains(&explained), "{told}");
}

fn go_eager() -> Option<[RunData; 2]> {
    let side = |side: &str| {
        let mut run = go_bench(&format!("pairs/go-eager-debug-args/{side}/bench.txt"))?;
        run.profiles = vec![pprof(&format!("pairs/go-eager-debug-args/{side}/cpu.pb.gz"))?];
        Some(run)
    };
    Some([side("a")?, side("b")?])
}

#[test]
fn building_arguments_of_a_discarded_log_call_is_named() {
    let Some([eager, guarded]) = go_eager() else { return };
    for (base, head, outcome) in
        [(&eager, &guarded, Outcome::Improved), (&guarded, &eager, Outcome::Regressed)]
    {
        let verdict = judge(base, head);
        let (suspect, explained, told) = first(&verdict);
        assert_eq!((verdict.outcome, verdict.confidence), (outcome, Confidence::Confirmed), "{told}");
        assert_eq!(suspect.frame, "example.test/echo.describe", "{told}");
        assert!(explained > 0.5 && explained < 1.0, "{told}");
        assert!(
            suspect.of_which.iter().any(|(category, part)| category.name() == "allocation" && *part > 0.1),
            "{told}"
        );
        let innocent = ["example.test/echo.frame", "example.test/echo.(*sink).Write"];
        assert!(verdict.suspects().all(|s| !innocent.contains(&s.frame.as_str())), "{told}");
    }
}

#[test]
fn a_second_copy_is_told_from_the_first_by_its_caller() {
    let side = |side: &str, values: &[f64]| {
        let mut run = crate::corpus::one("copy", model::Better::Higher, values);
        run.benchmarks[0].measurements = vec![crate::corpus::measurement("throughput", "MiB/s", values)];
        run.profiles = vec![folded(&format!("pairs/rust-copy-twice/{side}/perf.folded"), 1_003_009.0)?];
        Some(run)
    };
    // The rates of the pair's description.
    let twice = side("a", &[1057.9, 1131.2, 1123.0, 1133.4, 1210.8, 1303.2, 1288.2]);
    let once = side("b", &[2525.6, 2575.4, 2485.4, 2622.4, 2473.4, 2511.5, 4447.9]);
    let (Some(twice), Some(once)) = (twice, once) else { return };
    for (base, head) in [(&twice, &once), (&once, &twice)] {
        let (suspect, explained, told) = {
            let verdict = judge(base, head);
            let (suspect, explained, told) = first(&verdict);
            (suspect.clone(), explained, told)
        };
        assert_eq!(
            (suspect.frame.as_str(), suspect.category.name()),
            ("copytwice::copy_to_staging", "copy"),
            "{told}"
        );
        assert_eq!(suspect.called_from.as_deref(), Some("copytwice::write_frame_twice"), "{told}");
        assert!(explained > 0.7 && explained < 1.0, "{told}");
    }
    // The profiles alone must name it too, without a time to scale by.
    let bare = |run: &RunData| RunData { benchmarks: vec![], profiles: run.profiles.clone() };
    let verdict = judge(&bare(&once), &bare(&twice));
    assert_eq!(first(&verdict).0.frame, "copytwice::copy_to_staging", "{}", told(&verdict));
    assert_eq!(verdict.profiles[0].suspects.len(), 1, "{}", told(&verdict));
}

#[test]
fn a_deep_copy_is_charged_to_who_asked_for_it() {
    let side = |side: &str, values: &[f64]| {
        let mut run = crate::corpus::one("render", model::Better::Higher, values);
        run.benchmarks[0].measurements = vec![crate::corpus::measurement("pages_per_s", "pages/s", values)];
        run.profiles = vec![folded(&format!("pairs/python-deepcopy/{side}/py-spy.folded"), 1.0)?];
        Some(run)
    };
    let copying = side("a", &[857.1, 602.5, 685.6, 597.7, 501.6]);
    let shared = side("b", &[28155.4, 24575.5, 21434.9, 26991.0, 18943.8]);
    let (Some(copying), Some(shared)) = (copying, shared) else { return };
    let verdict = judge(&shared, &copying);
    assert_eq!(first(&verdict).0.frame, "snapshot_settings (render.py)", "{}", told(&verdict));
    let back = judge(&copying, &shared);
    assert_eq!(first(&back).0.frame, "snapshot_settings (render.py)", "{}", told(&back));
}

/// Six profiles and six timed runs a side.
fn six(pair: &str) -> Option<[RunData; 2]> {
    let side = |side: &str| {
        let wanted = [
            ("seconds", "s"),
            ("cpu_seconds", "s"),
            ("ops_per_s", "op/s"),
            ("cpu_us_per_op", "us"),
            ("profile_ops", ""),
            ("profile_seconds", "s"),
            ("profile_cpu_seconds", "s"),
        ];
        let mut run = key_values(&format!("pairs/{pair}/{side}/runs.txt"), "serve", &wanted)?;
        for n in 1..=6 {
            run.profiles.push(if pair.starts_with("python") {
                folded(&format!("pairs/{pair}/{side}/run-{n}.folded"), 1.0)?
            } else {
                pprof(&format!("pairs/{pair}/{side}/run-{n}.pb.gz"))?
            });
        }
        Some(run)
    };
    Some([side("a")?, side("b")?])
}

#[test]
fn two_percent_of_logging_are_found_below_the_noise_of_throughput() {
    let Some([base, head]) = six("go-log-2pp") else { return };
    let verdict = judge(&base, &head);
    let (suspect, _, told) = first(&verdict);
    assert_eq!(
        (suspect.frame.as_str(), suspect.confidence),
        ("main.(*gateway).debugRequest", Confidence::Confirmed),
        "{told}"
    );
    assert_eq!(verdict.profiles[0].suspects.len(), 1, "{told}");
    assert!(![Outcome::Regressed, Outcome::Improved].contains(&verdict.outcome), "{told}");
}

#[test]
fn a_refactoring_moves_cost_and_accuses_nobody() {
    let Some([base, head]) = six("go-refactor-shift") else { return };
    for (base, head) in [(&base, &head), (&head, &base)] {
        let verdict = judge(base, head);
        let told = told(&verdict);
        assert_eq!(verdict.suspects().count(), 0, "{told}");
        let moved: Vec<&str> =
            verdict.profiles[0].moved.iter().map(|suspect| suspect.frame.as_str()).collect();
        for frame in ["main.parseQuery", "main.splitPairs", "main.unescape"] {
            assert!(moved.contains(&frame), "{frame}: {told}");
        }
    }
}

#[test]
fn copies_of_a_list_are_found_with_their_size() {
    let Some([base, head]) = six("python-alloc") else { return };
    let verdict = judge(&base, &head);
    let (suspect, _, told) = first(&verdict);
    assert_eq!(verdict.outcome, Outcome::Regressed, "{told}");
    assert_eq!(suspect.frame, "snapshot_rows (orders.py)", "{told}");
}

#[test]
fn a_program_against_itself_has_no_suspect() {
    let side = |side: &str| {
        let mut run = go_bench(&format!("pairs/go-null/{side}/bench.txt"))?;
        run.profiles = vec![pprof(&format!("pairs/go-null/{side}/cpu.pb.gz"))?];
        Some(run)
    };
    let (Some(base), Some(head)) = (side("a"), side("b")) else { return };
    for (base, head) in [(&base, &head), (&head, &base)] {
        let verdict = judge(base, head);
        assert_eq!(verdict.suspects().count(), 0, "{}", told(&verdict));
        // Drift of the machine, not a change of the code, and nothing may be confirmed of it.
        assert!(verdict.confidence < Confidence::Confirmed, "{}", told(&verdict));
        assert!(
            verdict.notes.iter().any(|note| note.contains("the machine may have changed")),
            "{:?}",
            verdict.notes
        );
    }
}
