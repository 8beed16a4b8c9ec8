//! Inlined calls merged into the function that really exists, so that a sample counts where it cannot jump.
//!
//! Measured on runs of one unchanged binary, a leaf jumps wholesale between an inlined helper and its host, and tests
//! on such frames alarm nearly always. What cannot jump is a real call made from inlined code: its return address
//! lies in one place. So a stack's inlined frames are kept while a real frame follows further down, and those at its
//! end are merged into the real frame above them. Runtimes that compile at run time inline nearly everything, and
//! there this rule keeps the frames that matter.
//!
//! A function that is a real frame somewhere in the pair is never merged: otherwise one that is inlined on one side
//! only would seem to come or go.

use model::profile::CallTree;

/// What becomes of one node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Physical {
    /// The node is a place of its own in the physical tree.
    pub(super) kept: bool,
    /// The node whose place counts the samples that end here.
    pub(super) counts_at: u32,
}

/// For every node whether it is kept, and where its own samples count. `is_real` says by frame whether the function
/// is a real frame anywhere.
pub(super) fn physical(tree: &CallTree, is_real: &[bool]) -> Vec<Physical> {
    let mut merged: Vec<Physical> = Vec::with_capacity(tree.nodes.len());
    for (i, node) in tree.nodes.iter().enumerate() {
        // An inlined outermost frame has no host in the profile and stands for itself.
        let real = is_real.get(node.frame as usize).copied().unwrap_or(true);
        let host = if node.inlined && !real { merged.get(node.parent as usize) } else { None };
        merged.push(match host {
            Some(host) => Physical { kept: false, counts_at: host.counts_at },
            None => Physical { kept: true, counts_at: i as u32 },
        });
    }
    for i in (0..tree.nodes.len()).rev() {
        let parent = tree.nodes[i].parent;
        if !merged[i].kept {
            continue;
        }
        if let Some(caller) = merged.get_mut(parent as usize) {
            caller.kept = true;
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CallTreeBuilder, Node};

    #[test]
    fn inlined_frames_stay_only_above_real_ones() {
        let mut builder = CallTreeBuilder::new();
        let mut push = |at, name: &str, inlined| {
            let frame = builder.frame(name, None, None);
            builder.child(at, frame, inlined)
        };
        let host = push(Node::ROOT, "host", false);
        let helper = push(host, "helper", true);
        let deeper = push(helper, "deeper", true);
        let log = push(host, "log", true);
        let write = push(log, "write", false);
        let real = push(host, "elsewhere real", true);
        let merged = physical(&builder.finish(), &[true, false, false, false, true, true]);
        let at = |node: u32| merged[node as usize];
        assert_eq!(at(helper), Physical { kept: false, counts_at: host });
        assert_eq!(at(deeper), Physical { kept: false, counts_at: host });
        assert_eq!(at(log), Physical { kept: true, counts_at: host });
        assert_eq!(at(real), Physical { kept: true, counts_at: real });
        assert_eq!(at(write), Physical { kept: true, counts_at: write });
    }
}
