//! Real files of real profilers against what their own tools (or an independent reading) say of them.
//!
//! The corpus lies beside the repository; without it these tests say so and pass. Expected names there are raw. The
//! reader takes the marks of folded text off (`_[j]`, `_[k]` …), leaves nameless frames out and folds addresses
//! without symbols into one frame a binary, so folded files are compared through a plain re-reading below, which
//! must first give exactly the expected figures on raw names; of pprof only the addresses are passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use formats::{Content, Hints, Limits, Parsed, Sniff};
use model::{Node, Profile, Unit};
use serde_json::Value;

/// The corpus, where it is.
#[expect(clippy::print_stderr, reason = "a test that checks nothing has to say so")]
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    if !path.is_dir() {
        eprintln!("note: no corpus at {}, nothing checked", path.display());
        return None;
    }
    Some(path)
}

/// Every input file below a folder, in order; the expectations beside them are left out.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().ends_with(".expected.json") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A file's bytes without gzip, at most `most` of them.
pub(crate) fn plain(path: &Path, most: u64) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return bytes;
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).take(most).read_to_end(&mut plain).unwrap();
    plain
}

pub(crate) fn expected(path: &Path) -> Value {
    let beside = format!("{}.expected.json", path.display());
    serde_json::from_slice(&std::fs::read(beside).unwrap()).unwrap()
}

fn read(path: &Path) -> Parsed {
    formats::read(&plain(path, 1 << 28), &Hints::default(), &Limits::default())
        .unwrap_or_else(|error| panic_at(path, &error.to_string()))
}

#[expect(clippy::panic, reason = "a failed test names the file")]
fn panic_at(path: &Path, text: &str) -> ! {
    panic!("{}: {text}", path.display())
}

pub(crate) fn profiles(parsed: Parsed) -> Vec<Profile> {
    match parsed.content {
        Content::Profiles(profiles) => profiles,
        _ => Vec::new(),
    }
}

type ByName = BTreeMap<String, f64>;

/// Self and total of each name, a name once a stack, of samples or of weights.
fn by_name(profile: &Profile, of: impl Fn(&Node) -> f64) -> (ByName, ByName) {
    let (mut own, mut total) = (ByName::new(), ByName::new());
    let tree = &profile.tree;
    for (i, node) in tree.nodes.iter().enumerate().filter(|(_, node)| of(node) != 0.0) {
        *own.entry(tree.frames[node.frame as usize].name.clone()).or_default() += of(node);
        let names: BTreeSet<_> =
            tree.path(i as u32).iter().map(|frame| &tree.frames[*frame as usize].name).collect();
        for name in names {
            *total.entry(name.clone()).or_default() += of(node);
        }
    }
    (own, total)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// A plain reading of folded text: total with and without frames (py-spy writes the samples without a stack as a
/// line without frames; the corpus counts them in some expectations and not in others, the reader never), self and total by name, names passed through `rename`.
fn reference(text: &str, rename: impl Fn(&str) -> String) -> ([f64; 2], ByName, ByName) {
    let (mut sum, mut frameless, mut own, mut total) = (0.0, 0.0, ByName::new(), ByName::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((path, weight)) = line.trim_end().rsplit_once(' ') else { continue };
        let Ok(weight) = weight.parse::<f64>() else { continue };
        if path.is_empty() {
            frameless += weight;
            continue;
        }
        sum += weight;
        let names: Vec<String> = path.split(';').map(&rename).collect();
        // The leaf is the last frame with a name.
        if let Some(leaf) = names.iter().rev().find(|name| !name.is_empty()) {
            *own.entry(leaf.clone()).or_default() += weight;
        }
        for name in names.into_iter().collect::<BTreeSet<_>>() {
            *total.entry(name).or_default() += weight;
        }
    }
    ([sum, frameless], own, total)
}

fn without_mark(name: &str) -> String {
    let marks = ["_[0]", "_[1]", "_[i]", "_[j]", "_[k]"];
    marks.iter().find_map(|mark| name.strip_suffix(mark)).unwrap_or(name).trim_start().to_owned()
}

fn text_of(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16(&units).unwrap()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8(bytes.to_vec()).unwrap(),
    }
}

fn is_folded(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.ends_with(".folded") || name.ends_with(".collapsed") || name.contains("/folded/")
}

fn check_top(path: &Path, expected: &Value, key: &str, found: &ByName, skip: impl Fn(&str) -> bool) {
    for entry in expected[key].as_array().unwrap() {
        let (name, value) = (entry["frame"].as_str().unwrap(), entry["value"].as_f64().unwrap());
        let has = found.get(name).copied().unwrap_or_default();
        assert!(skip(name) || close(has, value), "{}: {key} {name}: {has}, not {value}", path.display());
    }
}

#[test]
fn folded_files_of_the_corpus_have_their_totals_and_top_frames() {
    let Some(corpus) = corpus() else { return };
    let folders = ["profiles/folded", "profiles/excimer", "profiles/async-profiler", "pairs"];
    let files = folders.iter().flat_map(|folder| files(&corpus.join(folder)));
    let mut n = 0;
    for path in files.filter(|path| is_folded(path)) {
        n += 1;
        let expected = expected(&path);
        let text = text_of(&plain(&path, 1 << 28));
        let ([sum, frameless], own, total) = reference(&text, str::to_owned);
        let wanted = expected["total"].as_f64().unwrap();
        assert!(close(sum, wanted) || close(sum + frameless, wanted), "{}: {sum}", path.display());
        check_top(&path, &expected, "top_self", &own, |_| false);
        check_top(&path, &expected, "top_total", &total, |_| false);

        let parsed = read(&path);
        assert_eq!(parsed.format, "folded", "{}", path.display());
        let profile = profiles(parsed).remove(0);
        let unit = expected["unit"].as_str().unwrap();
        let (base, scale) = match unit {
            "samples" if sum > 1e7 => (Unit::Other("events".to_owned()), 1.0),
            "samples" => (Unit::Count("samples".to_owned()), 1.0),
            "microseconds" => (Unit::Nanoseconds, 1e3),
            _ => (Unit::Other("events".to_owned()), 1.0),
        };
        assert_eq!(profile.event.unit, base, "{}", path.display());
        let (_, own, mut total) = reference(&text, without_mark);
        total.remove("");
        let scaled =
            |map: ByName| map.into_iter().map(|(name, value)| (name, value * scale)).collect::<Vec<_>>();
        let (mut found_own, mut found_total) = by_name(&profile, |node| node.self_weight);
        // Stacks without frames stand under a name of their own.
        let unwalked = found_own.remove("[no frames]").unwrap_or_default();
        found_total.remove("[no frames]");
        assert!(close(unwalked, frameless * scale), "{}: {unwalked}", path.display());
        for (found, wanted) in [(found_own, scaled(own)), (found_total, scaled(total))] {
            assert_eq!(found.len(), wanted.len(), "{}", path.display());
            for (name, value) in wanted {
                assert!(close(found[&name], value), "{}: {name}: {} {value}", path.display(), found[&name]);
            }
        }
        if unit == "samples" && base != Unit::Other("events".to_owned()) && sum.fract() == 0.0 {
            assert_eq!(profile.tree.samples(), (sum + frameless) as u64, "{}", path.display());
        }
    }
    assert!(n >= 30, "only {n} folded files");
}

#[test]
fn samples_behind_perf_periods_and_austin_times_are_counted() {
    let Some(corpus) = corpus() else { return };
    for (file, samples, event) in [
        ("pairs/rust-copy-twice/a/perf.folded", 367, "samples"),
        ("pairs/rust-copy-twice/b/perf.folded", 178, "samples"),
        ("profiles/folded/perf-dd-kernel.folded", 243, "samples"),
        ("profiles/folded/python-austin.txt", 2, "wall"),
        ("profiles/folded/cpp-std-function.txt", 8, "samples"),
    ] {
        let profile = profiles(read(&corpus.join(file))).remove(0);
        assert_eq!((profile.tree.samples(), profile.event.name.as_str()), (samples, event), "{file}");
    }
    let inlined = profiles(read(&corpus.join("pairs/java-debug-log/a/async-profiler.collapsed"))).remove(0);
    assert!(inlined.tree.nodes.iter().any(|node| node.inlined));
    assert!(inlined.tree.frames.iter().any(|frame| frame.module.as_deref() == Some("[kernel]")));
}

/// The type that counts the samples of another type.
fn counted(name: &str) -> &[&str] {
    match name {
        "samples" => &["cpu", "time"],
        "contentions" => &["delay"],
        "alloc_objects" => &["alloc_space"],
        "inuse_objects" => &["inuse_space"],
        _ => &[],
    }
}

#[test]
fn pprof_files_of_the_corpus_have_their_totals_and_top_frames() {
    let Some(corpus) = corpus() else { return };
    // Legacy binary profiles whose name ends like a protobuf's; another reader's business.
    let legacy = ["google-cppbench-cpu.pb", "google-gobench-cpu.pb", "google-no-sample-type.pb"];
    let mut n = 0;
    for path in files(&corpus.join("profiles/pprof")).into_iter().chain(files(&corpus.join("pairs"))) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".pb") && !name.ends_with(".pb.gz") {
            continue;
        }
        let bytes = plain(&path, 1 << 28);
        if legacy.contains(&name.as_str()) && bytes.starts_with(&[0; 8]) {
            continue;
        }
        n += 1;
        let expected = expected(&path);
        let parsed = read(&path);
        assert_eq!(parsed.format, "pprof", "{name}");
        let profiles = profiles(parsed);
        for value in expected["values"].as_array().unwrap() {
            let kind = value["type"].as_str().unwrap();
            let of = |name: &str| profiles.iter().find(|profile| profile.event.name == name);
            let (profile, is_count) = match of(kind) {
                Some(profile) => (profile, false),
                None => (counted(kind).iter().find_map(|other| of(other)).unwrap(), true),
            };
            let figure = |node: &Node| if is_count { node.self_samples as f64 } else { node.self_weight };
            let sum: f64 = profile.tree.nodes.iter().map(figure).sum();
            assert!(close(sum, value["total"].as_f64().unwrap()), "{name}: {kind} {sum}");
            let (own, total) = by_name(profile, figure);
            let is_address = |name: &str| name.starts_with("0x");
            check_top(&path, value, "top_self", &own, is_address);
            check_top(&path, value, "top_total", &total, is_address);
        }
    }
    assert!(n >= 40, "only {n} pprof files");
}

#[test]
fn pprof_headers_give_period_duration_and_default() {
    let Some(corpus) = corpus() else { return };
    let cpu = profiles(read(&corpus.join("pairs/go-eager-debug-args/a/cpu.pb.gz"))).remove(0);
    assert_eq!((cpu.event.name.as_str(), cpu.period), ("cpu", Some(1e7)));
    assert!(cpu.duration_ns.is_some_and(|ns| (9.3e9..9.4e9).contains(&ns)));
    assert!(cpu.tree.nodes.iter().any(|node| node.inlined));
    let heap = profiles(read(&corpus.join("profiles/pprof/go-heap.pb.gz")));
    let names: Vec<_> = heap.iter().map(|profile| profile.event.name.as_str()).collect();
    assert_eq!(names, ["inuse_space", "alloc_space"]);
    let hints = Hints { event: Some("alloc_space".to_owned()), ..Hints::default() };
    let bytes = plain(&corpus.join("profiles/pprof/go-heap.pb.gz"), 1 << 28);
    let hinted = profiles(formats::read(&bytes, &hints, &Limits::default()).unwrap());
    assert_eq!(hinted[0].event.name, "alloc_space");
    let stripped = profiles(read(&corpus.join("profiles/pprof/parca-unsymbolised.pb.gz"))).remove(0);
    assert!(
        stripped.tree.frames.iter().all(|frame| frame.name.starts_with("0x") || frame.name.starts_with('[')),
        "{:?}",
        stripped.tree.frames
    );
}

#[test]
fn what_the_sender_says_of_a_profile_outranks_the_file_and_guesses() {
    let text = r#"{"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","name":"","unit":"none","startValue":0,"endValue":5,"samples":[[0],[0]],"weights":[2,3]}]}"#;
    let said = |event: Option<&str>, unit: Option<&str>, period| Hints {
        event: event.map(str::to_owned),
        unit: unit.map(str::to_owned),
        period,
        ..Hints::default()
    };
    for (hints, event, unit, weight, period) in [
        (Hints::default(), "samples", "samples", 5.0, None),
        (said(Some("lock"), Some("ms"), Some(10.0)), "lock", "ns", 5e6, Some(1e7)),
        (said(Some("cpu"), None, Some(-1.0)), "cpu", "samples", 5.0, None),
    ] {
        let read = formats::read(text.as_bytes(), &hints, &Limits::default()).unwrap();
        let profile = profiles(read).remove(0);
        assert_eq!(
            (profile.event.name.as_str(), profile.tree.weight(), profile.period),
            (event, weight, period)
        );
        assert_eq!(profile.event.unit == Unit::Nanoseconds, unit == "ns", "{:?}", profile.event);
    }
}

#[test]
fn hand_written_trees_keep_their_shape_and_invent_no_weight() {
    let Some(corpus) = corpus() else { return };
    for path in files(&corpus.join("profiles/async-profiler-tree-handwritten")) {
        let expected = expected(&path);
        let parsed = read(&path);
        assert_eq!((parsed.format, &parsed.warnings), ("async-profiler-tree", &vec![]));
        let profile = profiles(parsed).remove(0);
        let tree = &profile.tree;
        let name =
            |node: u32| tree.nodes.get(node as usize).map(|n| tree.frames[n.frame as usize].name.as_str());
        let edges: BTreeSet<_> =
            (0..).zip(&tree.nodes).filter_map(|(i, node)| Some((name(node.parent)?, name(i)?))).collect();
        let mut wanted: BTreeSet<_> = expected["edges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| (edge[0].as_str().unwrap(), edge[1].as_str().unwrap()))
            .collect();
        for (repeated, times) in expected["repeats"].as_object().into_iter().flatten() {
            wanted.insert((repeated, repeated));
            let found = (0..).zip(&tree.nodes).filter(|(i, _)| name(*i) == Some(repeated)).count();
            assert_eq!(found as u64, times.as_u64().unwrap());
        }
        assert_eq!(edges, wanted, "{}", path.display());
        let share = expected["blamed_total_percent"].as_f64().unwrap() / 100.0;
        let (own, _) = by_name(&profile, |node| node.self_weight);
        assert_eq!(own.len(), 2);
        assert!(close(own[expected["blamed_frame"].as_str().unwrap()], share));
        assert!(close(own["[rest of the program]"], 1.0 - share));
        assert_eq!((profile.event.name.as_str(), &profile.event.unit), ("cpu", &Unit::Ratio));
        assert!(profile.handwritten && profile.partial && profile.tree.samples() == 0);
    }
}

#[test]
fn benchmark_files_are_never_claimed() {
    let Some(corpus) = corpus() else { return };
    let benchmarks = files(&corpus.join("benchmarks"));
    assert!(benchmarks.len() > 100);
    let text = files(&corpus.join("pairs")).into_iter().filter(|path| {
        ["txt", "md", "json"].iter().any(|end| path.extension().is_some_and(|extension| extension == *end))
    });
    for path in benchmarks.into_iter().chain(text) {
        for attempt in formats::sniff(&plain(&path, 1 << 20)) {
            let ours = ["folded", "pprof", "async-profiler-tree"].contains(&attempt.format);
            assert!(!ours || attempt.answer == Sniff::No, "{}: {attempt:?}", path.display());
        }
    }
}

#[test]
fn profiles_of_other_formats_are_never_claimed() {
    let Some(corpus) = corpus() else { return };
    let own = ["folded", "excimer", "pprof", "async-profiler-tree-handwritten"];
    for path in files(&corpus.join("profiles")) {
        let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        if own.contains(&folder.as_str()) || is_folded(&path) {
            continue;
        }
        for attempt in formats::sniff(&plain(&path, 1 << 20)) {
            let ours = ["folded", "pprof", "async-profiler-tree"].contains(&attempt.format);
            assert!(!ours || attempt.answer == Sniff::No, "{}: {attempt:?}", path.display());
        }
    }
}
