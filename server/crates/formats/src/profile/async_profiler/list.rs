//! Text for a terminal: the heaviest traces, leaf first, and the table of the frames that were running.
//!
//! Both are tops of a list, so that the profile is partial: traces count in full, what the table adds to a frame is
//! that frame without callers, and the rest of the samples is one frame that says so.

use std::collections::HashMap;

use model::{Event, Node, Profile, Unit};

use super::{event, leaf_is_class, unit};
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, number};
use crate::profile::intern::{KERNEL, split_mark};
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

/// The name of the format in hints and errors.
pub(super) const NAME: &str = "async-profiler-text";
/// The frame of samples that neither list shows.
const REST: &str = "[not listed]";

/// Yes for a heading with its number of samples, or for a trace; maybe for the table alone, and in the log of a
/// harness (JMH prints the profile among its results), whose values are worth more.
pub(super) fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let mut best = Sniff::No;
    let (mut after_heading, mut in_log) = (false, false);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()).take(200) {
        if trace(line).is_some() || (after_heading && total_samples(line).is_some()) {
            return if in_log { Sniff::Maybe } else { Sniff::Yes };
        }
        in_log |=
            line.starts_with("# JMH") || line.starts_with("Benchmark ") || line.starts_with("# Benchmark");
        after_heading = heading(line).is_some();
        if is_table_head(line) {
            best = Sniff::Maybe;
        }
    }
    best
}

/// `--- Execution profile ---`.
fn heading(line: &str) -> Option<&str> {
    let title = line.strip_prefix("---")?.strip_suffix("---")?.trim();
    title.ends_with("profile").then_some(title)
}

fn total_samples(line: &str) -> Option<u64> {
    let count = line.strip_prefix("Total samples")?.trim_start().strip_prefix(':')?;
    number(count, Marks::ThousandsComma).map(|n| n as u64)
}

/// What a line of figures says: weight, unit, share, samples.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Figures<'a> {
    weight: f64,
    unit: &'a str,
    share: f64,
    samples: u64,
}

/// `--- 65261457 ns (1.79%), 13 samples`, before version 1.6 `--- 65261457 (1.79%) ns, 13 samples`.
fn trace(line: &str) -> Option<Figures<'_>> {
    let (weight, rest) = line.strip_prefix("--- ")?.split_once(' ')?;
    let (before, rest) = rest.split_once('(')?;
    let (share, after) = rest.split_once("%)")?;
    let (after, samples) = after.split_once(',').unwrap_or((after, ""));
    let unit = [before.trim(), after.trim()].into_iter().find(|unit| !unit.is_empty())?;
    let samples = samples.trim().split(' ').next().and_then(|n| number(n, Marks::ThousandsComma));
    let weight = number(weight, Marks::ThousandsComma)?;
    // Profiles counted in samples do not repeat their number.
    let samples = samples.or(unit.starts_with("sample").then_some(weight))?;
    Some(Figures { weight, unit, share: number(share, Marks::Point)?, samples: samples as u64 })
}

/// `  [ 0] java.util.Arrays.hashCode`.
fn frame(line: &str) -> Option<&str> {
    let (place, name) = line.strip_prefix('[')?.split_once("] ")?;
    place
        .trim()
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| name.trim())
        .filter(|name| !name.is_empty())
}

/// `          ns  percent  samples  top`.
fn is_table_head(line: &str) -> bool {
    let mut words = line.split_whitespace().skip(1);
    words.next() == Some("percent") && line.ends_with("samples  top")
}

/// `   170396036    4.67%       34  java.util.Arrays.hashCode`.
fn row<'a>(line: &'a str, unit: &'a str) -> Option<(Figures<'a>, &'a str)> {
    let (weight, rest) = line.split_once(char::is_whitespace)?;
    let (share, rest) = rest.trim_start().split_once('%')?;
    let (samples, name) = rest.trim_start().split_once("  ")?;
    let weight = number(weight, Marks::ThousandsComma)?;
    let samples = number(samples, Marks::ThousandsComma)? as u64;
    Some((Figures { weight, unit, share: number(share, Marks::Point)?, samples }, name.trim()))
}

/// What the text holds.
#[derive(Debug, Default)]
struct Lists<'a> {
    title: Option<&'a str>,
    /// The engine of `Started [lock] profiling`.
    started: Option<&'a str>,
    samples: Option<u64>,
    unit: &'a str,
    traces: Vec<(usize, Figures<'a>, Vec<&'a str>)>,
    table: Vec<(usize, Figures<'a>, &'a str)>,
}

/// The profile of a text.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let whole = text(&input, &mut warnings);
    let lists = Lists::read(&whole, input, &mut warnings)?;
    if lists.traces.is_empty() && lists.table.is_empty() {
        return Err(ParseError::new(NAME, At::File, Kind::Empty));
    }
    let (unit, scale) = unit(lists.unit);
    // Before version 2 every profile was headed `Execution profile`; a start-up line or the unit tell more.
    let told = lists.started.and_then(|engine| event(&format!("{engine} profile")));
    let by_unit = (unit == Unit::Bytes).then(|| "alloc_space".to_owned());
    let name = input.hints.event.clone().or(told).or(by_unit).or_else(|| lists.title.and_then(event));
    let name = name.unwrap_or_else(|| "samples".to_owned());
    let tree = lists.tree(input, scale, leaf_is_class(&name), &mut warnings)?;
    let mut profile = Profile::new(Event { name, unit }, tree);
    profile.partial = true;
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

impl<'a> Lists<'a> {
    fn read(text: &'a str, input: Input<'_>, warnings: &mut Warnings) -> Result<Self, ParseError> {
        let mut lists = Self::default();
        let mut in_table = false;
        for (line, raw) in (1..).zip(text.lines()) {
            let text = raw.trim();
            if text.is_empty() {
                continue;
            }
            if lists.traces.len() + lists.table.len() > input.limits.samples {
                let limit = input.limits.samples as u64;
                let kind = Kind::Limit { what: "samples", limit, setting: "max_samples" };
                return Err(ParseError::new(NAME, At::Line(line), kind));
            }
            if let Some(figures) = trace(text) {
                in_table = false;
                lists.unit = figures.unit;
                lists.traces.push((line, figures, Vec::new()));
            } else if let Some(title) = heading(text) {
                if lists.title.is_some_and(|known| known != title) {
                    let text = "a second profile in one text: send one a file".to_owned();
                    return Err(ParseError::new(NAME, At::Line(line), Kind::Invalid(text)));
                }
                lists.title = Some(title);
            } else if let Some(samples) = total_samples(text) {
                lists.samples = Some(samples);
            } else if is_table_head(text) {
                in_table = true;
                lists.unit = text.split_whitespace().next().unwrap_or_default();
            } else if let (true, Some((figures, name))) = (in_table, row(text, lists.unit)) {
                lists.table.push((line, figures, name));
            } else if let (Some(name), Some((_, _, frames))) = (frame(text), lists.traces.last_mut()) {
                frames.push(name);
            } else if let Some(engine) =
                text.strip_prefix("Started [").and_then(|rest| rest.strip_suffix("] profiling"))
            {
                lists.started = Some(engine);
            } else if !is_known(text) {
                warnings.add_with(At::Line(line), || format!("not understood, skipped: {:?}", excerpt(text)));
            }
        }
        Ok(lists)
    }

    fn tree(
        &self,
        input: Input<'_>,
        scale: f64,
        leaf_is_class: bool,
        warnings: &mut Warnings,
    ) -> Result<model::CallTree, ParseError> {
        let mut sink = Sink::new(NAME, input.limits);
        let mut own: HashMap<&str, (u64, f64)> = HashMap::new();
        let mut sum = (0_u64, 0.0);
        for (line, figures, frames) in &self.traces {
            let at = || At::Line(*line);
            sink.count_stack(at, frames.len())?;
            let mut node = Node::ROOT;
            for (place, name) in frames.iter().enumerate().rev() {
                let (short, mark) = split_mark(name);
                let mark = mark.filter(|_| !(leaf_is_class && place == 0));
                let frame = sink.frame(at, short, (mark == Some(b'k')).then_some(KERNEL), None)?;
                node = sink.child(at, node, frame, mark == Some(b'i') && node != Node::ROOT)?;
            }
            sink.add(node, figures.samples, figures.weight * scale);
            if let Some(leaf) = frames.first() {
                let own = own.entry(leaf).or_default();
                *own = (own.0 + figures.samples, own.1 + figures.weight);
            }
            sum = (sum.0 + figures.samples, sum.1 + figures.weight);
        }
        for (line, figures, name) in &self.table {
            let at = || At::Line(*line);
            let (samples, weight) = own.get(name).copied().unwrap_or_default();
            let (samples, weight) = (figures.samples.saturating_sub(samples), figures.weight - weight);
            if samples > 0 && weight >= 0.0 {
                let (short, mark) = split_mark(name);
                let frame = sink.frame(at, short, (mark == Some(b'k')).then_some(KERNEL), None)?;
                let node = sink.child(at, Node::ROOT, frame, false)?;
                sink.add(node, samples, weight * scale);
                sum = (sum.0 + samples, sum.1 + weight);
            }
        }
        let rest = self.samples.map_or(0, |samples| samples.saturating_sub(sum.0));
        if rest > 0 {
            let weight = (self.weight() - sum.1).max(0.0);
            let frame = sink.frame(|| At::File, REST, None, None)?;
            let node = sink.child(|| At::File, Node::ROOT, frame, false)?;
            sink.add(node, rest, weight * scale);
            warnings.add(At::File, format!("{rest} of {} samples are in no list", rest + sum.0));
        }
        Ok(sink.finish(warnings))
    }

    /// The weight of all samples, from the entry whose share is printed most precisely.
    fn weight(&self) -> f64 {
        let traces = self.traces.iter().map(|(_, figures, _)| figures);
        let all = traces.chain(self.table.iter().map(|(_, figures, _)| figures));
        all.max_by(|a, b| a.share.total_cmp(&b.share))
            .filter(|most| most.share > 0.0)
            .map_or(0.0, |most| most.weight * 100.0 / most.share)
    }
}

/// Lines that the tool always prints: counts of stacks that it could not walk, the fill of its buffer, rules, remarks
/// about events that were lost.
fn is_known(text: &str) -> bool {
    let is_rule = text.bytes().all(|byte| matches!(byte, b'-' | b' '));
    let counts = text.split_once(':').is_some_and(|(name, value)| {
        let value = value.trim();
        !name.contains("  [")
            && value.starts_with(|c: char| c.is_ascii_digit())
            && (value.contains('%') || number(value, Marks::Point).is_some())
    });
    is_rule || counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::read::Hints;

    const TEXT: &str = "--- Execution profile ---\nTotal samples       : 100\nunknown_Java        : 3 (3.00%)\n\nFrame buffer usage  : 0.1%\n\n\
        --- 500000 ns (50.00%), 50 samples\n  [ 0] a.B.leaf_[i]\n  [ 1] a.B.main\n\n\
        \x20         ns  percent  samples  top\n  ----------  -------  -------  ---\n      600000   60.00%       60  a.B.leaf_[i]\n      200000   20.00%       20  do_syscall_64_[k]\n";

    #[test]
    fn traces_and_table_make_one_partial_profile() {
        assert_eq!(sniff(TEXT.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: TEXT.as_bytes(), hints: &hints, limits: &limits }).unwrap();
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
        let Content::Profiles(profiles) = parsed.content else { unreachable!() };
        let tree = &profiles[0].tree;
        let own: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| (tree.frames[node.frame as usize].name.as_str(), node.self_samples, node.self_weight))
            .collect();
        assert_eq!(
            own,
            [
                ("a.B.main", 0, 0.0),
                ("a.B.leaf", 50, 500_000.0),
                ("a.B.leaf", 10, 100_000.0),
                ("do_syscall_64", 20, 200_000.0),
                (REST, 20, 200_000.0),
            ]
        );
        assert!(profiles[0].partial);
        assert_eq!(profiles[0].event.name, "cpu");
    }

    #[test]
    fn older_versions_write_the_share_first_and_head_all_profiles_alike() {
        let old = trace("--- 6790000000 (98.84%) ns, 679 samples").unwrap();
        assert_eq!((old.unit, old.samples, old.share), ("ns", 679, 98.84));
        assert_eq!(trace("--- 1 calls (100.00%), 1 sample").unwrap().unit, "calls");
        let lock = "Started [lock] profiling\n--- Execution profile ---\nTotal samples:         248\n\nFrame buffer usage:    0.0052%\n\n--- 352227700 ns (100.00%), 248 samples\n  [ 0] java.util.Properties\n  [ 1] java.util.Hashtable.get\n";
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: lock.as_bytes(), hints: &hints, limits: &limits }).unwrap();
        assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
        let Content::Profiles(profiles) = parsed.content else { unreachable!() };
        assert_eq!((profiles[0].event.name.as_str(), profiles[0].tree.samples()), ("lock", 248));
    }

    #[test]
    fn other_text_is_not_claimed() {
        for text in
            ["--- a.txt\n+++ b.txt\n", "Total samples : 5\n", "a;b 5\n", "--- Go profile ---\nhello\n"]
        {
            assert_eq!(sniff(text.as_bytes()), Sniff::No, "{text}");
        }
    }
}
