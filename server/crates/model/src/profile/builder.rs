//! Builds a [`CallTree`] from stacks, interning names and merging equal paths.

use std::hash::{BuildHasher, RandomState};

use rustc_hash::FxHashMap;

use super::{CallTree, Category, FrameInfo, Node};

/// Collects stacks into one tree. Nodes are made callers first, which keeps the tree's invariant.
///
/// Names come from outside, so their table is keyed with a random seed: no file can be made to collide. The seed
/// shows nowhere, because indices follow the order of first use.
#[derive(Debug, Default)]
pub struct CallTreeBuilder {
    tree: CallTree,
    seed: RandomState,
    /// Frames by the seeded hash of name, module and file.
    by_hash: FxHashMap<u64, Vec<u32>>,
    /// Nodes by caller (high half) and frame (low half).
    children: FxHashMap<u64, u32>,
    /// The same for inlined calls.
    inlined_children: FxHashMap<u64, u32>,
}

/// A place in the tree while a stack is walked from its root: [`Node::ROOT`] or a node's index.
pub type PathCursor = u32;

impl CallTreeBuilder {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// The index of a function, made on first use. Functions with the same name but another module or file
    /// are different functions.
    pub fn frame(&mut self, name: &str, module: Option<&str>, file: Option<&str>) -> u32 {
        let same_hash = self.by_hash.entry(self.seed.hash_one((name, module, file))).or_default();
        let known = same_hash.iter().copied().find(|&i| {
            let frame = &self.tree.frames[i as usize];
            frame.name == name && frame.module.as_deref() == module && frame.file.as_deref() == file
        });
        if let Some(index) = known {
            return index;
        }
        let index = self.tree.frames.len() as u32;
        same_hash.push(index);
        self.tree.frames.push(FrameInfo {
            name: name.to_owned(),
            module: module.map(str::to_owned),
            file: file.map(str::to_owned),
            category: Category::Other,
        });
        index
    }

    /// The index of a frame of another tree, made on first use with that tree's category.
    pub fn intern(&mut self, frame: &FrameInfo) -> u32 {
        let known = self.tree.frames.len();
        let index = self.frame(&frame.name, frame.module.as_deref(), frame.file.as_deref());
        if index as usize == known {
            self.tree.frames[known].category.clone_from(&frame.category);
        }
        index
    }

    /// Adds a frame without looking for an equal one: for callers that intern themselves.
    pub fn add_frame(&mut self, frame: FrameInfo) -> u32 {
        let index = self.tree.frames.len() as u32;
        let hash = self.seed.hash_one((frame.name.as_str(), frame.module.as_deref(), frame.file.as_deref()));
        self.by_hash.entry(hash).or_default().push(index);
        self.tree.frames.push(frame);
        index
    }

    /// The node for `frame` called from `caller`, made on first use.
    pub fn child(&mut self, caller: PathCursor, frame: u32, inlined: bool) -> PathCursor {
        let nodes = &mut self.tree.nodes;
        let children = if inlined { &mut self.inlined_children } else { &mut self.children };
        *children.entry(u64::from(caller) << 32 | u64::from(frame)).or_insert_with(|| {
            nodes.push(Node { parent: caller, frame, inlined, self_samples: 0, self_weight: 0.0 });
            (nodes.len() - 1) as u32
        })
    }

    /// Adds samples and weight to the leaf `node`. A stack without frames ([`Node::ROOT`]) is ignored.
    pub fn add(&mut self, node: PathCursor, samples: u64, weight: f64) {
        if let Some(node) = self.tree.nodes.get_mut(node as usize) {
            node.self_samples = node.self_samples.saturating_add(samples);
            node.self_weight += weight;
        }
    }

    /// Number of nodes so far, for limits.
    pub fn n_nodes(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Number of frames so far, for limits.
    pub fn n_frames(&self) -> usize {
        self.tree.frames.len()
    }

    /// The finished tree.
    pub fn finish(self) -> CallTree {
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_paths_merge_and_totals_add_up() {
        let mut builder = CallTreeBuilder::new();
        for (stack, weight) in [(["a", "b", "c"], 2.0), (["a", "b", "b"], 3.0), (["a", "b", "c"], 5.0)] {
            let leaf = stack.iter().fold(Node::ROOT, |at, name| {
                let frame = builder.frame(name, None, None);
                builder.child(at, frame, false)
            });
            builder.add(leaf, 1, weight);
        }
        let tree = builder.finish();
        assert_eq!((tree.frames.len(), tree.nodes.len(), tree.samples(), tree.weight()), (3, 4, 3, 10.0));
        assert_eq!(tree.node_totals()[0], (3, 10.0));
        assert_eq!(tree.path(3), vec![0, 1, 1]);
    }

    #[test]
    fn frames_are_told_apart_by_module_and_file_and_nodes_by_inlining() {
        let mut builder = CallTreeBuilder::new();
        let plain = builder.frame("f", None, None);
        assert_eq!(builder.frame("f", None, None), plain);
        assert_ne!(builder.frame("f", Some("libc"), None), plain);
        assert_ne!(builder.frame("f", None, Some("libc")), builder.frame("f", Some("libc"), None));
        let physical = builder.child(Node::ROOT, plain, false);
        let inlined = builder.child(physical, plain, true);
        assert_ne!(builder.child(physical, plain, false), inlined);
        assert_eq!(builder.child(physical, plain, true), inlined);
        assert_eq!((builder.n_frames(), builder.n_nodes()), (3, 3));
    }
}
