//! What holds for every name and every profile.

use std::sync::LazyLock;

use frames::{Rules, canonical, normalise};
use model::profile::Node;
use model::{CallTree, Category, Event, FrameInfo, Profile, Unit};
use proptest::prelude::*;

/// Compiled once: a debug build takes longer over it than over a profile.
static RULES: LazyLock<Rules> = LazyLock::new(Rules::built_in);

/// Names made of pieces that the rules look at, so that random text reaches their corners.
fn name() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("::"),
        Just("."),
        Just("/"),
        Just("<"),
        Just(">"),
        Just("("),
        Just(")"),
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just("$$Lambda$1"),
        Just("0x0000a1"),
        Just(" as "),
        Just("_[j]"),
        Just(".isra.0"),
        Just("@plt"),
        Just("operator"),
        Just("func1"),
        Just(".gowrap2"),
        Just("(*T)"),
        Just(".py:12"),
        Just(".js"),
        Just(" ("),
        Just("LazyCompile:*"),
        Just("h0123456789abcdef"),
        Just("_ZN3foo3barE"),
        Just("_RNvC1a4main"),
        Just("[unknown]"),
        Just("java"),
        Just("Foo"),
        Just("x"),
        Just("std"),
        Just("'lambda0'"),
        Just(" tid=7"),
        Just("-range1"),
        Just("`1"),
        Just("<>c"),
        Just("!"),
        Just("impl "),
        Just("{closure#0}"),
        Just("é"),
        Just(" "),
        Just(" - "),
        Just("file:///a/b"),
        Just("lib.so.6"),
        Just("+0x1f"),
        Just("%2e"),
        Just(";::"),
        Just("node:"),
        Just(":"),
        Just("12"),
        Just("__GI_"),
    ];
    prop_oneof![".{0,60}", proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())]
}

fn optional_name() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(prop_oneof![
        Just("libc.so.6".to_owned()),
        Just("[kernel.kallsyms]".to_owned()),
        Just("a.py".to_owned()),
        Just("/x/y.js".to_owned()),
        name()
    ])
}

fn profile() -> impl Strategy<Value = Profile> {
    let frame = (name(), optional_name(), optional_name());
    let node = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        any::<bool>(),
        0_u64..1000,
        any::<bool>(),
    );
    (proptest::collection::vec(frame, 1..12), proptest::collection::vec(node, 0..40)).prop_map(
        |(frames, nodes)| {
            let frames: Vec<FrameInfo> = frames
                .into_iter()
                .map(|(name, module, file)| FrameInfo { name, module, file, category: Category::Other })
                .collect();
            let nodes = nodes
                .iter()
                .enumerate()
                .map(|(i, (parent, frame, inlined, samples, root))| Node {
                    parent: if i == 0 || *root { Node::ROOT } else { parent.index(i) as u32 },
                    frame: frame.index(frames.len()) as u32,
                    inlined: *inlined,
                    self_samples: *samples,
                    self_weight: *samples as f64 * 3.0,
                })
                .collect();
            Profile::new(
                Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds },
                CallTree { frames, nodes },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_canonical_name_is_its_own_canonical_name(raw in name(), module in optional_name(), file in optional_name()) {
        let once = canonical(&raw, module.as_deref(), file.as_deref());
        prop_assert_eq!(canonical(&once, module.as_deref(), file.as_deref()), once);
    }
}

proptest! {
    #[test]
    fn normalising_keeps_samples_weights_and_order(profile in profile()) {
        let (samples, weight) = (profile.tree.samples(), profile.tree.weight());
        let normal = normalise(profile, &RULES);
        prop_assert_eq!(normal.tree.samples(), samples);
        prop_assert_eq!(normal.tree.weight(), weight);
        prop_assert_eq!(normal.rules_version, frames::RULES_VERSION);
        for (i, node) in normal.tree.nodes.iter().enumerate() {
            prop_assert!(node.parent == Node::ROOT || (node.parent as usize) < i);
            prop_assert!((node.frame as usize) < normal.tree.frames.len());
        }
        let mut paths: Vec<_> = normal.tree.nodes.iter().map(|n| (n.parent, n.frame, n.inlined)).collect();
        paths.sort_unstable();
        paths.dedup();
        prop_assert_eq!(paths.len(), normal.tree.nodes.len(), "equal paths are merged");
    }
}

#[test]
fn broken_trees_come_out_whole() {
    let node = Node { parent: 7, frame: 9, inlined: false, self_samples: 2, self_weight: 4.0 };
    let tree = CallTree { frames: Vec::new(), nodes: vec![node, Node { parent: 0, ..node }] };
    let normal = normalise(
        Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds }, tree),
        &Rules::built_in(),
    );
    assert_eq!((normal.tree.samples(), normal.tree.frames.len(), normal.tree.nodes[1].parent), (4, 1, 0));
}

#[test]
fn a_megabyte_of_anything_takes_little_time() {
    let rules = Rules::built_in();
    for piece in [
        "a",
        "<",
        "(",
        "{",
        "[",
        "::",
        ".",
        "_ZN",
        "a::<",
        ".cold",
        "$$Lambda$1",
        "/0x1",
        "operator<",
        "é",
        "[1;",
        ".func1",
        "S_",
    ] {
        let name = piece.repeat(1_000_000 / piece.len());
        let started = std::time::Instant::now();
        let canonical = canonical(&name, None, None);
        let _ = rules.category(&canonical, None, None);
        assert!(canonical.len() <= canonical::LONGEST);
        // A debug build on a busy machine; a quadratic pass over a megabyte would take minutes.
        assert!(started.elapsed().as_secs() < 5, "{piece}: {:?}", started.elapsed());
    }
}
