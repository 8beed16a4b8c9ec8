//! Damaged, absurd and random input of the profile readers: an error, a warning, never a panic and never a number
//! that nobody wrote.

use std::collections::BTreeMap;

use formats::{ErrorKind, Hints, Limits, ParseError, Parsed};
use proptest::prelude::*;
use prost::Message;

use crate::pprof_message::{Line, of_stacks};
use crate::profiles::{corpus, expected, files, plain, profiles};

fn read_as(format: &str, bytes: &[u8], limits: &Limits) -> Result<Parsed, ParseError> {
    let hints = Hints { format: Some(format.to_owned()), ..Hints::default() };
    formats::read(bytes, &hints, limits)
}

fn folded(text: &str) -> Result<Parsed, ParseError> {
    read_as("folded", text.as_bytes(), &Limits::default())
}

/// The text and place of an error.
fn refusal(result: Result<Parsed, ParseError>) -> String {
    result.map_or_else(|error| error.to_string(), |parsed| format!("read as {parsed:?}"))
}

#[test]
fn bad_files_of_the_corpus_are_refused_or_read_as_told() {
    let Some(corpus) = corpus() else { return };
    // What gzip itself must refuse belongs to the container's tests.
    let of_gzip = [
        "folded-470MB.folded.gz",
        "gzip-bad-crc.pb.gz",
        "gzip-trailing-garbage.pb.gz",
        "zeros-1GiB.gz",
        "pprof-gzip-cut.pb.gz",
    ];
    let folders = ["folded", "pprof", "bomb", "truncated", "names", "numbers", "encoding"];
    let mut n = 0;
    for path in folders.iter().flat_map(|folder| files(&corpus.join("bad").join(folder))) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let expected = expected(&path);
        let format = match expected["format"].as_str().unwrap() {
            told if told.starts_with("folded") => "folded",
            "pprof" => "pprof",
            _ => continue,
        };
        if of_gzip.contains(&name.as_str()) {
            continue;
        }
        n += 1;
        // Of the bomb a part is enough, against a limit smaller in proportion: unoptimised inflating is slow.
        let limits = Limits { samples: 500_000, ..Limits::default() };
        let result = read_as(format, &plain(&path, 4 << 20), &limits);
        match expected["expect"].as_str().unwrap() {
            "reject" => assert!(result.is_err(), "{name} was read"),
            "accept" => assert_eq!(result.as_ref().err(), None, "{name}"),
            _ => assert!(
                result.as_ref().map_or(true, |parsed| !parsed.warnings.is_empty()),
                "{name}: read without a remark"
            ),
        }
        let total = expected["total"].as_f64().or(expected["total_if_skipped"].as_f64());
        if let (Ok(parsed), Some(total)) = (result, total) {
            assert_eq!(profiles(parsed).remove(0).tree.weight(), total, "{name}");
        }
    }
    assert!(n >= 25, "only {n} bad files");
}

#[test]
fn damaged_pprof_files_say_where() {
    let Some(corpus) = corpus() else { return };
    for (file, text) in [
        ("dangling-location.pb", "pprof: sample 1: location 99 does not exist"),
        ("dangling-function.pb", "pprof: location 1: function 42 does not exist"),
        ("no-sample-types.pb", "pprof: the file: there are no sample types"),
        ("string0-not-empty.pb", "pprof: string 0: string 0 must be there and empty"),
        ("value-count-mismatch.pb", "pprof: sample 1: more than 1 values for 1 sample types"),
    ] {
        let bytes = plain(&corpus.join("bad/pprof").join(file), 1 << 20);
        assert_eq!(refusal(read_as("pprof", &bytes, &Limits::default())), text);
    }
}

#[test]
fn of_a_difference_one_side_is_read_and_frames_may_end_in_numbers() {
    let side = |column: Option<&str>| {
        let hints = Hints {
            column: column.map(str::to_owned),
            format: Some("folded".to_owned()),
            ..Hints::default()
        };
        formats::read(b"a;b 10 25\na;c 7 0\n", &hints, &Limits::default())
    };
    let weight = |column| profiles(side(column).unwrap()).remove(0).tree.weight();
    assert_eq!((weight(None), weight(Some("2")), weight(Some("1"))), (25.0, 25.0, 17.0));
    assert!(side(None).unwrap().warnings[0].text.contains("two weights a line"));
    assert!(refusal(side(Some("3"))).contains("expected column 1 or 2"));
    let workers = profiles(folded("main;worker 1 20\nmain;worker 2 30\n").unwrap()).remove(0);
    assert_eq!(workers.tree.weight(), 50.0);
    let read = profiles(folded("main;worker 7 3\nmain;log 2\n").unwrap()).remove(0);
    assert_eq!((read.tree.weight(), read.tree.frames[1].name.as_str()), (5.0, "worker 7"));
}

#[test]
fn prose_is_refused_at_its_first_line() {
    let text = refusal(folded("\nhello world\nthis is 5\nno weights\n"));
    assert!(text.starts_with("folded: line 2: expected stacks"), "{text}");
    assert!(refusal(folded("# only a comment\n")).contains("nothing in it"));
    assert!(refusal(folded("a;b -5\n")).contains("negative"));
}

#[test]
fn a_cut_last_line_makes_the_profile_partial() {
    let parsed = folded("a;b 5\na;c 3\na;").unwrap();
    assert_eq!(parsed.warnings.len(), 1);
    assert!(profiles(parsed).remove(0).partial);
    assert!(!profiles(folded("a;b 5\nnote\na;c 3\n").unwrap()).remove(0).partial);
}

#[test]
fn every_limit_is_named_with_its_setting() {
    let small = Limits { stack_depth: 3, frames: 4, nodes: 5, samples: 6, ..Limits::default() };
    let setting = |result: Result<Parsed, ParseError>| match result.map_err(|error| error.kind) {
        Err(ErrorKind::Limit { setting, .. }) => setting,
        other => unreachable!("{other:?}"),
    };
    let ask = |text: &str| setting(read_as("folded", text.as_bytes(), &small));
    assert_eq!(ask("a;b;c;d 1"), "max_stack_depth");
    assert_eq!(ask("a 1\nb 1\nc 1\nd 1\ne 1"), "max_frames");
    assert_eq!(ask("a;b;c 1\nb;c 1\nc 1"), "max_nodes");
    assert_eq!(ask(&"a 1\n".repeat(7)), "max_samples");
    let names = || ["a", "b", "c"].map(str::to_owned).to_vec();
    let ask = |stacks: &[(Vec<u64>, i64)]| {
        setting(read_as("pprof", &of_stacks(names(), stacks).encode_to_vec(), &small))
    };
    assert_eq!(ask(&[(vec![1, 2, 3, 1], 1)]), "max_stack_depth");
    assert_eq!(ask(&[(vec![1, 2, 3], 1), (vec![3, 2, 1], 1)]), "max_nodes");
    assert_eq!(ask(&vec![(vec![1], 1); 7]), "max_samples");
}

#[test]
fn long_names_are_cut_and_warnings_are_bounded() {
    let limits = Limits { symbol_bytes: 3, warnings: 2, ..Limits::default() };
    let parsed = read_as("folded", b"main;long1 1\nmain;long2 1\nmain 1\nmain;long1 5\n", &limits).unwrap();
    assert_eq!((parsed.warnings.len(), parsed.warnings_dropped), (2, 0));
    let tree = profiles(parsed).remove(0).tree;
    let names: Vec<_> = tree.frames.iter().map(|frame| frame.name.as_str()).collect();
    assert_eq!((names, tree.weight()), (vec!["mai", "lon"], 8.0));
}

#[test]
fn inlined_lines_hang_below_the_function_at_the_address() {
    let mut file = of_stacks(["main", "outer", "inner"].map(str::to_owned).to_vec(), &[(vec![2, 1], 4)]);
    // The innermost function comes first.
    file.location[1].line = vec![Line { function_id: 3, line: 1 }, Line { function_id: 2, line: 2 }];
    let profile = profiles(read_as("pprof", &file.encode_to_vec(), &Limits::default()).unwrap()).remove(0);
    let tree = &profile.tree;
    let rows: Vec<_> = tree
        .nodes
        .iter()
        .map(|node| (tree.frames[node.frame as usize].name.as_str(), node.inlined, node.self_samples))
        .collect();
    assert_eq!(rows, [("main", false, 0), ("outer", false, 0), ("inner", true, 4)]);
    assert_eq!((tree.weight(), tree.frames[0].module.as_deref()), (4e7, Some("app")));
}

/// Names that a folded file could be confused by, besides ordinary ones.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-e]{1,3}",
        Just("operator new(unsigned long)".to_owned()),
        Just("worker 7".to_owned()),
        Just("f_[x]".to_owned()),
        Just("\u{e9}\u{4e16}".to_owned()),
        Just("abcdefgh".to_owned()),
    ]
}

fn stacks() -> impl Strategy<Value = Vec<(Vec<String>, u32)>> {
    prop::collection::vec((prop::collection::vec(name(), 1..8), 0..1000_u32), 1..40)
}

proptest! {
    #[test]
    fn folding_preserves_every_stack_and_the_total(stacks in stacks()) {
        // A last plain line keeps the file from being a difference by chance.
        let mut wanted: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        wanted.insert(vec!["plain".to_owned()], 1);
        let mut text = String::from("plain 1\n");
        for (stack, weight) in &stacks {
            *wanted.entry(stack.clone()).or_default() += u64::from(*weight);
            text.push_str(&format!("{} {weight}\n", stack.join(";")));
        }
        wanted.retain(|_, weight| *weight > 0);
        let tree = profiles(folded(&text).unwrap()).remove(0).tree;
        let mut found = BTreeMap::new();
        for (i, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.self_samples > 0) {
            let path: Vec<_> = tree.path(i as u32).iter().map(|f| tree.frames[*f as usize].name.clone()).collect();
            prop_assert_eq!(node.self_weight, node.self_samples as f64);
            found.insert(path, node.self_samples);
        }
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn decoding_preserves_every_stack_and_the_total(
        stacks in prop::collection::vec((prop::collection::vec(1..=6_u64, 1..8), 0..1000_i64), 1..40)
    ) {
        let names: Vec<String> = (1..=6).map(|i| format!("f{i}")).collect();
        let bytes = of_stacks(names, &stacks).encode_to_vec();
        let tree = profiles(formats::read(&bytes, &Hints::default(), &Limits::default()).unwrap()).remove(0).tree;
        let mut wanted: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (stack, n) in stacks.iter().filter(|(_, n)| *n > 0) {
            let path = stack.iter().rev().map(|id| format!("f{id}")).collect();
            *wanted.entry(path).or_default() += n.unsigned_abs();
        }
        let mut found = BTreeMap::new();
        for (i, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.self_samples > 0) {
            let path: Vec<_> = tree.path(i as u32).iter().map(|f| tree.frames[*f as usize].name.clone()).collect();
            prop_assert_eq!(node.self_weight, node.self_samples as f64 * 1e7);
            found.insert(path, node.self_samples);
        }
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for reader in formats::readers() {
            let _ = (reader.sniff)(&bytes);
            let _ = read_as(reader.name, &bytes, &Limits::default());
        }
    }

    #[test]
    fn random_drawings_and_stacks_never_panic(text in "([a-c #;.0-9\u{2500}-\u{2503}\u{251c}\u{2514}\u{2192}\u{d7}\n-]{0,20}\n?){0,8}") {
        for head in ["", "x \u{2014} 5% of total CPU:\nx\n"] {
            let text = format!("{head}{text}");
            for reader in formats::readers() {
                let _ = (reader.sniff)(text.as_bytes());
                if let Ok(parsed) = read_as(reader.name, text.as_bytes(), &Limits::default()) {
                    for profile in profiles(parsed) {
                        let is_placed = |(i, node): (usize, &model::Node)| {
                            node.parent == model::Node::ROOT || (node.parent as usize) < i
                        };
                        prop_assert!(profile.tree.nodes.iter().enumerate().all(is_placed));
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let names = ["main", "work", "copy"].map(str::to_owned).to_vec();
        let pprof = of_stacks(names, &[(vec![3, 2, 1], 5), (vec![2, 1], 1)]).encode_to_vec();
        let folded = b"# austin: 3.3.0\n# mode: wall\nmain;work;copy_[k] 42\nmain;work_[i] 1.5\nmain 7\n".to_vec();
        let tree = "C(D).f \u{2014} 1.5% of total CPU:\n\nroot\n \u{2514}\u{2500} D.f \u{2192} <init>\u{d7}4  # x\n".as_bytes().to_vec();
        for (format, mut bytes) in [("pprof", pprof), ("folded", folded), ("async-profiler-tree", tree)] {
            for (index, byte) in &changes {
                let at = index.index(bytes.len());
                bytes[at] = *byte;
            }
            let _ = read_as(format, &bytes, &Limits::default());
            let end = cut.index(bytes.len());
            let _ = read_as(format, &bytes[..end], &Limits::default());
        }
    }
}
