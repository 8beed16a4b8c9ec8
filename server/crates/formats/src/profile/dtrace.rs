//! DTrace's aggregated stacks, as `dtrace -n 'profile-97 { @[ustack()] = count(); }'` prints them:
//!
//! ```text
//!               libc.so.1`read+0xa
//!               app`main+0x2b
//!                 12
//! ```
//!
//! Blocks of frames, innermost first, each closed by its count. What stands before the first blank line is the heading
//! of the output. Description: <https://illumos.org/books/dtrace/chp-profile.html>.

use model::{Event, Node, Profile};

use super::parts::ticks;
use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

const NAME: &str = "dtrace";

/// DTrace's aggregations of stacks.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "stacks with counts, as DTrace prints them", sniff, read };

/// A line between frames.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Line<'t> {
    Blank,
    Count(u64),
    Frame(&'t str),
}

fn line(text: &str) -> Line<'_> {
    let text = text.trim();
    match text.parse() {
        _ if text.is_empty() => Line::Blank,
        Ok(count) => Line::Count(count),
        Err(_) => Line::Frame(text),
    }
}

/// `libc.so.1`read+0xa` to module and function.
fn frame(text: &str) -> (Option<&str>, &str) {
    // A function in C++ may hold a plus sign as well (`operator+`); an offset is hexadecimal.
    let name = match text.rsplit_once("+0x") {
        Some((name, offset)) if !name.is_empty() && offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            name
        }
        _ => text,
    };
    match name.split_once('`') {
        Some((module, function)) if !module.is_empty() && !function.is_empty() => (Some(module), function),
        _ => (None, name),
    }
}

fn is_frame(text: &str) -> bool {
    let is_indented = text.starts_with([' ', '\t']);
    is_indented
        && matches!(line(text), Line::Frame(text) if frame(text).0.is_some_and(|module| !module.contains(' ')))
}

/// Yes where indented frames with a module are followed by a count on a line of its own.
fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let mut in_stack = false;
    for text in text.lines() {
        match line(text) {
            Line::Count(_) if in_stack => return Sniff::Yes,
            Line::Count(_) => {}
            Line::Frame(_) => in_stack |= is_frame(text),
            Line::Blank => in_stack = false,
        }
    }
    Sniff::No
}

/// The lines behind the heading, with their numbers.
fn body(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let first = text.lines().next().unwrap_or_default();
    let has_heading = !first.trim().is_empty() && !is_frame(first);
    let mut in_heading = has_heading;
    crate::number::lines(text).filter(move |(_, line)| {
        in_heading &= !line.trim().is_empty();
        !in_heading
    })
}

/// Frames of a stack, innermost first, to the tree. `a->b` is Java's `b` inlined into `a`.
fn add(sink: &mut Sink<'_>, number: usize, stack: &[&str], count: u64) -> Result<(), ParseError> {
    let at = || At::Line(number);
    let mut node = Node::ROOT;
    let mut depth = 0;
    for text in stack.iter().rev() {
        let (module, chain) = frame(text);
        for (i, name) in chain.split("->").filter(|name| !name.is_empty()).enumerate() {
            let frame = sink.frame(at, name, module, None)?;
            node = sink.child(at, node, frame, i > 0)?;
            depth += 1;
        }
    }
    sink.count_stack(at, depth)?;
    sink.add(node, count, count as f64);
    Ok(())
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut sink = Sink::new(NAME, input.limits);
    let (mut stack, mut stacks, mut last) = (Vec::new(), 0_usize, 0);
    for (number, text) in body(&text) {
        last = number;
        match line(text) {
            Line::Blank => {}
            Line::Frame(frame) => stack.push(frame),
            Line::Count(_) if stack.is_empty() => {
                warnings.add(At::Line(number), "a count without a stack is skipped");
            }
            Line::Count(count) => {
                add(&mut sink, number, &stack, count)?;
                stack.clear();
                stacks += 1;
            }
        }
    }
    if stacks == 0 {
        let found =
            text.lines().find(|line| !line.trim().is_empty()).map(excerpt).unwrap_or_default().into_owned();
        let expected = "stacks, innermost frame first, each followed by its count";
        return Err(ParseError::new(NAME, At::File, Kind::Expected { expected, found }));
    }
    let is_cut = !stack.is_empty();
    if is_cut {
        warnings.add(At::Line(last), "the last stack has no count: the file is cut off");
    }
    let event = Event { name: "samples".to_owned(), ..ticks("samples") };
    let mut profile = Profile::new(event, sink.finish(&mut warnings));
    profile.partial = is_cut;
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn parse(text: &str) -> Result<(Profile, usize), ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })?;
        let Content::Profiles(mut profiles) = parsed.content else { panic!("not profiles") };
        Ok((profiles.remove(0), parsed.warnings.len()))
    }

    #[test]
    fn blocks_are_stacks_with_modules_and_inlined_methods() {
        let text =
            "CPU ID\n  0 1 :tick-60s\n\n  libc`read+0xa\n  a`A.f->A.g\n  0xfe\n  3\n\n  a`operator+\n  7\n";
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (profile, warnings) = parse(text).unwrap();
        let tree = &profile.tree;
        let named: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| {
                let frame = &tree.frames[node.frame as usize];
                (frame.name.as_str(), frame.module.as_deref(), node.inlined, node.self_samples)
            })
            .collect();
        let wanted = [
            ("0xfe", None, false, 0),
            ("A.f", Some("a"), false, 0),
            ("A.g", Some("a"), true, 0),
            ("read", Some("libc"), false, 3),
            ("operator+", Some("a"), false, 7),
        ];
        assert_eq!(named, wanted);
        assert_eq!((warnings, profile.partial), (0, false));
    }

    #[test]
    fn a_cut_file_is_partial_and_a_file_without_counts_is_refused() {
        let (profile, warnings) = parse("\n  a`f\n  3\n  a`g\n").unwrap();
        assert_eq!((profile.partial, warnings, profile.tree.samples()), (true, 1, 3));
        assert!(parse("\n  a`f\n").is_err());
        assert_eq!(sniff(b"a;b 5\n"), Sniff::No);
        assert_eq!(sniff(b"echo `date` x\n 5\n"), Sniff::No);
    }
}
