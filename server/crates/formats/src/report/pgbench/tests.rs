use crate::read::{Content, Hints};
use crate::{Limits, read as read_any};
use model::{Benchmark, Status};

fn benchmarks(text: &str) -> Vec<Benchmark> {
    let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
    assert_eq!(parsed.format, "pgbench");
    match parsed.content {
        Content::Report(report) => report.benchmarks,
        _ => panic!("a report"),
    }
}

fn value(benchmark: &Benchmark, measure: &str) -> Vec<f64> {
    let found = benchmark.measurements.iter().find(|m| m.measure.name.as_str() == measure);
    found.map(|m| m.observations.clone()).unwrap_or_default()
}

const OLD: &str = "transaction type: TPC-B (sort of)\r\nscaling factor: 10\r\nquery mode: simple\r\n\
    number of clients: 10\r\nnumber of threads: 1\r\nnumber of transactions per client: 1000\r\n\
    number of transactions actually processed: 10000/10000\r\nlatency average: 15.844 ms\r\n\
    latency stddev: 2.715 ms\r\ntps = 618.764555 (including connections establishing)\r\n\
    tps = 622.977698 (excluding connections establishing)\r\n";

#[test]
fn old_reports_have_two_rates_and_colons() {
    let read = benchmarks(OLD);
    assert_eq!(value(&read[0], "tps"), [622.977_698]);
    assert_eq!(value(&read[0], "tps including connections"), [618.764_555]);
    assert_eq!(value(&read[0], "latency average"), [15.844e6]);
    assert_eq!(value(&read[0], "transactions processed"), [10000.0]);
}

#[test]
fn reports_that_differ_in_clients_are_told_apart_and_others_are_repetitions() {
    let read = benchmarks(&format!("{OLD}{OLD}"));
    assert_eq!(value(&read[0], "tps").len(), 2);
    let read = benchmarks(&format!("{OLD}{}", OLD.replace("clients: 10", "clients: 20")));
    let keys: Vec<String> = read.iter().map(|b| b.key.to_string()).collect();
    assert_eq!(keys, ["pgbench [number of clients=10]", "pgbench [number of clients=20]"]);
}

#[test]
fn scripts_and_statements_are_sections() {
    let read = benchmarks(
        "transaction type: multiple scripts\nnumber of transactions actually processed: 30\n\
         number of failed transactions: 1 (3.226%)\nnumber of serialization failures: 1 (3.226%)\n\
         number of transactions retried: 2 (6.452%)\ntotal number of retries: 4\n\
         latency average = 2.0 ms (including failures)\ntps = 10.0 (without initial connection time)\n\
         SQL script 1: <builtin: simple update>\n - weight: 1 (targets 50.0% of total)\n\
         \x20- 14 transactions (46.7% of total, tps = 4.5)\n - latency average = 3.0 ms\n\
         \x20- latency stddev = 1.0 ms\n - statement latencies in milliseconds, failures and retries:\n\
         \x20        0.002           0           0  \\set aid random(1, 100000)\n\
         \x20        0.500           1           2  UPDATE a SET b = 1;\n\
         \x20        0.600           0           0  UPDATE a SET b = 1;\n\
         SQL script 2: my.sql\n - 16 transactions (53.3% of total, tps = 5.5)\n",
    );
    assert_eq!(value(&read[0], "retries"), [4.0]);
    assert_eq!(read[1].key.parameters["script"], "<builtin: simple update>");
    assert_eq!(value(&read[1], "tps"), [4.5]);
    assert_eq!(read[1].measurements.iter().find(|m| !m.figures.is_empty()).unwrap().figures[0].value, 1e6);
    assert_eq!(read[3].key.parameters["statement"], "UPDATE a SET b = 1;");
    assert_eq!(value(&read[3], "retries"), [2.0]);
    assert_eq!(read[4].key.parameters["statement"], "UPDATE a SET b = 1; (2)");
    assert_eq!(value(&read[5], "tps"), [5.5]);
}

#[test]
fn a_run_that_could_not_connect_failed() {
    let read = benchmarks("pgbench: error: connection to server failed: FATAL: no\npgbench: error: more\n");
    assert_eq!(read[0].status, Status::Failed("connection to server failed: FATAL: no".to_owned()));
}
