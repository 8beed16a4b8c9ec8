//! The binary CPU profile: machine words of 4 or 8 bytes in either order, then text.

use super::BINARY;
use super::java;
use super::maps::Maps;
use super::stacks::{Sample, Stacks, Type};
use crate::error::{At, Kind, ParseError};
use crate::read::{Input, Parsed, Sniff};
use crate::warnings::Warnings;

/// How words are written.
#[derive(Debug, Clone, Copy)]
struct Words {
    wide: bool,
    big_endian: bool,
}

const LAYOUTS: [Words; 4] = [
    Words { wide: true, big_endian: false },
    Words { wide: false, big_endian: false },
    Words { wide: true, big_endian: true },
    Words { wide: false, big_endian: true },
];

impl Words {
    fn bytes(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// The word at an offset.
    fn at(self, bytes: &[u8], offset: usize) -> Option<u64> {
        let word = bytes.get(offset..offset.checked_add(self.bytes())?)?;
        let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if self.big_endian { word.iter().fold(0, fold) } else { word.iter().rev().fold(0, fold) })
    }
}

/// The header: `0 3 kind period 0`, the kind being 0 of native programs and 1 of Java. The period is microseconds.
struct Header {
    words: Words,
    is_java: bool,
    period_us: u64,
}

fn header(bytes: &[u8]) -> Option<Header> {
    LAYOUTS.into_iter().find_map(|words| {
        let word = |index: usize| words.at(bytes, index * words.bytes());
        let fits = word(0) == Some(0) && word(1) == Some(3) && word(4) == Some(0);
        let kind = word(2).filter(|kind| *kind <= 1)?;
        let period_us = word(3).filter(|period| (1..=60_000_000).contains(period))?;
        fits.then_some(Header { words, is_java: kind == 1, period_us })
    })
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    if header(head).is_some() { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let error = |offset: usize, kind: Kind| ParseError::new(BINARY.name, At::Offset(offset), kind);
    let Some(header) = header(input.bytes) else {
        let expected = "the header of a CPU profile (0, 3, 0 or 1, a period, 0)";
        return Err(error(0, Kind::Expected { expected, found: "other words".to_owned() }));
    };
    let size = header.words.bytes();
    let mut stacks = Stacks {
        types: vec![Type { name: "samples", unit: "", count: 0 }, Type { name: "cpu", unit: "ns", count: 0 }],
        period: Some(header.period_us as f64 * 1e3),
        ..Stacks::default()
    };
    let period_ns = header.period_us as f64 * 1e3;
    let mut offset = 5 * size;
    let mut ended = false;
    while let Some(count) = header.words.at(input.bytes, offset) {
        let place = offset;
        let depth = header.words.at(input.bytes, offset + size);
        let depth = depth.ok_or_else(|| error(place, Kind::Truncated("inside a sample")))?;
        offset += 2 * size;
        let room = input.bytes.len().saturating_sub(offset) / size;
        if depth > room as u64 {
            return Err(error(place, Kind::Truncated("a stack is longer than what is left of the file")));
        }
        let mut stack = Vec::with_capacity(depth as usize);
        for _ in 0..depth {
            stack.extend(header.words.at(input.bytes, offset));
            offset += size;
        }
        // `0 1 0` ends the samples.
        if count == 0 && stack == [0] {
            ended = true;
            break;
        }
        if stacks.samples.len() >= input.limits.samples {
            let limit = input.limits.samples as u64;
            return Err(error(place, Kind::Limit { what: "samples", limit, setting: "max_samples" }));
        }
        if !header.is_java {
            // Callers' addresses point behind the call.
            stack.iter_mut().skip(1).for_each(|address| *address = address.wrapping_sub(1));
        }
        let values = vec![count as f64, count as f64 * period_ns];
        stacks.samples.push(Sample { at: At::Offset(place), stack, values });
    }
    if !ended {
        warnings.add(At::Offset(offset), "the samples are not closed: the profiler was stopped in between");
    }
    let tail = String::from_utf8_lossy(input.bytes.get(offset..).unwrap_or_default());
    if header.is_java {
        stacks.symbols = java::symbols(&tail);
    } else {
        stacks.maps = Maps::read(&tail);
        without_signal_frames(&mut stacks.samples);
    }
    stacks.finish(BINARY.name, input.limits, warnings)
}

/// Samples that may differ for a frame to be the signal handler's: one in this many.
const SIMILAR: usize = 32;

/// When nearly all samples have the same frame below the leaf, it is the signal handler's and goes, up to two of them;
/// so does a leaf that stands twice, from the signal's context and from unwinding.
fn without_signal_frames(samples: &mut [Sample]) {
    let margin = samples.len() / SIMILAR;
    for _ in 0..2 {
        let mut counts = rustc_hash::FxHashMap::<u64, usize>::default();
        for below in samples.iter().filter_map(|sample| sample.stack.get(1)) {
            *counts.entry(*below).or_default() += 1;
        }
        let common = counts.into_iter().find(|(_, n)| *n >= samples.len().saturating_sub(margin));
        let Some((address, _)) = common else { break };
        for sample in samples.iter_mut().filter(|sample| sample.stack.get(1) == Some(&address)) {
            sample.stack.remove(1);
        }
    }
    for sample in samples {
        if let [leaf, below, ..] = sample.stack.as_slice()
            && *leaf == below.wrapping_add(1)
        {
            sample.stack.remove(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    fn file(words: Words, list: &[u64], tail: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in list {
            let full = if words.big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
            let half = if words.big_endian { &full[4..] } else { &full[..4] };
            bytes.extend_from_slice(if words.wide { &full } else { half });
        }
        [bytes, tail.as_bytes().to_vec()].concat()
    }

    #[test]
    fn four_kinds_of_words_give_the_same() {
        let list = [0, 3, 0, 1000, 0, 5, 2, 0x1000, 0x2001, 3, 2, 0x1000, 0x3001, 0, 1, 0];
        for words in LAYOUTS {
            let bytes = file(words, &list, "2000-3000 r-xp 0 0:0 0 /bin/app\n");
            let Content::Profiles(profiles) =
                read_any(&bytes, &Hints::default(), &Limits::default()).unwrap().content
            else {
                panic!("profiles")
            };
            let cpu = &profiles[0];
            assert_eq!((cpu.tree.samples(), cpu.tree.weight(), cpu.period), (8, 8e6, Some(1e6)));
            let frames: Vec<(&str, Option<&str>)> =
                cpu.tree.frames.iter().map(|frame| (frame.name.as_str(), frame.module.as_deref())).collect();
            assert_eq!(frames, [("0x2000", Some("app")), ("0x1000", None), ("0x3000", None)]);
        }
    }

    #[test]
    fn a_stack_longer_than_the_file_is_an_error() {
        let bytes = file(LAYOUTS[0], &[0, 3, 0, 1000, 0, 5, u64::MAX], "");
        let error = read_any(&bytes, &Hints::default(), &Limits::default()).unwrap_err();
        assert_eq!(error.at, At::Offset(40));
    }
}
