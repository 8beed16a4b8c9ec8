//! redis-benchmark (and valkey-benchmark): the full report, `-q` lines and `--csv`, before and after version 6.2.
//!
//! See <https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/benchmarks/>. Progress is
//! overwritten with carriage returns and shares a line with what follows, so those separate lines here as well.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::csv::Rows;
use crate::error::{At, ParseError};
use crate::number::{Marks, is_not_a_number, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::text;

pub(super) const TEXT: Reader = Reader {
    name: "redis-benchmark",
    about: "redis-benchmark's report and its -q lines",
    sniff: sniff_text,
    read: read_text,
};
pub(super) const CSV: Reader =
    Reader { name: "redis-benchmark-csv", about: "redis-benchmark --csv", sniff: sniff_csv, read: read_csv };

const KIND: Option<Kind> = Some(Kind::EndToEnd);
const HEAD: &str = "\"test\",\"rps\"";

fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text).flat_map(|(at, line)| line.split('\r').map(move |piece| (at, piece.trim())))
}

fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("====== ")?.strip_suffix(" ======").map(str::trim)
}

/// `SET: 66225.17 requests per second, p50=0.159 msec`.
fn quiet(line: &str) -> Option<(&str, f64, Option<f64>)> {
    let (before, after) = line.split_once(" requests per second")?;
    let (name, rate) = before.rsplit_once(": ").filter(|(name, _)| *name != "throughput summary")?;
    let p50 = after.strip_prefix(", p50=").and_then(|rest| rest.strip_suffix(" msec"));
    Some((name.trim(), number(rate, Marks::Point)?, p50.and_then(|p50| number(p50, Marks::Point))))
}

fn is_progress(line: &str) -> bool {
    line.contains(": rps=") && line.contains("(overall: ")
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut headed = false;
    for (_, line) in pieces(&head) {
        headed |= heading(line).is_some();
        if quiet(line).is_some() || is_progress(line) || (headed && line.contains(" requests completed in "))
        {
            return Sniff::Yes;
        }
    }
    Sniff::No
}

/// Before 6.2 there is no head, and a line is a quoted name and a quoted rate.
fn sniff_csv(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    let bare = |line: &str| {
        let cells = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))?.split_once("\",\"")?;
        number(cells.1, Marks::Point)
    };
    match lines.next() {
        Some(first) if first.starts_with(HEAD) => Sniff::Yes,
        Some(first) if bare(first).is_some() => Sniff::Maybe,
        _ => Sniff::No,
    }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut name: Option<&str> = None;
    let mut columns: Option<Vec<&str>> = None;
    let mut headed = false;
    for (at, line) in pieces(&text) {
        if let Some(next) = heading(line) {
            (name, columns, headed) = (Some(next), None, true);
        } else if let Some((quiet_name, rate, p50)) = quiet(line) {
            let Some(mut entry) = entry(&mut builder, at, quiet_name) else { continue };
            entry.observe(Reading::summary("throughput", "1/s", rate).towards(Better::Higher))?;
            if let Some(p50) = p50 {
                entry.observe(Reading::summary("p50", "ms", p50).towards(Better::Lower))?;
            }
        } else if line.is_empty() || is_progress(line) {
        } else if let Some(text) = problem(line) {
            let failed = if headed { name } else { None }.unwrap_or("redis-benchmark");
            let Some(mut entry) = entry(&mut builder, at, failed) else { continue };
            entry.fail(text)?;
        } else if let Some(known) = name {
            let Some(mut entry) = entry(&mut builder, at, known) else {
                name = None;
                continue;
            };
            if !in_report(&mut entry, &mut columns, line)? {
                builder.unknown_line(at, line);
            }
        } else {
            builder.unknown_line(at, line);
        }
    }
    builder.finish(None)
}

fn entry<'b, 'a>(builder: &'b mut Builder<'a>, at: usize, name: &str) -> Option<Entry<'b, 'a>> {
    Entry::new(builder, At::Line(at), name, BTreeMap::new(), KIND)
}

fn problem(line: &str) -> Option<&str> {
    line.starts_with("Could not connect to ")
        .then_some(line)
        .or_else(|| line.strip_prefix("Error from server: "))
        .or_else(|| line.starts_with("Error: ").then_some(line))
}

/// Reads a line of the full report; says whether it is known.
fn in_report<'t>(
    entry: &mut Entry<'_, '_>,
    columns: &mut Option<Vec<&'t str>>,
    line: &'t str,
) -> Result<bool, ParseError> {
    if let Some((requests, rest)) = line.split_once(" requests completed in ") {
        let seconds = rest.strip_suffix(" seconds").and_then(|seconds| number(seconds, Marks::Point));
        let (Some(requests), Some(seconds)) = (number(requests, Marks::Point), seconds) else {
            return Ok(false);
        };
        entry.observe(Reading::raw("requests", "count", requests).towards(Better::Neither))?;
        // The number of requests is set, so this is the rate once more.
        entry.observe(Reading::raw("duration", "s", seconds).towards(Better::Neither))?;
        return Ok(true);
    }
    if let Some((rate, _)) = line.split_once(" requests per second") {
        let rate = rate.strip_prefix("throughput summary: ").unwrap_or(rate);
        let Some(rate) = number(rate, Marks::Point) else { return Ok(false) };
        entry.observe(Reading::summary("throughput", "1/s", rate).towards(Better::Higher))?;
        return Ok(true);
    }
    if line.starts_with("avg ") && line.contains("p50") {
        *columns = Some(line.split_whitespace().collect());
        return Ok(true);
    }
    if let Some(columns) = columns.take() {
        return latencies(entry, &columns, line).map(|()| true);
    }
    Ok(is_known(entry, line))
}

fn latencies(entry: &mut Entry<'_, '_>, columns: &[&str], line: &str) -> Result<(), ParseError> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let mut bounds = Vec::new();
    for (column, cell) in columns.iter().zip(&cells) {
        let name = format!("latency {column}");
        match number(cell, Marks::Point) {
            Some(value) if matches!(*column, "min" | "max") => bounds.push((name, value)),
            Some(value) => entry.observe(Reading::summary(&name, "ms", value).towards(Better::Lower))?,
            None => {
                entry
                    .builder
                    .warn(entry.at.clone(), format!("{name} is {cell:?}, not a number, and skipped"));
            }
        }
    }
    for (name, value) in bounds {
        entry.figure("latency avg", &name, "ms", value);
    }
    Ok(())
}

/// Settings become facts; the distribution is said again by the summary, or (before 6.2) holds whole milliseconds that
/// are other ones in each run.
fn is_known(entry: &mut Entry<'_, '_>, line: &str) -> bool {
    if line.contains("% <= ") {
        return true;
    }
    for (suffix, name) in [(" parallel clients", "clients"), (" bytes payload", "payload bytes")] {
        if let Some(value) = line.strip_suffix(suffix) {
            entry.builder.fact(name, value);
            return true;
        }
    }
    if let Some((name, value)) = line.split_once(": ")
        && (matches!(name, "keep alive" | "multi-thread" | "threads" | "cluster mode" | "rps limit")
            || name.starts_with("host configuration")
            || name.starts_with("node ["))
    {
        entry.builder.fact(name, value);
        return true;
    }
    let heads =
        ["Latency by percentile", "Cumulative distribution", "Summary:", "latency summary", "host config"];
    let settings = ["node [", "save:", "appendonly:", "keep alive", "cluster mode"];
    heads.iter().chain(&settings).any(|head| line.starts_with(head)) || line.ends_with(" masters)")
}

fn read_csv(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut columns: Vec<String> = vec!["test".to_owned(), "rps".to_owned()];
    for row in Rows::new(CSV.name, &text, ',') {
        let row = row?;
        if row.cell(0) == "test" {
            columns = row.cells.iter().map(|cell| cell.clone().into_owned()).collect();
            continue;
        }
        if row.cells.len() != columns.len() {
            let text =
                format!("has {} cells where {} are expected and is skipped", row.cells.len(), columns.len());
            builder.warn(At::Line(row.line), text);
            continue;
        }
        let Some(mut entry) = entry(&mut builder, row.line, row.cell(0)) else { continue };
        let mut bounds = Vec::new();
        for (column, cell) in columns.iter().zip(&row.cells).skip(1) {
            let unit = if column == "rps" { "1/s" } else { "ms" };
            let better = if column == "rps" { Better::Higher } else { Better::Lower };
            match number(cell, Marks::Point) {
                Some(value) if column.starts_with("min_") || column.starts_with("max_") => {
                    bounds.push((column, value));
                }
                Some(value) => entry.observe(Reading::summary(column, unit, value).towards(better))?,
                None if is_not_a_number(cell) || cell.is_empty() => {
                    entry
                        .builder
                        .warn(entry.at.clone(), format!("{column} is {cell:?}, not a number, and skipped"));
                }
                None => {
                    return Err(entry.builder.error(
                        entry.at,
                        crate::error::Kind::Expected {
                            expected: "a number",
                            found: cell.clone().into_owned(),
                        },
                    ));
                }
            }
        }
        for (name, value) in bounds {
            entry.figure("avg_latency_ms", name, "ms", value);
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str) -> Report {
        let hints = Hints::default();
        match read_any(text.as_bytes(), &hints, &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn the_old_report_has_the_rate_on_a_line_of_its_own() {
        let report = report(
            "====== SET ======\r\n  100000 requests completed in 0.88 seconds\r\n  50 parallel clients\r\n  \
             3 bytes payload\r\n  keep alive: 1\r\n\r\n99.86% <= 1 milliseconds\r\n100.00% <= 1 milliseconds\r\n\
             113507.38 requests per second\r\n\r\n",
        );
        let names: Vec<_> =
            report.benchmarks[0].measurements.iter().map(|m| m.measure.name.as_str()).collect();
        assert_eq!(names, ["requests", "duration", "throughput"]);
        assert_eq!(report.environment["clients"], "50");
    }

    #[test]
    fn old_quiet_lines_and_csv_have_the_rate_only() {
        let quiet = report("PING_INLINE: 102040.81 requests per second\nSET: 1.5 requests per second\n");
        assert_eq!(quiet.benchmarks[1].measurements[0].observations, [1.5]);
        let csv = report("\"PING_INLINE\",\"102040.81\"\n\"MSET (10 keys)\",\"5.00\"\n");
        assert_eq!(csv.benchmarks[1].key.to_string(), "MSET (10 keys)");
    }

    #[test]
    fn a_refused_connection_is_a_failure() {
        let text = "====== SET ======\nCould not connect to Redis at 127.0.0.1:6379: Connection refused\n\
                    GET: 5 requests per second\n";
        let report = report(text);
        assert!(matches!(report.benchmarks[0].status, model::Status::Failed(_)));
    }
}
