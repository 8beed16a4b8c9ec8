//! Durations of one thread after another as call trees of wall time.

use std::collections::BTreeMap;

use model::{Node, Profile};
use rustc_hash::FxHashMap;

use super::NAME;
use crate::error::{At, ParseError};
use crate::profile::parts::{label, time};
use crate::profile::sink::Sink;
use crate::read::Input;
use crate::warnings::Warnings;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Begin,
    End,
    Complete(f64),
}

struct Entry {
    at: f64,
    kind: Kind,
    name: u32,
}

/// Durations by process and thread.
#[derive(Default)]
pub(super) struct Durations {
    names: Vec<String>,
    index: FxHashMap<String, u32>,
    threads: BTreeMap<(String, String), Vec<Entry>>,
}

struct Open {
    name: u32,
    node: u32,
    end: Option<f64>,
}

/// A thread's clock with what is open on it.
struct Clock {
    now: f64,
    open: Vec<Open>,
    /// How many durations of a name are open that wait for an end, so that a stray end costs no search.
    waiting: FxHashMap<u32, usize>,
}

impl Clock {
    /// Time up to `to` belongs to what is open; what ends before is closed.
    fn advance(&mut self, to: f64, sink: &mut Sink<'_>) {
        while let Some(end) = self.open.last().and_then(|open| open.end).filter(|end| *end <= to) {
            self.spend(end, sink);
            self.open.pop();
        }
        self.spend(to, sink);
    }

    fn push(&mut self, open: Open) {
        if open.end.is_none() {
            *self.waiting.entry(open.name).or_default() += 1;
        }
        self.open.push(open);
    }

    /// Closes everything from a place on.
    fn close_from(&mut self, place: usize) {
        for open in self.open.drain(place.min(self.open.len())..).filter(|open| open.end.is_none()) {
            if let Some(waiting) = self.waiting.get_mut(&open.name) {
                *waiting = waiting.saturating_sub(1);
            }
        }
    }

    fn spend(&mut self, to: f64, sink: &mut Sink<'_>) {
        if to > self.now {
            if let Some(open) = self.open.last() {
                sink.add(open.node, 1, (to - self.now) * 1e3);
            }
            self.now = to;
        }
    }
}

impl Durations {
    pub(super) fn add(&mut self, thread: (String, String), ph: &str, name: &str, at: f64, duration: f64) {
        let kind = match ph {
            "B" => Kind::Begin,
            "E" => Kind::End,
            _ => Kind::Complete(duration),
        };
        let name = if let Some(index) = self.index.get(name) {
            *index
        } else {
            let index = self.names.len() as u32;
            self.names.push(name.to_owned());
            self.index.insert(name.to_owned(), index);
            index
        };
        self.threads.entry(thread).or_default().push(Entry { at, kind, name });
    }

    /// One profile a thread.
    pub(super) fn profiles(
        mut self,
        names: &BTreeMap<(String, String), String>,
        input: &Input<'_>,
        warnings: &mut Warnings,
    ) -> Result<Vec<Profile>, ParseError> {
        let threads = std::mem::take(&mut self.threads);
        let mut profiles = Vec::new();
        for (thread, mut entries) in threads {
            // Of those that start together the longer one is outside; others stay in the order of the file.
            let length = |entry: &Entry| {
                if let Kind::Complete(length) = entry.kind { -length } else { f64::NEG_INFINITY }
            };
            entries.sort_by(|a, b| a.at.total_cmp(&b.at).then(length(a).total_cmp(&length(b))));
            let name = names.get(&thread).unwrap_or(&thread.1);
            let mut profile = self.thread(name, &entries, input, warnings)?;
            label(&mut profile, "thread", name);
            profiles.push(profile);
        }
        Ok(profiles)
    }

    fn thread(
        &self,
        thread: &str,
        entries: &[Entry],
        input: &Input<'_>,
        warnings: &mut Warnings,
    ) -> Result<Profile, ParseError> {
        let at = || At::Field(format!("thread {thread}"));
        let name = |index: u32| self.names.get(index as usize).map_or("", String::as_str);
        let mut sink = Sink::new(NAME, input.limits);
        let mut clock = Clock {
            now: entries.first().map_or(0.0, |entry| entry.at),
            open: Vec::new(),
            waiting: FxHashMap::default(),
        };
        for entry in entries {
            clock.advance(entry.at, &mut sink);
            if entry.kind == Kind::End {
                close(&mut clock, entry.name, name, at, warnings);
                continue;
            }
            let caller = clock.open.last().map_or(Node::ROOT, |open| open.node);
            let frame = sink.frame(at, name(entry.name), None, None)?;
            let node = sink.child(at, caller, frame, false)?;
            let end = if let Kind::Complete(length) = entry.kind { Some(entry.at + length) } else { None };
            clock.push(Open { name: entry.name, node, end });
            sink.count_stack(at, clock.open.len())?;
        }
        let never_closed = clock.open.iter().filter(|open| open.end.is_none()).count();
        clock.advance(clock.open.iter().filter_map(|open| open.end).fold(clock.now, f64::max), &mut sink);
        if never_closed > 0 {
            warnings.add(at(), format!("{never_closed} durations never end; they end with the last event"));
        }
        Ok(Profile::new(time("wall"), sink.finish(warnings)))
    }
}

/// Closes the innermost duration of a name (of any, where an end has no name).
fn close<'n>(
    clock: &mut Clock,
    wanted: u32,
    name: impl Fn(u32) -> &'n str,
    at: impl Fn() -> At,
    warnings: &mut Warnings,
) {
    let text = name(wanted);
    let is_open = text.is_empty() || clock.waiting.get(&wanted).is_some_and(|waiting| *waiting > 0);
    let fits = |open: &Open| open.end.is_none() && (open.name == wanted || text.is_empty());
    let place = is_open.then(|| clock.open.iter().rposition(fits)).flatten();
    let Some(place) = place else {
        warnings.add_with(at(), || format!("{text:?} ends but has not begun"));
        return;
    };
    if place + 1 < clock.open.len() {
        warnings.add_with(at(), || format!("{text:?} ends before what began inside it"));
    }
    clock.close_from(place);
}
