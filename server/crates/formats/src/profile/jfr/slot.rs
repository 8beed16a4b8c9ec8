//! One profile while it grows over the chunks of a recording.

use std::collections::BTreeMap;

use model::profile::{LabelWeight, PathCursor};
use model::{Event, Node, Profile};

use super::NAME;
use super::cursor::Cursor;
use super::kinds::Slot;
use super::metadata::{Kind, Types};
use super::pools::{Pools, Value};
use crate::error::{At, ParseError};
use crate::limits::Limits;
use crate::profile::intern::KERNEL;
use crate::profile::sink::Sink;
use crate::warnings::Warnings;

/// Above this share of cut stacks a profile's totals are not to be trusted: their outermost frames are missing.
const MOST_TRUNCATED: f64 = 0.05;
/// Label values kept of one key.
const MOST_VALUES: usize = Profile::MOST_LABELS / 2;
/// The frame of samples without a stack.
const NO_FRAMES: &str = "[no frames]";

/// How a frame was run, as the recorder calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Inlined,
    Kernel,
    Other,
}

/// Where the parts of a stack stand among the fields of their types.
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// The type of stacks.
    stack: usize,
    /// The type of frames.
    frame: usize,
    /// The type of methods.
    method: usize,
    /// The type of frame types.
    run: Option<usize>,
}

impl Layout {
    fn find(types: &Types, stack: usize) -> Option<Self> {
        let field = |class: usize, name: &str| {
            let class = types.classes.get(class)?;
            class.field(name).and_then(|at| class.fields.get(at))
        };
        let class = |field: &super::metadata::Field| match field.kind {
            Kind::Class(class) => Some(class),
            _ => None,
        };
        let frame =
            field(stack, "frames").filter(|frames| frames.is_array && !frames.is_constant).and_then(class)?;
        let method = field(frame, "method").filter(|method| method.is_constant).and_then(class)?;
        let run = field(frame, "type").filter(|run| run.is_constant).and_then(class);
        Some(Self { stack, frame, method, run })
    }
}

/// A sample's label of one kind within a chunk, by its place among the constants.
type Counts = Vec<(u64, f64)>;

/// What is known of a chunk's constants in one slot.
#[derive(Debug, Default)]
struct Known {
    /// By a stack's place: its leaf, how deep it is, and whether it was cut.
    stacks: Vec<Option<(PathCursor, u32, bool)>>,
    /// By a method's place.
    methods: Vec<Option<u32>>,
    /// By a class's place.
    classes: Vec<Option<u32>>,
    /// By a frame type's place.
    runs: Vec<Option<Run>>,
    threads: Counts,
    states: Counts,
}

/// A profile of one kind.
#[derive(Debug)]
pub(super) struct Growing<'l> {
    sink: Sink<'l>,
    known: Known,
    truncated: u64,
    frameless: u64,
    pub(super) samples: u64,
    labels: [BTreeMap<String, (u64, f64)>; 2],
}

/// One sample, its constants by type and key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) at: usize,
    pub(super) stack: (usize, u64),
    pub(super) class: Option<(usize, u64)>,
    pub(super) thread: Option<(usize, u64)>,
    pub(super) state: Option<(usize, u64)>,
    pub(super) n: u64,
    pub(super) weight: f64,
}

impl<'l> Growing<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Self {
            sink: Sink::new(NAME, limits),
            known: Known::default(),
            truncated: 0,
            frameless: 0,
            samples: 0,
            labels: [BTreeMap::new(), BTreeMap::new()],
        }
    }

    /// Adds a sample.
    pub(super) fn add(&mut self, sample: Sample, pools: &Pools<'_>) -> Result<(), ParseError> {
        let at = || At::Offset(sample.at);
        let (class, key) = sample.stack;
        let (mut node, depth, truncated) = match pools.find(class, key) {
            Some(index) => self.stack(class, index, pools)?,
            None => (Node::ROOT, 0, false),
        };
        if node == Node::ROOT {
            self.frameless += sample.n;
            let frame = self.sink.frame(at, NO_FRAMES, None, None)?;
            node = self.sink.child(at, node, frame, false)?;
        }
        if let Some((class, key)) = sample.class
            && let Some(index) = pools.find(class, key)
        {
            let frame = self.class(class, index, pools)?;
            node = self.sink.child(at, node, frame, false)?;
        }
        self.sink.count_stack(at, depth as usize + 1)?;
        self.sink.add(node, sample.n, sample.weight);
        self.samples += sample.n;
        self.truncated += if truncated { sample.n } else { 0 };
        let known = &mut self.known;
        for (constant, counts) in [(sample.thread, &mut known.threads), (sample.state, &mut known.states)] {
            if let Some((class, key)) = constant
                && let Some(index) = pools.find(class, key)
                && let Some(count) = slot(counts, pools.len(class), index)
            {
                count.0 += sample.n;
                count.1 += sample.weight;
            }
        }
        Ok(())
    }

    /// The leaf of a stack, read on first use.
    fn stack(
        &mut self,
        class: usize,
        index: usize,
        pools: &Pools<'_>,
    ) -> Result<(PathCursor, u32, bool), ParseError> {
        if let Some(Some(known)) = self.known.stacks.get(index) {
            return Ok(*known);
        }
        let Some(cursor) = pools.at(class, index) else { return Ok((Node::ROOT, 0, false)) };
        let found = match Layout::find(&pools.types, class) {
            Some(layout) => self.read_stack(cursor, layout, pools)?,
            None => return Err(cursor.invalid("the metadata describes no frames of stacks")),
        };
        if let Some(known) = slot(&mut self.known.stacks, pools.len(class), index) {
            *known = Some(found);
        }
        Ok(found)
    }

    fn read_stack(
        &mut self,
        mut cursor: Cursor<'_>,
        layout: Layout,
        pools: &Pools<'_>,
    ) -> Result<(PathCursor, u32, bool), ParseError> {
        let start = cursor.at();
        let mut truncated = false;
        let mut frames = Vec::new();
        for field in
            pools.types.classes.get(layout.stack).map(|class| class.fields.as_slice()).unwrap_or_default()
        {
            match field.name.as_str() {
                "truncated" if field.kind == Kind::Byte && !field.is_array => truncated = cursor.byte()? != 0,
                "frames" => {
                    for _ in 0..cursor.int()? {
                        let before = cursor.at();
                        frames.push(frame(&mut cursor, layout, pools)?);
                        if cursor.at() == before {
                            break;
                        }
                    }
                }
                _ => pools.types.skip_field(&mut cursor, field)?,
            }
        }
        let at = || At::Offset(start);
        let depth = frames.len() as u32;
        let mut node = Node::ROOT;
        // Innermost first in the file.
        for (method, run) in frames.into_iter().rev() {
            let run = self.run(layout, run, pools)?;
            let frame = self.method(layout, method, run, start, pools)?;
            // A mark on an outermost frame has no caller to be inlined into.
            node = self.sink.child(at, node, frame, run == Run::Inlined && node != Node::ROOT)?;
        }
        Ok((node, depth, truncated))
    }

    fn run(&mut self, layout: Layout, key: u64, pools: &Pools<'_>) -> Result<Run, ParseError> {
        let Some((class, index)) = layout.run.and_then(|class| Some((class, pools.find(class, key)?))) else {
            return Ok(Run::Other);
        };
        if let Some(Some(known)) = self.known.runs.get(index) {
            return Ok(*known);
        }
        let run = match pools.text(Some(Value::Constant(class, key)))?.as_str() {
            "Inlined" => Run::Inlined,
            "Kernel" => Run::Kernel,
            _ => Run::Other,
        };
        if let Some(known) = slot(&mut self.known.runs, pools.len(class), index) {
            *known = Some(run);
        }
        Ok(run)
    }

    /// The frame of a method, made on first use.
    fn method(
        &mut self,
        layout: Layout,
        key: u64,
        run: Run,
        at: usize,
        pools: &Pools<'_>,
    ) -> Result<u32, ParseError> {
        let at = || At::Offset(at);
        let class = layout.method;
        let Some(index) = pools.find(class, key) else {
            return self.sink.frame(at, "[unknown]", None, None);
        };
        if let Some(Some(known)) = self.known.methods.get(index) {
            return Ok(*known);
        }
        let owner = match pools.value(class, key, "type")? {
            Some(Value::Constant(class, key)) => pools.text_of(class, key, "name")?,
            other => pools.text(other)?,
        };
        let name = pools.text_of(class, key, "name")?;
        let descriptor = pools.text_of(class, key, "descriptor")?;
        // async-profiler writes functions of libraries as methods of the library with this descriptor.
        let frame = if descriptor == "()L;" || owner.is_empty() || run == Run::Kernel {
            let module = Some(owner.as_str()).filter(|owner| !owner.is_empty());
            let module = module.or((run == Run::Kernel).then_some(KERNEL));
            self.sink.frame(at, if name.is_empty() { "[unknown]" } else { &name }, module, None)?
        } else {
            self.sink.frame(at, &format!("{}.{name}", owner.replace('/', ".")), None, None)?
        };
        if let Some(known) = slot(&mut self.known.methods, pools.len(class), index) {
            *known = Some(frame);
        }
        Ok(frame)
    }

    /// The frame of a class that is a leaf.
    fn class(&mut self, class: usize, index: usize, pools: &Pools<'_>) -> Result<u32, ParseError> {
        if let Some(Some(known)) = self.known.classes.get(index) {
            return Ok(*known);
        }
        let name = class_name(&pools.text_of(class, pools.key(class, index), "name")?);
        let at = || pools.at(class, index).map_or(At::File, |cursor| At::Offset(cursor.at()));
        let frame = self.sink.frame(at, &name, None, None)?;
        if let Some(known) = slot(&mut self.known.classes, pools.len(class), index) {
            *known = Some(frame);
        }
        Ok(frame)
    }

    /// Ends a chunk: its constants mean nothing in the next. Threads and states go to the labels by name.
    pub(super) fn end_chunk(
        &mut self,
        classes: [Option<usize>; 2],
        pools: &Pools<'_>,
    ) -> Result<(), ParseError> {
        let known = std::mem::take(&mut self.known);
        for ((counts, class), labels) in
            [known.threads, known.states].into_iter().zip(classes).zip(&mut self.labels)
        {
            let Some(class) = class else { continue };
            for (index, (samples, weight)) in counts.into_iter().enumerate().filter(|(_, (n, _))| *n > 0) {
                let key = pools.key(class, index);
                let mut name = pools.text_of(class, key, "javaName")?;
                if name.is_empty() {
                    name = pools.text_of(class, key, "osName")?;
                }
                if name.is_empty() {
                    name = pools.text(Some(Value::Constant(class, key)))?;
                }
                let sum = labels.entry(name).or_default();
                sum.0 += samples;
                sum.1 += weight;
            }
        }
        Ok(())
    }

    /// The finished profile.
    pub(super) fn finish(self, slot: Slot, warnings: &mut Warnings) -> Profile {
        let (name, unit) = slot.event();
        for (n, what) in [
            (
                self.truncated,
                "stacks are cut: their outermost frames are missing (raise the recorder's stack depth)",
            ),
            (self.frameless, "samples have no stack"),
        ] {
            if n > 0 {
                warnings.add_with(At::File, || format!("{name}: {n} of {} {what}", self.samples));
            }
        }
        let mut profile = Profile::new(Event { name: name.to_owned(), unit }, self.sink.finish(warnings));
        profile.partial = self.truncated as f64 > MOST_TRUNCATED * self.samples as f64;
        for (key, values) in ["thread", "state"].into_iter().zip(self.labels) {
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then_with(|| a.0.cmp(&b.0)));
            profile.labels.extend(values.into_iter().take(MOST_VALUES).map(|(value, (samples, weight))| {
                LabelWeight { key: key.to_owned(), value, samples, weight }
            }));
        }
        profile
    }
}

/// A frame of a stack: the keys of its method and of its type.
fn frame(cursor: &mut Cursor<'_>, layout: Layout, pools: &Pools<'_>) -> Result<(u64, u64), ParseError> {
    let (mut method, mut run) = (0, 0);
    for field in
        pools.types.classes.get(layout.frame).map(|class| class.fields.as_slice()).unwrap_or_default()
    {
        match field.name.as_str() {
            "method" => method = cursor.long()?,
            "type" if layout.run.is_some() => run = cursor.long()?,
            _ => pools.types.skip_field(cursor, field)?,
        }
    }
    Ok((method, run))
}

/// The element of a list that grows to `len` on first use.
fn slot<T: Clone + Default>(list: &mut Vec<T>, len: usize, index: usize) -> Option<&mut T> {
    if list.len() < len {
        list.resize(len, T::default());
    }
    list.get_mut(index)
}

/// A class as programs write it: `[Ljava/lang/String;` is `java.lang.String[]`, `[[B` is `byte[][]`.
fn class_name(raw: &str) -> String {
    let element = raw.trim_start_matches('[');
    let dimensions = raw.len() - element.len();
    let element = match (dimensions, element) {
        (0, name) => name,
        (_, "B") => "byte",
        (_, "C") => "char",
        (_, "D") => "double",
        (_, "F") => "float",
        (_, "I") => "int",
        (_, "J") => "long",
        (_, "S") => "short",
        (_, "Z") => "boolean",
        (_, name) => name.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(name),
    };
    format!("{}{}", element.replace('/', "."), "[]".repeat(dimensions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_written_as_in_programs() {
        for (raw, name) in [
            ("[B", "byte[]"),
            ("[[J", "long[][]"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("java/util/Map$Entry", "java.util.Map$Entry"),
            ("B", "B"),
        ] {
            assert_eq!(class_name(raw), name, "{raw}");
        }
    }
}
