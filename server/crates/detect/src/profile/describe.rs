//! Costs per category, and one frame described as a suspect.

use std::collections::BTreeMap;

use model::Node;
use model::profile::Category;
use model::verdict::{CategoryCost, Confidence, Presence, Suspect};
use rustc_hash::FxHashMap;

use super::cost::Scale;
use super::frames::FrameStats;
use super::pool::Union;

/// What every category costs on both sides, in the order of reports. Collections that run beside the program are
/// shown with the others although they are no part of its wall time, so shares may add up to more than 1.
pub(super) fn categories(union: &Union, scale: &Scale) -> Vec<CategoryCost> {
    let mut weights: BTreeMap<Category, [f64; 2]> = BTreeMap::new();
    for stack in &union.stacks {
        let slot = weights.entry(union.categories[usize::from(stack.charged)].clone()).or_default();
        for (sum, weight) in slot.iter_mut().zip(stack.weight) {
            *sum += weight;
        }
    }
    if union.background_gc.iter().any(|weight| *weight > 0.0) {
        let slot = weights.entry(Category::Gc).or_default();
        for (sum, weight) in slot.iter_mut().zip(union.background_gc) {
            *sum += weight;
        }
    }
    weights
        .into_iter()
        .map(|(category, weight)| {
            let ([base, head], [base_share, head_share]) = (scale.cost(weight), scale.share(weight));
            CategoryCost { category, base, head, base_share, head_share }
        })
        .collect()
}

/// What was decided about a frame elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judgement {
    pub(super) explained_share: Option<f64>,
    pub(super) p: Option<f64>,
    pub(super) confidence: Confidence,
}

/// Describes a frame: its costs over all stacks, and where they come from over those that no other suspect has
/// `claimed`.
pub(super) fn suspect(
    union: &Union,
    scale: &Scale,
    id: u32,
    stats: &FrameStats,
    claimed: &[bool],
    judged: Judgement,
) -> Suspect {
    let nodes: Vec<u32> = outermost_nodes(union, id).collect();
    let within = Within::of(union, &nodes, claimed);
    let delta = scale.delta(stats.total_weight);
    let (category, of_which) = within.categories(union, scale);
    // What is gone was called by what is gone, so its callers keep the names that they had.
    let of_baseline = presence(stats) == Presence::Gone;
    let [share_base, share_head] = scale.share(stats.total_weight);
    let ([self_base, self_head], [total_base, total_head]) =
        (scale.cost(stats.self_weight), scale.cost(stats.total_weight));
    let dearest = within.dearest(scale, &nodes);
    Suspect {
        frame: union.name(id, of_baseline),
        category,
        of_which,
        called_from: within.caller(union, scale, &nodes).map(|caller| union.name(caller, of_baseline)),
        path: dearest.map(|node| path(union, node, of_baseline)).unwrap_or_default(),
        self_cost: (self_base, self_head),
        total_cost: (total_base, total_head),
        share: (share_base, share_head),
        delta,
        explained_share: judged.explained_share,
        presence: presence(stats),
        p: judged.p,
        confidence: judged.confidence,
    }
}

/// Whether both sides have the frame.
pub(super) fn presence(stats: &FrameStats) -> Presence {
    match stats.total_weight.map(|weight| weight > 0.0) {
        [false, true] => Presence::New,
        [true, false] => Presence::Gone,
        _ => Presence::Both,
    }
}

/// The nodes where a frame's totals are counted.
pub(super) fn outermost_nodes(union: &Union, id: u32) -> impl Iterator<Item = u32> + '_ {
    let all = union.nodes.iter().zip(&union.outermost).enumerate();
    all.filter(move |(_, (node, outermost))| node.frame == id && **outermost).map(|(at, _)| at as u32)
}

fn path(union: &Union, node: u32, of_baseline: bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = node;
    while let Some(step) = union.nodes.get(at as usize) {
        names.push(union.name(step.frame, of_baseline));
        at = step.parent;
    }
    names.reverse();
    names
}

/// The stacks below a frame's nodes, by node and by category.
struct Within {
    nodes: FxHashMap<u32, [f64; 2]>,
    charged: BTreeMap<u16, [f64; 2]>,
    leaves: BTreeMap<u16, [f64; 2]>,
}

impl Within {
    fn of(union: &Union, nodes: &[u32], claimed: &[bool]) -> Self {
        let mut home = vec![Node::ROOT; union.nodes.len()];
        for &node in nodes {
            home[node as usize] = node;
        }
        for at in 0..union.nodes.len() {
            if home[at] == Node::ROOT {
                home[at] = home.get(union.nodes[at].parent as usize).copied().unwrap_or(Node::ROOT);
            }
        }
        let mut within =
            Self { nodes: FxHashMap::default(), charged: BTreeMap::new(), leaves: BTreeMap::new() };
        for stack in union
            .stacks
            .iter()
            .filter(|stack| home[stack.node as usize] != Node::ROOT && !claimed[stack.node as usize])
        {
            for slot in [
                within.nodes.entry(home[stack.node as usize]).or_default(),
                within.charged.entry(stack.charged).or_default(),
                within.leaves.entry(stack.leaf).or_default(),
            ] {
                slot[0] += stack.weight[0];
                slot[1] += stack.weight[1];
            }
        }
        within
    }

    /// The category that most of the change is charged to, and the leaves' categories with their part of it.
    fn categories(&self, union: &Union, scale: &Scale) -> (Category, Vec<(Category, f64)>) {
        let delta: f64 = self.nodes.values().map(|weight| scale.delta(*weight)).sum();
        let name = |id: u16| union.categories[usize::from(id)].clone();
        let parts = |weights: &BTreeMap<u16, [f64; 2]>| {
            let mut parts: Vec<(Category, f64)> = weights
                .iter()
                .map(|(id, weight)| (name(*id), scale.delta(*weight) / delta))
                .filter(|(_, part)| part.is_finite() && *part >= 0.005)
                .collect();
            parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            parts
        };
        let charged =
            parts(&self.charged).into_iter().next().map_or(Category::Other, |(category, _)| category);
        (charged, parts(&self.leaves))
    }

    fn cost(&self, scale: &Scale, node: u32) -> f64 {
        let [base, head] = scale.cost(self.nodes.get(&node).copied().unwrap_or_default());
        base.max(head)
    }

    fn dearest(&self, scale: &Scale, nodes: &[u32]) -> Option<u32> {
        nodes
            .iter()
            .copied()
            .max_by(|&a, &b| self.cost(scale, a).total_cmp(&self.cost(scale, b)).then(b.cmp(&a)))
    }

    /// The nearest caller of the program's own code, over the paths that changed most together.
    fn caller(&self, union: &Union, scale: &Scale, nodes: &[u32]) -> Option<u32> {
        let mut changes: BTreeMap<u32, f64> = BTreeMap::new();
        for &node in nodes {
            let mut at = union.nodes[node as usize].parent;
            while let Some(step) = union.nodes.get(at as usize) {
                if union.is_place_to_act[at as usize] {
                    let weight = self.nodes.get(&node).copied().unwrap_or_default();
                    *changes.entry(step.frame).or_default() += scale.delta(weight);
                    break;
                }
                at = step.parent;
            }
        }
        changes
            .into_iter()
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(b.0.cmp(&a.0)))
            .map(|(frame, _)| frame)
    }
}
