//! sysbench's text: CPU, memory, threads, mutex, file and OLTP tests.
//!
//! Written from sysbench 1.0 (<https://github.com/akopytov/sysbench>); 0.5 prints the same blocks with other words for
//! requests. Latencies are milliseconds, `MiB` is 1024².

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::text;

pub(super) const READER: Reader = Reader { name: "sysbench", about: "what sysbench prints", sniff, read };

const KIND: Option<Kind> = Some(Kind::EndToEnd);

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let named = head.lines().any(|line| line.starts_with("sysbench ") && line.contains("LuaJIT"));
    let blocks = head.contains("Threads fairness:") || head.contains("Initializing worker threads...");
    if named || (blocks && head.contains("General statistics:")) { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, READER.name, BTreeMap::new()) else { return builder.finish(None) };
    let mut section = String::new();
    for (at, line) in lines(&text) {
        if let Some(why) = line.strip_prefix("FATAL: ") {
            builder.fail(&key, KIND, why)?;
            continue;
        }
        // Headings of blocks stand at the margin and end in a colon.
        if !line.starts_with(' ') && line.trim_end().ends_with(':') {
            line.trim().trim_end_matches(':').clone_into(&mut section);
            continue;
        }
        if let Some(count) = line.strip_prefix("Number of threads: ") {
            builder.fact("threads", count);
        } else if line.starts_with("sysbench ") {
            builder.fact("version", line.split(' ').nth(1).unwrap_or_default());
        }
        for (measure, unit, value, better) in values(&section, line) {
            let reading = Reading::summary(&measure, unit, value).towards(better);
            builder.observe(At::Line(at), &key, KIND, reading)?;
        }
        latency(&mut builder, at, &key, &section, line)?;
    }
    builder.finish(None)
}

/// The mean is the observation, percentiles are measures, the ends and the sum are figures of the mean.
fn latency(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    section: &str,
    line: &str,
) -> Result<(), ParseError> {
    if !section.starts_with("Latency") {
        return Ok(());
    }
    let Some((label, value)) = line.trim().split_once(':') else { return Ok(()) };
    let Some(value) = number(value, Marks::Point) else { return Ok(()) };
    let name = format!("latency {}", label.trim().trim_end_matches(" percentile"));
    match label {
        "min" | "max" | "sum" => {
            // The smallest is printed before the mean that it belongs to.
            if !builder.has(key, "latency avg") {
                let pending = Reading::summary(&name, "ms", value).towards(Better::Neither);
                return builder.observe(At::Line(at), key, KIND, pending);
            }
            builder.figure(
                At::Line(at),
                key,
                "latency avg",
                FigureReading { name: &name, unit: "ms", value },
            );
            Ok(())
        }
        _ => {
            let reading = Reading::summary(&name, "ms", value).towards(Better::Lower);
            builder.observe(At::Line(at), key, KIND, reading)
        }
    }
}

type Value = (String, &'static str, f64, Better);

/// Every other line's values.
fn values(section: &str, line: &str) -> Vec<Value> {
    let line = line.trim();
    let plain = |text: &str| number(text.trim().trim_end_matches('s'), Marks::Point);
    let one = |name: &str, unit, value: Option<f64>, better| -> Vec<Value> {
        value.map(|value| (name.to_owned(), unit, value, better)).into_iter().collect()
    };
    // `Total operations: 2423865 (1206314.24 per second)`, and OLTP's `transactions: 1234 (123.4 per sec.)`.
    if let Some((label, rest)) = line.split_once(':')
        && let Some((count, rate)) = rest.split_once('(')
        && rate.contains(" per sec")
    {
        let label = label.trim().to_lowercase();
        let things = label.trim_start_matches("total ").to_owned();
        let better = if matches!(things.as_str(), "ignored errors" | "reconnects") {
            Better::Lower
        } else {
            Better::Higher
        };
        let mut values = one(&label, "count", plain(count), Better::Neither);
        let rate = rate.split(' ').next().and_then(|rate| number(rate, Marks::Point));
        values.extend(one(&format!("{things} per second"), "1/s", rate, better));
        return values;
    }
    // `2367.06 MiB transferred (1178.04 MiB/sec)`.
    if let Some((moved, rate)) = line.split_once(" MiB transferred (") {
        let rate = split_unit(rate, Marks::Point).map(|(rate, _)| rate);
        let mut values = one("transferred", "MiB", number(moved, Marks::Point), Better::Neither);
        values.extend(one("throughput", "MiB/s", rate, Better::Higher));
        return values;
    }
    let Some((label, value)) = line.split_once(':') else { return Vec::new() };
    let label = label.trim();
    match (section, label) {
        (_, "events per second") => one(label, "1/s", plain(value), Better::Higher),
        (_, "total time") => one(label, "s", plain(value), Better::Neither),
        (_, "total number of events") => one(label, "count", plain(value), Better::Neither),
        ("Throughput", "events/s (eps)") => one("events per second", "1/s", plain(value), Better::Higher),
        ("Throughput", "time elapsed") => one("total time", "s", plain(value), Better::Neither),
        ("File operations", "reads/s" | "writes/s" | "fsyncs/s") => {
            one(label, "1/s", plain(value), Better::Higher)
        }
        ("Throughput", _) if label.ends_with("MiB/s") => {
            let name = label.split(',').next().unwrap_or(label);
            one(&format!("throughput {name}"), "MiB/s", plain(value), Better::Higher)
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        match read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    const HEAD: &str = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n";

    #[test]
    fn transactions_and_files_have_their_rates() {
        let report = report(&format!(
            "{HEAD}SQL statistics:\n    transactions:      1234   (123.40 per sec.)\n    ignored errors:    2      (0.20 per sec.)\n\n\
             File operations:\n    reads/s:      10.5\n\nThroughput:\n    read, MiB/s:      2.00\n"
        ));
        let value = |name: &str| {
            report.benchmarks[0]
                .measurements
                .iter()
                .find(|m| m.measure.name.as_str() == name)
                .unwrap()
                .observations[0]
        };
        assert_eq!(
            (value("transactions per second"), value("reads/s"), value("throughput read")),
            (123.4, 10.5, 2_097_152.0)
        );
    }

    #[test]
    fn a_run_that_dies_failed() {
        let report = report(&format!("{HEAD}FATAL: Cannot find benchmark 'x'\n"));
        assert!(matches!(&report.benchmarks[0].status, Status::Failed(why) if why.contains("Cannot find")));
    }
}
