//! Folded text to one profile.

use model::{Event, Node, Profile};
use rustc_hash::FxHashSet;

use super::NAME;
use super::header::Header;
use super::line::{self, Line};
use super::stacks::Stacks;
use super::weights::{Samples, decide};
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::read::{Content, Hints, Input, Parsed};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

/// Above this, whole numbers in a double are no longer exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The lines that were not taken, and what else is remarkable.
#[derive(Debug, Default)]
struct Count<'t> {
    bad: usize,
    first_bad: Option<(usize, &'t str)>,
    negative: usize,
    nameless: Option<usize>,
    ends_bad: bool,
}

/// The profile of a folded file. Its weights are scaled to the base unit; its samples follow the rules of
/// [`decide`].
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let whole = text(&input, &mut warnings);
    let side = Side::of(&whole, input.hints)?;
    if let Some(side) = side {
        warnings.add_with(At::File, || {
            let (taken, other) = if side == Side::Base { ("first, the base", 2) } else { ("second, the newer one", 1) };
            format!("two weights a line: a difference of two profiles, of which the {taken}, is read (column={other} takes the other)")
        });
    }
    let leaf_is_class = input.hints.event.as_deref().is_some_and(|event| event.contains("alloc"));
    let mut stacks = Stacks::new(input.limits, leaf_is_class);
    let mut header = Header::default();
    let mut count = Count::default();
    let mut leaves = Vec::new();
    let mut weights = Vec::new();
    for (number, text) in (1..).zip(whole.split('\n')) {
        count.ends_bad = false;
        match line::parse(text) {
            Line::Blank => {}
            Line::Comment(comment) => header.read_comment(comment),
            Line::Bad => count.bad_line(number, text, &mut warnings),
            Line::Stack { weight, .. } if weight < 0.0 => {
                count.negative += 1;
                warnings.add_with(At::Line(number), || format!("negative weight {weight} skipped"));
            }
            Line::Stack { path, weight } => {
                if weights.len() >= input.limits.samples {
                    return Err(too_many_stacks(number, input.limits));
                }
                let (path, weight) = side.map_or((path, weight), |side| side.take(path, weight));
                let (leaf, odd) = stacks.walk(path, number)?;
                if odd.nameless {
                    count.nameless.get_or_insert(number);
                }
                if odd.cut {
                    let most = input.limits.symbol_bytes;
                    warnings.add_with(At::Line(number), || {
                        format!("a name was cut to {most} bytes (max_symbol_bytes)")
                    });
                }
                leaves.push(leaf);
                weights.push(weight);
            }
        }
    }
    count.refuse(weights.len())?;
    count.remark(&weights, &mut warnings);

    let header = header.overridden_by(input.hints);
    let meaning = decide(&weights, &header);
    let mut tree = stacks.into_tree();
    for (leaf, weight) in leaves.into_iter().zip(weights) {
        if leaf != Node::ROOT {
            tree.add(leaf, meaning.samples.of(weight), weight * meaning.scale);
        }
    }
    let event = Event { name: header.event.unwrap_or_else(|| "samples".to_owned()), unit: meaning.unit };
    let mut profile = Profile::new(event, tree.finish());
    profile.period = header.period.or(match meaning.samples {
        Samples::Period(period) => Some(period * meaning.scale),
        Samples::Weight | Samples::OneALine => None,
    });
    profile.duration_ns = header.duration_ns;
    // A difference or a file that was cut lacks an unknown part.
    profile.partial = count.negative > 0 || (count.ends_bad && !whole.ends_with('\n'));
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

/// Which profile of a difference (`main;work 10 25`, as difffolded.pl and inferno-diff-folded write it) is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The first weight.
    Base,
    /// The second weight, of the newer profile.
    Head,
}

impl Side {
    /// The side to read, when every stack has two weights. A difference has each stack once; where taking a number
    /// off makes two stacks the same, it is part of their names (`main;worker 1 20`, `main;worker 2 30`).
    fn of(text: &str, hints: &Hints) -> Result<Option<Self>, ParseError> {
        let mut stacks = text.split('\n').filter_map(|line| match line::parse(line) {
            Line::Stack { path, .. } => Some(path),
            _ => None,
        });
        let mut seen = FxHashSet::default();
        let is_difference =
            stacks.all(|path| line::second_weight(path).is_some_and(|(path, _)| seen.insert(path)));
        if !is_difference || seen.is_empty() {
            return Ok(None);
        }
        match hints.column.as_deref() {
            None | Some("2") => Ok(Some(Self::Head)),
            Some("1") => Ok(Some(Self::Base)),
            Some(other) => {
                let kind = Kind::Expected { expected: "column 1 or 2", found: excerpt(other).into_owned() };
                Err(ParseError::new(NAME, At::File, kind))
            }
        }
    }

    /// The stack without its first weight, and the weight of this side.
    fn take(self, path: &str, second: f64) -> (&str, f64) {
        match line::second_weight(path) {
            Some((path, first)) => (path, if self == Self::Base { first } else { second }),
            None => (path, second),
        }
    }
}

fn too_many_stacks(line: usize, limits: &Limits) -> ParseError {
    let kind = Kind::Limit { what: "stacks", limit: limits.samples as u64, setting: "max_samples" };
    ParseError::new(NAME, At::Line(line), kind)
}

impl<'t> Count<'t> {
    fn bad_line(&mut self, number: usize, text: &'t str, warnings: &mut Warnings) {
        self.bad += 1;
        self.ends_bad = true;
        self.first_bad.get_or_insert((number, text));
        warnings
            .add_with(At::Line(number), || format!("no stack with a weight, skipped: {:?}", excerpt(text)));
    }

    /// Refuses what is not a folded file as a whole, given the number of good lines.
    fn refuse(&self, n_good: usize) -> Result<(), ParseError> {
        if let Some((number, text)) = self.first_bad.filter(|_| self.bad > n_good + self.negative) {
            let expected = "stacks with a weight after the last blank (`main;work 42`) on most lines";
            let kind = Kind::Expected { expected, found: excerpt(text).into_owned() };
            return Err(ParseError::new(NAME, At::Line(number), kind));
        }
        match (n_good, self.negative) {
            (0, 0) => Err(ParseError::new(NAME, At::File, Kind::Empty)),
            (0, _) => {
                let text = "all weights are negative: this is a difference of two profiles, send the two";
                Err(ParseError::new(NAME, At::File, Kind::Invalid(text.to_owned())))
            }
            _ => Ok(()),
        }
    }

    fn remark(&self, weights: &[f64], warnings: &mut Warnings) {
        if let Some(line) = self.nameless {
            warnings.add_with(At::Line(line), || "frames without a name are left out".to_owned());
        }
        if weights.iter().sum::<f64>() > EXACT {
            warnings.add_with(At::File, || "the weights add up to more than 2^53 and are rounded".to_owned());
        }
    }
}
