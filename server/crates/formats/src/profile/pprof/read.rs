//! A pprof to one profile a measurement.

use model::{Event, Node, Profile, Unit};

use super::kinds::{Choice, Kind, choose};
use super::project::project;
use super::proto::Message;
use super::samples::{self, Samples};
use super::tables::{Tables, ValueType};
use super::{NAME, labels, limit};
use crate::error::{At, ParseError};
use crate::read::{Content, Input, Parsed};
use crate::warnings::Warnings;

/// Sums beyond this do not fit the 64-bit integers that pprof's own tools add up in.
const MOST_SUM: f64 = 9_223_372_036_854_775_808.0;

/// The profiles of a file, pprof's default first; `hints.event` puts the one of that name first instead.
///
/// Samples of a profile come from the type that counts them; without one, from the weight and the period (a value is
/// a number of samples times the period); without that, each entry is at least one.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let message = Message::new(input.bytes);
    let tables = Tables::read(message, input.limits)?;
    let kinds =
        (1..).zip(&tables.sample_types).map(|(i, kind)| name(*kind, &tables, &format!("sample type {i}")));
    let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
    let default = text(tables.default_type, &tables, "default sample type")?;
    let hinted = input.hints.event.as_deref().filter(|event| kinds.iter().any(|kind| kind.name == *event));
    let choices = choose(&kinds, hinted.or(Some(default.as_str()).filter(|name| !name.is_empty())));
    let period = (tables.period > 0).then(|| name(tables.period_type, &tables, "period type")).transpose()?;
    let period = period.map(|kind| (kind.unit, tables.period as f64 * kind.scale));

    let samples = samples::read(message, &tables, input.limits, &mut warnings)?;
    if samples.labels.dropped > 0 {
        warnings.add_with(labels::at(), || {
            format!("{} labels of samples found no room and are left out", samples.labels.dropped)
        });
    }
    if tables.drop_frames != 0 {
        let text = "the file asks its viewers to hide frames (drop_frames); they are kept";
        warnings.add(At::File, text);
    }
    let mut profiles = Vec::new();
    let mut n_nodes = 0;
    for choice in choices {
        let Some(kind) = kinds.get(choice.weight) else { continue };
        let profile = profile(choice, kind, &samples, period.as_ref(), &tables, &mut warnings)?;
        n_nodes += profile.tree.nodes.len();
        if n_nodes > input.limits.nodes {
            return Err(limit(At::File, "nodes of all call trees", input.limits.nodes, "max_nodes"));
        }
        profiles.push(profile);
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

fn text(index: u64, tables: &Tables<'_>, whose: &str) -> Result<String, ParseError> {
    let string = tables.string(index, || whose.to_owned())?;
    Ok(String::from_utf8_lossy(string.bytes).into_owned())
}

fn name(kind: ValueType, tables: &Tables<'_>, whose: &str) -> Result<Kind, ParseError> {
    let unit = text(kind.unit, tables, whose)?;
    Ok(Kind::new(text(kind.kind, tables, whose)?, &unit))
}

fn profile(
    choice: Choice,
    kind: &Kind,
    samples: &Samples,
    period: Option<&(Unit, f64)>,
    tables: &Tables<'_>,
    warnings: &mut Warnings,
) -> Result<Profile, ParseError> {
    let own_period =
        period.filter(|(unit, _)| *unit == kind.unit && *unit != Unit::Bytes).map(|(_, period)| *period);
    let count = |values: &[i64], weight: f64| match choice.count.and_then(|count| values.get(count)) {
        Some(count) => count.unsigned_abs(),
        None if weight == 0.0 => 0,
        None if matches!(kind.unit, Unit::Count(_)) => weight.abs() as u64,
        None => own_period.map_or(1, |period| (weight.abs() / period).round().max(1.0) as u64),
    };
    let mut selves = vec![(0_u64, 0.0_f64); samples.tree.nodes.len()];
    let mut negative = false;
    let mut without_stack = 0_usize;
    let mut sum = 0.0;
    for (leaf, values) in
        samples.leaves.iter().zip(samples.values.chunks_exact(tables.sample_types.len().max(1)))
    {
        let weight = values.get(choice.weight).map_or(0.0, |value| *value as f64 * kind.scale);
        negative |= weight < 0.0;
        sum += weight;
        match selves.get_mut(*leaf as usize) {
            Some(own) => {
                own.0 = own.0.saturating_add(count(values, weight));
                own.1 += weight;
            }
            None => without_stack += usize::from(*leaf == Node::ROOT && weight != 0.0),
        }
    }
    remark(kind, negative, without_stack, sum, warnings);
    let event = Event { name: kind.name.clone(), unit: kind.unit.clone() };
    let mut profile = Profile::new(event, project(&samples.tree, &selves));
    profile.period = own_period;
    profile.duration_ns = (tables.duration_ns > 0).then_some(tables.duration_ns as f64);
    // A difference shows where cost went, but it is no sample of one program.
    profile.partial = negative;
    let n_types = tables.sample_types.len().max(1);
    profile.labels = samples.labels.weights(tables, |sample| {
        let values = samples.values.get(sample * n_types..(sample + 1) * n_types).unwrap_or_default();
        let weight = values.get(choice.weight).map_or(0.0, |value| *value as f64 * kind.scale);
        (count(values, weight), weight)
    })?;
    Ok(profile)
}

fn remark(kind: &Kind, negative: bool, without_stack: usize, sum: f64, warnings: &mut Warnings) {
    let at = || At::Field(format!("sample type {}", kind.name));
    if negative {
        warnings
            .add_with(at(), || "some values are negative: this is a difference of two profiles".to_owned());
    }
    if without_stack > 0 {
        warnings.add_with(at(), || format!("{without_stack} samples without a stack are left out"));
    }
    if sum.abs() >= MOST_SUM {
        warnings.add_with(at(), || "the values add up to more than 64 bits and are rounded".to_owned());
    }
}
