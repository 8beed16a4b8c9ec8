//! Several call trees as one: profiles of one event of one side are pooled before they are drawn.

use std::collections::HashMap;

use model::{CallTree, CallTreeBuilder, Node};

/// Adds trees up. Functions are the same where name, module and file are; a single tree is copied as it is, so that
/// its nodes keep their numbers.
pub(crate) fn pool(trees: &[&CallTree]) -> CallTree {
    if let [tree] = trees {
        return (*tree).clone();
    }
    let mut builder = CallTreeBuilder::new();
    let mut known = HashMap::new();
    for tree in trees {
        let frames: Vec<u32> = tree
            .frames
            .iter()
            .map(|frame| {
                let key = (frame.name.as_str(), frame.module.as_deref(), frame.file.as_deref());
                *known.entry(key).or_insert_with(|| builder.add_frame(frame.clone()))
            })
            .collect();
        let mut nodes = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            // Callers come before callees, so the caller's new number is known.
            let caller = if node.parent == Node::ROOT { Node::ROOT } else { nodes[node.parent as usize] };
            let merged = builder.child(caller, frames[node.frame as usize], node.inlined);
            builder.add(merged, node.self_samples, node.self_weight);
            nodes.push(merged);
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Category;

    fn tree(stacks: &[(&[&str], f64)]) -> CallTree {
        let mut builder = CallTreeBuilder::new();
        for (stack, weight) in stacks {
            let leaf = stack.iter().fold(Node::ROOT, |at, name| {
                let frame = builder.frame(name, None, None);
                builder.child(at, frame, false)
            });
            builder.add(leaf, 1, *weight);
        }
        builder.finish()
    }

    #[test]
    fn equal_paths_add_up_and_categories_stay() {
        let mut one = tree(&[(&["a", "b"], 1.0)]);
        one.frames[1].category = Category::Copy;
        let other = tree(&[(&["c"], 4.0), (&["a", "b"], 2.0)]);
        let pooled = pool(&[&one, &other]);
        assert_eq!((pooled.weight(), pooled.samples(), pooled.nodes.len()), (7.0, 3, 3));
        let b = pooled.frames.iter().find(|frame| frame.name == "b").unwrap();
        assert_eq!(b.category, Category::Copy);
    }
}
