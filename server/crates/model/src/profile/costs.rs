//! Self and total cost of each frame.

use super::{CallTree, Node};

/// The cost of one frame over a whole profile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrameCost {
    /// Samples whose leaf is the frame.
    pub self_samples: u64,
    /// Weight of those.
    pub self_weight: f64,
    /// Samples whose stack contains the frame, each counted once however often it recurs.
    pub total_samples: u64,
    /// Weight of those.
    pub total_weight: f64,
}

impl CallTree {
    /// The children of every node, as one list with offsets: those of node `i` are
    /// `list[offsets[i]..offsets[i + 1]]`, and the outermost nodes come last, at `offsets[n]..`.
    pub fn children(&self) -> (Vec<usize>, Vec<u32>) {
        let n = self.nodes.len();
        let slot = |node: &Node| if node.parent == Node::ROOT { n } else { node.parent as usize };
        let mut offsets = vec![0_usize; n + 2];
        for node in &self.nodes {
            offsets[slot(node) + 1] += 1;
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        let mut next = offsets.clone();
        let mut list = vec![0_u32; n];
        for (i, node) in self.nodes.iter().enumerate() {
            let at = &mut next[slot(node)];
            list[*at] = i as u32;
            *at += 1;
        }
        (offsets, list)
    }

    /// Self and total cost of every frame, in the order of [`CallTree::frames`]. Linear in the nodes and without
    /// recursion, whatever the depth: a walk that knows which frames are on the current stack.
    pub fn frame_costs(&self) -> Vec<FrameCost> {
        let mut costs = vec![FrameCost::default(); self.frames.len()];
        let mut on_stack = vec![0_u32; self.frames.len()];
        let totals = self.node_totals();
        let (offsets, list) = self.children();
        let n = self.nodes.len();
        // Each entry is a node to enter, or (marked) one to leave.
        let mut walk: Vec<(u32, bool)> = list[offsets[n]..].iter().map(|&root| (root, false)).collect();
        while let Some((at, leaving)) = walk.pop() {
            let node = &self.nodes[at as usize];
            let frame = node.frame as usize;
            if leaving {
                on_stack[frame] -= 1;
                continue;
            }
            let cost = &mut costs[frame];
            cost.self_samples = cost.self_samples.saturating_add(node.self_samples);
            cost.self_weight += node.self_weight;
            if on_stack[frame] == 0 {
                let (samples, weight) = totals[at as usize];
                cost.total_samples = cost.total_samples.saturating_add(samples);
                cost.total_weight += weight;
            }
            on_stack[frame] += 1;
            walk.push((at, true));
            let children = offsets[at as usize]..offsets[at as usize + 1];
            walk.extend(list[children].iter().map(|&child| (child, false)));
        }
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::CallTreeBuilder;

    #[test]
    fn recursion_counts_a_frame_once_a_stack() {
        let mut builder = CallTreeBuilder::new();
        for (stack, weight) in
            [(&["a", "f", "f", "f"][..], 4.0), (&["a", "f", "g"][..], 2.0), (&["f"][..], 1.0)]
        {
            let leaf = stack.iter().fold(Node::ROOT, |at, name| {
                let frame = builder.frame(name, None, None);
                builder.child(at, frame, false)
            });
            builder.add(leaf, 1, weight);
        }
        let costs = builder.finish().frame_costs();
        let seen: Vec<(f64, f64)> = costs.iter().map(|cost| (cost.self_weight, cost.total_weight)).collect();
        assert_eq!(seen, [(0.0, 6.0), (5.0, 7.0), (2.0, 2.0)]);
    }

    #[test]
    fn a_stack_of_a_hundred_thousand_frames_is_walked() {
        let mut builder = CallTreeBuilder::new();
        let frame = builder.frame("f", None, None);
        let leaf = (0..100_000).fold(Node::ROOT, |at, _| builder.child(at, frame, false));
        builder.add(leaf, 7, 7.0);
        assert_eq!(builder.finish().frame_costs()[0].total_samples, 7);
    }
}
