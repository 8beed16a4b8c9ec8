//! Locust's CSV files: `_stats.csv`, `_stats_history.csv`, `_failures.csv`, `_exceptions.csv`; its JSON (`--json`).
//!
//! Written from Locust 1 to 2.30 (<https://docs.locust.io/en/stable/retrieving-stats.html>). Times are milliseconds. A
//! benchmark is method and name; `Aggregated` has no method. The history's rows are readings, one a second.

use std::collections::BTreeMap;

use model::BenchmarkKey;

use crate::csv::{Row, Rows};
use crate::error::{At, Kind, ParseError};
use crate::json::{Field, Json, outline, parse};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::load::{Is, KIND, Load};
use crate::text::text;

pub(super) const CSV: Reader =
    Reader { name: "locust", about: "Locust's CSV files", sniff: sniff_csv, read: read_csv };
pub(super) const JSON: Reader =
    Reader { name: "locust-json", about: "locust --json", sniff: sniff_json, read: read_json };

/// Which of the files it is.
#[derive(Clone, Copy, PartialEq)]
enum File {
    Stats,
    History,
    Failures,
    Exceptions,
}

fn which(text: &str) -> Option<File> {
    let first = text.lines().next()?.replace('"', "");
    if first.starts_with("Type,Name,Request Count,") || first.starts_with("Type,Name,# requests,") {
        Some(File::Stats)
    } else if first.starts_with("Timestamp,User Count,Type,Name,") {
        Some(File::History)
    } else if first.starts_with("Method,Name,Error,Occurrences") {
        Some(File::Failures)
    } else if first.starts_with("Count,Message,Traceback,Nodes") {
        Some(File::Exceptions)
    } else {
        None
    }
}

fn sniff_csv(head: &[u8]) -> Sniff {
    if which(&String::from_utf8_lossy(head)).is_some() { Sniff::Yes } else { Sniff::No }
}

fn read_csv(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let file = which(&text).unwrap_or(File::Stats);
    let mut rows = Rows::new(CSV.name, &text, ',');
    let header = match rows.next() {
        Some(header) => header?,
        None => return Err(builder.error(At::File, Kind::Empty)),
    };
    let mut n_rows = 0;
    for row in rows {
        let row = row?;
        n_rows += 1;
        match file {
            File::Stats => stats(&mut builder, &header, &row)?,
            File::History => history(&mut builder, &header, &row)?,
            File::Failures => failure(&mut builder, &row)?,
            File::Exceptions => {
                let count = row.cell(0);
                builder.warn(
                    At::Line(row.line),
                    format!("the load test itself raised {count} times: {}", row.cell(1)),
                );
            }
        }
    }
    if builder.is_empty() && (n_rows == 0 || file == File::Exceptions) && file != File::Stats {
        return Ok(builder.finish_empty(At::File, "the file lists nothing"));
    }
    builder.finish(None)
}

/// `GET /path`.
fn key(builder: &mut Builder<'_>, line: usize, method: &str, name: &str) -> Option<BenchmarkKey> {
    let full = if method.is_empty() { name.to_owned() } else { format!("{method} {name}") };
    builder.key(At::Line(line), &full, BTreeMap::new())
}

/// Unit and kind of a column by its heading.
fn column(heading: &str) -> Option<(Is, &'static str)> {
    Some(match heading {
        "Request Count" | "# requests" => (Is::Amount, "count"),
        "Failure Count" | "# failures" => (Is::Failure, "count"),
        "Median Response Time"
        | "Average Response Time"
        | "Median response time"
        | "Average response time" => (Is::Latency, "ms"),
        "Average Content Size" => (Is::Amount, "B"),
        "Requests/s" => (Is::Rate, "1/s"),
        "Failures/s" => (Is::Failure, "1/s"),
        _ if heading.ends_with('%') => (Is::Latency, "ms"),
        _ => return None,
    })
}

fn stats(builder: &mut Builder<'_>, header: &Row<'_>, row: &Row<'_>) -> Result<(), ParseError> {
    let Some(key) = key(builder, row.line, row.cell(0), row.cell(1)) else { return Ok(()) };
    let mut load = Load { builder, key };
    let at = || At::Line(row.line);
    for (index, heading) in header.cells.iter().enumerate().skip(2) {
        let heading = heading.as_ref();
        let Some((is, unit)) = column(heading) else { continue };
        if let Some(value) = number(row.cell(index), Marks::Point) {
            load.value(at(), is, heading, unit, value)?;
        }
    }
    for (index, heading) in header.cells.iter().enumerate() {
        if matches!(heading.as_ref(), "Min Response Time" | "Max Response Time")
            && let Some(value) = number(row.cell(index), Marks::Point)
            && load.builder.has(&load.key, "Average Response Time")
        {
            load.figure(at(), "Average Response Time", heading, "ms", value);
        }
    }
    Ok(())
}

fn history(builder: &mut Builder<'_>, header: &Row<'_>, row: &Row<'_>) -> Result<(), ParseError> {
    let Some(key) = key(builder, row.line, row.cell(2), row.cell(3)) else { return Ok(()) };
    for (index, heading) in header.cells.iter().enumerate().skip(4) {
        let Some((is, unit)) = column(heading).filter(|_| !heading.starts_with("Total ")) else { continue };
        // Before the first request there is `N/A`.
        if let Some(value) = number(row.cell(index), Marks::Point) {
            let better = match is {
                Is::Rate => model::Better::Higher,
                _ => model::Better::Lower,
            };
            let reading = Reading::raw(heading, unit, value).towards(better);
            builder.observe(At::Line(row.line), &key, KIND, reading)?;
        }
    }
    Ok(())
}

fn failure(builder: &mut Builder<'_>, row: &Row<'_>) -> Result<(), ParseError> {
    let Some(key) = key(builder, row.line, row.cell(0), row.cell(1)) else { return Ok(()) };
    let Some(count) = number(row.cell(3), Marks::Point) else {
        builder.unknown_line(row.line, &row.cells.join(","));
        return Ok(());
    };
    builder.warn(At::Line(row.line), format!("{key} failed {count} times: {}", row.cell(2)));
    Load { builder, key }.value(At::Line(row.line), Is::Failure, "Occurrences", "count", count)
}

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |member: &str| outline.at_depth(2).any(|(path, _)| path.last().is_some_and(|p| p == member));
    let ours = outline.opens == Some('[') && has("num_requests") && has("response_times");
    if ours { Sniff::Yes } else { Sniff::No }
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    for item in root.items()? {
        let text = |member| item.get(member).map_or(Ok(String::new()), |field| field.scalar());
        let (method, name) = (text("method")?, text("name")?);
        let full = if method.is_empty() { name } else { format!("{method} {name}") };
        let Some(key) = builder.key(item.at(), &full, BTreeMap::new()) else { continue };
        let mut load = Load { builder: &mut builder, key };
        let number = |member| item.get(member).map(|field| field.number()).transpose();
        let n = number("num_requests")?.unwrap_or(0.0);
        load.value(item.at(), Is::Amount, "Request Count", "count", n)?;
        load.value(item.at(), Is::Failure, "Failure Count", "count", number("num_failures")?.unwrap_or(0.0))?;
        if let Some(total) = number("total_response_time")?.filter(|_| n > 0.0) {
            load.value(item.at(), Is::Latency, "Average Response Time", "ms", total / n)?;
        }
        percentiles(&mut load, &item)?;
    }
    builder.finish(None)
}

/// `response_times` counts how often each rounded time occurred.
fn percentiles(load: &mut Load<'_, '_>, item: &Field<'_>) -> Result<(), ParseError> {
    let Some(times) = item.get("response_times").filter(|times| matches!(times.json, Json::Object(_))) else {
        return Ok(());
    };
    let mut buckets = Vec::new();
    for (time, count) in times.members()? {
        let time =
            number(time, Marks::Point).ok_or_else(|| count.invalid("the time in front is no number"))?;
        buckets.push((time, count.number()?));
    }
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n: f64 = buckets.iter().map(|(_, count)| count).sum();
    for (share, name) in [(0.5, "50%"), (0.9, "90%"), (0.95, "95%"), (0.99, "99%")] {
        let mut seen = 0.0;
        let found = buckets.iter().find(|(_, count)| {
            seen += count;
            seen >= share * n
        });
        if let Some((time, _)) = found {
            load.value(item.at(), Is::Latency, name, "ms", *time)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, Parsed, read};

    fn parse(text: &str) -> Parsed {
        read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap()
    }

    #[test]
    fn the_history_is_one_reading_a_row_and_gaps_are_none() {
        let parsed = parse(
            "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%\n1,0,,Aggregated,0.0,0.0,N/A\n2,5,,Aggregated,10.5,0.0,12\n",
        );
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let counts: Vec<usize> =
            report.benchmarks[0].measurements.iter().map(|m| m.observations.len()).collect();
        assert_eq!(counts, [2, 2, 1]);
    }

    #[test]
    fn json_counts_times() {
        let parsed = parse(
            r#"[{"name":"/a","method":"GET","num_requests":4,"num_failures":1,"total_response_time":100,"response_times":{"10":3,"70":1}}]"#,
        );
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let values: Vec<f64> = report.benchmarks[0].measurements.iter().map(|m| m.observations[0]).collect();
        assert_eq!(values, [4.0, 1.0, 25e6, 10e6, 70e6, 70e6, 70e6]);
    }
}
