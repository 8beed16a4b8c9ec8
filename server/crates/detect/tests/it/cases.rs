//! The cases that the product was born from, with their own numbers.

use model::verdict::{Confidence, FindingOutcome, Outcome};
use model::{Kind, Policy, RunData, Verdict};

use crate::corpus::{benchmark, cassandra, key, measurement, text};

fn judge(base: &RunData, head: &RunData) -> Verdict {
    detect::judge(Some(base), head, &Policy::default())
}

fn cassandra_runs() -> Option<[RunData; 3]> {
    let run = |name: &str| cassandra(&format!("benchmarks/cassandra-stress/cassandra14318-debug-{name}.txt"));
    Some([run("off-nofix")?, run("on-nofix")?, run("on-withfix")?])
}

#[test]
fn logging_at_debug_is_a_likely_regression_of_throughput() {
    let Some([off, on, _]) = cassandra_runs() else { return };
    let verdict = judge(&off, &on);
    assert_eq!(
        (verdict.outcome, verdict.confidence),
        (Outcome::Regressed, Confidence::Likely),
        "{}",
        verdict.sentence
    );
    let lead = &verdict.findings[0];
    assert_eq!(lead.measure.name.as_str(), "op rate");
    assert!(
        verdict.sentence.starts_with("Total throughput fell 47.2 % (likely: one reading a side)"),
        "{}",
        verdict.sentence
    );
    let p95 = verdict.findings.iter().find(|f| f.measure.name.as_str() == "latency 95th percentile").unwrap();
    assert_eq!(p95.outcome, FindingOutcome::Regressed);
    assert_eq!(judge(&on, &off).outcome, Outcome::Improved);
}

#[test]
fn with_the_fix_nothing_changed_although_single_readings_wander() {
    let Some([off, _, fixed]) = cassandra_runs() else { return };
    let verdict = judge(&off, &fixed);
    assert_eq!(verdict.outcome, Outcome::Unchanged, "{}", verdict.sentence);
    for finding in &verdict.findings {
        let quiet = [FindingOutcome::Unchanged, FindingOutcome::Informational].contains(&finding.outcome);
        assert!(
            quiet,
            "{} {}: {:?} {:?} {}",
            finding.benchmark, finding.measure.name, finding.outcome, finding.change, finding.reason
        );
    }
}

/// Both sides of hdds-15592: the tables hold direct (baseline) and heap (candidate) in one file.
fn hdds() -> Option<[RunData; 2]> {
    let warp = |name: &str| -> Option<model::Benchmark> {
        let text = text(&format!("benchmarks/warp/hdds15592-{name}.txt"))?;
        let read = |unit: &str| -> Vec<f64> {
            let words: Vec<&str> = text.split_whitespace().collect();
            words
                .windows(2)
                .filter(|w| w[1].trim_end_matches(',') == unit)
                .map(|w| w[0].parse().unwrap())
                .collect()
        };
        let all = vec![
            measurement("MiB/s", "MiB/s", &read("MiB/s")),
            measurement("obj/s", "obj/s", &read("obj/s")),
        ];
        Some(benchmark(key("warp PUT", &[]), Some(Kind::EndToEnd), all))
    };
    let mut sides = [vec![warp("before")?], vec![warp("after")?]];
    let mut size = String::new();
    for line in text("benchmarks/table-text/hdds15592-threads-tables.txt")?.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        if let Some(kilobytes) = line.strip_suffix(" KB writes") {
            kilobytes.clone_into(&mut size);
        } else if let [threads, direct, heap, _] = cells[..]
            && let (Ok(direct), Ok(heap)) = (direct.replace(',', "").parse(), heap.replace(',', "").parse())
        {
            for (side, value) in sides.iter_mut().zip([direct, heap]) {
                let key = key("write", &[("KB", &size), ("threads", threads)]);
                side.push(benchmark(
                    key,
                    Some(Kind::Micro),
                    vec![measurement("throughput", "MB/s", &[value])],
                ));
            }
        }
    }
    Some(sides.map(|benchmarks| RunData { benchmarks, profiles: vec![] }))
}

#[test]
fn an_end_to_end_loss_and_micro_gains_are_mixed_and_never_averaged() {
    let Some([direct, heap]) = hdds() else { return };
    let verdict = judge(&direct, &heap);
    assert_eq!((verdict.outcome, verdict.confidence), (Outcome::Mixed, Confidence::Confirmed));
    assert!(
        verdict.sentence.starts_with(
            "The end-to-end benchmark regressed while the micro-benchmarks improved: throughput \u{2212}13."
        ),
        "{}",
        verdict.sentence
    );
    assert!(verdict.sentence.contains("(confirmed) against +7.60 % to +18.1 %"), "{}", verdict.sentence);
    let reverse = judge(&heap, &direct);
    assert!(
        reverse
            .sentence
            .starts_with("The end-to-end benchmark improved while the micro-benchmarks regressed"),
        "{}",
        reverse.sentence
    );
}

#[test]
fn a_summary_of_several_runs_is_likely_at_its_lower_floor() {
    // getty-147: medians of five runs, as benchstat prints them.
    let side = |ns: f64, bytes: f64| {
        let mut time = measurement("sec/op", "us", &[ns]);
        time.summarised = true;
        let mut memory = measurement("B/op", "B/op", &[bytes]);
        memory.summarised = true;
        RunData {
            benchmarks: vec![benchmark(key("SessionWriteBytes/64", &[]), None, vec![time, memory])],
            profiles: vec![],
        }
    };
    let verdict = judge(&side(2.246, 112.0), &side(2.078, 48.0));
    assert_eq!(
        (verdict.outcome, verdict.confidence),
        (Outcome::Improved, Confidence::Likely),
        "{}",
        verdict.sentence
    );
    assert!(verdict.sentence.contains("fell 7.48 %"), "{}", verdict.sentence);
}
