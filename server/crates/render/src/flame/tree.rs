//! The form of a tree that the layout works on, made safe: callers before callees, widths finite, not negative
//! and at least as large as those of the callees together.

use model::{CallTree, Node};

/// "No node": the parent of outermost frames.
pub(super) const NONE: u32 = Node::ROOT;

/// A tree with a name and a width for every node.
pub(super) struct Tree<'a> {
    /// Index of the caller, before the callee; [`NONE`] for outermost frames.
    pub(super) parents: Vec<u32>,
    /// Index into `names`.
    pub(super) frames: Vec<u32>,
    /// Inclusive width of each node.
    pub(super) widths: Vec<f64>,
    /// Width of everything.
    pub(super) total: f64,
    /// Names of frames.
    pub(super) names: Vec<&'a str>,
}

impl<'a> Tree<'a> {
    /// The tree of one profile, widths being inclusive weights.
    pub(super) fn of_weights(tree: &'a CallTree) -> Self {
        let parents = parents(tree);
        let mut widths = self_weights(tree);
        let total = widths.iter().sum();
        add_up(&parents, &mut widths);
        let (names, frames) = (names(tree), frames(tree));
        Self { parents, frames, widths, total, names }
    }

    /// Callers of a node, outermost first.
    pub(super) fn callers(&self, node: u32) -> Vec<u32> {
        let mut callers = Vec::new();
        let mut at = self.parents.get(node as usize).copied().unwrap_or(NONE);
        while at != NONE {
            callers.push(at);
            at = self.parents[at as usize];
        }
        callers.reverse();
        callers
    }
}

/// Callers of all nodes. A caller that does not come before its callee breaks the tree's invariant; such a node
/// is shown as an outermost one.
pub(super) fn parents(tree: &CallTree) -> Vec<u32> {
    let parent = |(i, node): (usize, &Node)| if (node.parent as usize) < i { node.parent } else { NONE };
    tree.nodes.iter().enumerate().map(parent).collect()
}

/// Weights of leaves as they are drawn: negative ones (of difference profiles) and such that are no numbers
/// have no width. A profile that has only samples is drawn by them.
pub(super) fn self_weights(tree: &CallTree) -> Vec<f64> {
    let width = |weight: f64| if weight.is_finite() { weight.max(0.0) } else { 0.0 };
    let weights: Vec<f64> = tree.nodes.iter().map(|node| width(node.self_weight)).collect();
    if weights.iter().any(|w| *w > 0.0) {
        return weights;
    }
    tree.nodes.iter().map(|node| node.self_samples as f64).collect()
}

/// Adds every node's value to its caller's, callees first.
pub(super) fn add_up(parents: &[u32], values: &mut [f64]) {
    for i in (0..parents.len()).rev() {
        if parents[i] != NONE {
            values[parents[i] as usize] += values[i];
        }
    }
}

/// Index of each node's name; one past the frames where a node names a frame that is not there.
pub(super) fn frames(tree: &CallTree) -> Vec<u32> {
    let n = tree.frames.len() as u32;
    tree.nodes.iter().map(|node| node.frame.min(n)).collect()
}

/// Names of all frames, and one for frames that are not there.
pub(super) fn names(tree: &CallTree) -> Vec<&str> {
    tree.frames.iter().map(|frame| frame.name.as_str()).chain(["[unknown]"]).collect()
}
