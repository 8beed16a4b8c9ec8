//! Samples that `xctrace export --xpath '…[@schema="time-profile"]'` writes as XML.
//!
//! Rows hold one sample each; an element that comes again is `<frame ref="15"/>`. From Xcode 13 a backtrace holds named
//! frames, before it addresses, of which only the innermost has a name (in `fmt`). Tables of the schemas `time-profile`
//! and `cpu-profile` are read. Manual: `man xctrace`.

use std::rc::Rc;

use model::{Event as ProfileEvent, Node, Profile, Unit};
use rustc_hash::FxHashMap;

use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::text;
use crate::warnings::Warnings;
use crate::xml::{Element, Event, Xml, outermost};

const NAME: &str = "xctrace";

/// Exports of xctrace.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "samples that xctrace exports from an Instruments trace", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    if outermost(head).is_some_and(|(name, _)| name == "trace-query-result") { Sniff::Yes } else { Sniff::No }
}

/// What an `id` stands for.
#[derive(Debug, Clone)]
enum Known {
    /// A weight in base units.
    Weight(f64),
    /// Index of a frame in the tree.
    Frame(u32),
    /// A library's name.
    Binary(String),
    /// Frames, innermost first.
    Stack(Rc<[u32]>),
    /// A thread's name.
    Thread(String),
}

/// One row while it is read.
#[derive(Debug, Default)]
struct Row {
    weight: Option<f64>,
    stack: Vec<u32>,
    has_stack: bool,
    thread: Option<String>,
}

/// The frame that is open: its name waits for its library.
#[derive(Debug)]
struct Frame {
    id: Option<String>,
    name: String,
    binary: Option<String>,
}

/// The innermost name of `mach_msg2_trap ← (8 other frames)`.
fn innermost(fmt: &str) -> &str {
    fmt.split(" \u{2190} ").next().unwrap_or(fmt).trim()
}

struct Table<'a> {
    sink: Sink<'a>,
    known: FxHashMap<String, Known>,
    unit: Unit,
    weights: FxHashMap<String, (u64, f64)>,
    frame: Option<Frame>,
    /// Identifiers of the backtraces that are open, outermost first.
    open: Vec<Option<String>>,
    /// Name of the innermost frame of a backtrace whose frames are addresses.
    leaf: Option<String>,
    /// The backtrace that was stored or referred to last: one that only wraps another is not copied.
    last: Option<Rc<[u32]>>,
    /// Frames of backtraces that may still be stored. A file writes each, so it has no more than it has bytes.
    room: usize,
    most_frames: usize,
    row: Row,
    samples: u64,
    without_stack: usize,
}

impl<'a> Table<'a> {
    fn new(input: &Input<'a>) -> Self {
        Self {
            sink: Sink::new(NAME, input.limits),
            known: FxHashMap::default(),
            unit: Unit::Nanoseconds,
            weights: FxHashMap::default(),
            frame: None,
            open: Vec::new(),
            leaf: None,
            last: None,
            room: input.bytes.len() / 4,
            most_frames: input.limits.stack_depth,
            row: Row::default(),
            samples: 0,
            without_stack: 0,
        }
    }

    /// An element that stands for one that came before.
    fn refer(&mut self, element: &Element, id: &str) -> Result<(), ParseError> {
        match (self.known.get(id), element.name.as_str()) {
            (Some(Known::Weight(weight)), _) => self.row.weight = Some(*weight),
            (Some(Known::Thread(name)), "thread") => self.row.thread = Some(name.clone()),
            (Some(Known::Frame(frame)), _) => {
                self.row.stack.push(*frame);
                self.check(element.line)?;
            }
            (Some(Known::Binary(name)), _) => {
                let name = name.clone();
                if let Some(frame) = &mut self.frame {
                    frame.binary = Some(name);
                }
            }
            (Some(Known::Stack(stack)), _) => {
                let stack = Rc::clone(stack);
                self.row.stack.extend_from_slice(&stack);
                self.row.has_stack = true;
                self.last = Some(stack);
                self.check(element.line)?;
            }
            (
                None,
                "weight" | "cycle-weight" | "frame" | "backtrace" | "tagged-backtrace" | "text-addresses",
            ) => {
                let id = id.parse().unwrap_or(u64::MAX);
                return Err(ParseError::new(
                    NAME,
                    At::Line(element.line),
                    Kind::Dangling { what: "element", id },
                ));
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, element: &Element) -> Result<(), ParseError> {
        if let Some(id) = element.get("ref") {
            return self.refer(element, id);
        }
        let id = element.get("id").map(str::to_owned);
        match element.name.as_str() {
            "thread" => {
                let name = element.get("fmt").unwrap_or_default().to_owned();
                self.know(id, Known::Thread(name.clone()));
                self.row.thread = Some(name);
            }
            "backtrace" | "tagged-backtrace" => {
                self.row.has_stack = true;
                self.leaf = element.get("fmt").map(innermost).map(str::to_owned).or(self.leaf.take());
                self.open.push(id);
            }
            "text-addresses" => {
                self.open.push(id);
            }
            "frame" => {
                let name = element.get("name").or(element.get("addr")).unwrap_or_default().to_owned();
                self.frame = Some(Frame { id, name, binary: None });
            }
            "binary" => {
                let name = element.get("name").unwrap_or_default().to_owned();
                self.know(id, Known::Binary(name.clone()));
                if let Some(frame) = &mut self.frame {
                    frame.binary = Some(name);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Refuses backtraces that are too deep while they grow: references could double them.
    fn check(&self, line: usize) -> Result<(), ParseError> {
        if self.row.stack.len() <= self.most_frames {
            return Ok(());
        }
        let limit = self.most_frames as u64;
        let kind = Kind::Limit { what: "frames on a stack", limit, setting: "max_stack_depth" };
        Err(ParseError::new(NAME, At::Line(line), kind))
    }

    /// Stores the frames from `begin` on under an identifier.
    fn store(&mut self, id: Option<String>, begin: usize, line: usize) -> Result<(), ParseError> {
        self.check(line)?;
        let frames = self.row.stack.get(begin..).unwrap_or_default();
        let stored = match &self.last {
            Some(last) if **last == *frames => Rc::clone(last),
            _ if frames.len() > self.room => {
                let text = "backtraces repeat each other more often than a recording does".to_owned();
                return Err(ParseError::new(NAME, At::Line(line), Kind::Invalid(text)));
            }
            _ => {
                self.room -= frames.len();
                Rc::from(frames)
            }
        };
        self.last = Some(Rc::clone(&stored));
        self.know(id, Known::Stack(stored));
        Ok(())
    }

    fn know(&mut self, id: Option<String>, what: Known) {
        if let Some(id) = id {
            self.known.insert(id, what);
        }
    }

    /// The end of an element; `text` is what stood in it.
    fn end(&mut self, name: &str, line: usize, id: Option<String>, text: &str) -> Result<(), ParseError> {
        let at = || At::Line(line);
        match name {
            "weight" | "cycle-weight" => {
                let weight =
                    text.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
                let Some(weight) = weight else {
                    let found = crate::text::excerpt(text).into_owned();
                    return Err(ParseError::new(NAME, at(), Kind::Expected { expected: "a weight", found }));
                };
                if name == "cycle-weight" {
                    self.unit = Unit::Cycles;
                }
                self.know(id, Known::Weight(weight));
                self.row.weight = Some(weight);
            }
            "text-addresses" => {
                let begin = self.row.stack.len();
                for address in text.split_whitespace().filter_map(|word| word.parse::<u64>().ok()) {
                    // A zero ends the list.
                    if address != 0 {
                        let name = match self.leaf.take() {
                            Some(name) if !name.is_empty() => name,
                            _ => format!("{address:#x}"),
                        };
                        let frame = self.sink.frame(at, &name, None, None)?;
                        self.row.stack.push(frame);
                    }
                }
                let id = self.open.pop().flatten();
                self.store(id, begin, line)?;
            }
            "frame" => {
                if let Some(Frame { id, name, binary }) = self.frame.take()
                    && !name.is_empty()
                {
                    let frame = self.sink.frame(at, &name, binary.as_deref(), None)?;
                    self.know(id, Known::Frame(frame));
                    self.row.stack.push(frame);
                }
            }
            "backtrace" | "tagged-backtrace" => {
                let id = self.open.pop().flatten();
                self.store(id, 0, line)?;
                self.leaf = None;
            }
            "row" => self.row(line)?,
            _ => {}
        }
        Ok(())
    }

    fn row(&mut self, line: usize) -> Result<(), ParseError> {
        let row = std::mem::take(&mut self.row);
        self.open.clear();
        let at = || At::Line(line);
        let Some(weight) = row.weight.filter(|_| row.has_stack) else {
            self.without_stack += 1;
            return Ok(());
        };
        self.sink.count_stack(at, row.stack.len())?;
        let mut node = Node::ROOT;
        for frame in row.stack.iter().rev() {
            node = self.sink.child(at, node, *frame, false)?;
        }
        if row.stack.is_empty() {
            let frame = self.sink.frame(at, "[no frames]", None, None)?;
            node = self.sink.child(at, Node::ROOT, frame, false)?;
        }
        self.sink.add(node, 1, weight);
        self.samples += 1;
        if let Some(thread) = row.thread.filter(|thread| !thread.is_empty()) {
            let (samples, sum) = self.weights.entry(thread).or_default();
            *samples += 1;
            *sum += weight;
        }
        Ok(())
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut xml = Xml::new(NAME, &text);
    let mut table = Table::new(&input);
    let (mut inside, mut id) = (String::new(), None);
    let is_cut;
    loop {
        match xml.next()? {
            Event::Open(element) => {
                inside.clear();
                id = element.get("id").map(str::to_owned);
                let is_reference = element.get("ref").is_some();
                table.begin(&element)?;
                if is_reference {
                    // Its end tag says nothing new.
                    xml.next()?;
                }
            }
            Event::Text(text) => inside.push_str(&text),
            Event::Close(name) => {
                let line = xml.line();
                table.end(&name, line, id.take(), &inside)?;
                inside.clear();
            }
            Event::End { open } => {
                is_cut = open > 0;
                break;
            }
        }
    }
    finish(table, is_cut, warnings)
}

fn finish(table: Table<'_>, is_cut: bool, mut warnings: Warnings) -> Result<Parsed, ParseError> {
    if table.samples == 0 {
        let text =
            "no row has a weight and a backtrace: export a table of the schema time-profile or cpu-profile";
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text.to_owned())));
    }
    if table.without_stack > 0 {
        warnings.add(
            At::File,
            format!("{} rows without a weight or a backtrace are skipped", table.without_stack),
        );
    }
    if is_cut {
        warnings.add(At::File, "the document has no end: the file is cut off");
    }
    let name = if table.unit == Unit::Cycles { "cycles" } else { "cpu" };
    let event = ProfileEvent { name: name.to_owned(), unit: table.unit };
    let mut profile = Profile::new(event, table.sink.finish(&mut warnings));
    profile.partial = is_cut;
    profile.labels = super::parts::heaviest("thread", table.weights);
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

#[cfg(test)]
mod tests;
