//! Two sides' profiles to what explains a change: costs per category, suspects, moved cost.
//!
//! A profile never overrules a benchmark: this room reads findings but makes none.

mod cost;
mod describe;
mod frames;
mod merge;
mod moved;
mod own;
mod physical;
mod pool;
mod quality;
mod rename;
mod significance;
mod suspects;

use model::profile::Category;
use model::verdict::{Normalisation, ProfileSide};
use model::{Profile, ProfileComparison, Unit};

pub(crate) use cost::{BenchmarkTime, TimeSource};
use pool::Union;

/// Pairs profiles by event and benchmark and compares each pair; the notes name what has no partner.
pub(crate) fn compare_all(
    base: &[Profile],
    head: &[Profile],
    time: &TimeSource<'_>,
) -> (Vec<ProfileComparison>, Vec<String>) {
    let (pairs, notes) = pool::pairs(base, head);
    (pairs.iter().map(|pair| compare(pair, time)).collect(), notes)
}

fn compare(pair: &pool::Pair<'_>, time: &TimeSource<'_>) -> ProfileComparison {
    let event = &pair.head[0].event;
    let mut comparison = ProfileComparison {
        benchmark: pair.benchmark.clone(),
        event: event.name.clone(),
        unit: event.unit.clone(),
        cost_unit: Unit::Ratio,
        normalisation: Normalisation::Share,
        base: bare_side(&pair.base),
        head: bare_side(&pair.head),
        categories: vec![],
        suspects: vec![],
        moved: vec![],
        quality: vec![],
        smallest_visible_share: None,
    };
    if let Some(refusal) = quality::refusal(pair) {
        comparison.quality.push(refusal);
        return comparison;
    }
    let costs = cost::normalise(pair, time);
    let union = Union::build(pair, costs.leave_out_background);
    if union.kept_weight.iter().any(|weight| *weight <= 0.0 || !weight.is_finite()) {
        comparison.quality.push("a side holds no weight to compare".to_owned());
        return comparison;
    }
    let scale = costs.scale(&union);
    comparison.cost_unit = costs.unit.clone();
    comparison.normalisation = costs.normalisation.clone();
    for (side, slot) in [&mut comparison.base, &mut comparison.head].into_iter().enumerate() {
        slot.cost = scale.total[side];
        slot.background_share = union.background_share(side);
    }
    comparison.categories = describe::categories(&union, &scale);
    comparison.smallest_visible_share = significance::smallest_visible_share(&union);
    comparison.quality = quality::notes(pair, &union, &costs);
    (comparison.suspects, comparison.moved) = suspects::find(&union, &scale, &costs);
    comparison
}

fn bare_side(profiles: &[&Profile]) -> ProfileSide {
    ProfileSide {
        profiles: profiles.len(),
        samples: profiles.iter().fold(0, |sum, profile| sum.saturating_add(profile.tree.samples())),
        weight: profiles.iter().map(|profile| profile.tree.weight()).sum(),
        cost: 0.0,
        background_share: 0.0,
    }
}

/// Whether stacks of a category are left out because nothing is done in them.
fn is_idle(category: &Category) -> bool {
    *category == Category::Idle
}
