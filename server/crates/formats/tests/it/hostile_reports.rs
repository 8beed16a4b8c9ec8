//! Inputs that are broken or meant to harm: each is refused with a located error or read in part with warnings.

use std::io::Write;

use formats::native::{NativeRun, parse_native};
use formats::{
    At, Content, ErrorKind, Hints, Limits, ParseError, Parsed, Report, decompress, read, readers, sniff,
};
use model::{Better, Kind, Role, Status};
use proptest::prelude::*;
use rstest::rstest;

use crate::{corpus, with_expectations};

fn parse(text: impl AsRef<[u8]>) -> Result<Parsed, ParseError> {
    read(text.as_ref(), &Hints::default(), &Limits::default())
}

/// Limits under which a bomb is refused soon, because inflating is slow in a debug build.
fn small() -> Limits {
    Limits { decompressed_bytes: 1 << 20, ..Limits::default() }
}

fn report(parsed: &Parsed) -> &Report {
    match &parsed.content {
        Content::Report(report) => report,
        _ => panic!("{} read profiles", parsed.format),
    }
}

/// What `expected.json` calls the formats of the readers here and of the container.
const OURS: [&str; 7] = [
    "go bench",
    "Bencher Metric Format",
    "github-action-benchmark JSON",
    "any",
    "any JSON",
    "any text",
    "any gzip",
];

#[test]
fn every_bad_file_meets_its_expectation() {
    let Some(corpus) = corpus() else { return };
    let mut seen = 0;
    for (path, expectation) in with_expectations(&corpus.join("bad")) {
        let format = expectation["format"].as_str().unwrap();
        if !OURS.contains(&format) {
            continue;
        }
        seen += 1;
        let outcome = read(&std::fs::read(&path).unwrap(), &Hints::default(), &small());
        let shown = path.display();
        match (expectation["expect"].as_str().unwrap(), outcome) {
            ("accept", Ok(parsed)) => assert!(!report(&parsed).benchmarks.is_empty(), "{shown}"),
            // UTF-16 is decoded in full, so there is nothing to warn of.
            ("partial", Ok(parsed)) if !path.to_string_lossy().contains("utf16") => {
                assert!(!parsed.warnings.is_empty(), "{shown} was read without a warning");
            }
            ("reject", Err(_)) | ("partial", Ok(_)) => {}
            // Both of its lines are impossible, so that nothing is left to read in part.
            ("partial", Err(error)) if path.ends_with("go-negative.txt") => {
                assert_eq!(error.at, At::Line(1), "{shown}: {error}");
            }
            ("empty", Err(error)) => assert_eq!(error.kind, ErrorKind::Empty, "{shown}"),
            (expect, outcome) => panic!("{shown}: expected {expect}, got {outcome:?}"),
        }
    }
    assert!(seen >= 25, "only {seen} files concern the readers here");
}

#[test]
fn encodings_do_not_change_what_is_read() {
    let Some(corpus) = corpus() else { return };
    let plain = parse(std::fs::read(corpus.join("benchmarks/go-bench/gab-go.txt")).unwrap()).unwrap();
    for name in ["go-bench-bom.txt", "go-bench-crlf.txt", "go-bench-utf16le-bom.txt"] {
        let parsed = parse(std::fs::read(corpus.join("bad/encoding").join(name)).unwrap()).unwrap();
        assert_eq!(report(&parsed), report(&plain), "{name}");
    }
}

#[test]
fn compressed_streams_of_the_corpus_are_refused_or_read() {
    let Some(corpus) = corpus() else { return };
    let unpack = |name: &str| {
        let bytes = std::fs::read(corpus.join("bad").join(name)).unwrap();
        decompress(&bytes, &small()).map(|plain| plain.len())
    };
    for name in ["bomb/zeros-1GiB.gz", "bomb/folded-470MB.folded.gz"] {
        let error = unpack(name).unwrap_err();
        assert!(
            matches!(error.kind, ErrorKind::Limit { setting: "max_decompressed_bytes", .. }),
            "{name}: {error}"
        );
    }
    assert_eq!(unpack("bomb/gzip-bad-crc.pb.gz").unwrap_err().kind, ErrorKind::Compression("gzip"));
    assert!(matches!(unpack("truncated/pprof-gzip-cut.pb.gz").unwrap_err().kind, ErrorKind::Truncated(_)));
    assert!(unpack("bomb/gzip-trailing-garbage.pb.gz").unwrap() > 4000);
}

#[test]
fn values_that_go_prints_for_nothing_are_skipped_and_the_rest_is_kept() {
    let Some(corpus) = corpus() else { return };
    let parsed = parse(std::fs::read(corpus.join("bad/numbers/go-nan.txt")).unwrap()).unwrap();
    let kept: Vec<_> = report(&parsed).benchmarks.iter().flat_map(|b| &b.measurements).collect();
    assert_eq!(kept.iter().map(|m| m.observations[0]).collect::<Vec<_>>(), [5.0, 7.0]);
    assert_eq!(parsed.warnings.iter().map(|w| w.at.clone()).collect::<Vec<_>>(), [At::Line(1), At::Line(2)]);
}

#[test]
fn zeros_that_grow_a_thousandfold_are_refused() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let block = vec![0; 1 << 20];
    for _ in 0..3 {
        encoder.write_all(&block).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let error = read(&bomb, &Hints::default(), &small()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "input: the file: decompressed bytes exceed the limit of 1048576 (setting max_decompressed_bytes)"
    );
}

#[test]
fn garbage_behind_a_compressed_file_is_a_warning() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"BenchmarkX 1 5 ns/op\n").unwrap();
    let mut bytes = encoder.finish().unwrap();
    bytes.extend(b"\0\0\0");
    assert_eq!(parse(&bytes).unwrap().warnings[0].text, "3 bytes behind the compressed stream are ignored");
}

#[rstest]
#[case::nothing("")]
#[case::blanks(" \n\t\n")]
#[case::an_empty_list("[]")]
#[case::go_without_benchmarks("PASS\nok  \texample.test/x\t0.1s\n")]
fn nothing_inside_is_an_error_that_says_so(#[case] text: &str) {
    assert_eq!(parse(text).unwrap_err().kind, ErrorKind::Empty);
}

#[test]
fn unknown_bytes_are_shown_and_a_wrong_format_has_similar_ones() {
    let error = parse("<!DOCTYPE html>").unwrap_err().to_string();
    assert!(error.contains("it begins with \"<!DOCTYPE html>\""), "{error}");
    let hints = Hints { format: Some("go".to_owned()), ..Hints::default() };
    let error = read(b"x", &hints, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("go-bench") && error.contains("there is no format named \"go\", but "), "{error}");
}

#[test]
fn nesting_beyond_reason_is_refused_by_every_reader() {
    let deep =
        ["[".repeat(100_000), "{\"a\":".repeat(100_000), "{\"benchmarks\":[{\"measures\":".repeat(50_000)];
    for reader in readers() {
        for text in &deep {
            let hints = Hints { format: Some(reader.name.to_owned()), ..Hints::default() };
            assert!(read(text.as_bytes(), &hints, &Limits::default()).is_err(), "{}", reader.name);
        }
    }
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_with_a_warning() {
    let parsed = parse(b"BenchmarkCaf\xe9 1 5 ns/op\nBenchmarkB 1 6 ns/op\n").unwrap();
    assert_eq!(report(&parsed).benchmarks.len(), 2);
    assert_eq!(parsed.warnings[0].text, "bytes that are not UTF-8 are replaced");
    assert_eq!(parsed.warnings[0].at, At::Line(1));
}

#[test]
fn a_latin1_micro_sign_is_never_a_second() {
    let parsed = parse(b"BenchmarkA 1 5 \xb5s/op\n").unwrap();
    let measure = &report(&parsed).benchmarks[0].measurements[0].measure;
    assert!(matches!(measure.unit, model::Unit::Other(_) | model::Unit::Count(_)), "{measure:?}");
}

#[test]
fn limits_of_names_and_numbers_hold_in_text() {
    let long = format!("Benchmark{} 1 5 ns/op\nBenchmarkB 1 6 ns/op\n", "X".repeat(2000));
    let parsed = parse(&long).unwrap();
    assert_eq!(report(&parsed).benchmarks.len(), 1);
    assert!(parsed.warnings[0].text.contains("more than the limit of 1024"), "{:?}", parsed.warnings);
    let many: String = ["A", "B", "C", "D", "E"].map(|name| format!("Benchmark{name} 1 5 ns/op\n")).concat();
    let limits = Limits { benchmarks: 4, ..Limits::default() };
    let error = read(many.as_bytes(), &Hints::default(), &limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        "go-bench: line 5: benchmarks exceed the limit of 4 (setting max_benchmarks)"
    );
}

fn native(text: &str) -> Result<NativeRun, ParseError> {
    parse_native(text.as_bytes(), &Limits { observations: 4, ..Limits::default() }).map(|(native, _)| native)
}

#[test]
fn the_native_document_of_the_contract_is_read() {
    let text = r#"{
      "run": {"branch": "main", "commit": "6995e2d0", "parents": ["4beb5140"], "base": "main", "pull_request": 7,
              "testbed": "ci-large", "role": "confirming", "confirms": "0193f3a8-0000-7000-8000-000000000000",
              "started_at": "2026-12-01T10:00:00+01:00", "idempotency_key": "job-7",
              "environment": {"cpu": "x", "cores": 8}, "labels": {"job": "https://ci.example/7"}},
      "benchmarks": [
        {"name": "read", "parameters": {"threads": 4}, "kind": "end-to-end", "status": "ok",
         "measures": {"throughput": {"observations": [6681, 6702, 6659], "unit": "op/s", "better": "higher"},
                      "latency_p99": {"unit": "ms", "observations": [75.6]}}},
        {"name": "write", "status": "failed", "reason": "timeout"}],
      "profiles": [{"benchmark": "read", "event": "cpu", "unit": "samples", "operations": 993050,
                    "folded": "main;read;log 42\n"}]}"#;
    let native = native(text).unwrap();
    assert_eq!(native.run.role, Some(Role::Confirming));
    assert_eq!(native.run.started_at.unwrap().to_rfc3339(), "2026-12-01T09:00:00+00:00");
    assert_eq!(native.run.environment["cores"], 8);
    assert!(native.run.confirms.is_some() && native.run.pull_request == Some(7));
    let read = &native.benchmarks[0];
    assert_eq!((read.key.to_string().as_str(), read.kind), ("read [threads=4]", Some(Kind::EndToEnd)));
    assert_eq!(read.measurements[1].observations, [75.6e6]);
    assert_eq!(read.measurements[1].measure.better, Better::Lower);
    assert_eq!(native.benchmarks[1].status, Status::Failed("timeout".to_owned()));
    assert_eq!(
        (native.profiles[0].operations, native.profiles[0].folded.as_str()),
        (Some(993_050), "main;read;log 42\n")
    );
    let parsed = parse(text).unwrap();
    assert_eq!((parsed.format, report(&parsed).benchmarks.len()), ("native-json", 2));
}

const MEASURE: &str = r#"{"benchmarks": [{"name": "a", "measures": {"t": "#;

#[rstest]
#[case(r#"{"unit": 5, "observations": [1]}"#, "benchmarks[0].measures.t.unit: expected a text, found \"5\"")]
#[case(
    r#"{"unit": "ms", "observations": [1, "2"]}"#,
    "benchmarks[0].measures.t.observations[1]: expected a number"
)]
#[case(r#"{"unit": "ms", "observations": 1}"#, "benchmarks[0].measures.t.observations: expected a list")]
#[case(r#"{"unit": "ms", "observations": []}"#, "benchmarks[0].measures.t: it has no observations")]
#[case(r#"{"unit": "count", "observations": [-1]}"#, "benchmarks[0].measures.t: observation 0 is -1")]
#[case(
    r#"{"unit": "ms", "observations": [1,2,3,4,5]}"#,
    "t.observations: observations of one measure exceed the limit of 4 (setting max_observations)"
)]
#[case(
    r#"{"unit": "ms", "observation": [1]}"#,
    "benchmarks[0].measures.t.observation: there is no such field; known are"
)]
#[case(
    r#"{"better": "faster", "observations": [1]}"#,
    "benchmarks[0].measures.t.better: expected higher, lower or neither"
)]
#[case(r#"{"observations": [1e400]}"#, "line 1: number out of range")]
#[case(r#"{"observations": [NaN]}"#, "line 1: expected value")]
#[case(r#"{"unit": "ms", "unit": "s", "observations": [1]}"#, "line 1: the key \"unit\" stands twice")]
fn a_wrong_measure_is_located(#[case] measure: &str, #[case] message: &str) {
    let error = native(&format!("{MEASURE}{measure}}}}}]}}")).unwrap_err().to_string();
    assert!(error.starts_with("native-json: ") && error.contains(message), "{error}");
}

#[rstest]
#[case(r"{}", "the file: it holds neither benchmarks nor profiles")]
#[case(r"[]", "the file: expected an object, found \"a list\"")]
#[case(r#"{"benchmark": []}"#, "benchmark: there is no such field; known are run, benchmarks, profiles")]
#[case(r#"{"benchmarks": [{"measures": {}}]}"#, "benchmarks[0]: the field \"name\" is missing")]
#[case(r#"{"benchmarks": [{"name": "a"}]}"#, "benchmarks[0]: it has no measures")]
#[case(
    r#"{"benchmarks": [{"name": "a", "status": "failed"}, {"name": "a", "status": "failed"}]}"#,
    "benchmarks[1]: the benchmark a stands twice"
)]
#[case(r#"{"benchmarks": [{"name": "a\u0007"}]}"#, "benchmarks[0].name: benchmark name holds the character")]
#[case(r#"{"run": {"commit": "../x"}}"#, "run.commit: commit holds the character '/'")]
#[case(r#"{"run": {"pull_request": -1}}"#, "run.pull_request: expected a whole number from 0")]
#[case(r#"{"run": {"started_at": "yesterday"}}"#, "run.started_at: expected an instant")]
#[case(r#"{"run": {"confirms": "7"}}"#, "run.confirms: ")]
#[case(
    r#"{"profiles": [{"operations": 1.5, "folded": ""}]}"#,
    "profiles[0].operations: expected a whole number"
)]
#[case(r#"{"profiles": [{}]}"#, "profiles[0]: the field \"folded\" is missing")]
fn a_wrong_document_is_located(#[case] text: &str, #[case] message: &str) {
    let error = native(text).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
}

/// One short example of each format, to mutate.
const EXAMPLES: [&str; 11] = [
    "{\"run\":{\"commit\":\"a\"},\"benchmarks\":[{\"name\":\"a\",\"measures\":{\"t\":{\"unit\":\"ms\",\"observations\":[1,2]}}}]}",
    "{\"a\":{\"latency\":{\"value\":1.5,\"lower_value\":1,\"upper_value\":2}}}",
    "[{\"name\":\"a\",\"unit\":\"ns\",\"value\":1,\"range\":\"± 5\",\"extra\":\"x\"}]",
    "Results:\nop rate : 6681 [r1:1109, r2:1119]\nlatency mean : 19,1 [r1:15,4,\nr2:15,4]\nTotal operation time : 00:02:28\n",
    "Report: PUT. Concurrency: 20\nf.txt: * Average: 389.08 MiB/s, 3.89 obj/s\n * Reqs: Avg: 1m2.5s, 99%: 5µs\n",
    "goos: linux\npkg: a/b\nUnit x better=higher\nBenchmarkSend/k=v-2 100 5.5 ns/op 7 x\n--- FAIL: BenchmarkB\nFAIL\ta/b\t1s\n",
    "    │  old.txt  │      new.txt      │\n    │  sec/op   │  sec/op   vs base │\nX-2   1.5µ ± 2%   2.5µ ± ∞ ¹  ~ (p=0.5 n=5)\n",
    "name  old time/op  new time/op  delta\nX     1.5ms ± 1%   1.6ms ± 1%   +5%  (p=0.1 n=5+5)\n",
    ",old.txt,,new.txt,,,\n,sec/op,CI,sec/op,CI,vs base,P\nX,1e-9,5%,2e-9,5%,~,p=1 n=5\n",
    "sec/op B/op Send/64 2.246us -> 2.078us -7.48% 112 -> 48 -57%\n",
    "64 KB writes\n\nthreads\tdirect MB/s\theap MB/s\tΔ%\n1\t5,344\t5,929\t+10.9%\n",
];

/// Reads bytes with every reader and holds each answer against what readers promise.
fn exercise(bytes: &[u8]) {
    let limits = Limits { decompressed_bytes: 1 << 20, warnings: 3, ..Limits::default() };
    let _ = sniff(bytes);
    let formats = std::iter::once(None).chain(readers().map(|reader| Some(reader.name.to_owned())));
    for format in formats {
        let hints = Hints { format, ..Hints::default() };
        let Ok(parsed) = read(bytes, &hints, &limits) else { continue };
        assert!(parsed.warnings.len() <= limits.warnings);
        let says_why = !parsed.warnings.is_empty();
        let Content::Report(report) = parsed.content else { continue };
        assert!(!report.benchmarks.is_empty() || says_why, "{}", parsed.format);
        for measurement in report.benchmarks.iter().flat_map(|benchmark| &benchmark.measurements) {
            assert!(
                !measurement.observations.is_empty()
                    && measurement.observations.iter().all(|v| v.is_finite())
            );
        }
    }
}

#[test]
fn the_examples_to_mutate_are_read() {
    for example in EXAMPLES {
        parse(example).unwrap();
        exercise(example.as_bytes());
    }
    exercise(b"mode=a ops_per_s=5 t_ms=\"7\"\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        exercise(&bytes);
    }

    #[test]
    fn random_text_never_panics(text in "[\\PC\n\t,:=|│±µ 0-9.%-]{0,200}") {
        exercise(text.as_bytes());
    }

    #[test]
    fn mutated_examples_never_panic(
        example in 0..EXAMPLES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..6),
    ) {
        let mut bytes = EXAMPLES[example].as_bytes().to_vec();
        for (place, edit, byte) in edits {
            let at = place.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match edit {
                _ if bytes.is_empty() => bytes.push(byte),
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        exercise(&bytes);
    }
}
