//! Every value of the corpus's benchmark files, compared with the expectation beside each file.

use std::collections::BTreeMap;
use std::path::Path;

use formats::{Content, Hints, Limits, Parsed, Report, Sniff, decompress, read, sniff};
use model::{Benchmark, BenchmarkName, Better, Kind, Unit};
use serde_json::Value;

use crate::{corpus, files, with_expectations};

/// Folders of the corpus whose expectations list every value of their files.
const FOLDERS: [&str; 7] = [
    "benchmarks/cassandra-stress",
    "benchmarks/go-bench",
    "benchmarks/benchstat",
    "benchmarks/warp",
    "benchmarks/table-text",
    "benchmarks/bencher-bmf",
    "benchmarks/gab-custom",
];

fn parse(path: &Path, column: Option<&str>) -> Parsed {
    let hints = Hints {
        column: column.map(str::to_owned),
        file_name: path.file_name().map(|name| name.to_string_lossy().into_owned()),
        ..Hints::default()
    };
    let bytes = std::fs::read(path).unwrap();
    read(&bytes, &hints, &Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn report(parsed: Parsed) -> Report {
    match parsed.content {
        Content::Report(report) => report,
        _ => panic!("{} read profiles", parsed.format),
    }
}

/// What an expectation calls a benchmark, what it calls a measure there, and in which unit; benchmark parts that
/// the readers keep as parameters are rejoined.
fn names(format: &str, benchmark: &Benchmark) -> String {
    let parameter = |name: &str| benchmark.key.parameters.get(name).map(String::as_str).unwrap_or_default();
    match format {
        "table-text" => format!("{}/threads={}", parameter("size"), parameter("threads")),
        _ => benchmark.key.name.to_string(),
    }
}

/// All values that a report holds as (side, benchmark with package and processors, measure, base unit) → observations.
type Values = BTreeMap<(String, String, String, String), Vec<f64>>;

fn actual(path: &Path) -> (Values, String) {
    let first = parse(path, None);
    let format = first.format.to_owned();
    let columns = report(first).columns;
    let sides: Vec<Option<String>> =
        if columns.is_empty() { vec![None] } else { columns.into_iter().map(Some).collect() };
    let mut values = Values::new();
    for side in sides {
        for benchmark in report(parse(path, side.as_deref())).benchmarks {
            let parameter = |name: &str| benchmark.key.parameters.get(name).cloned().unwrap_or_default();
            for measurement in &benchmark.measurements {
                let name = match format.as_str() {
                    "go-bench" => {
                        format!("{}|{}|{}", benchmark.key.name, parameter("pkg"), parameter("procs"))
                    }
                    format => names(format, &benchmark),
                };
                let measure = measurement.measure.name.to_string();
                let key =
                    (side.clone().unwrap_or_default(), name, measure, measurement.measure.unit.to_string());
                let before = values.insert(key, measurement.observations.clone());
                assert!(before.is_none(), "{}: a measure twice", path.display());
            }
        }
    }
    (values, format)
}

/// Rows of expectations that are no observations: differences and means that follow from other cells.
fn is_derived(row: &Value) -> bool {
    let measure = row["measure"].as_str().unwrap();
    measure.ends_with(" change") || measure == "delta" || row["name"] == "geomean"
}

/// The expectation in the same shape. Each branch says how its file's expectation names things.
fn expected(format: &str, rows: &[Value]) -> Values {
    let mut values = Values::new();
    for row in rows.iter().filter(|row| !is_derived(row)) {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let (mut side, mut name, mut measure, mut unit) =
            (text("side"), text("name"), text("measure"), text("unit"));
        match format {
            "go-bench" => {
                let procs = row["procs"].as_u64().map(|procs| procs.to_string()).unwrap_or_default();
                name = format!("{name}|{}|{procs}", text("pkg"));
            }
            // Expectations name the file of each grepped line; here all are repetitions of one benchmark.
            "warp" => {
                name = String::from("warp");
                measure = String::from(if unit == "obj/s" { "object rate" } else { "throughput" });
            }
            // The measures there are the sides here.
            "table-text" => {
                side = std::mem::replace(&mut measure, "throughput".to_owned());
            }
            // Expectations of text tables drop `/op` from the unit, which makes `wire-B` of `wire-B/op`.
            "benchstat" if unit == "wire-B" => unit.clone_from(&measure),
            // The format has no units; those that Bencher gives its own measures scale by one.
            "bmf" => {
                unit = String::from(match measure.as_str() {
                    "latency" => "ns",
                    _ if measure.ends_with("Bytes") => "B",
                    _ => "",
                });
            }
            _ => {}
        }
        let (unit, scale) = Unit::parse(&unit);
        let value = row["value"].as_f64().unwrap() * scale;
        values.entry((side, name, measure, unit.to_string())).or_default().push(value);
    }
    values
}

/// Differences between two sets of values, as sentences. Expectations were computed in decimal, so the last bits of
/// a product may differ; those of benchstat's binary prefixes were rounded to nine digits.
fn differences(path: &Path, actual: &Values, expected: &Values) -> Vec<String> {
    let tolerance =
        if path.parent().is_some_and(|folder| folder.ends_with("benchstat")) { 5e-9 } else { 1e-12 };
    let mut found = Vec::new();
    for (key, wanted) in expected {
        let same = |a: &f64, b: &f64| (a - b).abs() <= tolerance * b.abs();
        match actual.get(key) {
            None => found.push(format!("{}: {key:?} is missing", path.display())),
            Some(read) if read.len() != wanted.len() || !read.iter().zip(wanted).all(|(a, b)| same(a, b)) => {
                found.push(format!("{}: {key:?} is {read:?}, expected {wanted:?}", path.display()));
            }
            Some(_) => {}
        }
    }
    let surplus = actual.keys().filter(|key| !expected.contains_key(*key));
    found.extend(surplus.map(|key| format!("{}: {key:?} is not expected", path.display())));
    found
}

#[test]
fn every_value_and_no_other_is_read() {
    let Some(corpus) = corpus() else { return };
    let mut cases: Vec<_> =
        FOLDERS.iter().flat_map(|folder| with_expectations(&corpus.join(folder))).collect();
    let pairs = with_expectations(&corpus.join("pairs"));
    cases.extend(pairs.into_iter().filter(|(path, _)| path.ends_with("bench.txt")));
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (path, expectation) in &cases {
        let (actual, format) = actual(path);
        let expected = expected(&format, expectation["results"].as_array().unwrap());
        compared += expected.values().map(Vec::len).sum::<usize>();
        wrong.extend(differences(path, &actual, &expected));
    }
    eprintln!("{compared} values of {} files compared, {} differ", cases.len(), wrong.len());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 2500, "only {compared} values were compared");
}

#[test]
fn key_value_lines_of_the_pairs_are_repetitions() {
    let Some(corpus) = corpus() else { return };
    let runs: Vec<_> =
        files(&corpus.join("pairs")).into_iter().filter(|path| path.ends_with("runs.txt")).collect();
    assert!(runs.len() >= 10, "only {} files", runs.len());
    for path in runs {
        let report = report(parse(&path, None));
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        assert_eq!(report.benchmarks.len(), 1, "{}", path.display());
        assert_eq!(report.benchmarks[0].key.to_string(), "runs");
        for measurement in &report.benchmarks[0].measurements {
            assert_eq!(
                measurement.observations.len(),
                lines,
                "{}: {}",
                path.display(),
                measurement.measure.name
            );
            for (line, observation) in text.lines().zip(&measurement.observations) {
                let name = format!(" {}=", measurement.measure.name);
                let printed =
                    format!(" {line}").split(&name).nth(1).unwrap().split(' ').next().unwrap().to_owned();
                let ratio = observation / printed.parse::<f64>().unwrap();
                assert!(
                    ratio.is_nan()
                        || [1.0, 1e3, 1e9, 1_048_576.0].iter().any(|s| (ratio / s - 1.0).abs() < 1e-9),
                    "{line}"
                );
            }
        }
        let rates =
            report.benchmarks[0].measurements.iter().filter(|m| m.measure.better == Better::Higher).count();
        assert_eq!(rates, 1, "{}: one rate is judged", path.display());
    }
}

#[test]
fn at_most_one_reader_is_sure_of_a_file() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = Vec::new();
    for path in files(&corpus) {
        let bytes = std::fs::read(&path).unwrap();
        let limits = Limits { decompressed_bytes: 4 << 20, ..Limits::default() };
        let Ok(plain) = decompress(&bytes, &limits) else { continue };
        let sure: Vec<_> =
            sniff(&plain).into_iter().filter(|a| a.answer == Sniff::Yes).map(|a| a.format).collect();
        if sure.len() > 1 {
            wrong.push(format!("{}: {sure:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every file of a tool is claimed by some reader without being told its format.
#[test]
fn every_file_with_expectations_is_claimed() {
    let Some(corpus) = corpus() else { return };
    let mut unclaimed = Vec::new();
    for folder in ["benchmarks", "profiles"] {
        for (path, _) in with_expectations(&corpus.join(folder)) {
            let bytes = std::fs::read(&path).unwrap();
            let plain = decompress(&bytes, &Limits::default()).unwrap();
            if sniff(&plain).iter().all(|attempt| attempt.answer == Sniff::No) {
                unclaimed.push(path.display().to_string());
            }
        }
    }
    assert!(unclaimed.is_empty(), "{}", unclaimed.join("\n"));
}

#[test]
fn end_to_end_and_micro_benchmarks_know_what_they_are() {
    let Some(corpus) = corpus() else { return };
    for (file, kind) in [
        ("cassandra-stress/cassandra14318-debug-on-nofix.txt", Some(Kind::EndToEnd)),
        ("warp/hdds15592-after.txt", Some(Kind::EndToEnd)),
        ("go-bench/benchstat-old.txt", Some(Kind::Micro)),
        ("benchstat/getty147-inline.txt", Some(Kind::Micro)),
        ("table-text/hdds15592-threads-tables.txt", None),
    ] {
        let report = report(parse(&corpus.join("benchmarks").join(file), None));
        assert!(report.benchmarks.iter().all(|benchmark| benchmark.kind == kind), "{file}");
    }
}

#[test]
fn clean_files_are_read_without_warnings() {
    let Some(corpus) = corpus() else { return };
    for folder in FOLDERS.iter().filter(|folder| !folder.ends_with("go-bench")) {
        for (path, _) in with_expectations(&corpus.join(folder)) {
            assert_eq!(parse(&path, None).warnings, [], "{}", path.display());
        }
    }
}

const BENCHSTAT_OLD: &str = "name        old time/op    new time/op    delta
GobEncode   13.6ms ± 1%    11.8ms ± 1%  -13.31%  (p=0.016 n=4+5)
JSONEncode  32.1ms ± 1%    31.8ms ± 1%     ~     (p=0.286 n=4+5)
[Geo mean]  20.9ms         19.4ms        -7.3%

name        old speed      new speed      delta
GobEncode   56.4MB/s ± 1%  65.1MB/s ± 1%  +15.36%  (p=0.016 n=4+5)

name        old allocs/op  new allocs/op  delta
GobEncode     12.0 ± 0%      10.0 ± 0%  -16.67%  (p=0.008 n=5+5)
";

fn inline(text: &str, column: Option<&str>) -> Report {
    let hints = Hints { column: column.map(str::to_owned), ..Hints::default() };
    let parsed = read(text.as_bytes(), &hints, &Limits::default()).unwrap();
    assert_eq!(parsed.warnings, []);
    report(parsed)
}

fn value(report: &Report, name: &str, measure: &str) -> f64 {
    let name = BenchmarkName::parse(name).unwrap();
    let benchmark = report.benchmarks.iter().find(|benchmark| benchmark.key.name == name).unwrap();
    let measured = benchmark.measurements.iter().find(|m| m.measure.name.as_str() == measure).unwrap();
    assert!(measured.summarised);
    // Scaling may move the last bit.
    (measured.observations[0] * 1e3).round() / 1e3
}

#[test]
fn the_older_benchstat_layout_is_read() {
    let new = inline(BENCHSTAT_OLD, None);
    assert_eq!(
        (new.columns.as_slice(), new.benchmarks.len()),
        (["old".to_owned(), "new".to_owned()].as_slice(), 2)
    );
    assert_eq!(value(&new, "GobEncode", "time/op"), 11.8e6);
    assert_eq!(value(&new, "GobEncode", "speed"), 65.1e6);
    assert_eq!(value(&new, "GobEncode", "allocs/op"), 10.0);
    assert_eq!(value(&inline(BENCHSTAT_OLD, Some("old")), "JSONEncode", "time/op"), 32.1e6);
    let three = "name \\ time/op  a.txt       b.txt       c.txt\nX               1.0µs ± 1%  2.0µs ± 1%  3.0µs ± 1%\n";
    assert_eq!(value(&inline(three, Some("2")), "X", "time/op"), 2e3);
}

#[test]
fn a_benchmark_missing_from_a_benchstat_column_stays_missing() {
    let text = "       │  old.txt   │              new.txt               │
       │   sec/op   │   sec/op     vs base               │
Both     1.00n ± 1%   2.00n ± 1%  +100.00% (p=0.000 n=10)
OnlyA    3.00n ± 1%
OnlyB                 4.00n ± 1%
";
    let names = |column| -> Vec<String> {
        inline(text, Some(column)).benchmarks.iter().map(|benchmark| benchmark.key.to_string()).collect()
    };
    assert_eq!(names("old.txt"), ["Both", "OnlyA"]);
    assert_eq!(names("new.txt"), ["Both", "OnlyB"]);
}

#[test]
fn the_direction_of_custom_json_is_the_format_asked_for() {
    let text = br#"[{"name": "a", "unit": "points", "value": 5}]"#;
    for (format, better) in [
        (None, Better::Neither),
        (Some("customBiggerIsBetter"), Better::Higher),
        (Some("customSmallerIsBetter"), Better::Lower),
    ] {
        let hints = Hints { format: format.map(str::to_owned), ..Hints::default() };
        let report = report(read(text, &hints, &Limits::default()).unwrap());
        assert_eq!(report.benchmarks[0].measurements[0].measure.better, better);
    }
}
