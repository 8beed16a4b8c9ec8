//! Hadoop jobs (teragen, terasort, …): their counters and the log around them; TestDFSIO's summary.
//!
//! Written from what Hadoop 2 and 3 print (`org.apache.hadoop.mapreduce.Job`). Counters are `Name=123` below a group's
//! heading, each line perhaps behind a log's prefix. The wall time is the difference of the first and the last line's
//! timestamps, where lines have them; throughput is what was written over it.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use model::BenchmarkKey;

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

pub(super) const READER: Reader = Reader {
    name: "hadoop",
    about: "counters of a Hadoop job (teragen, terasort) and TestDFSIO",
    sniff,
    read,
};

/// A line without a log's prefix, with its indentation.
fn content(line: &str) -> &str {
    let rest = [
        "INFO mapreduce.Job: ",
        "INFO mapred.JobClient: ",
        "INFO  mapreduce.Job: ",
        "INFO [main] mapreduce.Job: ",
        "INFO fs.TestDFSIO: ",
    ]
    .iter()
    .find_map(|prefix| line.split_once(prefix));
    rest.map_or(line, |(_, rest)| rest)
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let counters = head.lines().any(|line| content(line).trim().starts_with("File System Counters"))
        || head.lines().any(|line| content(line).trim().starts_with("Map-Reduce Framework"));
    let numbered = head.lines().any(|line| counter(content(line)).is_some());
    if (counters && numbered) || head.contains("----- TestDFSIO ----- :") { Sniff::Yes } else { Sniff::No }
}

/// `\t\tHDFS: Number of bytes written=10000000000`.
fn counter(line: &str) -> Option<(&str, f64)> {
    if !line.starts_with(['\t', ' ']) {
        return None;
    }
    let (name, value) = line.trim().rsplit_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains("://");
    Some((name.trim(), number(value, Marks::Point).filter(|_| is_name)?))
}

/// `24/05/22 14:50:15` or `2024-05-22 14:50:15,123` at a line's beginning, in seconds.
fn timestamp(line: &str) -> Option<f64> {
    let head = line.get(..23.min(line.len()))?;
    let parse = |text: &str, format: &str| NaiveDateTime::parse_from_str(text, format).ok();
    let long = head.get(..19).and_then(|text| parse(text, "%Y-%m-%d %H:%M:%S"));
    let at = long.or_else(|| head.get(..17).and_then(|text| parse(text, "%y/%m/%d %H:%M:%S")))?;
    let fraction =
        head.get(19..23).and_then(|text| number(text.strip_prefix(',')?, Marks::Point)).unwrap_or(0.0);
    Some(at.and_utc().timestamp() as f64 + fraction / 1e3)
}

#[derive(Default)]
struct Job {
    key: Option<BenchmarkKey>,
    name: String,
    written: Option<f64>,
    first: Option<f64>,
    last: Option<f64>,
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut job = Job::default();
    let mut dfsio = false;
    for (at, line) in lines(&text) {
        if let Some(second) = timestamp(line) {
            job.first.get_or_insert(second);
            job.last = Some(second);
        }
        let said = content(line);
        dfsio |= said.contains("----- TestDFSIO ----- :");
        if dfsio {
            test_dfsio(&mut builder, at, said)?;
        } else {
            job.line(&mut builder, at, said)?;
        }
    }
    job.finish(&mut builder)?;
    builder.finish(None)
}

impl Job {
    fn key(&mut self, builder: &mut Builder<'_>, at: usize) -> Option<BenchmarkKey> {
        if self.key.is_none() {
            let name = if self.name.is_empty() { "hadoop job" } else { &self.name };
            self.key = builder.key(At::Line(at), name, BTreeMap::new());
        }
        self.key.clone()
    }

    fn line(&mut self, builder: &mut Builder<'_>, at: usize, line: &str) -> Result<(), ParseError> {
        // `INFO terasort.TeraGen: Generating …` names the program.
        for program in ["TeraGen", "TeraSort", "TeraValidate"] {
            if line.contains(&format!("{program}:")) && self.name.is_empty() {
                self.name = program.to_lowercase();
            }
        }
        if line.contains("failed with state FAILED") || line.contains("failed with state KILLED") {
            return match self.key(builder, at) {
                Some(key) => Load { builder, key }.fail(line.trim()),
                None => Ok(()),
            };
        }
        let Some((name, value)) = counter(line) else { return Ok(()) };
        if name == "Bytes Written"
            || (name.ends_with("Number of bytes written") && !name.starts_with("FILE") && value > 0.0)
        {
            self.written = Some(self.written.unwrap_or(0.0).max(value));
        }
        let Some(key) = self.key(builder, at) else { return Ok(()) };
        let (unit, is) = nature(name);
        Load { builder, key }.value(At::Line(at), is, name, unit, value)
    }

    fn finish(mut self, builder: &mut Builder<'_>) -> Result<(), ParseError> {
        let seconds =
            self.first.zip(self.last).map(|(first, last)| last - first).filter(|seconds| *seconds > 0.0);
        let (Some(seconds), false) = (seconds, builder.is_empty()) else { return Ok(()) };
        let Some(key) = self.key(builder, 1) else { return Ok(()) };
        let mut load = Load { builder, key };
        load.value(At::File, Is::Latency, "wall time", "s", seconds)?;
        match self.written {
            Some(written) => load.value(At::File, Is::Rate, "throughput", "B/s", written / seconds),
            None => Ok(()),
        }
    }
}

/// Unit and kind of a counter by its name: times and garbage collection cost, what was moved was the task.
fn nature(name: &str) -> (&'static str, Is) {
    if name.ends_with("(ms)") {
        ("ms", Is::Latency)
    } else if name.contains("(bytes)") || name.contains("bytes") || name.starts_with("Bytes ") {
        ("B", Is::Amount)
    } else if name.contains("Failed")
        || name.contains("Killed")
        || name.contains("Spilled")
        || name.ends_with("ERROR")
    {
        ("count", Is::Failure)
    } else {
        ("count", Is::Amount)
    }
}

/// `       Throughput mb/sec: 23.5`.
fn test_dfsio(builder: &mut Builder<'_>, at: usize, line: &str) -> Result<(), ParseError> {
    let Some((label, value)) = line.trim().split_once(':') else { return Ok(()) };
    let label = label.trim();
    let Some(value) = number(value, Marks::Point) else { return Ok(()) };
    // Its megabytes are MiB.
    let (unit, is) = match label {
        "Throughput mb/sec" | "Average IO rate mb/sec" | "Total Throughput mb/sec" => ("MiB/s", Is::Rate),
        "Test exec time sec" => ("s", Is::Latency),
        "Total MBytes processed" => ("MiB", Is::Amount),
        "Number of files" => ("count", Is::Amount),
        _ => return Ok(()),
    };
    match builder.key(At::Line(at), "TestDFSIO", BTreeMap::new()) {
        Some(key) => Load { builder, key }.value(At::Line(at), is, label, unit, value),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read};

    fn report(text: &str) -> Report {
        match read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn throughput_is_what_was_written_over_the_logs_time() {
        let report = report(
            "20/08/18 10:00:00 INFO terasort.TeraGen: Generating 100 using 2\n20/08/18 10:00:10 INFO mapreduce.Job: Counters: 20\n\tFile System Counters\n\t\tFILE: Number of bytes written=999\n\t\t\
             HDFS: Number of bytes written=10000000\n\tMap-Reduce Framework\n\t\tGC time elapsed (ms)=120\n\tFile Output Format Counters \n\t\tBytes Written=10000000\n20/08/18 10:00:20 INFO done\n",
        );
        let benchmark = &report.benchmarks[0];
        assert_eq!(benchmark.key.to_string(), "teragen");
        let value = |name: &str| {
            benchmark.measurements.iter().find(|m| m.measure.name.as_str() == name).unwrap().observations[0]
        };
        assert_eq!(
            (value("wall time"), value("throughput"), value("GC time elapsed (ms)")),
            (20e9, 500_000.0, 120e6)
        );
    }

    #[test]
    fn prefixes_of_a_log_and_test_dfsio_are_understood() {
        let report = report(
            "24/05/22 14:50:15 INFO fs.TestDFSIO: ----- TestDFSIO ----- : write\n24/05/22 14:50:15 INFO fs.TestDFSIO:        Throughput mb/sec: 2.0\n24/05/22 14:50:15 INFO fs.TestDFSIO:     Test exec time sec: 12.5\n",
        );
        assert_eq!(report.benchmarks[0].measurements[0].observations, [2_097_152.0]);
    }
}
