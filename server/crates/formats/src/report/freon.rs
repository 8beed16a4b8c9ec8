//! Ozone's freon: the summary of `randomkeys`, and the metrics that newer generators print.
//!
//! Written from Ozone 0.4 to 1.4 (`RandomKeyGenerator`, `BaseFreonGenerator`; <https://ozone.apache.org/>). Durations are
//! `HH:MM:SS,mmm`, with a comma before the milliseconds whatever the locale is.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::number::{Marks, clock_seconds, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::text;

pub(super) const READER: Reader = Reader { name: "freon", about: "what Ozone's freon prints", sniff, read };

const NAME: &str = "freon";

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let summary =
        head.contains("Number of Keys added: ") || head.contains("Average Time spent in key write: ");
    let metrics = head.contains("Total execution time (sec): ") && head.contains("Successful executions: ");
    if summary || metrics { Sniff::Yes } else { Sniff::No }
}

/// Seconds of `00:00:10,894`.
fn clock(text: &str) -> Option<f64> {
    clock_seconds(&text.trim().replace(',', "."))
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut run = Run::default();
    for (at, line) in lines(&text) {
        // A log's prefix ends before the label.
        let Some((label, value)) = line.trim().rsplit_once(": ") else {
            run.metrics_line(&mut builder, at, line)?;
            continue;
        };
        let label = label.rsplit_once(" - ").map_or(label, |(_, label)| label).trim();
        run.summary_line(&mut builder, at, label, value.trim())?;
    }
    run.throughput(&mut builder)?;
    builder.finish(None)
}

/// What is derived at the end from what was read.
#[derive(Default)]
struct Run {
    bytes: Option<f64>,
    seconds: Option<f64>,
    /// The timer whose lines are being read.
    timer: String,
}

impl Run {
    fn load<'b, 'a>(builder: &'b mut Builder<'a>, name: &str) -> Option<Load<'b, 'a>> {
        let key = builder.key(At::File, name, BTreeMap::new())?;
        Some(Load { builder, key })
    }

    fn summary_line(
        &mut self,
        builder: &mut Builder<'_>,
        at: usize,
        label: &str,
        value: &str,
    ) -> Result<(), ParseError> {
        let place = At::Line(at);
        let Some(mut load) = Self::load(builder, NAME) else { return Ok(()) };
        let plain = || number(value, Marks::Point);
        match label {
            "Status" if value != "Success" => load.fail(&format!("status {value}"))?,
            "Number of Volumes created"
            | "Number of Buckets created"
            | "Number of Keys added"
            | "Successful executions"
            | "Successful validation" => {
                if let Some(value) = plain() {
                    load.value(place, Is::Amount, label, "count", value)?;
                }
            }
            "Total bytes written" => {
                self.bytes = plain();
                if let Some(value) = plain() {
                    load.value(place, Is::Amount, label, "B", value)?;
                }
            }
            "Total Execution time" => {
                self.seconds = clock(value);
                if let Some(seconds) = clock(value) {
                    load.value(place, Is::Latency, label, "s", seconds)?;
                }
            }
            "Total execution time (sec)" => {
                self.seconds = plain();
                if let Some(seconds) = plain() {
                    load.value(place, Is::Latency, "Total Execution time", "s", seconds)?;
                }
            }
            "Failures" | "Unsuccessful validation" => {
                if let Some(value) = plain() {
                    load.value(place, Is::Failure, label, "count", value)?;
                }
            }
            _ if label.starts_with("Average Time spent in ") => {
                if let Some(seconds) = clock(value) {
                    load.value(place, Is::Latency, label, "s", seconds)?;
                }
            }
            "Git Base Revision" | "Replication" | "Ratis replication factor" | "Ratis replication type" => {
                load.builder.fact(label, value);
            }
            _ => {}
        }
        Ok(())
    }

    /// The blocks of timers: a name at the margin, below it `mean rate = 12.3 calls/second`, `99% <= 5.2 milliseconds`.
    fn metrics_line(&mut self, builder: &mut Builder<'_>, at: usize, line: &str) -> Result<(), ParseError> {
        if !line.starts_with([' ', '\t']) {
            line.trim().clone_into(&mut self.timer);
            return Ok(());
        }
        let separator = if line.contains("<=") { "<=" } else { "=" };
        let Some((label, value)) = line.trim().split_once(separator) else { return Ok(()) };
        let (label, mut words) = (label.trim(), value.split_whitespace());
        let value = words.next().and_then(|value| number(value, Marks::Point));
        let unit = match words.next() {
            Some("milliseconds") => "ms",
            Some("microseconds") => "us",
            Some("seconds") => "s",
            Some("calls/second") => "1/s",
            _ => "count",
        };
        let (Some(value), false) = (value, self.timer.is_empty()) else { return Ok(()) };
        let timer = self.timer.clone();
        let Some(mut load) = Self::load(builder, &timer) else { return Ok(()) };
        let place = At::Line(at);
        match label {
            "mean rate" => load.value(place, Is::Rate, label, unit, value),
            "count" => load.value(place, Is::Amount, label, "count", value),
            "mean" | "median" => load.value(place, Is::Latency, label, unit, value),
            "min" | "max" | "stddev" if load.builder.has(&load.key, "mean") => {
                load.figure(place, "mean", label, unit, value);
                Ok(())
            }
            _ if label.ends_with('%') => {
                load.value(place, Is::Latency, &format!("p{}", label.trim_end_matches('%')), unit, value)
            }
            _ => Ok(()),
        }
    }

    /// Bytes a second over the whole run, which is what people compare and freon does not print.
    fn throughput(&self, builder: &mut Builder<'_>) -> Result<(), ParseError> {
        let (Some(bytes), Some(seconds)) = (self.bytes, self.seconds.filter(|seconds| *seconds > 0.0)) else {
            return Ok(());
        };
        match Self::load(builder, NAME) {
            Some(mut load) => load.value(At::File, Is::Rate, "throughput", "B/s", bytes / seconds),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn commas_stand_before_milliseconds_and_throughput_follows() {
        let text = "***************************************************\nStatus: Failed\nGit Base Revision: 48aa\nNumber of Keys added: 1000\nRatis replication type: RATIS\n\
                    Average Time spent in key write: 00:00:10,894\nTotal bytes written: 10240000\nTotal Execution time: 00:00:16,000\n***************************************************\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let values: Vec<(&str, f64)> = report.benchmarks[0]
            .measurements
            .iter()
            .map(|m| (m.measure.name.as_str(), m.observations[0].round()))
            .collect();
        assert_eq!(
            values,
            [
                ("Number of Keys added", 1000.0),
                ("Average Time spent in key write", 10_894e6),
                ("Total bytes written", 10_240_000.0),
                ("Total Execution time", 16e9),
                ("throughput", 640_000.0)
            ]
        );
        assert!(matches!(report.benchmarks[0].status, Status::Failed(_)));
    }

    #[test]
    fn timers_of_newer_generators_are_benchmarks() {
        let text = "key-create\n             count = 100\n         mean rate = 12.50 calls/second\n               min = 1.00 milliseconds\n               max = 9.00 milliseconds\n              \
                    mean = 3.00 milliseconds\n            stddev = 1.00 milliseconds\n            median = 2.00 milliseconds\n              99% <= 8.00 milliseconds\n\n\
                    Total execution time (sec): 8\nFailures: 0\nSuccessful executions: 100\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let timer = &report.benchmarks[0];
        assert_eq!(timer.key.to_string(), "key-create");
        assert_eq!(
            timer.measurements.iter().find(|m| m.measure.name.as_str() == "p99").unwrap().observations,
            [8e6]
        );
    }
}
