//! The tree of one event, and what its lines stand for.

use std::collections::HashMap;

use model::profile::PathCursor;
use model::{Event, Node, Profile, Unit};

use super::header::Header;
use super::{NAME, event, frame};
use crate::error::{At, ParseError};
use crate::limits::Limits;
use crate::profile::intern::Table;
use crate::profile::sink::Sink;
use crate::warnings::Warnings;

/// A frame of a stack: its index in the tree's frames and whether it is inlined.
pub(super) type Step = (u32, bool);

/// What one line of a stack stands for: a range of [`PerEvent::steps`], innermost first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    from: u32,
    n: u32,
}

/// One event's tree.
#[derive(Debug)]
pub(super) struct PerEvent<'t> {
    /// Without its modifiers.
    pub(super) name: String,
    pub(super) sink: Sink<'t>,
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

impl<'t> PerEvent<'t> {
    pub(super) fn new(name: &str, limits: &'t Limits) -> Self {
        Self {
            name: name.to_owned(),
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

    /// Takes a header's time and period into account; the sample's weight.
    pub(super) fn header(&mut self, header: &Header<'_>) -> f64 {
        if let Some(time) = header.time {
            self.first = self.first.min(time);
            self.last = self.last.max(time);
        }
        let Some(period) = header.period else { return 1.0 };
        let weight = period as f64;
        // Kept as long as all samples agree on it.
        self.period =
            if self.with_period { self.period.filter(|known| *known == weight) } else { Some(weight) };
        self.with_period = true;
        weight
    }

    /// The frame of a process.
    pub(super) fn process(&mut self, comm: &str, line: usize) -> Result<u32, ParseError> {
        if let Some(known) = self.processes.get(comm) {
            return Ok(*known);
        }
        // Collapsers write blanks as `_` here, and profiles of both ways have to meet.
        let frame = self.sink.frame(|| At::Line(line), &comm.replace(' ', "_"), None, None)?;
        self.processes.insert(comm.to_owned(), frame);
        Ok(frame)
    }

    /// What a line stands for: a range of [`Self::steps`].
    #[inline]
    pub(super) fn line(
        &mut self,
        text: &'t [u8],
        hash: u64,
        is_java: bool,
        line: usize,
    ) -> Result<&[Step], ParseError> {
        // The same text reads otherwise in a Java process.
        let hash = hash ^ u64::from(is_java);
        let steps = if let Some(known) = self.lines.find(text, hash) {
            known
        } else {
            let from = self.steps.len() as u32;
            self.resolve(&String::from_utf8_lossy(text), is_java, line)?;
            let steps = Steps { from, n: self.steps.len() as u32 - from };
            self.lines.insert(text, hash, steps);
            steps
        };
        let range = steps.from as usize..(steps.from + steps.n) as usize;
        Ok(self.steps.get(range).unwrap_or_default())
    }

    /// The frames of a line that is not to be remembered.
    pub(super) fn lone_line(
        &mut self,
        text: &str,
        is_java: bool,
        line: usize,
    ) -> Result<Vec<Step>, ParseError> {
        let from = self.steps.len();
        self.resolve(text, is_java, line)?;
        Ok(self.steps.drain(from..).collect())
    }

    /// Appends the frames of a new line, innermost first. A chain `a->b->c` of Java's perf map is three: `c` inlined
    /// into `b`, `b` into `a`.
    fn resolve(&mut self, text: &str, is_java: bool, line: usize) -> Result<(), ParseError> {
        let Some(parts) = frame::parse(text) else { return Ok(()) };
        if parts.symbol == "[unknown]" {
            let frame =
                self.sink.frame(|| At::Line(line), &frame::unknown(parts.module), parts.module, None)?;
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
            let frame =
                self.sink.frame(|| At::Line(line), &frame::tidy(name, is_java), parts.module, None)?;
            self.steps.push((frame, inlined));
            outer = rest;
        }
        self.steps.get_mut(from..).unwrap_or_default().reverse();
        Ok(())
    }

    /// Adds a sample; `stack` is innermost first.
    pub(super) fn add(
        &mut self,
        process: Option<u32>,
        stack: &mut Vec<Step>,
        weight: f64,
        line: usize,
    ) -> Result<(), ParseError> {
        if let Some(process) = process {
            stack.push((process, false));
        }
        self.sink.count_stack(|| At::Line(line), stack.len())?;
        let shared =
            self.path.iter().zip(stack.iter().rev()).take_while(|((known, _), step)| known == *step).count();
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

    pub(super) fn finish(self, warnings: &mut Warnings) -> Option<Profile> {
        let unit = if self.with_period { event::unit(&self.name) } else { Unit::Count("samples".to_owned()) };
        let is_time = unit == Unit::Nanoseconds;
        let tree = self.sink.finish(warnings);
        if tree.nodes.is_empty() {
            return None;
        }
        let mut profile = Profile::new(Event { name: self.name, unit }, tree);
        profile.period = self.period.filter(|_| is_time);
        profile.duration_ns = (self.last > self.first).then(|| ((self.last - self.first) * 1e9).round());
        Some(profile)
    }
}
