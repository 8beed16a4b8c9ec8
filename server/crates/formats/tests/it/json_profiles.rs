//! Format samples of the corpus for which it has no reference: values derived apart from the readers, by a script
//! that adds up the plain JSON.

use std::collections::BTreeMap;

use formats::{Content, Hints, Limits, Parsed, read};
use model::Profile;
use rstest::rstest;

use crate::corpus;

fn parse(path: &str) -> Option<Result<Parsed, String>> {
    let bytes = std::fs::read(corpus()?.join(path)).unwrap();
    Some(read(&bytes, &Hints::default(), &Limits::default()).map_err(|error| error.to_string()))
}

fn own(profile: &Profile) -> BTreeMap<&str, (u64, f64)> {
    let mut own: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for node in &profile.tree.nodes {
        let slot = own.entry(&profile.tree.frames[node.frame as usize].name).or_default();
        *slot = (slot.0 + node.self_samples, slot.1 + node.self_weight);
    }
    own
}

#[rstest]
#[case("heapprofile/node10.heapprofile", 0, 525_704.0, "pmessageHandler", 164_072.0)]
#[case("heapprofile/node20.heapprofile", 0, 309_528.0, "compileForInternalLoader", 49_440.0)]
#[case("stackprof/simple-cpu.json", 0, 489e6, "Object#d", 331e6)]
#[case("ghc-prof/simple.json", 0, 798e6, "make", 406e6)]
#[case("ghc-prof/simple.json", 1, 1_921_672_664.0, "", 0.0)]
#[case("gecko/firefox59-simple.json", 0, 38.0, "d", 32.0)]
#[case("trace-event/simple.json", 0, 14e3, "gamma", 5e3)]
#[case("trace-event/simple.json", 0, 14e3, "epsilon", 4e3)]
#[case("trace-event/simple.json", 0, 14e3, "beta", 3e3)]
#[case("trace-event/partial-trailing-comma.json", 0, 14e3, "alpha", 2e3)]
fn totals_and_self_weights_are_those_of_the_plain_json(
    #[case] path: &str,
    #[case] index: usize,
    #[case] total: f64,
    #[case] name: &str,
    #[case] weight: f64,
) {
    let Some(parsed) = parse(&format!("profiles/{path}")) else { return };
    let Content::Profiles(profiles) = parsed.unwrap().content else { panic!("not profiles") };
    let profile = &profiles[index];
    assert!((profile.tree.weight() - total).abs() <= 1e-9 * total, "{}", profile.tree.weight());
    if !name.is_empty() {
        let own = own(profile);
        assert!((own[name].1 - weight).abs() <= 1e-9 * weight, "{own:?}");
    }
}

#[test]
fn profile_chunks_of_a_trace_are_one_profile_with_its_thread() {
    let Some(parsed) = parse("profiles/trace-event/chrome141.json") else { return };
    let parsed = parsed.unwrap();
    let Content::Profiles(profiles) = &parsed.content else { panic!("not profiles") };
    assert_eq!(profiles.len(), 1, "the other profile has no nodes");
    // The sample was cut by hand: some samples name nodes that are no longer in it.
    assert!(
        profiles[0].partial && profiles[0].tree.weight() <= 55_862e3 && profiles[0].tree.samples() <= 421
    );
    assert_eq!(profiles[0].labels[0].key, "thread");
}

#[test]
fn ends_without_a_beginning_are_told() {
    let Some(parsed) = parse("profiles/trace-event/too-many-end-events.json") else { return };
    let parsed = parsed.unwrap();
    assert_eq!(parsed.warnings.len(), 2);
    let Content::Profiles(profiles) = &parsed.content else { panic!("not profiles") };
    assert_eq!(profiles[0].tree.weight(), 14e3);
}

#[test]
fn cut_and_damaged_files_are_read_or_refused() {
    let Some(corpus) = corpus() else { return };
    let files = [
        ("heapprofile", "heapprofile/node20.heapprofile"),
        ("stackprof", "stackprof/simple-cpu.json"),
        ("ghc-prof", "ghc-prof/simple.json"),
        ("otlp", "otlp/async-profiler-agent.otlp"),
        ("trace-event", "trace-event/chrome141.json"),
        ("cpuprofile", "cpuprofile/chrome65-simple.cpuprofile"),
        ("speedscope", "speedscope/simple-evented.speedscope.json"),
        ("rbspy-summary", "rbspy/summary.txt"),
    ];
    for (format, path) in files {
        let hints = Hints { format: Some(format.to_owned()), ..Hints::default() };
        let bytes = std::fs::read(corpus.join("profiles").join(path)).unwrap();
        for place in (0..bytes.len()).step_by(bytes.len() / 40) {
            let _ = formats::sniff(&bytes[..place]);
            let _ = read(&bytes[..place], &hints, &Limits::default());
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x11;
            let _ = read(&flipped, &hints, &Limits::default());
        }
    }
}
