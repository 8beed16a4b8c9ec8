//! One pass over the bytes. A stack's line is split from its address, hashed while its end is looked for, and found
//! among the lines seen before, so that only new lines are read closely; of a stack, what it shares with the outer
//! part of the stack before costs one comparison a frame.

use model::Profile;

use super::header::{self, Header};
use super::per_event::{PerEvent, Step};
use super::{NAME, event, frame};
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::profile::intern::scan;
use crate::read::{Content, Input, Parsed};
use crate::text::excerpt;
use crate::warnings::Warnings;

/// More different events than perf can count at once mean that lines are taken for headers that are none.
const MOST_EVENTS: usize = 256;
/// The event of stacks that no header announces.
const HEADERLESS: &str = "samples";

/// The profiles of a recording, one an event, those of time first and otherwise in the order of the file; `hints.event`
/// puts the one of that name first.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let mut reading = Reading::new(input.limits);
    let mut rest = input.bytes;
    let mut line = 0;
    while !rest.is_empty() {
        line += 1;
        rest = reading.line(rest, line, &mut warnings)?;
    }
    reading.tell_before(&mut warnings);
    reading.close(line)?;
    reading.remark(&mut warnings);
    let mut profiles = reading.finish(&mut warnings);
    if profiles.is_empty() {
        let kind = warnings
            .first()
            .map_or(Kind::Empty, |first| Kind::Invalid(format!("no samples; {}", first.text)));
        return Err(ParseError::new(NAME, At::File, kind));
    }
    profiles.sort_by_key(|profile| !profile.is_time());
    if let Some(hint) = &input.hints.event {
        profiles.sort_by_key(|profile| profile.event.name != *hint);
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
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
    /// The line before, which is no header of the usual form but may begin a sample.
    before: Option<(usize, String)>,
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
        let (events, stack) = (Vec::new(), Vec::new());
        Self { limits, events, open: None, before: None, stack, stackless, headerless, unreadable }
    }

    /// Takes one line off and gives what is left.
    #[inline]
    fn line(
        &mut self,
        bytes: &'t [u8],
        line: usize,
        warnings: &mut Warnings,
    ) -> Result<&'t [u8], ParseError> {
        if let Some((text, hash, rest)) = frame_line(bytes)
            && (self.open.is_some() || is_lone_frame(trim(bytes, rest)))
        {
            if self.open.is_none() {
                match self.before.take() {
                    Some((_, before)) => self.header(&header::parse_bare(&before), line)?,
                    None => self.open_headerless(line)?,
                }
            }
            self.frame(text, hash, line, warnings)?;
            return Ok(rest);
        }
        let (end, _) = scan::<b'\n'>(bytes);
        self.tell_before(warnings);
        self.other_line(bytes.get(..end).unwrap_or_default(), line, warnings)?;
        Ok(bytes.get(end + 1..).unwrap_or_default())
    }

    /// A line that does not begin with a blank and an address.
    fn other_line(
        &mut self,
        bytes: &'t [u8],
        line: usize,
        warnings: &mut Warnings,
    ) -> Result<(), ParseError> {
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
            if frame::is_frame(text) || frame::is_bare(text) {
                let after = bytes.iter().position(u8::is_ascii_whitespace).and_then(|at| bytes.get(at..));
                let after = after.unwrap_or_default();
                return self.frame(after, scan::<b'\n'>(after).1, line, warnings);
            }
            if is_detail(text) {
                return Ok(());
            }
            if let Some(open) = &mut self.open {
                open.has_odd_lines = true;
            }
            skipped(line, text, warnings);
        } else {
            self.before = Some((line, text.to_owned()));
        }
        Ok(())
    }

    /// The line before turned out not to begin a sample.
    fn tell_before(&mut self, warnings: &mut Warnings) {
        if let Some((line, text)) = self.before.take() {
            skipped(line, &text, warnings);
        }
    }

    fn header(&mut self, header: &Header<'_>, line: usize) -> Result<(), ParseError> {
        let index = self.event(header.event, line)?;
        let Some(event) = self.events.get_mut(index) else { return Ok(()) };
        let weight = event.header(header);
        let process = if header.comm.is_empty() { None } else { Some(event.process(header.comm, line)?) };
        let is_java = header.comm == "java";
        self.open = Some(Open { event: index, process, weight, is_java, has_odd_lines: false });
        if frame::is_frame(header.rest) || frame::is_bare(header.rest) {
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
        self.stack.extend(event.lone_line(after, open.is_java, line)?);
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
        // perf falls back to other modifiers for some of an event's samples, so they do not tell events apart.
        let name = if raw.is_empty() { HEADERLESS } else { event::short_name(raw) };
        if let Some(known) = self.events.iter().position(|event| event.name == name) {
            return Ok(known);
        }
        if self.events.len() >= MOST_EVENTS {
            let text = format!("more than {MOST_EVENTS} different events");
            return Err(ParseError::new(NAME, At::Line(line), Kind::Invalid(text)));
        }
        self.events.push(PerEvent::new(name, self.limits));
        Ok(self.events.len() - 1)
    }

    /// One frame of the open sample.
    #[inline]
    fn frame(
        &mut self,
        text: &'t [u8],
        hash: u64,
        line: usize,
        warnings: &mut Warnings,
    ) -> Result<(), ParseError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let Some(event) = self.events.get_mut(open.event) else { return Ok(()) };
        let steps = event.line(text, hash, open.is_java, line)?;
        self.stack.extend_from_slice(steps);
        if steps.is_empty() {
            open.has_odd_lines = true;
            warnings.add_with(At::Line(line), || {
                format!("a frame without a name, skipped: {:?}", excerpt(&String::from_utf8_lossy(text)))
            });
        }
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
        let profiles = self.events.into_iter().filter_map(|event| {
            let mut profile = event.finish(warnings)?;
            profile.partial = partial;
            Some(profile)
        });
        profiles.collect()
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
    // Stacks are indented by a tab, names of processes by blanks.
    let is_frame = text.starts_with('\t') || frame::is_frame(&text) || frame::is_bare(&text);
    is_frame && header::parse(&text).is_none()
}

/// The bytes of a line, given what follows it.
fn trim<'t>(bytes: &'t [u8], rest: &[u8]) -> &'t [u8] {
    bytes.get(..bytes.len().saturating_sub(rest.len())).unwrap_or(bytes)
}

fn skipped(line: usize, text: &str, warnings: &mut Warnings) {
    warnings
        .add_with(At::Line(line), || format!("neither a header nor a frame, skipped: {:?}", excerpt(text)));
}

/// What options print among frames: sources, branches, instructions.
fn is_detail(text: &str) -> bool {
    let instruction = ["insn:", "ilen:"].iter().any(|word| text.trim_start().starts_with(word));
    instruction || is_source_line(text) || is_branch_stack(text)
}

/// `  file.c:123` or, without sources, `  libc.so.6[1a34e]`, which `-F +srcline` prints below a frame.
fn is_source_line(text: &str) -> bool {
    let is_place = text.ends_with(']')
        && text.rsplit_once('[').is_some_and(|(module, address)| {
            !module.trim().is_empty()
                && address.trim_end_matches(']').bytes().all(|byte| byte.is_ascii_hexdigit())
        });
    if is_place {
        return true;
    }
    text.starts_with([' ', '\t'])
        && text.trim().rsplit_once(':').is_some_and(|(file, line)| {
            !file.contains(' ') && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// `0x4005d0/0x4005e0/P/-/-/3`, which `-F +brstack` prints.
fn is_branch_stack(text: &str) -> bool {
    text.split_whitespace()
        .next()
        .is_some_and(|first| first.starts_with("0x") && first.matches('/').count() >= 3)
}
