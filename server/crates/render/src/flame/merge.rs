//! Two trees on one, merged by the names along each path, in costs.

use std::collections::HashMap;

use model::CallTree;

use super::tree::{NONE, Tree, add_up, names, parents, self_weights};

/// A path that at least one side has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffNode {
    /// Index of the caller, before the callee; `u32::MAX` for outermost frames.
    pub parent: u32,
    /// Index into [`DiffTree::names`].
    pub name: u32,
    /// The baseline's cost with callees.
    pub base: f64,
    /// The candidate's cost with callees.
    pub head: f64,
}

impl DiffNode {
    /// Cost added, candidate minus baseline.
    pub fn delta(&self) -> f64 {
        self.head - self.base
    }

    /// Only the candidate has it.
    pub fn is_new(&self) -> bool {
        self.base <= 0.0 && self.head > 0.0
    }

    /// Only the baseline has it.
    pub fn is_gone(&self) -> bool {
        self.head <= 0.0 && self.base > 0.0
    }
}

/// Two merged trees. The same two trees give the same node indices every time, so links by index hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DiffTree {
    /// Every name once, as the trees have them.
    pub names: Vec<String>,
    /// Every path once, callers before callees.
    pub nodes: Vec<DiffNode>,
    /// The baseline's cost.
    pub base: f64,
    /// The candidate's cost.
    pub head: f64,
}

impl DiffTree {
    /// Merges a baseline and a candidate. The scales are costs a unit of weight (1 / operations, or cost an
    /// operation / weight), which makes the sides comparable; one that is no positive number counts as 0.
    /// Inlined and other calls of a name on the same path are one node here.
    pub fn merge(base: &CallTree, head: &CallTree, base_scale: f64, head_scale: f64) -> Self {
        let mut merger = Merger::default();
        merger.add(base, base_scale, |node| &mut node.base);
        merger.add(head, head_scale, |node| &mut node.head);
        merger.finish()
    }

    /// Names from the outermost caller to a node, for finding it in one of the trees again.
    pub fn path(&self, node: u32) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(step) = self.nodes.get(at as usize) {
            path.push(self.names[step.name as usize].as_str());
            at = step.parent;
        }
        path.reverse();
        path
    }

    /// The form that is laid out. A node is as wide as its dearer side, and at least as wide as its callees
    /// together, so that what is gone keeps its place.
    pub(super) fn to_tree(&self) -> Tree<'_> {
        let parents: Vec<u32> = self.nodes.iter().map(|node| node.parent).collect();
        let mut widths = vec![0.0; parents.len()];
        let mut callees = vec![0.0; parents.len()];
        let mut outermost = 0.0;
        for (i, node) in self.nodes.iter().enumerate().rev() {
            widths[i] = node.base.max(node.head).max(callees[i]);
            match callees.get_mut(node.parent as usize) {
                Some(sum) => *sum += widths[i],
                None => outermost += widths[i],
            }
        }
        Tree {
            frames: self.nodes.iter().map(|node| node.name).collect(),
            total: self.base.max(self.head).max(outermost),
            names: self.names.iter().map(String::as_str).collect(),
            parents,
            widths,
        }
    }
}

#[derive(Default)]
struct Merger<'a> {
    tree: DiffTree,
    name_ids: HashMap<&'a str, u32>,
    node_ids: HashMap<(u32, u32), u32>,
}

impl<'a> Merger<'a> {
    fn name(&mut self, name: &'a str) -> u32 {
        let names = &mut self.tree.names;
        *self.name_ids.entry(name).or_insert_with(|| {
            names.push(name.to_owned());
            (names.len() - 1) as u32
        })
    }

    fn node(&mut self, parent: u32, name: u32) -> u32 {
        let nodes = &mut self.tree.nodes;
        *self.node_ids.entry((parent, name)).or_insert_with(|| {
            nodes.push(DiffNode { parent, name, base: 0.0, head: 0.0 });
            (nodes.len() - 1) as u32
        })
    }

    /// Adds one side's self costs.
    fn add(&mut self, side: &'a CallTree, scale: f64, cost: fn(&mut DiffNode) -> &mut f64) {
        let scale = if scale.is_finite() && scale > 0.0 { scale } else { 0.0 };
        let (parents, weights) = (parents(side), self_weights(side));
        let name_of_frame: Vec<u32> = names(side).into_iter().map(|name| self.name(name)).collect();
        let mut merged: Vec<u32> = Vec::with_capacity(parents.len());
        for (i, node) in side.nodes.iter().enumerate() {
            let parent = if parents[i] == NONE { NONE } else { merged[parents[i] as usize] };
            let frame = (node.frame as usize).min(side.frames.len());
            let id = self.node(parent, name_of_frame[frame]);
            merged.push(id);
            *cost(&mut self.tree.nodes[id as usize]) += weights[i] * scale;
        }
    }

    /// Self costs to costs with callees.
    fn finish(mut self) -> DiffTree {
        let nodes = &mut self.tree.nodes;
        let parents: Vec<u32> = nodes.iter().map(|node| node.parent).collect();
        let mut base: Vec<f64> = nodes.iter().map(|node| node.base).collect();
        let mut head: Vec<f64> = nodes.iter().map(|node| node.head).collect();
        (self.tree.base, self.tree.head) = (base.iter().sum(), head.iter().sum());
        add_up(&parents, &mut base);
        add_up(&parents, &mut head);
        for (node, (base, head)) in nodes.iter_mut().zip(base.into_iter().zip(head)) {
            (node.base, node.head) = (base, head);
        }
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use model::{CallTreeBuilder, Node};

    use super::*;

    fn tree(stacks: &[(&str, f64)]) -> CallTree {
        let mut builder = CallTreeBuilder::new();
        for (stack, weight) in stacks {
            let leaf = stack.split(';').fold(Node::ROOT, |at, name| {
                let frame = builder.frame(name, None, None);
                builder.child(at, frame, false)
            });
            builder.add(leaf, 1, *weight);
        }
        builder.finish()
    }

    #[test]
    fn costs_are_scaled_and_added_up_on_both_sides() {
        let diff = DiffTree::merge(
            &tree(&[("a;b", 10.0), ("a;c", 30.0)]),
            &tree(&[("a;b", 10.0), ("a;d", 5.0)]),
            0.5,
            2.0,
        );
        let by_name = |name: &str| diff.nodes.iter().find(|n| diff.names[n.name as usize] == name).unwrap();
        let (a, b, c, d) = (by_name("a"), by_name("b"), by_name("c"), by_name("d"));
        assert_eq!((a.base, a.head, b.base, b.head), (20.0, 30.0, 5.0, 20.0));
        assert!(c.is_gone() && d.is_new() && !a.is_new() && !b.is_gone());
        assert_eq!((diff.base, diff.head), (20.0, 30.0));
    }

    #[test]
    fn a_caller_is_as_wide_as_its_callees_on_both_sides_together() {
        let diff = DiffTree::merge(&tree(&[("a;b", 10.0)]), &tree(&[("a;c", 8.0)]), 1.0, 1.0);
        let union = diff.to_tree();
        assert_eq!((union.widths[0], union.total), (18.0, 18.0));
    }
}
