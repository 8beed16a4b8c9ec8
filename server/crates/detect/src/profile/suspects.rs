//! Which frames explain a change: hits by significance and size, then one suspect a group, largest first.
//!
//! A suspect's stacks are claimed and the question is asked again of the rest, so that a frame which merely contains
//! a suspect is not a second finding, and what is left of a group can still speak for itself.

use model::verdict::{Confidence, Presence, Suspect};

use super::cost::{Costs, Direction, Scale};
use super::describe::{Judgement, outermost_nodes, presence, suspect};
use super::frames::{FrameStats, Side, Statistics, count};
use super::merge::{purity, representative};
use super::moved;
use super::pool::Union;
use super::significance::{FEWEST_SAMPLES, FrameTest};
use crate::fdr;

/// A change of share smaller than this is not worth a suspect (half a percentage point) …
const SMALLEST_SHARE: f64 = 0.005;
/// … unless the change of cost is at least this part of the baseline's cost per operation …
const SMALLEST_COST: f64 = 0.005;
/// … and never without this much growth of the frame itself.
const SMALLEST_GROWTH: f64 = 0.10;
/// Nobody acts on more suspects than this.
const MOST_SUSPECTS: usize = 5;
/// Nor reads about more moved frames.
const MOST_MOVED: usize = 10;
/// Runs a side from which over-dispersion is seen well enough to confirm.
const CONFIRM_RUNS: usize = 3;
/// Samples a side below which nothing is confirmed.
pub(super) const CONFIRM_SAMPLES: u64 = 500;

/// What is known of each frame over all stacks.
pub(super) struct Hits {
    pub(super) all: Statistics,
    /// p-values of frames with enough samples.
    p: Vec<Option<f64>>,
    /// Significant and large enough, in either direction.
    pub(super) hit: Vec<bool>,
    /// p-values up to this one pass.
    cut: f64,
    test: Option<FrameTest>,
}

/// Suspects and moved cost, most explaining first.
pub(super) fn find(union: &Union, scale: &Scale, costs: &Costs) -> (Vec<Suspect>, Vec<Suspect>) {
    let hits = Hits::of(union, scale);
    let mut claimed = vec![false; union.nodes.len()];
    let (mut suspects, mut elsewhere) = (Vec::new(), Vec::new());
    while suspects.len() < MOST_SUSPECTS && elsewhere.len() < MOST_MOVED {
        let left = count(union, &claimed);
        let Some(top) = hits.top(&left, scale, costs.direction) else { break };
        let delta_of_top = scale.delta(left.frames[top as usize].total_weight);
        let is_hit = |frame: u32| hits.hit[frame as usize] && hits.agrees(frame, delta_of_top, scale);
        let id = representative(union, scale, top, &claimed, &hits.all.frames, is_hit);
        let explained =
            costs.divisor(scale).map(|whole| scale.delta(left.frames[id as usize].total_weight) / whole);
        let judged = Judgement {
            explained_share: explained.filter(|share| share.is_finite()),
            p: hits.p[id as usize],
            confidence: hits.confidence(union),
        };
        let found = suspect(union, scale, id, &hits.all.frames[id as usize], &claimed, judged);
        let is_moved = match costs.direction {
            Direction::Dearer | Direction::Cheaper => false,
            Direction::Steady => moved::is_moved(union, scale, &hits, id, true),
            Direction::Unknown => moved::is_moved(union, scale, &hits, id, false),
        };
        if is_moved {
            elsewhere.push(found);
        } else {
            suspects.push(found);
        }
        claim(union, id, &mut claimed);
    }
    (suspects, elsewhere)
}

fn claim(union: &Union, id: u32, claimed: &mut [bool]) {
    for node in outermost_nodes(union, id) {
        claimed[node as usize] = true;
    }
    for at in 0..union.nodes.len() {
        let above = claimed.get(union.nodes[at].parent as usize).copied().unwrap_or(false);
        claimed[at] |= above;
    }
}

impl Hits {
    fn of(union: &Union, scale: &Scale) -> Self {
        let all = count(union, &vec![false; union.nodes.len()]);
        let has_samples = all.sides.iter().all(|side| side.samples > 0);
        let test = has_samples.then(|| FrameTest::of(union));
        let p: Vec<Option<f64>> = all
            .frames
            .iter()
            .enumerate()
            .map(|(id, stats)| p_value(test.as_ref()?, id, stats, &all.sides))
            .collect();
        let tested: Vec<f64> = p.iter().copied().flatten().collect();
        let passed = fdr::adjust(&tested).into_iter().filter(|adjusted| *adjusted <= fdr::RATE).count();
        // Benjamini and Hochberg's own threshold: every p below it was or would have been a discovery.
        let cut = fdr::RATE * passed as f64 / tested.len().max(1) as f64;
        let hit = all
            .frames
            .iter()
            .zip(&p)
            .zip(&union.frames)
            .map(|((stats, p), frame)| {
                // The rest of a whole that a person wrote down in part is no frame.
                if union.weights_are_shares && frame.name.starts_with(['[', '(']) {
                    return false;
                }
                let significant = match (p, &test) {
                    (Some(p), _) => *p <= cut,
                    (None, Some(_)) => false,
                    // Shares without samples cannot be tested; their size is all there is.
                    (None, None) => true,
                };
                significant && is_large(scale, stats.total_weight)
            })
            .collect();
        Self { all, p, hit, cut, test }
    }

    /// Whether a frame's share and cost both changed the way `delta` did: a share that fell while the cost rose only
    /// followed the whole.
    fn agrees(&self, frame: u32, delta: f64, scale: &Scale) -> bool {
        let weight = self.all.frames[frame as usize].total_weight;
        let share = scale.share(weight);
        (share[1] - share[0]) * delta > 0.0 && scale.delta(weight) * delta > 0.0
    }

    /// The frame with the largest change that is left, among the hits.
    fn top(&self, left: &Statistics, scale: &Scale, direction: Direction) -> Option<u32> {
        let weigh = |id: u32| {
            let stats = &left.frames[id as usize];
            let delta = scale.delta(stats.total_weight);
            // Where no benchmark holds the total still, a share rises because another fell; what is new or gone
            // is a fact of its own.
            let preference =
                if direction == Direction::Unknown { purity(scale, stats.total_weight) } else { 1.0 };
            delta.abs() * preference
        };
        let ids = 0..self.hit.len() as u32;
        ids.filter(|&id| self.hit[id as usize] && self.is_left(id, left, scale, direction))
            .max_by(|&a, &b| weigh(a).total_cmp(&weigh(b)).then(b.cmp(&a)))
    }

    fn is_left(&self, id: u32, left: &Statistics, scale: &Scale, direction: Direction) -> bool {
        let stats = &left.frames[id as usize];
        let delta = scale.delta(stats.total_weight);
        let wanted = match direction {
            Direction::Dearer => delta > 0.0,
            Direction::Cheaper => delta < 0.0,
            Direction::Steady | Direction::Unknown => delta > 0.0 || presence(stats) == Presence::Gone,
        };
        let significant = || match &self.test {
            Some(test) => p_value(test, id as usize, stats, &left.sides).is_some_and(|p| p <= self.cut),
            None => true,
        };
        wanted && is_large(scale, stats.total_weight) && self.agrees(id, delta, scale) && significant()
    }

    fn confidence(&self, union: &Union) -> Confidence {
        let enough = union.runs.iter().all(|side| side.len() >= CONFIRM_RUNS)
            && self.all.sides.iter().all(|side| side.samples >= CONFIRM_SAMPLES);
        match &self.test {
            Some(test) if test.is_calibrated() && enough => Confidence::Confirmed,
            _ => Confidence::Likely,
        }
    }
}

fn p_value(test: &FrameTest, id: usize, stats: &FrameStats, sides: &[Side; 2]) -> Option<f64> {
    let x = stats.total_samples;
    let enough = x[0].saturating_add(x[1]) >= FEWEST_SAMPLES;
    enough.then(|| test.p(id, x, [sides[0].samples, sides[1].samples]))
}

/// The effect floor: a frame must have changed enough to matter, and enough of itself.
fn is_large(scale: &Scale, weight: [f64; 2]) -> bool {
    let ([s0, s1], [c0, c1]) = (scale.share(weight), scale.cost(weight));
    let matters = (s1 - s0).abs() >= SMALLEST_SHARE || (c1 - c0).abs() >= SMALLEST_COST * scale.total[0];
    matters && (c1 - c0).abs() >= SMALLEST_GROWTH * c0.min(c1)
}
