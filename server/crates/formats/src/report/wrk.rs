//! wrk and wrk2.
//!
//! Written from wrk 4 (<https://github.com/wg/wrk>) and wrk2 (<https://github.com/giltene/wrk2>). Each value has its own
//! unit; requests have decimal prefixes, bytes binary ones written as decimal (`13.75MB` is MiB). wrk2's `-U` prints a
//! second distribution, of latencies that are not corrected for coordinated omission.

use std::collections::BTreeMap;

use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::hdrhistogram::{self, Line};
use crate::report::load::{Is, Load};
use crate::text::text;

pub(super) const READER: Reader = Reader { name: "wrk", about: "what wrk and wrk2 print", sniff, read };

/// `Running 2s test @ URL`.
fn running(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("Running ")?;
    Some(rest.split_once(" test @ ")?.1.trim())
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let usage = head.starts_with("Usage: wrk ");
    if usage || head.lines().any(|line| running(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// `0.93ms`, `115.00us`, `1.50m`: the value and the unit.
fn time(text: &str) -> Option<(f64, &str)> {
    let (value, unit) = split_unit(text, Marks::Point)?;
    let unit = match unit {
        "us" | "ms" | "s" | "h" => unit,
        "m" => "min",
        _ => return None,
    };
    Some((value, unit))
}

/// `13.75MB`: binary, whatever it says.
fn bytes(text: &str) -> Option<f64> {
    let (value, unit) = split_unit(text, Marks::Point)?;
    let power = match unit.trim_end_matches("/s") {
        "B" | "" => 0,
        "K" | "KB" => 1,
        "M" | "MB" => 2,
        "G" | "GB" => 3,
        "T" | "TB" => 4,
        _ => return None,
    };
    Some(value * 1024_f64.powi(power))
}

/// A second block of distributions is of uncorrected latencies.
struct State {
    prefix: &'static str,
    spectrum: bool,
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    if let Some((at, _)) = lines(&text).find(|(_, line)| line.starts_with("Usage: wrk ")) {
        let said = "this is wrk's usage text: it was called with wrong options and measured nothing";
        return Err(builder.error(At::Line(at), Kind::Invalid(said.to_owned())));
    }
    let mut key = None;
    let mut state = State { prefix: "", spectrum: false };
    for (at, line) in lines(&text) {
        if let Some(url) = running(line) {
            key = builder.key(At::Line(at), url, BTreeMap::new());
            state = State { prefix: "", spectrum: false };
            continue;
        }
        if let Some(key) = &key {
            let mut load = Load { builder: &mut builder, key: key.clone() };
            result_line(&mut load, at, &mut state, line)?;
        }
    }
    builder.finish(None)
}

fn result_line(load: &mut Load<'_, '_>, at: usize, state: &mut State, line: &str) -> Result<(), ParseError> {
    let place = || At::Line(at);
    let trimmed = line.trim();
    let words: Vec<&str> = trimmed.split_whitespace().collect();
    if trimmed.starts_with("Latency Distribution (HdrHistogram - Uncorrected") {
        (state.prefix, state.spectrum) = ("uncorrected ", false);
    } else if trimmed.starts_with("Detailed Percentile spectrum") {
        state.spectrum = true;
    } else if state.spectrum && line.starts_with("-----") {
        state.spectrum = false;
    } else if state.spectrum
        && let Some(parsed) = hdrhistogram::line(line)
    {
        let prefix = format!("{}spectrum ", state.prefix);
        spectrum(load, at, &prefix, parsed);
        return Ok(());
    }
    match words.as_slice() {
        ["Latency", average, deviation, max, _] => {
            let Some((value, unit)) = time(average) else { return Ok(()) };
            let measure = format!("{}latency avg", state.prefix);
            load.value(place(), Is::Latency, &measure, unit, value)?;
            for (name, printed) in [("stdev", deviation), ("max", max)] {
                if let Some((value, unit)) = time(printed) {
                    load.figure(place(), &measure, &format!("{}latency {name}", state.prefix), unit, value);
                }
            }
        }
        [percent, value] if percent.ends_with('%') && !state.spectrum => {
            let percent = number(percent.trim_end_matches('%'), Marks::Point);
            if let (Some(percent), Some((value, unit))) = (percent, time(value)) {
                let measure = format!("{}latency p{percent}", state.prefix);
                load.value(place(), Is::Latency, &measure, unit, value)?;
            }
        }
        [requests, "requests", "in", duration, read, "read"] => {
            let duration = duration.trim_end_matches(',');
            if let (Some(requests), Some((value, unit)), Some(read)) =
                (number(requests, Marks::Point), time(duration), bytes(read))
            {
                load.value(place(), Is::Amount, "requests", "count", requests)?;
                load.value(place(), Is::Amount, "duration", unit, value)?;
                load.value(place(), Is::Amount, "bytes read", "B", read)?;
            }
        }
        ["Requests/sec:", rate] => {
            if let Some(rate) = number(rate, Marks::Point) {
                load.value(place(), Is::Rate, "requests per second", "1/s", rate)?;
            }
        }
        ["Transfer/sec:", rate] => {
            if let Some(rate) = bytes(rate) {
                load.value(place(), Is::Rate, "transfer per second", "B/s", rate)?;
            }
        }
        // `Socket errors: connect 0, read 3, write 0, timeout 2`.
        ["Socket", "errors:", rest @ ..] => {
            for pair in rest.chunks_exact(2) {
                if let [name, count] = pair
                    && let Some(count) = number(count.trim_end_matches(','), Marks::Point)
                {
                    load.value(place(), Is::Failure, &format!("socket errors {name}"), "count", count)?;
                }
            }
        }
        ["Non-2xx", "or", "3xx", "responses:", count] => {
            if let Some(count) = number(count, Marks::Point) {
                load.value(place(), Is::Failure, "non-2xx responses", "count", count)?;
            }
        }
        ["unable", "to", "connect", ..] => load.fail(trimmed)?,
        _ => {}
    }
    Ok(())
}

/// Lines of the spectrum are figures of the mean latency, in milliseconds.
fn spectrum(load: &mut Load<'_, '_>, at: usize, prefix: &str, line: Line) {
    for (name, value, is_count) in line.values() {
        let unit = if is_count { "count" } else { "ms" };
        load.figure(At::Line(at), "latency avg", &format!("{prefix}{name}"), unit, value);
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    #[test]
    fn units_are_each_values_own_and_bytes_are_binary() {
        let text = "Running 30s test @ http://h/\n  2 threads and 10 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     1.50m   2.28ms  29.16s   91.24%\n    \
                    Req/Sec    -nan      -nan   0.00      0.00%\n  Latency Distribution\n     50%  115.00us\n  10 requests in 30.00s, 1.00MB read\n  Socket errors: connect 0, read 3, write 0, timeout 2\n\
                    Requests/sec:  59011.06\nTransfer/sec:      6.00KB\n";
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let value = |name: &str| {
            report.benchmarks[0]
                .measurements
                .iter()
                .find(|m| m.measure.name.as_str() == name)
                .unwrap()
                .observations[0]
        };
        assert_eq!((value("latency avg"), value("latency p50")), (90e9, 115e3));
        assert_eq!(
            (value("bytes read"), value("transfer per second"), value("socket errors timeout")),
            (1_048_576.0, 6144.0, 2.0)
        );
    }

    #[test]
    fn the_usage_text_is_no_result() {
        let error =
            read_any(b"Usage: wrk <options> <url>\n", &Hints::default(), &Limits::default()).unwrap_err();
        assert!(error.to_string().contains("usage text"), "{error}");
    }
}
