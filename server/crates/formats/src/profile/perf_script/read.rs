//! One pass over the bytes. A stack's line is split from its address, hashed while its end is looked for, and found
//! among the lines seen before, so that only new lines are read closely; of a stack, what it shares with the outer
//! part of the stack before costs one comparison a frame.

use std::collections::HashMap;

use model::profile::PathCursor;
use model::{Event, Node, Profile, Unit};

use super::header::{self, Header};
use super::{NAME, event, frame};
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::profile::intern::{Table, scan};
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed};
use crate::text::excerpt;
use crate::warnings::Warnings;

/// More different events than perf can count at once mean that lines are taken for headers that are none.
const MOST_EVENTS: usize = 256;
/// The event of stacks that no header announces.
const HEADERLESS: &str = "samples";

/// The profiles of a recording, one an event in the order of the file; `hints.event` puts the one of that name first.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let mut reading = Reading::new(input.limits);
    let mut rest = input.bytes;
    let mut line = 0;
    while !rest.is_empty() {
        line += 1;
        rest = reading.line(rest, line, &mut warnings)?;
    }
    reading.close(line)?;
    reading.remark(&mut warnings);
    let mut profiles = reading.finish(&mut warnings);
    if profiles.is_empty() {
        let kind = warnings.first().map_or(Kind::Empty, |first| Kind::Invalid(format!("no samples; {}", first.text)));
        return Err(ParseError::new(NAME, At::File, kind));
    }
    if let Some(hint) = &input.hints.event {
        profiles.sort_by_key(|profile| profile.event.name != *hint);
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

/// A frame of a stack: its index in the tree's frames and whether it is inlined.
type Step = (u32, bool);

/// What one line of a stack stands for: a range of [`PerEvent::steps`], innermost first.
#[derive(Debug, Clone, Copy)]
struct Steps {
    from: u32,
    n: u32,
}

/// One event's tree.
#[derive(Debug)]
struct PerEvent<'t> {
    /// As perf wrote it.
    raw: String,
    sink: Sink<'t>,
    lines: Table<'t, Steps>,
    steps: Vec<Step>,
    processes: HashMap<String, u32>,
    /// The outer part of the stack before, outermost first, with the nodes it reached.
    path: Vec<(Step, PathCursor)>,
    with_period: bool,
    period: Option<f64>,
    first: f64,
    last: f64,
}

/// A sample whose stack is being read.
#[derive(Debug, Clone, Copy)]
struct Open {
    event: usize,
    /// Frame of the process; none for stacks that no header announces.
    process: Option<u32>,
    weight: f64,
    is_java: bool,
    has_odd_lines: bool,
}

#[derive(Debug)]
struct Reading<'t> {
    limits: &'t Limits,
    events: Vec<PerEvent<'t>>,
    open: Option<Open>,
    /// Frames of the open sample, innermost first.
    stack: Vec<Step>,
    stackless: Count,
    headerless: Count,
    unreadable: Count,
}

/// How often something happened and where first.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    n: usize,
    first: usize,
}

impl Count {
    fn add(&mut self, line: usize) {
        if self.n == 0 {
            self.first = line;
        }
        self.n += 1;
    }

    fn tell(self, warnings: &mut Warnings, what: &str) {
        if self.n > 0 {
            warnings.add_with(At::Line(self.first), || format!("{} {what}", self.n));
        }
    }
}

impl<'t> Reading<'t> {
    fn new(limits: &'t Limits) -> Self {
        let none = Count::default();
        let (stackless, headerless, unreadable) = (none, none, none);
        Self { limits, events: Vec::new(), open: None, stack: Vec::new(), stackless, headerless, unreadable }
    }

    /// Takes one line off and gives what is left.
    #[inline]
    fn line(&mut self, bytes: &'t [u8], line: usize, warnings: &mut Warnings) -> Result<&'t [u8], ParseError> {
        if let Some((text, hash, rest)) = frame_line(bytes)
            && (self.open.is_some() || is_lone_frame(trim(bytes, rest)))
        {
            if self.open.is_none() {
                self.open_headerless(line)?;
            }
            self.frame(text, hash, line, warnings)?;
            return Ok(rest);
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (text, rest) = match end {
            Some(end) => (bytes.get(..end), bytes.get(end + 1..)),
            None => (Some(bytes), None),
        };
        self.other_line(text.unwrap_or_default(), line, warnings)?;
        Ok(rest.unwrap_or_default())
    }

    /// A line that does not begin with a blank and an address.
    fn other_line(&mut self, bytes: &'t [u8], line: usize, warnings: &mut Warnings) -> Result<(), ParseError> {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end();
        if text.is_empty() {
            return self.close(line);
        }
        // perf's `--header` and remarks of `perf script` itself.
        if text.starts_with('#') || text.contains("PERF_RECORD_") {
            return Ok(());
        }
        if let Some(header) = header::parse(text) {
            self.close(line)?;
            return self.header(&header, line);
        }
        // Old versions of perf do not indent stacks.
        if self.open.is_some() {
            if super::sniff::is_frame(text) || is_bare_frame(text) {
                let after = bytes.iter().position(u8::is_ascii_whitespace).and_then(|at| bytes.get(at..));
                let after = after.unwrap_or_default();
                return self.frame(after, scan::<b'\n'>(after).1, line, warnings);
            }
            if is_source_line(text) || is_branch_stack(text) {
                return Ok(());
            }
            if let Some(open) = &mut self.open {
                open.has_odd_lines = true;
            }
        }
        warnings.add_with(At::Line(line), || format!("neither a header nor a frame, skipped: {:?}", excerpt(text)));
        Ok(())
    }

    fn header(&mut self, header: &Header<'_>, line: usize) -> Result<(), ParseError> {
        let index = self.event(header.event, line)?;
        let Some(event) = self.events.get_mut(index) else { return Ok(()) };
        if let Some(time) = header.time {
            event.first = event.first.min(time);
            event.last = event.last.max(time);
        }
        let weight = header.period.map_or(1.0, |period| period as f64);
        if header.period.is_some() {
            event.period = if event.with_period { event.period.filter(|known| *known == weight) } else { Some(weight) };
            event.with_period = true;
        }
        let process = match event.processes.get(header.comm) {
            Some(known) => *known,
            None => {
                // Collapsers write blanks as `_` here, and profiles of both ways have to meet.
                let name = header.comm.replace(' ', "_");
                let frame = event.sink.frame(|| At::Line(line), &name, None, None)?;
                event.processes.insert(header.comm.to_owned(), frame);
                frame
            }
        };
        let is_java = header.comm == "java";
        self.open = Some(Open { event: index, process: Some(process), weight, is_java, has_odd_lines: false });
        if super::sniff::is_frame(header.rest) {
            self.inline_frame(header.rest, line)?;
            self.close(line)?;
        }
        Ok(())
    }

    /// The frame at the end of a header, as `perf script` prints samples that were recorded without stacks.
    fn inline_frame(&mut self, text: &str, line: usize) -> Result<(), ParseError> {
        let Some(open) = self.open else { return Ok(()) };
        let Some(event) = self.events.get_mut(open.event) else { return Ok(()) };
        let after = text.split_once(' ').map_or("", |(_, after)| after);
        let from = event.steps.len();
        event.resolve(after, open.is_java, line)?;
        self.stack.extend(event.steps.drain(from..));
        Ok(())
    }

    fn open_headerless(&mut self, line: usize) -> Result<(), ParseError> {
        let event = self.event(HEADERLESS, line)?;
        self.headerless.add(line);
        self.open = Some(Open { event, process: None, weight: 1.0, is_java: false, has_odd_lines: false });
        Ok(())
    }

    /// The index of an event, made on first use.
    fn event(&mut self, raw: &str, line: usize) -> Result<usize, ParseError> {
        let raw = if raw.is_empty() { HEADERLESS } else { raw };
        if let Some(known) = self.events.iter().position(|event| event.raw == raw) {
            return Ok(known);
        }
        if self.events.len() >= MOST_EVENTS {
            let text = format!("more than {MOST_EVENTS} different events");
            return Err(ParseError::new(NAME, At::Line(line), Kind::Invalid(text)));
        }
        self.events.push(PerEvent::new(raw, self.limits));
        Ok(self.events.len() - 1)
    }

    /// One frame of the open sample.
    #[inline]
    fn frame(&mut self, text: &'t [u8], hash: u64, line: usize, warnings: &mut Warnings) -> Result<(), ParseError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let Some(event) = self.events.get_mut(open.event) else { return Ok(()) };
        // The same text reads otherwise in a Java process.
        let hash = hash ^ u64::from(open.is_java);
        let steps = match event.lines.find(text, hash) {
            Some(known) => known,
            None => {
                let from = event.steps.len() as u32;
                event.resolve(&String::from_utf8_lossy(text), open.is_java, line)?;
                let steps = Steps { from, n: event.steps.len() as u32 - from };
                event.lines.insert(text, hash, steps);
                steps
            }
        };
        if steps.n == 0 {
            open.has_odd_lines = true;
            warnings.add_with(At::Line(line), || {
                format!("a frame without a name, skipped: {:?}", excerpt(&String::from_utf8_lossy(text)))
            });
        }
        let range = steps.from as usize..(steps.from + steps.n) as usize;
        self.stack.extend_from_slice(event.steps.get(range).unwrap_or_default());
        if self.stack.len() > self.limits.stack_depth {
            event.sink.count_stack(|| At::Line(line), self.stack.len())?;
        }
        Ok(())
    }

    /// Ends the open sample, if there is one.
    fn close(&mut self, line: usize) -> Result<(), ParseError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        if self.stack.is_empty() {
            if open.has_odd_lines {
                self.unreadable.add(line);
                return Ok(());
            }
            self.stackless.add(line);
        }
        if let Some(event) = self.events.get_mut(open.event) {
            event.add(open.process, &mut self.stack, open.weight, line)?;
        }
        self.stack.clear();
        Ok(())
    }

    fn remark(&self, warnings: &mut Warnings) {
        self.stackless.tell(warnings, "samples have no stack and count for their process");
        self.headerless.tell(warnings, "stacks have no header; each counts once");
        self.unreadable.tell(warnings, "samples without a readable frame are left out");
    }

    fn finish(self, warnings: &mut Warnings) -> Vec<Profile> {
        let partial = self.headerless.n > 0 || self.unreadable.n > 0;
        let raws: Vec<String> = self.events.iter().map(|event| event.raw.clone()).collect();
        let name = |raw: &str| {
            let short = event::short_name(raw);
            let alone = raws.iter().filter(|other| event::short_name(other) == short).count() == 1;
            if alone { short.to_owned() } else { raw.to_owned() }
        };
        let profiles = self.events.into_iter().filter_map(|event| {
            let name = name(&event.raw);
            let mut profile = event.finish(name, warnings)?;
            profile.partial = partial;
            Some(profile)
        });
        profiles.collect()
    }
}

impl<'t> PerEvent<'t> {
    fn new(raw: &str, limits: &'t Limits) -> Self {
        Self {
            raw: raw.to_owned(),
            sink: Sink::new(NAME, limits),
            lines: Table::new(),
            steps: Vec::new(),
            processes: HashMap::new(),
            path: Vec::new(),
            with_period: false,
            period: None,
            first: f64::INFINITY,
            last: f64::NEG_INFINITY,
        }
    }

    /// Appends the frames of a new line, innermost first. A chain `a->b->c` of Java's perf map is three: `c` inlined
    /// into `b`, `b` into `a`.
    fn resolve(&mut self, text: &str, is_java: bool, line: usize) -> Result<(), ParseError> {
        let Some(parts) = frame::parse(text) else { return Ok(()) };
        if parts.symbol == "[unknown]" {
            let frame = self.sink.frame(|| At::Line(line), &frame::unknown(parts.module), parts.module, None)?;
            self.steps.push((frame, parts.inlined));
            return Ok(());
        }
        let from = self.steps.len();
        let is_chain = !parts.symbol.contains("operator->");
        let mut outer = Some(parts.symbol);
        while let Some(text) = outer {
            let (name, rest) = match text.split_once("->").filter(|(name, _)| is_chain && !name.is_empty()) {
                Some((name, rest)) => (name, Some(rest)),
                None => (text, None),
            };
            let inlined = parts.inlined || self.steps.len() > from;
            let frame = self.sink.frame(|| At::Line(line), &frame::tidy(name, is_java), parts.module, None)?;
            self.steps.push((frame, inlined));
            outer = rest;
        }
        self.steps.get_mut(from..).unwrap_or_default().reverse();
        Ok(())
    }

    /// Adds a sample; `stack` is innermost first.
    fn add(&mut self, process: Option<u32>, stack: &mut Vec<Step>, weight: f64, line: usize) -> Result<(), ParseError> {
        if let Some(process) = process {
            stack.push((process, false));
        }
        self.sink.count_stack(|| At::Line(line), stack.len())?;
        let shared = self.path.iter().zip(stack.iter().rev()).take_while(|((known, _), step)| known == *step).count();
        self.path.truncate(shared);
        let mut node = self.path.last().map_or(Node::ROOT, |(_, node)| *node);
        for step in stack.iter().rev().skip(shared) {
            // A mark on an outermost frame has no caller to be inlined into.
            node = self.sink.child(|| At::Line(line), node, step.0, step.1 && node != Node::ROOT)?;
            self.path.push((*step, node));
        }
        self.sink.add(node, 1, weight);
        Ok(())
    }

    fn finish(self, name: String, warnings: &mut Warnings) -> Option<Profile> {
        let unit = if self.with_period { event::unit(&self.raw) } else { Unit::Count("samples".to_owned()) };
        let is_time = unit == Unit::Nanoseconds;
        let tree = self.sink.finish(warnings);
        if tree.nodes.is_empty() {
            return None;
        }
        let mut profile = Profile::new(Event { name, unit }, tree);
        profile.period = self.period.filter(|_| is_time);
        profile.duration_ns = (self.last > self.first).then(|| ((self.last - self.first) * 1e9).round());
        Some(profile)
    }
}

/// A line that begins with blanks and an address: what follows the address with its hash, and what follows the line.
#[inline]
fn frame_line(bytes: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    let blanks = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if blanks == 0 {
        return None;
    }
    let address = bytes.get(blanks..)?;
    let digits = address.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let after = address.get(digits..)?;
    if digits == 0 || !after.starts_with(b" ") {
        return None;
    }
    let (len, hash) = scan::<b'\n'>(after);
    Some((after.get(..len)?, hash, after.get(len + 1..).unwrap_or_default()))
}

/// Whether a line outside of a sample is a frame all the same, and not a process with a name such as `dd`.
fn is_lone_frame(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    super::sniff::is_frame(&text) && header::parse(&text).is_none()
}

/// The bytes of a line, given what follows it.
fn trim<'t>(bytes: &'t [u8], rest: &[u8]) -> &'t [u8] {
    bytes.get(..bytes.len().saturating_sub(rest.len())).unwrap_or(bytes)
}

/// A frame without its module (`-F ip,sym`): an address, and one word or more.
fn is_bare_frame(text: &str) -> bool {
    let address = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.trim_start().split_once(' ').is_some_and(|(first, rest)| address(first) && !rest.trim().is_empty())
}

/// `  file.c:123`, which `-F +srcline` prints below a frame.
fn is_source_line(text: &str) -> bool {
    text.starts_with([' ', '\t'])
        && text.trim().rsplit_once(':').is_some_and(|(file, line)| {
            !file.is_empty() && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// `0x4005d0/0x4005e0/P/-/-/3`, which `-F +brstack` prints.
fn is_branch_stack(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|first| first.starts_with("0x") && first.matches('/').count() >= 3)
}

#[cfg(test)]
mod tests;
