//! Cost that went from one frame to another: code was split, merged or renamed, and the total stayed.
//!
//! Such frames are shown, never dropped, and never looked for when the benchmark itself changed.

use model::Node;
use model::verdict::Presence;
use rustc_hash::FxHashMap;

use super::cost::Scale;
use super::describe::{outermost_nodes, presence};
use super::pool::Union;
use super::suspects::Hits;

/// What shrank must make up for at least this part of what grew.
const COUNTERPART: f64 = 0.7;
/// A caller whose own share changed by more than this part of the frame's change did not stay the same.
const CALLER_STAYS: f64 = 0.2;
/// Above this share a caller is nearly the whole profile and its share cannot change.
const NEARLY_ALL: f64 = 0.9;

/// Whether some caller of frame `id` kept its share while, among what it calls, as much shrank as grew.
/// Shares alone always balance, so without a `steady` total only what vanished altogether counts as the other side.
pub(super) fn is_moved(union: &Union, scale: &Scale, hits: &Hits, id: u32, steady: bool) -> bool {
    let shares = NodeShares::of(union, scale);
    let delta = shares.change_of(outermost_nodes(union, id));
    let dearest = outermost_nodes(union, id).max_by(|&a, &b| shares.size(a).total_cmp(&shares.size(b)));
    let mut at = dearest.map_or(Node::ROOT, |node| union.nodes[node as usize].parent);
    while let Some(step) = union.nodes.get(at as usize) {
        let caller: Vec<u32> = outermost_nodes(union, step.frame).collect();
        let change = shares.change_of(caller.iter().copied());
        let share: f64 = caller.iter().map(|&node| shares.size(node)).sum();
        if share < NEARLY_ALL && change.abs() > CALLER_STAYS * delta.abs() {
            // The caller itself changed, and so did everything above it that is not yet the whole.
            at = step.parent;
            continue;
        }
        if balances(union, hits, &shares, &caller, delta, steady) {
            return true;
        }
        at = step.parent;
    }
    false
}

/// Whether the callees that shrank significantly make up for those that grew.
fn balances(
    union: &Union,
    hits: &Hits,
    shares: &NodeShares,
    caller: &[u32],
    delta: f64,
    steady: bool,
) -> bool {
    let mut callees: FxHashMap<u32, f64> = FxHashMap::default();
    for &node in caller {
        let mut child = union.links[node as usize].0;
        while let Some(step) = union.nodes.get(child as usize) {
            *callees.entry(step.frame).or_default() += shares.change(child);
            child = union.links[child as usize].1;
        }
    }
    let counts = |frame: u32| {
        let one_sided = presence(&hits.all.frames[frame as usize]) != Presence::Both;
        hits.hit[frame as usize] && (steady || one_sided)
    };
    let significant = callees.iter().filter(|(frame, _)| counts(**frame));
    let (mut same, mut opposite) = (0.0, 0.0);
    for change in significant.map(|(_, change)| *change) {
        if change * delta > 0.0 {
            same += change.abs();
        } else {
            opposite += change.abs();
        }
    }
    same > 0.0 && opposite >= COUNTERPART * same.max(delta.abs())
}

/// Total shares of every node on both sides.
struct NodeShares(Vec<[f64; 2]>);

impl NodeShares {
    fn of(union: &Union, scale: &Scale) -> Self {
        let mut weights = vec![[0.0_f64; 2]; union.nodes.len()];
        for stack in &union.stacks {
            let slot = &mut weights[stack.node as usize];
            slot[0] += stack.weight[0];
            slot[1] += stack.weight[1];
        }
        for at in (0..union.nodes.len()).rev() {
            let weight = weights[at];
            if let Some(caller) = weights.get_mut(union.nodes[at].parent as usize) {
                caller[0] += weight[0];
                caller[1] += weight[1];
            }
        }
        Self(weights.into_iter().map(|weight| scale.share(weight)).collect())
    }

    fn change(&self, node: u32) -> f64 {
        self.0[node as usize][1] - self.0[node as usize][0]
    }

    fn size(&self, node: u32) -> f64 {
        self.0[node as usize][0].max(self.0[node as usize][1])
    }

    fn change_of(&self, nodes: impl Iterator<Item = u32>) -> f64 {
        nodes.map(|node| self.change(node)).sum()
    }
}
