use super::*;
use crate::read::{Hints, Report};
use crate::{Limits, read as read_any};

fn content(text: &str, hints: Hints) -> (Content, Vec<String>) {
    let parsed = read_any(text.as_bytes(), &hints, &Limits::default()).unwrap();
    assert_eq!(parsed.format, "csv");
    (parsed.content, parsed.warnings.into_iter().map(|warning| warning.text).collect())
}

fn report(text: &str) -> Report {
    match content(text, Hints::default()).0 {
        Content::Report(report) => report,
        _ => panic!("a report"),
    }
}

fn values(report: &Report) -> Vec<(String, String, String, Vec<f64>)> {
    let of = |b: &model::Benchmark| {
        let key = b.key.to_string();
        let row = |m: &model::Measurement| {
            (key.clone(), m.measure.name.to_string(), m.measure.unit.to_string(), m.observations.clone())
        };
        b.measurements.iter().map(row).collect::<Vec<_>>()
    };
    report.benchmarks.iter().flat_map(of).collect()
}

#[test]
fn texts_name_and_numbers_are_measured() {
    let read = report(
        "# made by hand\r\nquery,engine,threads,time_ms,throughput [MB/s]\r\nq1,a,4,5,2\r\nq1,a,4,6,3\r\n",
    );
    assert_eq!(
        values(&read),
        [
            ("q1 [engine=a, threads=4]".into(), "time_ms".into(), "ns".into(), vec![5e6, 6e6]),
            ("q1 [engine=a, threads=4]".into(), "throughput".into(), "B/s".into(), vec![2e6, 3e6]),
        ]
    );
}

#[test]
fn a_comma_is_a_decimal_mark_between_semicolons_only() {
    let read = report("name;latency (us)\na;1,5\nb;2.5\n");
    assert_eq!(values(&read)[0].3, [1.5e3]);
    assert_eq!(values(&read)[1].3, [2.5e3]);
    let read = report("name\tlatency\na\t1.5\n");
    assert_eq!(values(&read)[0].3, [1.5]);
    let read = report("name|latency (us)|latency (ms)\na|5|0.005\n");
    assert_eq!(values(&read).len(), 2, "one name in two units keeps both");
}

#[test]
fn the_long_form_has_a_value_a_row() {
    let read = report("benchmark,metric,value,unit\na,p99,5,ms\na,rss,7,MB\n");
    assert_eq!(
        values(&read),
        [
            ("a".into(), "p99".into(), "ns".into(), vec![5e6]),
            ("a".into(), "rss".into(), "B".into(), vec![7e6])
        ]
    );
}

#[test]
fn a_column_of_commits_makes_a_history() {
    let text = "commit,date,branch,name,time_ms\nc1,2026-01-01,main,a,5\nc1,2026-01-01,main,a,6\nc2,2026-01-02,main,a,7\n";
    let (Content::History(points), _) = content(text, Hints::default()) else { panic!("a history") };
    assert_eq!(points.len(), 2);
    assert_eq!((points[0].commit.as_deref(), points[0].branch.as_deref()), (Some("c1"), Some("main")));
    assert_eq!(points[0].report.benchmarks[0].measurements[0].observations, [5e6, 6e6]);
    assert_eq!(points[1].at.unwrap().to_rfc3339(), "2026-01-02T00:00:00+00:00");
    let one = report("commit,name,time_ms\nc1,a,5\nc1,b,6\n");
    assert_eq!(one.environment["commit"], "c1");
}

#[test]
fn odd_cells_and_rows_are_remarks() {
    let (_, warnings) = content("name,ms\na,1\nb,oops\nc,NaN\nd\ne,2\nf,3\n", Hints::default());
    assert_eq!(warnings.len(), 3, "{warnings:?}");
}

#[test]
fn a_mapping_says_which_column_is_what() {
    let mapping = r#"{"name": "$.what", "parameters": {"n": "$[\"n rows\"]"}, "commit": "$.rev",
        "measures": {"latency": {"value": "$.x", "unit": "us", "better": "lower"}}}"#;
    let hints =
        Hints { mapping: Some(mapping.to_owned()), format: Some("csv".to_owned()), ..Hints::default() };
    let (Content::History(points), _) = content("what,n rows,rev,x\na,5,1.2,2\na,5,r2,3\n", hints) else {
        panic!("a history")
    };
    assert_eq!(points[0].commit.as_deref(), Some("1.2"));
    assert_eq!(points[1].report.benchmarks[0].key.to_string(), "a [n=5]");
    assert_eq!(points[1].report.benchmarks[0].measurements[0].observations, [3e3]);
}

#[test]
fn machines_without_commits_are_parameters() {
    let read = report("name,machine,ms\na,m1,1\na,m2,2\n");
    let keys: Vec<String> = read.benchmarks.iter().map(|b| b.key.to_string()).collect();
    assert_eq!(keys, ["a [machine=m1]", "a [machine=m2]"]);
}
