//! Every bad input of the corpus: what perfblame says about it, as one table, and whether that is what was asked for.

use std::time::Instant;

use formats::{At, Content, Hints, Limits, ParseError, Parsed, read, readers};

use crate::{corpus, files, with_expectations};

/// What a bad file gave.
enum Gave {
    Refused(ParseError),
    Empty,
    WithWarnings(String),
    Whole,
}

fn gave(result: Result<Parsed, ParseError>) -> Gave {
    let parsed = match result {
        Ok(parsed) => parsed,
        Err(error) => return Gave::Refused(error),
    };
    let is_empty = match &parsed.content {
        Content::Report(report) => report.benchmarks.is_empty(),
        Content::Profiles(profiles) => profiles.is_empty(),
        Content::History(points) => points.is_empty(),
    };
    match parsed.warnings.first() {
        _ if is_empty => Gave::Empty,
        Some(first) => Gave::WithWarnings(format!("{}: {}: {}", parsed.format, first.at, first.text)),
        None => Gave::Whole,
    }
}

/// Whether that is one of the answers that the corpus allows. A part may always be refused with a reason.
fn is_allowed(expect: &str, gave: &Gave) -> bool {
    match expect {
        "reject" => matches!(gave, Gave::Refused(_)),
        "empty" => matches!(gave, Gave::Refused(_) | Gave::Empty),
        "partial" => matches!(gave, Gave::Refused(_) | Gave::WithWarnings(_)),
        _ => matches!(gave, Gave::Whole | Gave::WithWarnings(_)),
    }
}

#[test]
fn every_bad_file_is_answered_as_the_corpus_asks() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("bad");
    let cases = with_expectations(&folder);
    assert!(cases.len() > 90, "only {} files", cases.len());
    let mut wrong = Vec::new();
    for (path, expectation) in cases {
        let hints = Hints {
            file_name: path.file_name().map(|name| name.to_string_lossy().into_owned()),
            ..Hints::default()
        };
        let expect = expectation["expect"].as_str().unwrap_or_default();
        let gave = gave(read(&std::fs::read(&path).unwrap(), &hints, &Limits::default()));
        let said = match &gave {
            Gave::Refused(error) => format!("refused: {error}"),
            Gave::Empty => "empty".to_owned(),
            Gave::WithWarnings(first) => format!("read, with warnings: {first}"),
            Gave::Whole => "read".to_owned(),
        };
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        eprintln!("{name:<42} {expect:<8} {}", said.chars().take(200).collect::<String>());
        if !is_allowed(expect, &gave) {
            wrong.push(format!("{name}: expected {expect}, {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Small enough that a reader that ignores them shows.
fn small() -> Limits {
    Limits {
        decompressed_bytes: 16 << 20,
        benchmarks: 200,
        observations: 2_000,
        json_values: 200_000,
        samples: 200_000,
        nodes: 200_000,
        ..Limits::default()
    }
}

/// Each reader on every small file of the corpus, whoever's it is: no panic, no hang, and an error that names a place.
#[test]
fn every_reader_survives_every_file() {
    let Some(corpus) = corpus() else { return };
    let limits = small();
    let mut slow = Vec::new();
    for path in files(&corpus) {
        let bytes = std::fs::read(&path).unwrap();
        // Every reader's every branch fits in here; larger files take minutes where nothing is optimised.
        if bytes.len() > 32 << 10 {
            continue;
        }
        for reader in readers() {
            let hints = Hints { format: Some(reader.name.to_owned()), ..Hints::default() };
            let begin = Instant::now();
            if let Err(error) = read(&bytes, &hints, &limits) {
                let is_located = !matches!(&error.at, At::Field(field) if field.is_empty());
                assert!(is_located && !error.kind.to_string().is_empty(), "{}: {error}", path.display());
            }
            // Not a speed test: it tells a hang from work, in an unoptimised build.
            let seconds = begin.elapsed().as_secs();
            if seconds > 20 {
                slow.push(format!("{} on {}: {seconds} s", reader.name, path.display()));
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// Cut off anywhere, a file of any format is an error or a part, never a panic.
#[test]
fn every_file_may_end_anywhere() {
    let Some(corpus) = corpus() else { return };
    let limits = small();
    for path in files(&corpus) {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() > 64 << 10 {
            continue;
        }
        // 16 cuts a file: the last bytes, where closing marks are, and places spread over the whole.
        let spread = (1..12).map(|i| bytes.len() * i / 12);
        for end in spread.chain((1..5).map(|i| bytes.len().saturating_sub(i))) {
            if let Err(error) = read(&bytes[..end], &Hints::default(), &limits) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn every_reader_has_a_fuzz_target_and_a_name_of_its_own() {
    let manifest = include_str!("../../../../fuzz/Cargo.toml");
    let targets: Vec<&str> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .filter(|name| *name != "fuzz")
        .collect();
    let names: Vec<&str> = readers().map(|reader| reader.name).collect();
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    assert_eq!(
        sorted(targets),
        sorted(names.clone()),
        "server/fuzz/Cargo.toml and the table of readers differ"
    );
    let mut unique = sorted(names);
    let n = unique.len();
    unique.dedup();
    assert_eq!(unique.len(), n, "a name twice");
}
