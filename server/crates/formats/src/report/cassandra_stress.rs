//! `cassandra-stress`: the summary after a load, of the whole and of each kind of query.
//!
//! Two layouts are known: `op rate : 6681 [read:1109, write:5572]` up to Cassandra 3, and `Op rate : 6,681 op/s
//! [READ: 1,109 op/s]` since. Numbers follow the locale of the machine. Latencies are printed with exactly one
//! decimal and without grouping, so the mark inside a latency is the decimal mark of the file; the other one groups.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, clock_seconds, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::text;

pub(super) const READER: Reader =
    Reader { name: "cassandra-stress", about: "the results that cassandra-stress prints", sniff, read };

/// The benchmark that all queries together are.
const TOTAL: &str = "total";

/// Lines that one folded list may span; mail programs break at 72 columns.
const FOLDED_LINES: usize = 200;

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let says = |label: &str| {
        head.lines().any(|line| line.split_once(':').is_some_and(|(before, _)| before.trim() == label))
    };
    match (says("op rate"), says("latency mean") || says("partition rate")) {
        (true, true) => Sniff::Yes,
        (true, false) => Sniff::Maybe,
        _ => Sniff::No,
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let unfolded = unfold(&text);
    let start = unfolded.iter().position(|(_, line)| line.trim() == "Results:").map_or(0, |at| at + 1);
    if start > 1 {
        let count = unfolded.iter().take(start - 1).filter(|(_, line)| !line.trim().is_empty()).count();
        if count > 0 {
            builder
                .warn(At::File, format!("{count} lines before the results (settings, progress) are skipped"));
        }
    }
    let results: Vec<_> = unfolded.into_iter().skip(start).collect();
    let marks = decimal_marks(&results);
    let mut parameters = BTreeMap::new();
    for (at, line) in &results {
        let line = line.trim();
        if let Some(threads) = thread_count(line) {
            parameters = [("threads".to_owned(), threads.to_owned())].into();
        } else if !(line.is_empty() || line == "Results:" || line == "END") {
            result_line(&mut builder, *at, line, marks, &parameters)?;
        }
    }
    builder.finish(None)
}

/// Joins lines that a mail program broke inside a list: an open bracket goes on until it closes.
fn unfold(text: &str) -> Vec<(usize, String)> {
    let mut unfolded: Vec<(usize, String)> = Vec::new();
    for (at, line) in lines(text) {
        match unfolded.last_mut() {
            Some((start, before))
                if before.contains('[') && !before.contains(']') && at - *start < FOLDED_LINES =>
            {
                before.push(' ');
                before.push_str(line.trim());
            }
            _ => unfolded.push((at, line.to_owned())),
        }
    }
    unfolded
}

/// The marks of the file, from the latencies. A file whose latencies have no mark has no decimals at all.
fn decimal_marks(results: &[(usize, String)]) -> Marks {
    let latency = |line: &String| line.trim_start().to_ascii_lowercase().starts_with("latency");
    let first_value = |line: &String| line.split_once(':')?.1.split_whitespace().next().map(str::to_owned);
    let comma = results
        .iter()
        .filter(|(_, line)| latency(line))
        .filter_map(|(_, line)| first_value(line))
        .find(|value| value.contains([',', '.']))
        .is_some_and(|value| value.contains(','));
    if comma { Marks::DecimalComma } else { Marks::Point }
}

/// `Running with 16 threadCount`, `Running WRITE with 4 threads for 1000 iteration`.
fn thread_count(line: &str) -> Option<&str> {
    let (count, rest) = line.strip_prefix("Running ")?.split_once("with ")?.1.split_once(' ')?;
    (rest.starts_with("thread") && count.bytes().all(|b| b.is_ascii_digit())).then_some(count)
}

fn result_line(
    builder: &mut Builder<'_>,
    at: usize,
    line: &str,
    marks: Marks,
    parameters: &BTreeMap<String, String>,
) -> Result<(), ParseError> {
    let Some((label, rest)) = line.split_once(':') else {
        builder.unknown_line(at, line);
        return Ok(());
    };
    let (label, rest) = (label.trim(), rest.trim());
    let Some(default_unit) = unit_of(label) else {
        builder.unknown_line(at, line);
        return Ok(());
    };
    let (whole, parts) = rest.split_once('[').unwrap_or((rest, ""));
    let mut pieces = vec![(TOTAL, whole.trim())];
    // A comma inside a number is followed by a digit, the one between items by a blank.
    for item in parts.trim_end().trim_end_matches(']').split(", ").filter(|item| !item.trim().is_empty()) {
        match item.rsplit_once(':') {
            Some((name, value)) => pieces.push((name.trim(), value.trim())),
            None => builder.unknown_line(at, item),
        }
    }
    for (name, printed) in pieces {
        let Some((value, unit)) = value_of(label, printed, default_unit, marks) else {
            builder.warn(At::Line(at), format!("{label} of {name} is not a number and skipped: {printed:?}"));
            continue;
        };
        let Some(key) = builder.key(At::Line(at), name, parameters.clone()) else { continue };
        observe(builder, at, &key, Reading { measure: label, unit, value, better: None, summarised: false })?;
    }
    Ok(())
}

fn observe(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    reading: Reading<'_>,
) -> Result<(), ParseError> {
    builder.observe(At::Line(at), key, Some(Kind::EndToEnd), reading)
}

/// The unit that a line of this label has when none is printed behind the value; `None` for other lines.
fn unit_of(label: &str) -> Option<&'static str> {
    let label = label.to_ascii_lowercase();
    Some(match label.as_str() {
        "op rate" => "op/s",
        "partition rate" => "pk/s",
        "row rate" => "row/s",
        "total partitions" => "partitions",
        "total errors" => "errors",
        "total gc count" => "count",
        "total gc mb" | "total gc memory" => "MB",
        "total operation time" | "total gc time (s)" | "total gc time" => "s",
        "avg gc time(ms)" | "stdev gc time(ms)" | "avg gc time" | "stddev gc time" => "ms",
        _ if label.starts_with("latency ") => "ms",
        _ => return None,
    })
}

fn value_of<'p>(
    label: &str,
    printed: &'p str,
    default_unit: &'p str,
    marks: Marks,
) -> Option<(f64, &'p str)> {
    if label.eq_ignore_ascii_case("total operation time") {
        return clock_seconds(printed).map(|seconds| (seconds, "s"));
    }
    // The tool prints these as whole numbers, so that a mark inside can only group digits.
    let whole = matches!(default_unit, "op/s" | "pk/s" | "row/s" | "partitions" | "errors" | "count");
    let marks = match (whole, marks) {
        (true, Marks::DecimalComma) => Marks::ThousandsPoint,
        (true, _) => Marks::ThousandsComma,
        (false, marks) => marks,
    };
    let (value, unit) = split_unit(printed, marks)?;
    let unit = unit.trim();
    Some((value, if unit.is_empty() { default_unit } else { unit }))
        .filter(|(value, _)| *value >= 0.0)
        .or_else(|| number(printed, marks).filter(|value| *value >= 0.0).map(|value| (value, default_unit)))
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    fn value(report: &Report, name: &str, measure: &str) -> f64 {
        let benchmark = report.benchmarks.iter().find(|b| b.key.name.as_str() == name).unwrap();
        benchmark.measurements.iter().find(|m| m.measure.name.as_str() == measure).unwrap().observations[0]
    }

    #[test]
    fn a_list_that_a_mail_program_broke_reads_as_one() {
        let report = report(
            "Results:\nop rate : 3 [a:1, b:2]\nlatency mean : 19,1 [a:15,4,\nb:21,0]\nlatency max : 609,1 [a:1,\n\nb:2]\n",
        );
        assert_eq!(value(&report, "b", "latency mean"), 21e6);
        assert_eq!(value(&report, "b", "latency max"), 2e6);
        assert_eq!(value(&report, "total", "op rate"), 3.0);
    }

    #[test]
    fn the_newer_layout_groups_whole_numbers_by_the_mark_that_latencies_do_not_use() {
        for text in [
            "Results:\nOp rate : 12,655 op/s  [READ: 12,655 op/s]\nPartition rate : 1 pk/s [READ: 1 pk/s]\n\
             Latency mean : 1.5 ms [READ: 1.5 ms]\nTotal GC memory : 1.250 GiB\nTotal operation time : 00:02:28\n",
            "Results:\nOp rate : 12.655 op/s  [READ: 12.655 op/s]\nPartition rate : 1 pk/s [READ: 1 pk/s]\n\
             Latency mean : 1,5 ms [READ: 1,5 ms]\nTotal GC memory : 1,250 GiB\nTotal operation time : 00:02:28\n",
        ] {
            let report = report(text);
            assert_eq!(value(&report, "READ", "Op rate"), 12_655.0);
            assert_eq!(value(&report, "total", "Latency mean"), 1.5e6);
            assert_eq!(value(&report, "total", "Total GC memory"), 1.25 * 1_073_741_824.0);
            assert_eq!(value(&report, "total", "Total operation time"), 148e9);
        }
    }
}
