//! Folded text to one profile.

use model::{Event, Node, Profile};

use super::NAME;
use super::header::Header;
use super::line::{self, Line};
use super::stacks::Stacks;
use super::weights::{Samples, decide};
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::read::{Content, Input, Parsed};
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
    with_second_number: usize,
    nameless: Option<usize>,
    ends_bad: bool,
}

/// The profile of a folded file. Its weights are scaled to the base unit; its samples follow the rules of
/// [`decide`].
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let whole = text(&input, &mut warnings);
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
                count.with_second_number += usize::from(line::ends_in_weight(path));
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
        if n_good > 0 && self.with_second_number == n_good {
            let text = "two weights a line: this is a difference of two profiles, send the two";
            return Err(ParseError::new(NAME, At::File, Kind::Invalid(text.to_owned())));
        }
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
