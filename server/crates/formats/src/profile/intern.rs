//! Texts seen before to what they stand for, fast enough to be asked for every frame of every line.
//!
//! An open-addressing table over hashes that the scan for the end of a text computes in passing. A file made to
//! collide cannot slow it down: after a bounded number of probes a text goes to an ordinary map with a random seed.

use std::collections::HashMap;

/// How far a text may lie from its slot. At a load of at most one half, longer runs are not chance.
const MOST_PROBES: usize = 32;
const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u64,
    entry: u32,
}

/// The texts seen so far, each with its value.
#[derive(Debug)]
pub(super) struct Table<'t, T> {
    slots: Vec<Slot>,
    entries: Vec<(&'t [u8], T)>,
    crowded: HashMap<&'t [u8], T>,
}

impl<'t, T: Copy> Table<'t, T> {
    pub(super) fn new() -> Self {
        Self {
            slots: vec![Slot { hash: 0, entry: EMPTY }; 1024],
            entries: Vec::new(),
            crowded: HashMap::new(),
        }
    }

    /// The value of a text, with the hash that [`scan`] gave.
    pub(super) fn find(&self, text: &[u8], hash: u64) -> Option<T> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        for _ in 0..MOST_PROBES {
            let slot = self.slots.get(at)?;
            if slot.entry == EMPTY {
                return None;
            }
            if slot.hash == hash
                && let Some((known, value)) = self.entries.get(slot.entry as usize)
                && *known == text
            {
                return Some(*value);
            }
            at = (at + 1) & mask;
        }
        self.crowded.get(text).copied()
    }

    /// Keeps the value of a text that [`Self::find`] does not know.
    pub(super) fn insert(&mut self, text: &'t [u8], hash: u64, value: T) {
        let mask = self.slots.len() - 1;
        let free = (0..MOST_PROBES)
            .map(|step| (hash as usize).wrapping_add(step) & mask)
            .find(|at| self.slots.get(*at).is_some_and(|slot| slot.entry == EMPTY));
        let Some(slot) = free.and_then(|at| self.slots.get_mut(at)) else {
            self.crowded.insert(text, value);
            return;
        };
        *slot = Slot { hash, entry: self.entries.len() as u32 };
        self.entries.push((text, value));
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// Doubles the table. A text that finds no slot near its place moves to the ordinary map.
    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![Slot { hash: 0, entry: EMPTY }; mask + 1];
        for old in self.slots.iter().filter(|slot| slot.entry != EMPTY) {
            let free = (0..MOST_PROBES)
                .map(|step| (old.hash as usize).wrapping_add(step) & mask)
                .find(|at| slots.get(*at).is_some_and(|slot| slot.entry == EMPTY));
            match free.and_then(|at| slots.get_mut(at)) {
                Some(slot) => *slot = *old,
                None => {
                    if let Some((text, value)) = self.entries.get(old.entry as usize) {
                        self.crowded.insert(text, *value);
                    }
                }
            }
        }
        self.slots = slots;
    }
}

/// Length and hash of the text at the beginning of `rest`, which ends before the byte `END` or with the bytes.
///
/// Eight bytes a step: a byte of `word ^ END × 8` is zero where the end stands, and the lowest zero byte is found
/// exactly by the usual borrow trick ("Hacker's Delight", 6-1). The hash is that of `rustc-hash` 1.
#[inline]
pub(super) fn scan<const END: u8>(mut rest: &[u8]) -> (usize, u64) {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let ends: u64 = LOW.wrapping_mul(u64::from(END));
    let mut len = 0;
    let mut hash = 0_u64;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let x = word ^ ends;
        let zero = x.wrapping_sub(LOW) & !x & HIGH;
        if zero != 0 {
            let bits = zero.trailing_zeros() & !7;
            len += (bits / 8) as usize;
            return (len, finish(mix(hash, word & ((1_u64 << bits) - 1)), len));
        }
        hash = mix(hash, word);
        len += 8;
        rest = tail;
    }
    let mut word = 0_u64;
    let mut bits = 0_u32;
    for byte in rest.iter().take_while(|byte| **byte != END) {
        word |= u64::from(*byte) << bits;
        bits += 8;
    }
    len += (bits / 8) as usize;
    (len, finish(mix(hash, word), len))
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The low bits choose the slot, so the well-mixed high ones are folded onto them.
#[inline]
fn finish(hash: u64, len: usize) -> u64 {
    let hash = mix(hash, len as u64);
    hash ^ (hash >> 32)
}

/// A name without the mark that async-profiler and FlameGraph's collapsers append: `_[0]` interpreted, `_[1]`
/// compiled by C1, `_[j]` compiled, `_[i]` inlined, `_[k]` kernel.
pub(super) fn split_mark(text: &str) -> (&str, Option<u8>) {
    match text.as_bytes() {
        [_, .., b'_', b'[', mark @ (b'0' | b'1' | b'i' | b'j' | b'k'), b']'] => {
            (text.get(..text.len() - 4).unwrap_or(text), Some(*mark))
        }
        _ => (text, None),
    }
}

/// Whether a marked name is a class and no function: leaves of allocations and locks are, and their mark tells how they
/// were allocated. async-profiler writes classes of functions with slashes, so a package with points is a class alone.
pub(super) fn is_class(name: &str) -> bool {
    let is_qualified = |(package, class): (&str, &str)| {
        package.starts_with(|c: char| c.is_ascii_lowercase())
            && class.starts_with(|c: char| c.is_ascii_uppercase())
    };
    name.ends_with("[]")
        || (!name.contains(['/', '(', ' ', ':']) && name.rsplit_once('.').is_some_and(is_qualified))
}

/// The module of frames that carry the kernel's mark.
pub(super) const KERNEL: &str = "[kernel]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scanning_finds_the_end_at_every_distance() {
        for len in 0..40 {
            let name = "x".repeat(len);
            let inside = format!("{name};;tail;and more of it");
            assert_eq!(scan::<b';'>(inside.as_bytes()).0, len);
            assert_eq!(scan::<b';'>(inside.as_bytes()), scan::<b';'>(name.as_bytes()), "{len}");
            let line = format!("{name}\n\nmore; of it");
            assert_eq!(scan::<b'\n'>(line.as_bytes()), scan::<b';'>(name.as_bytes()), "{len}");
        }
    }

    #[test]
    fn classes_are_told_from_functions() {
        for class in [
            "byte[]",
            "java.lang.Class$ReflectionData",
            "java.util.concurrent.locks.ReentrantLock$NonfairSync",
        ] {
            assert!(is_class(class), "{class}");
        }
        for function in [
            "finish_task_switch.isra.0",
            "java/lang/String.x",
            "A.b",
            "do_exit.part.1",
            "Outer.Inner",
            "read",
        ] {
            assert!(!is_class(function), "{function}");
        }
    }

    #[test]
    fn texts_with_the_same_hash_stay_apart() {
        let texts: Vec<String> = (0..2000).map(|i| format!("f{i}")).collect();
        let mut table = Table::new();
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(table.find(text.as_bytes(), 7), None);
            table.insert(text.as_bytes(), 7, i);
        }
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(table.find(text.as_bytes(), 7), Some(i));
        }
    }
}
