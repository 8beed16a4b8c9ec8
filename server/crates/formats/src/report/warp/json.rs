//! `warp analyze --json`: operations with throughput and request times. Progress lines may come before the document.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::json::{Field, Json, at_line, documents, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

pub(in crate::report) const READER: Reader =
    Reader { name: "warp-json", about: "warp analyze --json", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let ours = head.contains("\"average_bps\"") && head.contains("\"throughput\"");
    let begins = head.lines().any(|line| line.starts_with('{'));
    if ours && begins && (head.contains("\"operations\"") || head.contains("\"by_op_type\"")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (line, document) in documents(&text) {
        let json =
            parse(READER.name, document.as_bytes(), input.limits).map_err(|error| at_line(error, line))?;
        let root = Field::root(READER.name, &json);
        analysis(&mut builder, &root).map_err(|error| at_line(error, line))?;
    }
    builder.finish(None)
}

fn analysis(builder: &mut Builder<'_>, root: &Field<'_>) -> Result<(), ParseError> {
    if let Some(operations) = root.get("operations") {
        for operation in operations.items()? {
            let kind = operation.get("type").map_or(Ok("warp".to_owned()), |kind| kind.scalar())?;
            self::operation(builder, &kind, &operation)?;
        }
    }
    if let Some(operations) = root.get("by_op_type") {
        for (kind, operation) in operations.members()? {
            self::operation(builder, kind, &operation)?;
        }
    }
    Ok(())
}

fn operation(builder: &mut Builder<'_>, kind: &str, operation: &Field<'_>) -> Result<(), ParseError> {
    let mut parameters = BTreeMap::new();
    if let Some(concurrency) = operation.get("concurrency") {
        parameters.insert("concurrency".to_owned(), concurrency.scalar()?);
    }
    let Some(key) = builder.key(operation.at(), kind, parameters) else { return Ok(()) };
    let mut load = Load { builder, key };
    if let Some(throughput) = operation.get("throughput") {
        // `bps` is bytes here.
        for (member, measure, unit) in
            [("average_bps", "throughput", "B/s"), ("average_ops", "object rate", "obj/s")]
        {
            if let Some(value) = throughput.get(member) {
                load.value(value.at(), Is::Rate, measure, unit, value.number()?)?;
            }
        }
    }
    if let Some(errors) = operation.get("errors").filter(|errors| matches!(errors.json, Json::Number(_))) {
        load.value(errors.at(), Is::Failure, "errors", "count", errors.number()?)?;
    }
    if let Some(requests) = operation.get("single_sized_requests") {
        self::requests(&mut load, "Reqs", &requests)?;
        if let Some(first_byte) = requests.get("first_byte") {
            self::requests(&mut load, "TTFB", &first_byte)?;
        }
    }
    Ok(())
}

/// Times of requests, named as the text does.
fn requests(load: &mut Load<'_, '_>, what: &str, requests: &Field<'_>) -> Result<(), ParseError> {
    let number = |names: [&str; 2]| -> Result<Option<f64>, ParseError> {
        let found = names.iter().find_map(|name| requests.get(name).map(|field| field.number()));
        found.transpose()
    };
    let at = || At::Field(requests.path());
    for (names, name) in [
        (["dur_avg_millis", "average_millis"], "Avg"),
        (["dur_median_millis", "median_millis"], "50%"),
        (["dur_90_millis", "p90_millis"], "90%"),
        (["dur_99_millis", "p99_millis"], "99%"),
    ] {
        if let Some(value) = number(names)? {
            load.value(at(), Is::Latency, &format!("{what} {name}"), "ms", value)?;
        }
    }
    let average = format!("{what} Avg");
    for (names, name) in [
        (["fastest_millis", "fastest_millis"], "Fastest"),
        (["slowest_millis", "slowest_millis"], "Slowest"),
        (["std_dev_millis", "std_dev_millis"], "StdDev"),
    ] {
        if let Some(value) = number(names)?.filter(|_| load.builder.has(&load.key, &average)) {
            load.figure(at(), &average, &format!("{what} {name}"), "ms", value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn operations_have_rates_and_times() {
        let text = r#"warp: progress
{"operations":[{"type":"GET","concurrency":20,"errors":0,"throughput":{"average_bps":1048576,"average_ops":2.5},
"single_sized_requests":{"dur_avg_millis":12,"dur_99_millis":40,"slowest_millis":90,"first_byte":{"average_millis":3,"p99_millis":9}}}]}"#;
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let names: Vec<&str> =
            report.benchmarks[0].measurements.iter().map(|m| m.measure.name.as_str()).collect();
        assert_eq!(report.benchmarks[0].key.to_string(), "GET [concurrency=20]");
        assert_eq!(
            names,
            ["throughput", "object rate", "errors", "Reqs Avg", "Reqs 99%", "TTFB Avg", "TTFB 99%"]
        );
    }
}
