//! Catch2's console. A row is three lines: samples, mean, standard deviation; a name that is longer than its column goes
//! over several more.

use super::{CONSOLE, Estimate, KIND, MEAN, estimate, key};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::{text, without_colours};

/// The width of the name's column.
fn heading(line: &str) -> Option<usize> {
    let rest = line.strip_prefix("benchmark name")?;
    let at = line.find("samples")?;
    rest.contains("iterations").then(|| line.get(..at).map_or(0, |before| before.chars().count()))
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| heading(&without_colours(line)).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// `72.8336 ns    72.6907 ns    73.3767 ns`.
fn triple(text: &str) -> Option<Estimate<'_>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [a, a_unit, b, b_unit, c, c_unit] = words.as_slice() else { return None };
    let pair = |value: &str, unit| number(value, Marks::Point).map(|value| (value, unit));
    Some([pair(a, *a_unit), pair(b, *b_unit), pair(c, *c_unit)])
}

/// What the next line of a row is.
enum Next {
    Samples,
    Mean,
    Deviation,
}

/// A value and its unit, and the bounds around it, as far as they are printed.
type Triple = [Option<(f64, String)>; 3];

struct State {
    width: usize,
    name: String,
    next: Next,
    /// The mean with its place, until the name is whole: it may go on beside all three lines.
    mean: Option<(usize, Triple)>,
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CONSOLE.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut state: Option<State> = None;
    let mut test_case = String::new();
    let mut before = ["", ""];
    let mut failing: Option<usize> = None;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(width) = heading(&line) {
            state = Some(State { width, name: String::new(), next: Next::Samples, mean: None });
        } else if line.trim_end().ends_with(": FAILED:") {
            failing = Some(at);
            state = None;
        } else if let Some(place) = failing.take_if(|_| !line.trim().is_empty()) {
            if let Some(key) = key(&mut builder, place, &test_case) {
                builder.fail(&key, KIND, line.trim())?;
            }
        } else if is_rule(&line, '.') || is_rule(&line, '=') {
            state = None;
        } else if is_rule(&line, '-') && is_rule(before[0], '-') && !before[1].starts_with("  ") {
            before[1].trim().clone_into(&mut test_case);
        } else if let Some(state) = &mut state {
            row_line(&mut builder, at, state, &line)?;
        }
        before = [before[1], raw];
    }
    builder.finish(None)
}

fn is_rule(line: &str, mark: char) -> bool {
    line.trim_end().len() > 20 && line.trim_end().chars().all(|c| c == mark)
}

fn row_line(builder: &mut Builder<'_>, at: usize, state: &mut State, line: &str) -> Result<(), ParseError> {
    let name: String = line.chars().take(state.width).collect();
    let values: String = line.chars().skip(state.width).collect();
    let (name, values) = (name.trim(), values.trim());
    // The rest of the heading, rules and blank lines between rows.
    if is_rule(line, '-') || (name.is_empty() && (values.is_empty() || values.starts_with(['m', 's']))) {
        return Ok(());
    }
    let begins = values.split_whitespace().next().is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    match (&state.next, triple(values)) {
        (Next::Mean, Some(values)) => {
            state.add_to_name(name);
            state.next = Next::Deviation;
            state.mean = Some((at, values.map(|bound| bound.map(|(value, unit)| (value, unit.to_owned())))));
            Ok(())
        }
        (Next::Deviation, Some(values)) => {
            state.add_to_name(name);
            finish_row(builder, at, state, values)
        }
        // `20  408  1.7136 ms`: the row's values follow.
        (_, None) if begins => {
            state.add_to_name(name);
            state.next = Next::Mean;
            Ok(())
        }
        (Next::Samples, None) if values.is_empty() => {
            state.add_to_name(name);
            Ok(())
        }
        _ => {
            builder.warn(At::Line(at), format!("not understood and skipped: {line:?}"));
            state.name.clear();
            Ok(())
        }
    }
}

impl State {
    fn add_to_name(&mut self, part: &str) {
        if !(part.is_empty() || self.name.is_empty()) {
            self.name.push(' ');
        }
        self.name.push_str(part);
    }
}

fn finish_row(
    builder: &mut Builder<'_>,
    at: usize,
    state: &mut State,
    deviation: Estimate<'_>,
) -> Result<(), ParseError> {
    state.next = Next::Samples;
    let (name, mean) = (std::mem::take(&mut state.name), state.mean.take());
    let Some(key) = key(builder, at, &name) else { return Ok(()) };
    if let Some((line, mean)) = &mean {
        let mean = [0, 1, 2]
            .map(|i| mean.get(i).and_then(Option::as_ref).map(|(value, unit)| (*value, unit.as_str())));
        estimate(builder, *line, &key, MEAN, mean)?;
    }
    estimate(builder, at, &key, "std dev", deviation)
}
