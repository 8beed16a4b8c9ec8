//! Recordings of perf, the JDK and async-profiler: damaged ones, and one recording in several forms.

use std::collections::BTreeMap;
use std::path::Path;

use formats::{At, Content, ErrorKind, Hints, Limits, ParseError, Parsed, read};
use model::Profile;

use crate::{corpus, files, with_expectations};

fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    read(bytes, &Hints::default(), &Limits::default())
}

fn profiles(parsed: Parsed) -> Vec<Profile> {
    match parsed.content {
        Content::Profiles(profiles) => profiles,
        other => panic!("not profiles: {other:?}"),
    }
}

#[test]
fn damaged_recordings_are_refused_at_their_place() {
    let Some(corpus) = corpus() else { return };
    for (file, at) in [
        ("jfr/chunk-size-0.jfr", 8),
        ("jfr/metadata-offset-outside.jfr", 24),
        ("jfr/version-99.jfr", 4),
        ("truncated/chunk-cut.jfr", 8),
        ("truncated/header-cut.jfr", 44),
    ] {
        let error = parse(&std::fs::read(corpus.join("bad").join(file)).unwrap()).unwrap_err();
        assert_eq!((error.format, &error.at), ("jfr", &At::Offset(at)), "{file}: {error}");
    }
    assert!(parse(&std::fs::read(corpus.join("bad/jfr/bad-magic.jfr")).unwrap()).is_err());
    for name in ["header-only.txt", "stack-without-header.txt"] {
        let parsed = parse(&std::fs::read(corpus.join("bad/perf-script").join(name)).unwrap()).unwrap();
        assert_eq!((parsed.format, parsed.warnings.len()), ("perf-script", 1), "{name}");
    }
}

/// Every recording cut at many places, and with bytes changed: an error or a reading, but no panic and no hang.
#[test]
fn cut_and_changed_recordings_never_panic() {
    let Some(corpus) = corpus() else { return };
    let folders = ["profiles/jfr", "profiles/perf-script", "profiles/async-profiler"];
    let mut tried = 0;
    for path in folders.iter().flat_map(|folder| files(&corpus.join(folder))) {
        let bytes =
            formats::decompress(&std::fs::read(&path).unwrap(), &Limits::default()).unwrap().into_owned();
        if bytes.len() > 120_000 {
            continue;
        }
        for i in 1..12 {
            let cut = bytes.len() * i / 12;
            let _ = parse(&bytes[..cut]);
            let mut changed = bytes.clone();
            for step in (cut..changed.len()).step_by(977) {
                changed[step] ^= 1 << (i % 8);
            }
            let _ = parse(&changed);
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn files_that_are_the_same_as_another_beside_them_have_its_stacks() {
    let Some(corpus) = corpus() else { return };
    let mut seen = 0;
    for (path, expectation) in with_expectations(&corpus.join("pairs")) {
        let Some(same) = expectation["same_as"].as_str().and_then(|text| text.strip_suffix(" beside it"))
        else {
            continue;
        };
        let format = expectation["format"].as_str().unwrap_or_default();
        if format != "perf script" && !format.starts_with("async-profiler") {
            continue;
        }
        let beside = path.with_file_name(same);
        let stacks = |path: &Path| stacks(&profiles(parse(&std::fs::read(path).unwrap()).unwrap()).remove(0));
        // Collapsers write `;` of names as another character; these recordings have none.
        assert_eq!(stacks(&path), stacks(&beside), "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 2, "{seen}");
}

/// Each stack of a profile with its weight.
fn stacks(profile: &Profile) -> BTreeMap<String, f64> {
    let tree = &profile.tree;
    let mut stacks = BTreeMap::new();
    for (i, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.self_samples > 0) {
        let names = tree.path(i as u32).into_iter().map(|frame| tree.frames[frame as usize].name.as_str());
        *stacks.entry(names.collect::<Vec<_>>().join(";")).or_default() += node.self_weight;
    }
    stacks
}

/// Stack by stack, what inferno's collapser makes of the first event of a recording of perf.
#[test]
fn recordings_of_perf_read_as_collapsed_ones() {
    use inferno::collapse::Collapse;
    let Some(corpus) = corpus() else { return };
    let mut seen = 0;
    for path in files(&corpus.join("profiles/perf-script")) {
        let text = std::fs::read(&path).unwrap();
        let mut folded = Vec::new();
        let mut folder = inferno::collapse::perf::Folder::from(inferno::collapse::perf::Options::default());
        folder.collapse(text.as_slice(), &mut folded).unwrap();
        let wanted = stacks(&profiles(parse(&folded).unwrap()).remove(0));
        let ours = profiles(parse(&text).unwrap());
        assert!(ours.iter().any(|profile| stacks(profile) == wanted), "{}: {wanted:#?}", path.display());
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn private_events_are_dropped_and_told() {
    let Some(corpus) = corpus() else { return };
    let parsed = parse(&std::fs::read(corpus.join("profiles/jfr/speedscope-heavy.jfr")).unwrap()).unwrap();
    let texts: Vec<&str> = parsed.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("246 jdk.SystemProcess")), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("skipped: 1512 jdk.GCPhaseParallel")), "{texts:?}");
    let found = profiles(parsed);
    let names: Vec<_> =
        found.iter().map(|profile| (profile.event.name.as_str(), profile.tree.samples())).collect();
    assert_eq!(names, [("cpu", 346), ("alloc_space", 25), ("native", 44)]);
}

#[test]
fn a_metadata_event_that_is_none_is_refused() {
    let mut bytes = b"FLR\0\0\x02\0\0".to_vec();
    for number in [100_u64, 70, 70, 0, 0, 0, 1_000_000_000] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend([0, 0, 0, 1]);
    bytes.resize(100, 0);
    let error = parse(&bytes).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Invalid(_)), "{error}");
    assert_eq!(error.at, At::Offset(70));
}
