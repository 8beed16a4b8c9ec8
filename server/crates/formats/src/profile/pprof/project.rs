//! One sample type's own tree out of the tree of all stacks.

use model::{CallTree, Node};

/// The nodes that lead to something under `selves` (samples and weight of each node itself), with those values, and
/// the frames that they name. Order is kept, so callers stay before callees.
pub(super) fn project(tree: &CallTree, selves: &[(u64, f64)]) -> CallTree {
    let mut kept: Vec<bool> =
        selves.iter().map(|(samples, weight)| *samples != 0 || *weight != 0.0).collect();
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        if kept.get(i) == Some(&true)
            && let Some(caller) = kept.get_mut(node.parent as usize)
        {
            *caller = true;
        }
    }
    let mut projected = CallTree::default();
    let mut new_frames = vec![u32::MAX; tree.frames.len()];
    let mut new_nodes = vec![Node::ROOT; tree.nodes.len()];
    for (i, node) in tree.nodes.iter().enumerate() {
        let place = (new_nodes.get(node.parent as usize).copied(), new_frames.get_mut(node.frame as usize));
        let (Some(true), Some((samples, weight)), (parent, Some(frame))) =
            (kept.get(i), selves.get(i), place)
        else {
            continue;
        };
        if *frame == u32::MAX
            && let Some(info) = tree.frames.get(node.frame as usize)
        {
            *frame = projected.frames.len() as u32;
            projected.frames.push(info.clone());
        }
        let frame = *frame;
        if let Some(slot) = new_nodes.get_mut(i) {
            *slot = projected.nodes.len() as u32;
        }
        let parent = parent.unwrap_or(Node::ROOT);
        projected.nodes.push(Node { parent, frame, self_samples: *samples, self_weight: *weight, ..*node });
    }
    projected
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::CallTreeBuilder;

    #[test]
    fn only_what_leads_to_a_value_stays() {
        let mut builder = CallTreeBuilder::new();
        let mut node = |caller, name: &str, inlined| {
            let frame = builder.frame(name, None, None);
            builder.child(caller, frame, inlined)
        };
        let a = node(Node::ROOT, "a", false);
        let b = node(a, "b", false);
        node(b, "gone", false);
        node(a, "c", true);
        let tree = builder.finish();
        let projected = project(&tree, &[(0, 0.0), (0, 0.0), (0, 0.0), (2, -7.0)]);
        let names: Vec<_> = projected.frames.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(
            projected.nodes,
            [
                Node { parent: Node::ROOT, frame: 0, inlined: false, self_samples: 0, self_weight: 0.0 },
                Node { parent: 0, frame: 1, inlined: true, self_samples: 2, self_weight: -7.0 },
            ]
        );
        assert_eq!(project(&tree, &[(0, 0.0); 4]), CallTree::default());
    }
}
