//! Samples of addresses to profiles, one a sample type.

use model::{Event, Node, Profile, Unit};
use rustc_hash::FxHashMap;

use super::maps::Maps;
use crate::error::{At, ParseError};
use crate::limits::Limits;
use crate::profile::sink::Sink;
use crate::read::{Content, Parsed};
use crate::warnings::Warnings;

/// The frame of samples that have none, as other readers name it.
const NO_FRAMES: &str = "[no frames]";

/// One sample type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    pub(super) name: &'static str,
    /// The unit as the file has it; empty for counts.
    pub(super) unit: &'static str,
    /// The index of the type that counts what this one weighs.
    pub(super) count: usize,
}

/// A symbol for an address: name and file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) file: Option<String>,
}

/// One sample: addresses innermost first, and a value a type.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) at: At,
    pub(super) stack: Vec<u64>,
    pub(super) values: Vec<f64>,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub(super) types: Vec<Type>,
    pub(super) samples: Vec<Sample>,
    pub(super) symbols: FxHashMap<u64, Symbol>,
    pub(super) maps: Maps,
    pub(super) period: Option<f64>,
    pub(super) duration_ns: Option<f64>,
}

impl Stacks {
    /// Profiles of all types, the last one, which pprof takes by default, first.
    pub(super) fn finish(
        self,
        format: &'static str,
        limits: &Limits,
        mut warnings: Warnings,
    ) -> Result<Parsed, ParseError> {
        let mut profiles = Vec::new();
        // What only counts the samples of another type is in that type's samples.
        let weighs = self.types.iter().any(|kind| !kind.unit.is_empty());
        let shown = self.types.iter().enumerate().filter(|(_, kind)| !(weighs && kind.unit.is_empty()));
        for (index, kind) in shown.rev() {
            let mut sink = Sink::new(format, limits);
            for sample in &self.samples {
                self.add(&mut sink, sample, index, kind)?;
            }
            let unit = match kind.unit {
                "" => Unit::Count(String::new()),
                unit => Unit::parse(unit).0,
            };
            let event = Event { name: kind.name.to_owned(), unit };
            let mut profile = Profile::new(event, sink.finish(&mut warnings));
            profile.period = self.period.filter(|_| !kind.unit.is_empty());
            profile.duration_ns = self.duration_ns;
            profiles.push(profile);
        }
        Ok(warnings.parsed(format, Content::Profiles(profiles)))
    }

    fn add(&self, sink: &mut Sink<'_>, sample: &Sample, index: usize, kind: &Type) -> Result<(), ParseError> {
        let at = || sample.at.clone();
        let value = |index: usize| sample.values.get(index).copied().unwrap_or(0.0);
        let weight = value(index) * if kind.unit.is_empty() { 1.0 } else { Unit::parse(kind.unit).1 };
        let count = value(kind.count).max(0.0) as u64;
        sink.count_stack(at, sample.stack.len())?;
        let mut node = Node::ROOT;
        for address in sample.stack.iter().rev() {
            let frame = match self.symbols.get(address) {
                Some(symbol) => sink.frame(at, &symbol.name, None, symbol.file.as_deref())?,
                None => sink.frame(at, &format!("{address:#x}"), self.maps.module(*address), None)?,
            };
            node = sink.child(at, node, frame, false)?;
        }
        if sample.stack.is_empty() {
            let frame = sink.frame(at, NO_FRAMES, None, None)?;
            node = sink.child(at, node, frame, false)?;
        }
        sink.add(node, count, weight);
        Ok(())
    }
}

/// A heap sample scaled up by the chance that an allocation of its size was sampled at one in `rate` bytes.
pub(super) fn unsampled(count: f64, size: f64, rate: f64) -> (f64, f64) {
    if count == 0.0 || size == 0.0 || rate <= 1.0 {
        return (count, size);
    }
    let scale = 1.0 / (1.0 - (-(size / count) / rate).exp());
    // pprof keeps whole numbers.
    ((count * scale).trunc(), (size * scale).trunc())
}

/// Hexadecimal addresses behind `@`, each moved by `by`.
pub(super) fn addresses(text: &str, by: u64) -> Vec<u64> {
    let address = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    text.split_whitespace().filter_map(address).map(|address| address.wrapping_sub(by)).collect()
}
