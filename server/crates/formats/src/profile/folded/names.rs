//! Raw frame texts of a folded file to frames of the tree, fast enough to be asked for every frame of every line.
//!
//! An open-addressing table over hashes that the scan for the next `;` computes in passing. A file made to collide
//! cannot slow it down: after a bounded number of probes a name goes to an ordinary map with a random seed.

use std::collections::HashMap;

use model::CallTreeBuilder;

/// How far a name may lie from its slot. At a load of at most one half, longer runs are not chance.
const MOST_PROBES: usize = 32;
const EMPTY: u32 = u32::MAX;
/// The module of frames that carry the kernel's mark.
const KERNEL: &str = "[kernel]";

/// The frame that a raw text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resolved {
    /// Index into the tree's frames.
    pub(super) frame: u32,
    /// The text ended in `_[i]`: inlined into its caller.
    pub(super) inlined: bool,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u64,
    entry: u32,
}

/// The texts seen so far.
#[derive(Debug)]
pub(super) struct Names<'t> {
    slots: Vec<Slot>,
    entries: Vec<(&'t str, Resolved)>,
    crowded: HashMap<&'t str, Resolved>,
    longest: usize,
}

impl<'t> Names<'t> {
    /// An empty table; names longer than `longest` bytes are cut.
    pub(super) fn new(longest: usize) -> Self {
        Self {
            slots: vec![Slot { hash: 0, entry: EMPTY }; 1024],
            entries: Vec::new(),
            crowded: HashMap::new(),
            longest,
        }
    }

    /// The frame of a text, made on first use, and whether its name was cut just now.
    pub(super) fn resolve(
        &mut self,
        text: &'t str,
        hash: u64,
        tree: &mut CallTreeBuilder,
    ) -> (Resolved, bool) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        for _ in 0..MOST_PROBES {
            let Some(slot) = self.slots.get(at) else { break };
            if slot.entry == EMPTY {
                return self.insert(text, hash, at, tree);
            }
            if slot.hash == hash
                && let Some((known, resolved)) = self.entries.get(slot.entry as usize)
                && *known == text
            {
                return (*resolved, false);
            }
            at = (at + 1) & mask;
        }
        if let Some(resolved) = self.crowded.get(text) {
            return (*resolved, false);
        }
        let (resolved, cut) = add(text, self.longest, tree);
        self.crowded.insert(text, resolved);
        (resolved, cut)
    }

    fn insert(
        &mut self,
        text: &'t str,
        hash: u64,
        at: usize,
        tree: &mut CallTreeBuilder,
    ) -> (Resolved, bool) {
        let (resolved, cut) = add(text, self.longest, tree);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Slot { hash, entry: self.entries.len() as u32 };
        }
        self.entries.push((text, resolved));
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        (resolved, cut)
    }

    /// Doubles the table. A name that finds no slot near its place moves to the ordinary map.
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
                    if let Some((text, resolved)) = self.entries.get(old.entry as usize) {
                        self.crowded.insert(text, *resolved);
                    }
                }
            }
        }
        self.slots = slots;
    }
}

fn add(text: &str, longest: usize, tree: &mut CallTreeBuilder) -> (Resolved, bool) {
    let (name, mark) = split_mark(text);
    let short = cut(name, longest);
    let module = (mark == Some(b'k')).then_some(KERNEL);
    let frame = tree.frame(short, module, None);
    (Resolved { frame, inlined: mark == Some(b'i') }, short.len() < name.len())
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

/// At most `longest` bytes of a name, ending at a character.
pub(super) fn cut(name: &str, longest: usize) -> &str {
    name.get(..name.floor_char_boundary(longest)).unwrap_or(name)
}

/// Length and hash of the frame at the beginning of `rest`, which ends before a `;` or with the text.
///
/// Eight bytes a step: a byte of `word ^ ";;;;;;;;"` is zero where a semicolon stands, and the lowest zero byte is
/// found exactly by the usual borrow trick ("Hacker's Delight", 6-1). The hash is that of `rustc-hash` 1.
pub(super) fn scan(mut rest: &[u8]) -> (usize, u64) {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const SEMICOLONS: u64 = LOW * b';' as u64;
    let mut len = 0;
    let mut hash = 0_u64;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let x = word ^ SEMICOLONS;
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
    for byte in rest.iter().take_while(|byte| **byte != b';') {
        word |= u64::from(*byte) << bits;
        bits += 8;
    }
    len += (bits / 8) as usize;
    (len, finish(mix(hash, word), len))
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The low bits choose the slot, so the well-mixed high ones are folded onto them.
fn finish(hash: u64, len: usize) -> u64 {
    let hash = mix(hash, len as u64);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scanning_finds_the_semicolon_at_every_distance() {
        for len in 0..40 {
            let name = "x".repeat(len);
            let inside = format!("{name};;tail;and more of it");
            assert_eq!(scan(inside.as_bytes()).0, len);
            assert_eq!(scan(inside.as_bytes()), scan(name.as_bytes()), "{len}");
        }
    }

    #[test]
    fn names_with_the_same_hash_stay_apart() {
        let texts: Vec<String> = (0..2000).map(|i| format!("f{i}")).collect();
        let mut tree = CallTreeBuilder::new();
        let mut names = Names::new(100);
        for round in 0..2 {
            for (i, text) in texts.iter().enumerate() {
                let (resolved, cut) = names.resolve(text, 7, &mut tree);
                assert_eq!((resolved.frame as usize, cut), (i, false), "round {round}");
            }
        }
    }

    #[test]
    fn marks_leave_the_name() {
        let mut tree = CallTreeBuilder::new();
        let mut names = Names::new(100);
        let mut ask = |text: &'static str| names.resolve(text, scan(text.as_bytes()).1, &mut tree).0;
        let compiled = ask("A.b_[j]");
        assert_eq!(ask("A.b_[0]"), compiled);
        assert_eq!(ask("A.b_[i]"), Resolved { frame: compiled.frame, inlined: true });
        assert_ne!(ask("A.b_[k]").frame, compiled.frame);
        assert_ne!(ask("A.b_[x]").frame, compiled.frame);
        ask("_[k]");
        let tree = tree.finish();
        let named: Vec<_> =
            tree.frames.iter().map(|frame| (frame.name.as_str(), frame.module.as_deref())).collect();
        assert_eq!(named, [("A.b", None), ("A.b", Some("[kernel]")), ("A.b_[x]", None), ("_[k]", None)]);
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        assert_eq!(cut("a\u{e9}b", 2), "a");
        assert_eq!(cut("a\u{e9}b", 3), "a\u{e9}");
        assert_eq!(cut("ab", 9), "ab");
    }
}
