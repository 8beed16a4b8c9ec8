use super::*;
use crate::read as read_any;
use crate::read::{Hints, Report};

fn parsed(document: &str, mapping: &str) -> Result<Parsed, String> {
    let hints = Hints {
        format: Some("json-mapping".to_owned()),
        mapping: Some(mapping.to_owned()),
        ..Hints::default()
    };
    read_any(document.as_bytes(), &hints, &Limits::default()).map_err(|error| error.to_string())
}

fn report(document: &str, mapping: &str) -> Report {
    match parsed(document, mapping).unwrap().content {
        Content::Report(report) => report,
        _ => panic!("a report"),
    }
}

const DOCUMENT: &str = r#"{"branch": "main", "results": [
    {"name": "a", "config": {"threads": 4}, "p99": 5, "all": [1, 2], "sha": "c1", "counters": {"x y": 7, "z": 8}},
    {"name": "b", "config": {"threads": 8}, "p99": null, "all": ["3"], "sha": "c2", "counters": {}}]}"#;

#[test]
fn the_example_reads() {
    let report = report(
        DOCUMENT,
        r#"{"each": "$.results[*]", "name": "$.name", "parameters": {"threads": "$.config.threads", "mode": "fast"},
            "kind": "micro",
            "measures": {"latency": {"value": "$.p99", "unit": "ms", "better": "lower"}, "samples": "$.all",
                         "$key": {"each": "$.counters.*", "value": "$"}, "one": "$.counters[\"x y\"]"}}"#,
    );
    let a = &report.benchmarks[0];
    assert_eq!(a.key.to_string(), "a [mode=fast, threads=4]");
    let read: Vec<_> =
        a.measurements.iter().map(|m| (m.measure.name.as_str(), m.observations.clone())).collect();
    assert_eq!(
        read,
        [
            ("latency", vec![5e6]),
            ("samples", vec![1.0, 2.0]),
            ("x y", vec![7.0]),
            ("z", vec![8.0]),
            ("one", vec![7.0])
        ]
    );
    let names: Vec<_> = report.benchmarks[1].measurements.iter().map(|m| m.measure.name.as_str()).collect();
    assert_eq!(names, ["samples"], "what is null is not measured");
}

#[test]
fn members_are_items_and_their_names_are_keys() {
    let report = report(
        r#"{"sum": {"t": [1, 2]}, "sort": {"t": [3]}}"#,
        r#"{"each": "$.*", "name": "$key", "measures": {"time": {"value": "$.t[*]", "unit": "s"}}}"#,
    );
    assert_eq!(report.benchmarks[0].key.to_string(), "sum");
    assert_eq!(report.benchmarks[0].measurements[0].observations, [1e9, 2e9]);
}

#[test]
fn a_commit_makes_a_history() {
    let mapping = r#"{"each": "$.results[*]", "name": "$.name", "commit": "$.sha", "branch": "$$.branch",
        "measures": {"n": "$.all"}}"#;
    let Content::History(points) = parsed(DOCUMENT, mapping).unwrap().content else { panic!("a history") };
    assert_eq!((points[1].commit.as_deref(), points[1].branch.as_deref()), (Some("c2"), Some("main")));
}

#[test]
fn errors_name_the_path_and_the_place() {
    for (mapping, says) in [
        ("{", "mapping"),
        ("{}", "mapping: it has no measures"),
        (r#"{"each": "results", "measures": {"a": "$"}}"#, "mapping each"),
        (r#"{"each": "$.results[x]", "measures": {"a": "$"}}"#, "wrong at byte 10"),
        (r#"{"each": "$.results.", "measures": {"a": "$"}}"#, "a member's name"),
        (r#"{"each": "$.nothing[*]", "measures": {"a": "$"}}"#, "selects nothing"),
        (r#"{"each": "$.results[*]", "measures": {"a": {"unit": "s"}}}"#, "mapping measures.a"),
        (
            r#"{"each": "$.results[*]", "measures": {"a": "$.name"}}"#,
            "$.results[0].name: expected a number, found \"$.name\"",
        ),
        (r#"{"each": "$.results[*]", "nome": "x", "measures": {"a": "$.p99"}}"#, "no such field"),
        (
            r#"{"each": "$.results[*]", "name": "$.config", "measures": {"a": "$.p99"}}"#,
            "$.results[0].config",
        ),
    ] {
        let error = parsed(DOCUMENT, mapping).unwrap_err();
        assert!(error.contains(says), "{mapping}: {error}");
    }
    let hints = Hints { format: Some("json-mapping".to_owned()), ..Hints::default() };
    let error = read_any(b"{}", &hints, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("needs a mapping"), "{error}");
}

#[test]
fn what_a_mapping_leads_to_is_bounded() {
    let document = format!("[{}]", vec!["1"; 3_000].join(","));
    let mapping = r#"{"name": "x", "measures": {"a": "$$[*]"}}"#;
    let error = parsed(&document, mapping).unwrap_err();
    assert!(error.contains("max_"), "{error}");
}
