//! Why a comparison is weak, or refused, in sentence fragments.

use model::verdict::Normalisation;
use model::{Profile, Share};

use super::cost::Costs;
use super::pool::{Pair, Union};
use super::suspects::CONFIRM_SAMPLES;

/// Above this share of unknown frames a difference may be one of symbols, not of code.
const MOST_UNKNOWN: f64 = 0.10;

/// Why two sides may not be compared at all.
pub(super) fn refusal(pair: &Pair<'_>) -> Option<String> {
    let unit = &pair.head[0].event.unit;
    let other = pair.base.iter().chain(&pair.head).find(|profile| profile.event.unit != *unit)?;
    Some(format!("weights are in {unit} and in {}, which cannot be compared", other.event.unit))
}

/// What weakens the comparison.
pub(super) fn notes(pair: &Pair<'_>, union: &Union, costs: &Costs) -> Vec<String> {
    let mut notes = Vec::new();
    let all = || pair.base.iter().chain(&pair.head);
    if all().any(|profile| profile.handwritten) {
        notes.push("shares typed by a person: shown, not tested".to_owned());
    } else if union.kept_samples.contains(&0) {
        notes.push("weights without sample counts: shown, not tested".to_owned());
    } else if let Some(few) = union.kept_samples.iter().min().filter(|n| **n < CONFIRM_SAMPLES) {
        notes.push(format!(
            "only {few} samples on a side, fewer than {CONFIRM_SAMPLES}: frames are likely at most"
        ));
    }
    if union.runs.iter().any(|side| side.len() < 2) && !union.kept_samples.contains(&0) {
        notes
            .push("one profile a side: how much shares vary from run to run is assumed, not seen".to_owned());
    }
    for (side, profiles) in [("baseline", &pair.base), ("candidate", &pair.head)] {
        let unknown = unknown_share(profiles);
        if unknown > MOST_UNKNOWN {
            notes.push(format!("{} of the {side}'s samples end in unknown frames", Share(unknown)));
        }
    }
    if all().any(|profile| profile.partial) && !all().any(|profile| profile.handwritten) {
        notes.push("parts of the stacks are known to be missing".to_owned());
    }
    if pair.base.iter().chain(&pair.head).any(|profile| profile.rules_version != pair.head[0].rules_version) {
        notes.push("the sides were named by different versions of the rules".to_owned());
    }
    let background = [union.background_share(0), union.background_share(1)];
    if costs.leave_out_background && background.iter().any(|share| *share > 0.0) {
        notes.push(format!(
            "threads of the runtime ({} and {} of the weight) run beside the operations and are left out of their wall time",
            Share(background[0]),
            Share(background[1])
        ));
    }
    if costs.normalisation == Normalisation::Share {
        notes.push(
            "no benchmark says how much work was done: a share also rises when another falls".to_owned(),
        );
    }
    notes
}

/// The share of weight whose leaf has no usable name.
fn unknown_share(profiles: &[&Profile]) -> f64 {
    let (mut unknown, mut all) = (0.0, 0.0);
    for profile in profiles {
        for node in &profile.tree.nodes {
            all += node.self_weight;
            let name = profile.tree.frames.get(node.frame as usize).map_or("", |frame| frame.name.as_str());
            if is_unknown(name) {
                unknown += node.self_weight;
            }
        }
    }
    let share: f64 = unknown / all;
    if share.is_finite() { share } else { 0.0 }
}

fn is_unknown(name: &str) -> bool {
    let bare = name.trim_matches(['[', ']', '(', ')']);
    bare.is_empty() || bare == "unknown" || name.starts_with("0x")
}
