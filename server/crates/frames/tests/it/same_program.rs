//! One recording that reached a service by several ways has the same canonical frames with the same shares.
//!
//! The recordings are those of the corpus, which lies outside of the repository; without it the test passes.

use std::collections::BTreeMap;
use std::path::Path;

use formats::{Content, Hints, Limits};
use frames::{Rules, normalise};
use model::Profile;

/// The normalised profile of a file; of several the one of the event, or the first.
#[expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
fn profile(path: &Path, event: &str) -> Profile {
    let bytes = std::fs::read(path).unwrap();
    let hints = Hints { event: Some(event.to_owned()), ..Hints::default() };
    let parsed = formats::read(&bytes, &hints, &Limits::default()).unwrap();
    let Content::Profiles(profiles) = parsed.content else { panic!("{}: no profile", path.display()) };
    normalise(profiles.into_iter().next().unwrap(), &Rules::built_in())
}

/// The share of each stack, as canonical names.
fn shares(profile: &Profile) -> BTreeMap<String, f64> {
    let (tree, weight) = (&profile.tree, profile.tree.weight());
    let mut shares = BTreeMap::new();
    for (i, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.self_samples > 0) {
        let path = tree.path(i as u32).into_iter().map(|frame| tree.frames[frame as usize].name.as_str());
        *shares.entry(path.collect::<Vec<_>>().join(";")).or_default() += node.self_weight / weight;
    }
    shares
}

#[test]
fn the_same_recording_has_the_same_shares_by_every_way() {
    let pairs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus/pairs");
    if !pairs.is_dir() {
        return;
    }
    for side in ["a", "b"] {
        for (event, ways) in [
            (
                "cpu",
                [
                    "java-debug-log/SIDE/async-profiler.collapsed",
                    "java-debug-log/SIDE/async-profiler.jfr",
                    "java-debug-log/SIDE/async-profiler-flamegraph.html",
                ]
                .as_slice(),
            ),
            ("cpu-clock", &["rust-copy-twice/SIDE/perf.folded", "rust-copy-twice/SIDE/perf-script.txt"]),
        ] {
            let [first, others @ ..] = ways else { continue };
            let read = |way: &str| profile(&pairs.join(way.replace("SIDE", side)), event);
            let first = read(first);
            let wanted = shares(&first);
            assert!(wanted.len() > 5 && first.tree.samples() > 100, "{} stacks", wanted.len());
            for way in others {
                let other = read(way);
                let found = shares(&other);
                let differ = |(stack, share): &(&String, &f64)| {
                    found.get(*stack).is_none_or(|found| (*share - found).abs() > 1e-9)
                };
                let missing: Vec<_> = wanted.iter().filter(differ).take(3).collect();
                let new: Vec<_> = found.keys().filter(|stack| !wanted.contains_key(*stack)).take(3).collect();
                assert!(missing.is_empty() && new.is_empty(), "{way} lacks {missing:#?} and has {new:#?}");
                assert_eq!(other.tree.samples(), first.tree.samples(), "{way}");
            }
        }
    }
}
