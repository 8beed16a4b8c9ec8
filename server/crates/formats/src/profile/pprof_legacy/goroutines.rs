//! A dump of all goroutines: `goroutine 1 [running]:`, then two lines a frame, innermost first.

use model::{Event, LabelWeight, Node, Profile, Unit};
use rustc_hash::FxHashMap;

use super::GOROUTINES;
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::number::lines;
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::text::text;
use crate::warnings::Warnings;

/// The state in `goroutine 12 [chan receive, 3 minutes]:`.
fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_end().strip_prefix("goroutine ")?;
    let (number, rest) = rest.split_once(' ')?;
    number.parse::<u64>().ok()?;
    // Newer runtimes put the thread between number and state.
    let (_, rest) = rest.split_once('[')?;
    let state = rest.strip_suffix("]:")?;
    Some(state.split(',').next().unwrap_or(state))
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| heading(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// `main.write({0x4fd928, 0x9}, 0x2)` without its arguments.
fn function(line: &str) -> Option<&str> {
    let line = line.trim_end();
    if line.starts_with(char::is_whitespace) || line.is_empty() || !line.ends_with(')') {
        return None;
    }
    // A method's receiver is in brackets too: the arguments are in the last pair that closes the line.
    let mut depth = 0_usize;
    for (at, c) in line.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return line.get(..at).filter(|name| !name.is_empty());
                }
            }
            _ => {}
        }
    }
    None
}

/// A frame: name and file.
type Frame<'t> = (&'t str, Option<&'t str>);

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut dump =
        Dump { sink: Sink::new(GOROUTINES.name, input.limits), states: FxHashMap::default(), n: 0 };
    let mut current: Option<(usize, &str, Vec<Frame<'_>>)> = None;
    for (at, line) in lines(&text) {
        if let Some(state) = heading(line) {
            dump.settle(current.replace((at, state, Vec::new())))?;
        } else if line.trim().is_empty() {
            dump.settle(current.take())?;
        } else if let Some((begin, _, stack)) = &mut current {
            if stack.len() > input.limits.stack_depth {
                return Err(too_deep(*begin, input.limits));
            }
            if line.starts_with("created by ") {
                // Who began it is no caller of it.
            } else if let Some(name) = function(line) {
                stack.push((name, None));
            } else if let (Some(place), Some(frame)) = (line.strip_prefix('\t'), stack.last_mut()) {
                frame.1 = place.split_once(':').map(|(file, _)| file);
            } else if !line.starts_with("...") {
                warnings.add_with(At::Line(at), || format!("not understood and skipped: {line:?}"));
            }
        }
    }
    dump.settle(current)?;
    if dump.n == 0 {
        return Err(ParseError::new(GOROUTINES.name, At::File, Kind::Empty));
    }
    let event = Event { name: "goroutine".to_owned(), unit: Unit::Count(String::new()) };
    let mut profile = Profile::new(event, dump.sink.finish(&mut warnings));
    profile.labels = labels(dump.states);
    Ok(warnings.parsed(GOROUTINES.name, Content::Profiles(vec![profile])))
}

fn too_deep(line: usize, limits: &Limits) -> ParseError {
    let kind = Kind::Limit {
        what: "frames on a stack",
        limit: limits.stack_depth as u64,
        setting: "max_stack_depth",
    };
    ParseError::new(GOROUTINES.name, At::Line(line), kind)
}

struct Dump<'a, 't> {
    sink: Sink<'a>,
    states: FxHashMap<&'t str, u64>,
    n: usize,
}

impl<'t> Dump<'_, 't> {
    fn settle(&mut self, goroutine: Option<(usize, &'t str, Vec<Frame<'t>>)>) -> Result<(), ParseError> {
        let Some((line, state, stack)) = goroutine else { return Ok(()) };
        let at = || At::Line(line);
        self.n += 1;
        *self.states.entry(state).or_default() += 1;
        self.sink.count_stack(at, stack.len())?;
        let mut node = Node::ROOT;
        for (name, file) in stack.iter().rev() {
            let frame = self.sink.frame(at, name, None, *file)?;
            node = self.sink.child(at, node, frame, false)?;
        }
        self.sink.add(node, 1, 1.0);
        Ok(())
    }
}

fn labels(states: FxHashMap<&str, u64>) -> Vec<LabelWeight> {
    let mut labels: Vec<LabelWeight> = states
        .into_iter()
        .map(|(state, n)| LabelWeight {
            key: "state".to_owned(),
            value: state.to_owned(),
            samples: n,
            weight: n as f64,
        })
        .collect();
    labels.sort_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.value.cmp(&b.value)));
    labels.truncate(Profile::MOST_LABELS);
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Hints, read as read_any};

    #[test]
    fn goroutines_are_counted_with_their_states() {
        let text = "goroutine 1 [running]:\nmain.(*T).f({0x1, 0x2})\n\t/a/b.go:7 +0x69\nmain.main()\n\t/a/b.go:3 +0x1\n\ngoroutine 7 [chan receive, 3 minutes]:\nmain.main()\n\t/a/b.go:9 +0x1\ncreated by main.x in goroutine 1\n\t/a/b.go:1 +0x2\n";
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!(parsed.warnings, []);
        let Content::Profiles(profiles) = parsed.content else { panic!("profiles") };
        let names: Vec<&str> = profiles[0].tree.frames.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!((names, profiles[0].tree.samples()), (vec!["main.main", "main.(*T).f"], 2));
        assert_eq!((profiles[0].labels[0].value.as_str(), profiles[0].labels.len()), ("chan receive", 2));
    }
}
