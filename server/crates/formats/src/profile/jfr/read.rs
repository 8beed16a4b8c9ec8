//! Chunk after chunk: types, constants, then events, each into the profile of its kind.

use std::collections::{BTreeMap, HashMap};

use model::Profile;

use super::NAME;
use super::chunk::{CHECKPOINT, Event, Header, METADATA};
use super::cursor::Cursor;
use super::kinds::{Slot, Spec, Use, Weight, uses};
use super::metadata::{Class, Field, Kind as Type, Types};
use super::pools::Pools;
use super::slot::{Growing, Sample};
use crate::error::{At, ParseError};
use crate::limits::Limits;
use crate::read::{Content, Input, Parsed};
use crate::warnings::Warnings;

/// Kinds of events that a warning names; the rest of them is counted.
const MOST_NAMED: usize = 40;

/// The profiles of a recording; `hints.event` puts the one of that name first.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let mut reading = Reading::new(input.limits);
    let mut at = 0;
    while at < input.bytes.len() || at == 0 {
        let header = Header::read(input.bytes, at)?;
        reading.chunk(&header, input.bytes)?;
        at = header.end;
    }
    reading.remark(&mut warnings);
    let duration_ns = reading.duration_ns;
    let mut profiles = reading.finish(&mut warnings);
    if profiles.is_empty() {
        // A recording of a lock profiler that met no lock is one without samples, and not damaged.
        let text = "the recording holds no samples of any event that profiles are made of";
        warnings.add(At::File, text);
    }
    for profile in &mut profiles {
        profile.duration_ns = Some(duration_ns).filter(|ns| *ns > 0.0);
    }
    if let Some(hint) = &input.hints.event {
        // `alloc` is `alloc_space`.
        profiles.sort_by_key(|profile| {
            (profile.event.name != *hint, !profile.event.name.starts_with(hint.as_str()))
        });
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

#[derive(Debug)]
struct Reading<'l> {
    limits: &'l Limits,
    slots: BTreeMap<Slot, Growing<'l>>,
    duration_ns: f64,
    private: BTreeMap<String, u64>,
    other: BTreeMap<String, u64>,
    failed: u64,
    /// What async-profiler was told to sample.
    engine: Option<String>,
    /// async-profiler tells samples of its two timers apart by their state.
    has_default_state: bool,
    has_sleeping: bool,
}

/// What is needed of a chunk for its events.
struct Chunk<'a> {
    pools: Pools<'a>,
    ticks_ns: f64,
    /// Keys of the states that have a meaning of their own.
    default_state: Option<u64>,
    sleeping: Option<u64>,
}

/// A value of a field of an event.
#[derive(Debug, Clone, Copy, Default)]
struct Got {
    number: u64,
    /// The type, of a constant.
    class: Option<usize>,
}

impl<'l> Reading<'l> {
    fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            slots: BTreeMap::new(),
            duration_ns: 0.0,
            private: BTreeMap::new(),
            other: BTreeMap::new(),
            failed: 0,
            engine: None,
            has_default_state: false,
            has_sleeping: false,
        }
    }

    fn chunk(&mut self, header: &Header, bytes: &[u8]) -> Result<(), ParseError> {
        let types = Types::read(header, bytes)?;
        let uses = uses(&types);
        let chunk = Chunk::new(header, Pools::read(header, bytes, types)?)?;
        self.duration_ns += header.duration_ns as f64;
        self.has_default_state |= chunk.default_state.is_some();
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let mut events = header.events(bytes);
        while let Some(event) = events.next()? {
            match uses.get(&event.kind) {
                _ if event.kind == METADATA || event.kind == CHECKPOINT => {}
                Some((class, Use::Samples(spec))) => self.sample(event, *class, spec, &chunk)?,
                usage => {
                    *counts.entry(event.kind).or_default() += 1;
                    if let Some((class, Use::Setting(name, value))) = usage {
                        self.setting(event.fields, chunk.class(*class), (*name, *value), &chunk)?;
                    }
                }
            }
        }
        for (kind, n) in counts {
            let (name, is_private) = match uses.get(&kind) {
                Some((class, usage)) => {
                    (chunk.class(*class).map_or("", |class| class.name.as_str()), *usage == Use::Private)
                }
                None => ("of an undescribed type", false),
            };
            let to = if is_private { &mut self.private } else { &mut self.other };
            *to.entry(name.to_owned()).or_default() += n;
        }
        let class = |name: &str| {
            chunk.pools.types.classes.iter().position(|class| class.name.rsplit('.').next() == Some(name))
        };
        let (thread, state) = (class("Thread"), class("ThreadState"));
        for growing in self.slots.values_mut() {
            growing.end_chunk([thread, state], &chunk.pools)?;
        }
        Ok(())
    }

    fn sample(
        &mut self,
        event: Event<'_>,
        class: usize,
        spec: &Spec,
        chunk: &Chunk<'_>,
    ) -> Result<(), ParseError> {
        let at = event.fields.at();
        let mut cursor = event.fields;
        let (mut stack, mut thread, mut state, mut leaf) = (None, None, None, None);
        let (mut n, mut weight) = (1, 1.0);
        let fields = chunk.class(class).map(|class| class.fields.as_slice()).unwrap_or_default();
        for (place, field) in fields.iter().enumerate().take(spec.last + 1) {
            if place == spec.stack {
                stack = constant(&mut cursor, field, chunk)?;
            } else if Some(place) == spec.thread {
                thread = constant(&mut cursor, field, chunk)?;
            } else if Some(place) == spec.state {
                state = constant(&mut cursor, field, chunk)?;
            } else if Some(place) == spec.class {
                leaf = constant(&mut cursor, field, chunk)?;
            } else if Some(place) == spec.failed {
                if got(&mut cursor, field, chunk)?.number != 0 {
                    self.failed += 1;
                    return Ok(());
                }
            } else if spec.weight == Weight::Field(place) {
                let value = got(&mut cursor, field, chunk)?.number.cast_signed() as f64;
                weight = match field.nanoseconds {
                    Some(0.0) => value * chunk.ticks_ns,
                    Some(ns) => value * ns,
                    None if field.name == "duration" => value * chunk.ticks_ns,
                    None => value,
                };
            } else if spec.weight == Weight::Samples(place) {
                // An event was at least one sample, and no file makes one event all samples there can be.
                n = got(&mut cursor, field, chunk)?.number.clamp(1, u64::from(u32::MAX));
                weight = n as f64;
            } else {
                chunk.pools.types.skip_field(&mut cursor, field)?;
            }
        }
        let key = |constant: Option<(usize, u64)>| constant.map(|(_, key)| key);
        self.has_sleeping |= state.is_some() && key(state) == chunk.sleeping;
        let slot = match spec.slot {
            Slot::Cpu if chunk.default_state.is_some() && key(state) != chunk.default_state => {
                Slot::OtherState
            }
            slot => slot,
        };
        let Some(stack) = stack else { return Ok(()) };
        let state =
            state.filter(|_| matches!(slot, Slot::Cpu | Slot::OtherState | Slot::Wall | Slot::Native));
        let sample = Sample { at, stack, class: leaf, thread, state, n, weight: weight.max(0.0) };
        let limits = self.limits;
        self.slots.entry(slot).or_insert_with(|| Growing::new(limits)).add(sample, &chunk.pools)
    }

    fn setting(
        &mut self,
        mut cursor: Cursor<'_>,
        class: Option<&Class>,
        (name, value): (usize, usize),
        chunk: &Chunk<'_>,
    ) -> Result<(), ParseError> {
        let mut texts = [String::new(), String::new()];
        for (place, field) in
            class.map(|class| class.fields.as_slice()).unwrap_or_default().iter().enumerate()
        {
            let [of_name, of_value] = &mut texts;
            let to = if place == name { of_name } else { of_value };
            if (place == name || place == value)
                && field.kind == Type::Text
                && !field.is_constant
                && !field.is_array
            {
                *to = chunk.pools.text_at(&mut cursor)?;
            } else {
                chunk.pools.types.skip_field(&mut cursor, field)?;
            }
        }
        let [name, value] = texts;
        if name == "event" && !value.is_empty() {
            self.engine = Some(value);
        }
        Ok(())
    }

    fn remark(&self, warnings: &mut Warnings) {
        for (what, counts) in
            [("dropped, private data of the machine", &self.private), ("skipped", &self.other)]
        {
            if !counts.is_empty() {
                warnings.add_with(At::File, || format!("{what}: {}", listed(counts)));
            }
        }
        if self.failed > 0 {
            warnings.add_with(At::File, || format!("{} samples failed and have no stack", self.failed));
        }
    }

    fn finish(self, warnings: &mut Warnings) -> Vec<Profile> {
        let both = self.slots.contains_key(&Slot::Cpu) && self.slots.contains_key(&Slot::CpuTime);
        let mut profiles = Vec::new();
        for (slot, growing) in self.slots {
            let shown = if slot == Slot::Cpu && self.has_sleeping && !self.has_default_state {
                Slot::Wall
            } else {
                slot
            };
            let mut profile = growing.finish(shown, warnings);
            if slot == Slot::CpuTime && both {
                "cpu-time".clone_into(&mut profile.event.name);
            }
            if shown == Slot::Cpu
                && let Some(engine) = &self.engine
                && !matches!(
                    engine.as_str(),
                    "cpu" | "itimer" | "ctimer" | "wall" | "alloc" | "lock" | "nativemem"
                )
            {
                profile.event.name.clone_from(engine);
            }
            profiles.push(profile);
        }
        profiles
    }
}

impl<'a> Chunk<'a> {
    fn new(header: &Header, pools: Pools<'a>) -> Result<Self, ParseError> {
        let states = pools.types.classes.iter().position(|class| class.name.ends_with(".ThreadState"));
        let (mut default_state, mut sleeping) = (None, None);
        for index in states.map_or(0..0, |class| 0..pools.len(class)) {
            let class = states.unwrap_or_default();
            let key = pools.key(class, index);
            match pools.text(Some(super::pools::Value::Constant(class, key)))?.as_str() {
                "STATE_DEFAULT" => default_state = Some(key),
                "STATE_SLEEPING" => sleeping = Some(key),
                _ => {}
            }
        }
        let ticks_ns = if header.ticks_a_second == 0 { 1.0 } else { 1e9 / header.ticks_a_second as f64 };
        Ok(Self { pools, ticks_ns, default_state, sleeping })
    }

    fn class(&self, index: usize) -> Option<&Class> {
        self.pools.types.classes.get(index)
    }
}

/// A constant's type and key; `None` for fields that hold something else.
fn constant(
    cursor: &mut Cursor<'_>,
    field: &Field,
    chunk: &Chunk<'_>,
) -> Result<Option<(usize, u64)>, ParseError> {
    let got = got(cursor, field, chunk)?;
    Ok(got.class.map(|class| (class, got.number)))
}

fn got(cursor: &mut Cursor<'_>, field: &Field, chunk: &Chunk<'_>) -> Result<Got, ParseError> {
    let number = |number| Ok(Got { number, class: None });
    match field.kind {
        _ if field.is_array => {}
        Type::Class(class) if field.is_constant => {
            return Ok(Got { number: cursor.long()?, class: Some(class) });
        }
        _ if field.is_constant => return number(cursor.long()?),
        Type::Byte => return number(u64::from(cursor.byte()?)),
        Type::Short => return number(cursor.short()?),
        Type::Int => return number(cursor.int()?),
        Type::Long => return number(cursor.long()?),
        Type::Float | Type::Double | Type::Text | Type::Class(_) => {}
    }
    chunk.pools.types.skip_field(cursor, field)?;
    number(0)
}

/// `20 jdk.ActiveSetting, 7 jdk.CPULoad`, most first.
fn listed(counts: &BTreeMap<String, u64>) -> String {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let mut named: Vec<String> =
        sorted.iter().take(MOST_NAMED).map(|(name, n)| format!("{n} {name}")).collect();
    let rest: u64 = sorted.iter().skip(MOST_NAMED).map(|(_, n)| **n).sum();
    if rest > 0 {
        named.push(format!("{rest} of {} other kinds", sorted.len() - MOST_NAMED));
    }
    named.join(", ")
}
