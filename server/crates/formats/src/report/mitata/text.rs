//! The table on the terminal.
//!
//! Version 0 has one line a benchmark. Version 1 has two or, in a compact table, one, and below them the garbage
//! collector's time, the bytes allocated and the processor's counters where they were measured.

use model::Better;

use super::line::{Cell, bounds, cell, counted, is_drawing, is_plot, result, share};
use super::{AVERAGE, KIND, TEXT};
use crate::error::{At, ParseError};
use crate::number::lines;
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::{text, without_colours};

/// The head of the table, in both versions.
fn is_head(line: &str) -> bool {
    (line.starts_with("benchmark ") || line.starts_with("\u{2022} "))
        && ((line.contains("avg (min \u{2026} max)") && line.contains("p75"))
            || (line.contains("time (avg)") && line.contains("(min \u{2026} max)")))
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| is_head(without_colours(line).trim())) { Sniff::Yes } else { Sniff::No }
}

/// Where in the table the reader is.
#[derive(Debug)]
struct Place {
    group: Option<String>,
    /// The benchmark whose further lines may come.
    open: Option<String>,
    /// The percentiles behind a result, as the head names them.
    percentiles: Vec<String>,
    /// The line before named a group, so that the rule below it begins none.
    named: bool,
    /// An error's stack may come.
    failed: bool,
    /// The comparison at the end of a group says again what stands above it.
    summary: bool,
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut place = Place {
        group: None,
        open: None,
        percentiles: vec!["p75".to_owned(), "p99".to_owned()],
        named: false,
        failed: false,
        summary: false,
    };
    for (at, line) in lines(&text) {
        let line = without_colours(line);
        let bare = line.trim();
        let known = results(&mut builder, &mut place, at, bare)?
            || further(&mut builder, &mut place, at, bare)?
            || around(&mut place, bare)
            || is_fact(&mut builder, bare)
            || is_plot(bare);
        if !known {
            builder.unknown_line(at, &line);
        }
    }
    builder.finish(None)
}

/// A benchmark's first line, or its failure.
fn results(builder: &mut Builder<'_>, place: &mut Place, at: usize, line: &str) -> Result<bool, ParseError> {
    if let Some((name, average, rest)) = result(line) {
        place.open = Some(name.to_owned());
        (place.failed, place.summary) = (false, false);
        let Some(mut entry) = entry(builder, at, name, place.group.as_deref()) else { return Ok(true) };
        entry.observe(Reading::summary(AVERAGE, average.unit, average.value).towards(Better::Lower))?;
        let rest = match bounds(rest) {
            Some((both, rest)) => {
                say_bounds(&mut entry, AVERAGE, "", both);
                rest
            }
            None => rest,
        };
        let names: Vec<&str> = place.percentiles.iter().map(String::as_str).collect();
        percentiles(&mut entry, &names, rest)?;
        return Ok(true);
    }
    if let Some((name, reason)) = line.split_once("error: ").filter(|(name, _)| name.ends_with(' ')) {
        (place.failed, place.open) = (true, None);
        if let Some(mut entry) = entry(builder, at, name, place.group.as_deref()) {
            entry.fail(reason)?;
        }
        return Ok(true);
    }
    Ok(false)
}

/// A further line of the benchmark above.
fn further(builder: &mut Builder<'_>, place: &mut Place, at: usize, line: &str) -> Result<bool, ParseError> {
    let Some(name) = &place.open else { return Ok(false) };
    let collected = line.strip_prefix("gc");
    if let Some((both, rest)) = bounds(collected.unwrap_or(line)) {
        let Some(mut entry) = entry(builder, at, name, place.group.as_deref()) else { return Ok(true) };
        match (collected, both) {
            (Some(_), both) => collector(&mut entry, both, rest)?,
            (None, [Cell { unit: "B", .. }, _]) => heap(&mut entry, both, rest)?,
            (None, both) => {
                say_bounds(&mut entry, AVERAGE, "", both);
                percentiles(&mut entry, &["p99"], rest)?;
            }
        }
        return Ok(true);
    }
    if counted(line, &["ipc", "cycles"]).is_none() {
        return Ok(false);
    }
    let Some(mut entry) = entry(builder, at, name, place.group.as_deref()) else { return Ok(true) };
    counters(&mut entry, line)?;
    Ok(true)
}

/// Behind the bounds of the collections stands the average of their time, or that of the heap with its bounds.
fn collector(entry: &mut Entry<'_, '_>, both: [Cell; 2], rest: &str) -> Result<(), ParseError> {
    let Some((average, rest)) = cell(rest) else {
        left(entry, rest);
        return Ok(());
    };
    if average.unit != "B" {
        entry.observe(Reading::summary("gc", "ns", average.value).towards(Better::Lower))?;
        say_bounds(entry, "gc", "gc ", both);
        left(entry, rest);
        return Ok(());
    }
    say_bounds(entry, AVERAGE, "gc ", both);
    entry.observe(Reading::summary("heap", "B", average.value).towards(Better::Lower))?;
    match bounds(rest) {
        Some((both, rest)) => {
            say_bounds(entry, "heap", "heap ", both);
            left(entry, rest);
        }
        None => left(entry, rest),
    }
    Ok(())
}

fn heap(entry: &mut Entry<'_, '_>, both: [Cell; 2], rest: &str) -> Result<(), ParseError> {
    let Some((average, rest)) = cell(rest) else {
        left(entry, rest);
        return Ok(());
    };
    entry.observe(Reading::summary("heap", "B", average.value).towards(Better::Lower))?;
    say_bounds(entry, "heap", "heap ", both);
    left(entry, rest);
    Ok(())
}

/// `2.10 ipc (99.10% cache) 0.02 branch misses`, `1.02k cycles 2.14k instructions 12.00 c-refs 0.10 c-misses`, and what
/// macOS has in their place.
fn counters(entry: &mut Entry<'_, '_>, line: &str) -> Result<(), ParseError> {
    const NAMES: [&str; 6] = ["ipc", "branch misses", "cycles", "instructions", "c-refs", "c-misses"];
    let mut rest = line;
    loop {
        if let Some((value, name, behind)) = counted(rest, &NAMES) {
            let (measure, unit, better) = match name {
                "ipc" => ("ipc", "instructions/cycle", Better::Higher),
                "cycles" | "instructions" => (name, name, Better::Lower),
                "c-refs" => ("cache", "count", Better::Lower),
                "c-misses" => ("cache misses", "count", Better::Lower),
                _ => ("bmispred", "count", Better::Lower),
            };
            entry.observe(Reading::summary(measure, unit, value).towards(better))?;
            rest = behind;
        } else if let Some((value, name, behind)) = share(rest) {
            let (measure, better) = match name {
                "stalls" => ("stalls", Better::Lower),
                "cache" | "L1 data cache" => ("cache hits", Better::Higher),
                _ => ("retired LD/ST", Better::Neither),
            };
            entry.observe(Reading::summary(measure, "%", value).towards(better))?;
            rest = behind;
        } else {
            left(entry, rest);
            return Ok(());
        }
    }
}

/// What was left of a line is a drawing, or a warning.
fn left(entry: &mut Entry<'_, '_>, rest: &str) {
    if !is_drawing(rest) {
        let text = format!("not understood and skipped: {:?}", rest.trim());
        entry.builder.warn(entry.at.clone(), text);
    }
}

/// Heads, groups, rules, comparisons and stacks.
fn around(place: &mut Place, line: &str) -> bool {
    let named = std::mem::replace(&mut place.named, false);
    if is_head(line) {
        place.named = true;
        if line.contains("time (avg)") {
            let words = line.split_whitespace().skip_while(|word| *word != "max)").skip(1);
            place.percentiles = words.map(str::to_owned).collect();
        }
    } else if let Some(name) = line.strip_prefix("\u{2022} ") {
        place.group = Some(name.trim().to_owned());
        place.named = true;
    } else if line.starts_with("----") && is_drawing(line) {
        // A rule without a name above it begins what belongs to no group.
        if !named {
            place.group = None;
        }
        (place.open, place.summary) = (None, false);
    } else if line.is_empty() {
        place.summary = false;
    } else if line == "summary" || line.starts_with("summary for ") {
        place.summary = true;
    } else if place.failed && (line.starts_with("at ") || (line.contains("Error") && line.contains(": "))) {
        // The stack of the error that the line above told.
    } else {
        return place.summary
            || is_drawing(line)
            || line.starts_with("benchmark was likely optimized out")
            || line.starts_with("https://github.com/evanwashere/mitata");
    }
    true
}

/// A fact about the machine, which is kept, or an empty line.
pub(super) fn is_fact(builder: &mut Builder<'_>, line: &str) -> bool {
    for fact in ["clk", "cpu", "runtime"] {
        if let Some(value) = line.strip_prefix(fact).and_then(|rest| rest.strip_prefix(": ")) {
            builder.fact(fact, value.trim());
            return true;
        }
    }
    line.is_empty()
}

/// The benchmark of a name in its group.
pub(super) fn entry<'b, 'a>(
    builder: &'b mut Builder<'a>,
    at: usize,
    name: &str,
    group: Option<&str>,
) -> Option<Entry<'b, 'a>> {
    let parameters = group.map(|group| ("group".to_owned(), group.to_owned())).into_iter().collect();
    Entry::new(builder, At::Line(at), name.trim(), parameters, KIND)
}

fn say_bounds(entry: &mut Entry<'_, '_>, measure: &str, of: &str, both: [Cell; 2]) {
    for (name, bound) in ["min", "max"].iter().zip(both) {
        entry.figure(measure, &format!("{of}{name}"), bound.unit, bound.value);
    }
}

fn percentiles(entry: &mut Entry<'_, '_>, names: &[&str], mut rest: &str) -> Result<(), ParseError> {
    for name in names {
        let Some((value, behind)) = cell(rest) else { break };
        entry.observe(Reading::summary(name, value.unit, value.value).towards(Better::Lower))?;
        rest = behind;
    }
    left(entry, rest);
    Ok(())
}
