//! iperf3's JSON (`-J`) and the summary lines of its text.
//!
//! Written from iperf 3.1 to 3.17 (<https://software.es.net/iperf/>). A run that could not connect is a valid document
//! with an `error` member and an empty `end`. Prefixes of bit rates are decimal.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::json::{Field, outline, parse};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::text;

pub(super) const JSON: Reader =
    Reader { name: "iperf3", about: "iperf3 -J", sniff: sniff_json, read: read_json };
pub(super) const TEXT: Reader =
    Reader { name: "iperf3-text", about: "what iperf3 prints", sniff: sniff_text, read: read_text };

const NAME: &str = "iperf3";
const KIND: Option<Kind> = Some(Kind::EndToEnd);

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |first: &str, second: &str| {
        outline.at_depth(2).any(|(path, _)| matches!(path, [a, b] if a == first && b == second))
    };
    let begins = has("start", "connected") || has("start", "test_start");
    if begins && has("start", "version") { Sniff::Yes } else { Sniff::No }
}

/// What a summary says: member, unit, direction.
const MEMBERS: [(&str, &str, Better); 6] = [
    ("bits_per_second", "bit/s", Better::Higher),
    ("bytes", "B", Better::Neither),
    ("retransmits", "count", Better::Lower),
    ("jitter_ms", "ms", Better::Lower),
    ("lost_packets", "count", Better::Lower),
    ("lost_percent", "%", Better::Lower),
];

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    let Some(key) = builder.key(At::File, NAME, BTreeMap::new()) else { return builder.finish(None) };
    let start = root.get("start");
    if let Some(start) = &start {
        for fact in ["version", "system_info"] {
            if let Some(text) = start.get(fact) {
                builder.fact(fact, &text.scalar()?);
            }
        }
        if let Some(test) = start.get("test_start") {
            for (name, value) in test.members()? {
                if let Ok(value) = value.scalar() {
                    builder.fact(name, &value);
                }
            }
        }
    }
    if let Some(end) = root.get("end") {
        for sum in ["sum_sent", "sum_received", "sum", "sum_sent_bidir_reverse", "sum_received_bidir_reverse"]
        {
            if let Some(summary) = end.get(sum) {
                summarised(&mut builder, &key, sum, &summary)?;
            }
        }
        if let Some(cpu) = end.get("cpu_utilization_percent") {
            for side in ["host_total", "remote_total"] {
                if let Some(value) = cpu.get(side) {
                    let name = format!("cpu {side}");
                    let reading = Reading::summary(&name, "%", value.number()?).towards(Better::Lower);
                    builder.observe(value.at(), &key, KIND, reading)?;
                }
            }
        }
    }
    if let Some(error) = root.get("error") {
        builder.fail(&key, KIND, error.text()?)?;
    }
    builder.finish(None)
}

fn summarised(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    sum: &str,
    summary: &Field<'_>,
) -> Result<(), ParseError> {
    for (member, unit, better) in MEMBERS {
        let Some(field) = summary.get(member) else { continue };
        // Jitter and losses stand in `sum` alone for UDP, and say nothing of the sender's side.
        let is_udp = matches!(member, "jitter_ms" | "lost_packets" | "lost_percent");
        if is_udp && sum != "sum" {
            continue;
        }
        let name = if is_udp { member.to_owned() } else { format!("{sum} {member}") };
        let reading = Reading::summary(&name, unit, field.number()?).towards(better);
        builder.observe(field.at(), key, KIND, reading)?;
    }
    Ok(())
}

/// `[SUM]   0.00-10.00  sec  1.10 GBytes   942 Mbits/sec   12   sender`.
struct Summary<'a> {
    stream: &'a str,
    bits: f64,
    retransmits: Option<f64>,
    jitter_ms: Option<f64>,
    side: &'static str,
}

fn summary(line: &str) -> Option<Summary<'_>> {
    let line = line.trim_end();
    let side = ["sender", "receiver"].into_iter().find(|side| line.ends_with(side))?;
    let (stream, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let rate = words.iter().position(|word| word.ends_with("bits/sec"))?;
    let scale = match words.get(rate)?.strip_suffix("bits/sec")? {
        "" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        _ => return None,
    };
    let bits = number(words.get(rate.checked_sub(1)?)?, Marks::Point)? * scale;
    let behind = words.get(rate + 1..)?;
    let jitter_ms = behind
        .iter()
        .position(|word| *word == "ms")
        .and_then(|at| number(behind.get(at.checked_sub(1)?)?, Marks::Point));
    let retransmits =
        behind.first().filter(|_| jitter_ms.is_none()).and_then(|word| number(word, Marks::Point));
    Some(Summary { stream: stream.trim(), bits, retransmits, jitter_ms, side })
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let ours = head.lines().any(|line| summary(line).is_some()) && head.contains("local ");
    let refused = head.lines().any(|line| line.starts_with("iperf3: error - "));
    if ours || refused { Sniff::Yes } else { Sniff::No }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let Some(key) = builder.key(At::File, NAME, BTreeMap::new()) else { return builder.finish(None) };
    let all: Vec<(usize, Summary<'_>)> =
        lines(&text).filter_map(|(at, line)| Some((at, summary(line)?))).collect();
    // With several streams their sum speaks for them.
    let summed = all.iter().any(|(_, summary)| summary.stream.starts_with("SUM"));
    for (at, summary) in all.iter().filter(|(_, summary)| !summed || summary.stream.starts_with("SUM")) {
        let side = if summary.side == "sender" { "sum_sent" } else { "sum_received" };
        let mut say = |name: String, unit, value: Option<f64>, better| {
            value.map_or(Ok(()), |value| {
                let reading = Reading::summary(&name, unit, value).towards(better);
                builder.observe(At::Line(*at), &key, KIND, reading)
            })
        };
        say(format!("{side} bits_per_second"), "bit/s", Some(summary.bits), Better::Higher)?;
        say(format!("{side} retransmits"), "count", summary.retransmits, Better::Lower)?;
        say(
            "jitter_ms".to_owned(),
            "ms",
            summary.jitter_ms.filter(|_| summary.side == "receiver"),
            Better::Lower,
        )?;
    }
    for (_, line) in lines(&text) {
        if let Some(why) = line.strip_prefix("iperf3: error - ") {
            builder.fail(&key, KIND, why)?;
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    #[test]
    fn the_sum_speaks_for_several_streams() {
        let text = "[  5] local 10.0.0.1 port 1 connected to 10.0.0.2 port 2\n[  5]   0.00-10.00  sec  1.10 GBytes   100 Mbits/sec   12   sender\n\
                    [SUM]   0.00-10.00  sec  1.10 GBytes   942 Mbits/sec   13             sender\n[SUM]   0.00-10.00  sec  1.10 GBytes   1.5 Gbits/sec                  receiver\n";
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = parsed.content else { panic!("a report") };
        let values: Vec<f64> = report.benchmarks[0].measurements.iter().map(|m| m.observations[0]).collect();
        assert_eq!(values, [942e6, 13.0, 1.5e9]);
    }
}
