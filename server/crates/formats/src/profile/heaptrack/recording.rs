//! A recording: numbered strings, instruction pointers, traces and allocations, then what happened in order.
//!
//! Numbers are hexadecimal and count from 1. `s` is a string, `i` an instruction pointer with its module, function and
//! line (and the functions that it is inlined into), `t` a pointer and the trace below it, `a` a size and a trace, `+`
//! and `-` an allocation and its end. Four profiles come of it: allocations and bytes over the whole run, and the
//! bytes that were live at the peak and at the end. Written by heaptrack_interpret, file versions 1 to 3.

use model::profile::PathCursor;
use model::{CallTree, Event, Node, Profile, Unit};

use crate::error::{At, Kind, ParseError};
use crate::number::lines;
use crate::profile::parts::known;
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "heaptrack";

/// A version line, and lines of the kinds that follow it.
pub(super) fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let mut rows = text.lines();
    let has_version = rows
        .next()
        .and_then(|line| line.strip_prefix("v "))
        .is_some_and(|rest| rest.split(' ').all(|word| u64::from_str_radix(word, 16).is_ok()));
    let is_kind = |line: &str| matches!(line.as_bytes(), [b'X' | b'I' | b's' | b'A', b' ', ..]);
    if has_version && rows.take(5).any(is_kind) { Sniff::Yes } else { Sniff::No }
}

/// A function at an instruction pointer: strings by number, 0 for none.
#[derive(Debug, Clone, Copy)]
struct Place {
    function: usize,
    file: usize,
}

/// An instruction pointer.
#[derive(Debug)]
struct Pointer<'t> {
    address: &'t str,
    module: usize,
    /// The function, then those that it is inlined into, in `places`.
    places: std::ops::Range<usize>,
}

/// An allocation of one size at one trace.
#[derive(Debug)]
struct Allocation {
    bytes: u64,
    trace: usize,
    times: u64,
    live: u64,
    live_at_peak: u64,
}

#[derive(Debug, Default)]
struct Recording<'t> {
    strings: Vec<&'t str>,
    places: Vec<Place>,
    pointers: Vec<Pointer<'t>>,
    /// Pointer and the trace of the caller; both count from 1.
    traces: Vec<(usize, usize)>,
    allocations: Vec<Allocation>,
    /// Live bytes at the moment, and the most there were.
    live: u64,
    peak: u64,
    /// The event at which the peak was.
    peak_event: u64,
    milliseconds: Option<u64>,
}

fn hex(word: Option<&str>) -> Option<u64> {
    u64::from_str_radix(word?, 16).ok()
}

fn index(word: Option<&str>) -> Option<usize> {
    usize::try_from(hex(word)?).ok()
}

impl<'t> Recording<'t> {
    /// Takes a line that defines something; `None` where it is damaged.
    fn define(&mut self, kind: u8, rest: &'t str) -> Option<()> {
        let mut words = rest.split(' ');
        match kind {
            b's' => {
                // From file version 3 on the length stands in front.
                let counted =
                    rest.split_once(' ').filter(|(n, text)| hex(Some(n)) == Some(text.len() as u64));
                self.strings.push(counted.map_or(rest, |(_, text)| text));
            }
            b'i' => {
                let address = words.next()?;
                hex(Some(address))?;
                let module = index(words.next())?;
                let begin = self.places.len();
                while let Some(function) = words.next() {
                    // Function, file and line; a function alone has neither.
                    let function = index(Some(function))?;
                    let file = words.next().map_or(Some(0), |word| index(Some(word)))?;
                    words.next();
                    self.places.push(Place { function, file });
                }
                self.pointers.push(Pointer { address, module, places: begin..self.places.len() });
            }
            b't' => {
                let trace = (index(words.next())?, index(words.next())?);
                // A caller comes first, so that no trace holds itself.
                if trace.1 > self.traces.len() {
                    return None;
                }
                self.traces.push(trace);
            }
            b'a' => {
                let (bytes, trace) = (hex(words.next())?, index(words.next())?);
                self.allocations.push(Allocation { bytes, trace, times: 0, live: 0, live_at_peak: 0 });
            }
            _ => {}
        }
        Some(())
    }

    /// Takes an allocation or its end; `None` where it does not exist.
    fn happen(&mut self, is_begin: bool, rest: &str, number: u64) -> Option<()> {
        let allocation = self.allocations.get_mut(index(Some(rest.trim_end()))?)?;
        if is_begin {
            allocation.times += 1;
            allocation.live += 1;
            self.live = self.live.saturating_add(allocation.bytes);
            if self.live > self.peak {
                (self.peak, self.peak_event) = (self.live, number);
            }
        } else if allocation.live > 0 {
            allocation.live -= 1;
            self.live = self.live.saturating_sub(allocation.bytes);
        }
        Some(())
    }

    fn string(&self, number: usize) -> Option<&'t str> {
        known(number.checked_sub(1).and_then(|index| self.strings.get(index)).copied())
    }

    /// The tree of one way to count allocations.
    fn tree(
        &self,
        input: &Input<'_>,
        warnings: &mut Warnings,
        of: impl Fn(&Allocation) -> (u64, f64),
    ) -> Result<CallTree, ParseError> {
        let mut sink = Sink::new(NAME, input.limits);
        let mut nodes: Vec<Option<(PathCursor, usize)>> = vec![None; self.traces.len() + 1];
        if let Some(root) = nodes.first_mut() {
            *root = Some((Node::ROOT, 0));
        }
        for allocation in &self.allocations {
            let (samples, weight) = of(allocation);
            if samples == 0 {
                continue;
            }
            let (mut node, depth) = self.node(&mut sink, &mut nodes, allocation.trace)?;
            let at = || At::Field(format!("trace {:x}", allocation.trace));
            if node == Node::ROOT {
                let frame = sink.frame(at, "[no frames]", None, None)?;
                node = sink.child(at, Node::ROOT, frame, false)?;
            }
            sink.count_stack(at, depth)?;
            sink.add(node, samples, weight);
        }
        Ok(sink.finish(warnings))
    }

    /// The node of a trace and its depth, with those of its callers on the way.
    fn node(
        &self,
        sink: &mut Sink<'_>,
        nodes: &mut [Option<(PathCursor, usize)>],
        trace: usize,
    ) -> Result<(PathCursor, usize), ParseError> {
        let dangling = |what, id: usize| {
            ParseError::new(
                NAME,
                At::Field(format!("trace {trace:x}")),
                Kind::Dangling { what, id: id as u64 },
            )
        };
        let mut missing = Vec::new();
        let mut step = trace;
        let (mut node, mut depth) = loop {
            match nodes.get(step) {
                None => return Err(dangling("trace", step)),
                Some(Some(known)) => break *known,
                Some(None) => {
                    missing.push(step);
                    step = self.traces.get(step - 1).map_or(0, |(_, caller)| *caller);
                }
            }
        };
        for step in missing.into_iter().rev() {
            let pointer = self.traces.get(step - 1).map_or(0, |(pointer, _)| *pointer);
            let Some(pointer) = pointer.checked_sub(1).and_then(|index| self.pointers.get(index)) else {
                return Err(dangling("instruction pointer", pointer));
            };
            (node, depth) = self.frames(sink, pointer, node, depth)?;
            if let Some(slot) = nodes.get_mut(step) {
                *slot = Some((node, depth));
            }
        }
        Ok((node, depth))
    }

    /// The functions at a pointer: the last is the function itself, the others are inlined into it.
    fn frames(
        &self,
        sink: &mut Sink<'_>,
        pointer: &Pointer<'_>,
        mut node: PathCursor,
        mut depth: usize,
    ) -> Result<(PathCursor, usize), ParseError> {
        let at = || At::Field(format!("instruction pointer {}", pointer.address));
        let module = self.string(pointer.module);
        let places = self.places.get(pointer.places.clone()).unwrap_or_default();
        if places.is_empty() {
            let frame = sink.frame(at, &format!("0x{}", pointer.address), module, None)?;
            return Ok((sink.child(at, node, frame, false)?, depth + 1));
        }
        for (i, place) in places.iter().rev().enumerate() {
            let name =
                self.string(place.function).map_or_else(|| format!("0x{}", pointer.address), str::to_owned);
            let frame = sink.frame(at, &name, module, self.string(place.file))?;
            node = sink.child(at, node, frame, i > 0)?;
            depth += 1;
        }
        Ok((node, depth))
    }
}

/// What is live after the event of that number, by replaying the recording.
fn replay_until(text: &str, recording: &mut Recording<'_>, peak: u64) {
    let events = text.lines().filter_map(|line| match line.as_bytes() {
        [kind @ (b'+' | b'-'), b' ', ..] => Some((*kind == b'+', line.get(2..)?)),
        _ => None,
    });
    for (number, (is_begin, rest)) in (1..).zip(events) {
        if number > peak {
            return;
        }
        let Some(allocation) =
            index(Some(rest.trim_end())).and_then(|index| recording.allocations.get_mut(index))
        else {
            continue;
        };
        if is_begin {
            allocation.live_at_peak += 1;
        } else {
            allocation.live_at_peak = allocation.live_at_peak.saturating_sub(1);
        }
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut recording = Recording::default();
    let mut events = 0;
    for (number, line) in lines(&text) {
        let rest = line.get(2..).unwrap_or_default();
        let understood = match line.as_bytes().first() {
            Some(kind @ (b's' | b'i' | b't' | b'a')) => recording.define(*kind, rest),
            Some(sign @ (b'+' | b'-')) => {
                events += 1;
                recording.happen(*sign == b'+', rest, events)
            }
            Some(b'c') => {
                recording.milliseconds = hex(Some(rest)).or(recording.milliseconds);
                Some(())
            }
            // Version, command, page size, memory in use, attached, suppressions, comments.
            Some(b'v' | b'X' | b'I' | b'R' | b'A' | b'S' | b'#') | None => Some(()),
            Some(_) => {
                warnings
                    .add_with(At::Line(number), || format!("not understood, skipped: {:?}", excerpt(line)));
                Some(())
            }
        };
        if understood.is_none() {
            let expected = "a line of a recording of heaptrack whose references exist";
            let found = excerpt(line).into_owned();
            return Err(ParseError::new(NAME, At::Line(number), Kind::Expected { expected, found }));
        }
    }
    if recording.allocations.iter().all(|allocation| allocation.times == 0) {
        let text = "there is no allocation in the recording".to_owned();
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    }
    let peak_event = recording.peak_event;
    replay_until(&text, &mut recording, peak_event);
    profiles(&recording, &input, warnings)
}

/// How often an allocation counts.
type Times = fn(&Allocation) -> u64;

/// One profile for each way to count an allocation.
fn profiles(
    recording: &Recording<'_>,
    input: &Input<'_>,
    mut warnings: Warnings,
) -> Result<Parsed, ParseError> {
    let count = || Unit::Count("allocs".to_owned());
    let mut profiles = Vec::new();
    let whole: Times = |allocation| allocation.times;
    let at_peak: Times = |allocation| allocation.live_at_peak;
    let at_end: Times = |allocation| allocation.live;
    for (name, unit, times) in [
        ("alloc_objects", count(), whole),
        ("alloc_space", Unit::Bytes, whole),
        ("peak_space", Unit::Bytes, at_peak),
        ("inuse_space", Unit::Bytes, at_end),
    ] {
        let in_bytes = unit == Unit::Bytes;
        let tree = recording.tree(input, &mut warnings, |allocation| {
            let times = times(allocation);
            let each = if in_bytes { allocation.bytes as f64 } else { 1.0 };
            (times, times as f64 * each)
        })?;
        if !tree.nodes.is_empty() {
            let mut profile = Profile::new(Event { name: name.to_owned(), unit }, tree);
            profile.duration_ns = recording.milliseconds.map(|ms| ms as f64 * 1e6);
            profiles.push(profile);
        }
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    const TEXT: &str = "v 10400 3\nX ./a\nI 1000 5e2910\ns 4 /a b\ns 4 main\ns 3 a.c\ns 3 new\ns 4 work\n\
        i 10 1 2 3 8\nt 1 0\ni 20 1 5 3 9 2 3 a\nt 2 1\ni 30 0\nt 3 2\na 64 3\na a 1\n+ 0\n+ 0\n- 0\n+ 1\nc 5\nR 402\n# strings: 5\n";

    fn parse(text: &str) -> Result<Vec<Profile>, ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })?;
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        Ok(profiles)
    }

    #[test]
    fn allocations_are_counted_over_the_run_at_the_peak_and_at_the_end() {
        assert_eq!(sniff(TEXT.as_bytes()), Sniff::Yes);
        let profiles = parse(TEXT).unwrap();
        let told: Vec<_> = profiles
            .iter()
            .map(|profile| (profile.event.name.as_str(), profile.tree.samples(), profile.tree.weight()))
            .collect();
        let wanted = [
            ("alloc_objects", 3, 3.0),
            ("alloc_space", 3, 210.0),
            ("peak_space", 2, 200.0),
            ("inuse_space", 2, 110.0),
        ];
        assert_eq!(told, wanted);
        assert_eq!(profiles[0].duration_ns, Some(5e6));
        let tree = &profiles[0].tree;
        let named: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| (tree.frames[node.frame as usize].name.as_str(), node.inlined, node.self_samples))
            .collect();
        // The allocation of 10 bytes was in main itself.
        assert_eq!(named, [("main", false, 1), ("main", false, 0), ("work", true, 0), ("0x30", false, 2)]);
        assert_eq!(tree.frames[0].module.as_deref(), Some("/a b"));
    }

    #[test]
    fn references_that_do_not_exist_are_located() {
        for (text, part) in [
            ("v 1 3\ns 1 a\nt 1 5\n", "line 3"),
            ("v 1 3\n+ 0\n", "line 2"),
            ("v 1 3\ni x 0\n", "line 2"),
            ("v 1 3\nt 9 0\na 1 1\n+ 0\n", "instruction pointer 9 does not exist"),
            ("v 1 3\na 1 7\n+ 0\n", "trace 7 does not exist"),
            ("v 1 3\n", "no allocation"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
