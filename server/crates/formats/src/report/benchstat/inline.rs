//! A comparison retyped as running text, as people put it into pull requests.
//!
//! `sec/op B/op Send/64 2.246us -> 2.078us -7.48% 112 -> 48 -57% …`: first the units, then for each benchmark its
//! name and for each unit the old value, an arrow, the new value and perhaps the difference. Line breaks may be lost.

use super::Found;
use crate::error::{At, ParseError};
use crate::number::{Marks, split_unit};

const ARROWS: [&str; 3] = ["->", "\u{2192}", "=>"];
/// Words looked at to see whether a text begins this way.
const HEAD_WORDS: usize = 64;

fn is_unit(word: &str) -> bool {
    word.ends_with("/op") || word.ends_with("B/s")
}

fn value(word: &str) -> Option<(f64, &str)> {
    word.starts_with(|c: char| c.is_ascii_digit()).then(|| split_unit(word, Marks::Point)).flatten()
}

/// Whether a line begins with units, a name and a value with an arrow behind it.
pub(super) fn starts(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(HEAD_WORDS).collect();
    let units = words.iter().take_while(|word| is_unit(word)).count();
    match words.get(units..) {
        Some([name, old, arrow, new, ..]) if units > 0 => {
            !is_unit(name) && value(old).is_some() && ARROWS.contains(arrow) && value(new).is_some()
        }
        _ => false,
    }
}

pub(super) fn read<'t>(
    found: &mut Found<'_>,
    lines: impl Iterator<Item = (usize, &'t str)>,
) -> Result<(), ParseError> {
    let words: Vec<(usize, &str)> =
        lines.flat_map(|(at, line)| line.split_whitespace().map(move |word| (at, word))).collect();
    let (old, new) = (found.place(1, "old")?, found.place(1, "new")?);
    let Some(first) = words.iter().position(|(_, word)| is_unit(word)) else { return Ok(()) };
    if first > 0 {
        found.builder.warn(At::File, format!("{first} words before the units are skipped"));
    }
    let mut words = words.into_iter().skip(first).peekable();
    let mut units: Vec<&str> = Vec::new();
    while let Some((_, unit)) = words.next_if(|(_, word)| is_unit(word)) {
        units.push(unit);
    }
    while let Some((at, name)) = words.next() {
        if name.starts_with(['+', '-', '~', '(']) || value(name).is_some() {
            found.builder.unknown_line(at, name);
            continue;
        }
        for unit in &units {
            let Some((_, before)) = words.next_if(|(_, word)| value(word).is_some()) else {
                found.builder.warn(At::Line(at), format!("{name} has no value in {unit}"));
                continue;
            };
            let after = words.next_if(|(_, word)| ARROWS.contains(word)).and_then(|_| words.next());
            // The difference and its test follow from the values.
            while words
                .next_if(|(_, word)| {
                    word.starts_with(['+', '-', '~', '(', 'n'])
                        && (word.ends_with(['%', ')', '~']) || word.starts_with('('))
                })
                .is_some()
            {}
            for (place, printed) in [(old, Some(before)), (new, after.map(|(_, word)| word))] {
                match printed.and_then(value) {
                    Some((value, "")) => found.add(at, name, unit, place, (value, unit)),
                    Some((value, own)) => found.add(at, name, unit, place, (value, own)),
                    None => found.builder.warn(At::Line(at), format!("{name} lacks a value in {unit}")),
                }
            }
        }
    }
    Ok(())
}
