//! The hot frames of a profile: what gets a row of its own.

use std::collections::HashMap;

use model::{CallTree, Category, Node};

use crate::text::storable;

/// Smallest share of the profile that is worth a row. A 2 % frame is about the smallest whose change a usual
/// profile can show, and one that grew to 2 % must be seen while it was smaller.
const LEAST_SHARE: f64 = 0.005;

/// Most rows a profile.
const MOST: usize = 300;

/// One frame of one profile, all its places in the tree added up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HotFrame {
    pub(crate) name: String,
    pub(crate) category: Category,
    pub(crate) self_samples: u64,
    pub(crate) self_weight: f64,
    pub(crate) total_samples: u64,
    pub(crate) total_weight: f64,
}

/// Frames with at least half a percent of the profile, dearest first.
pub(crate) fn hot_frames(tree: &CallTree) -> Vec<HotFrame> {
    let (frame_of, mut frames) = by_name(tree);
    add_costs(tree, &frame_of, &mut frames);
    // A profile without weights, such as a list of names, still has samples.
    let weight: f64 = tree.weight();
    let samples = tree.samples() as f64;
    let share = |frame: &HotFrame| {
        if weight == 0.0 { frame.total_samples as f64 / samples } else { frame.total_weight / weight }
    };
    frames.retain(|frame| share(frame) >= LEAST_SHARE);
    frames.sort_by(|a, b| share(b).total_cmp(&share(a)).then_with(|| a.name.cmp(&b.name)));
    frames.truncate(MOST);
    frames
}

/// Functions of one name are one frame here, whatever their module: the name is what a history follows.
fn by_name(tree: &CallTree) -> (Vec<usize>, Vec<HotFrame>) {
    let mut index = HashMap::new();
    let mut frames: Vec<HotFrame> = Vec::new();
    let frame_of = tree.frames.iter().map(|frame| {
        let name = storable(&frame.name);
        *index.entry(name.clone().into_owned()).or_insert_with(|| {
            frames.push(HotFrame {
                name: name.into_owned(),
                category: frame.category.clone(),
                self_samples: 0,
                self_weight: 0.0,
                total_samples: 0,
                total_weight: 0.0,
            });
            frames.len() - 1
        })
    });
    let frame_of = frame_of.collect();
    (frame_of, frames)
}

/// Adds each node to its frame; a recursive frame's total counts its outermost call only.
fn add_costs(tree: &CallTree, frame_of: &[usize], frames: &mut [HotFrame]) {
    let totals = tree.node_totals();
    let (first_child, next_sibling, first_root) = children(tree);
    let mut depth_in = vec![0_u32; frames.len()];
    // A node is met twice: going down it enters its frame, coming up it leaves it. No recursion: stacks may be
    // ten thousand frames deep.
    let mut at = first_root;
    let mut going_down = true;
    while let Some(node) = tree.nodes.get(at as usize) {
        let frame = frame_of[node.frame as usize];
        if going_down {
            let (samples, weight) = totals[at as usize];
            let slot = &mut frames[frame];
            slot.self_samples = slot.self_samples.saturating_add(node.self_samples);
            slot.self_weight += node.self_weight;
            if depth_in[frame] == 0 {
                slot.total_samples = slot.total_samples.saturating_add(samples);
                slot.total_weight += weight;
            }
            depth_in[frame] += 1;
            if first_child[at as usize] != Node::ROOT {
                at = first_child[at as usize];
                continue;
            }
        }
        depth_in[frame] -= 1;
        going_down = next_sibling[at as usize] != Node::ROOT;
        at = if going_down { next_sibling[at as usize] } else { node.parent };
    }
}

/// First child and next sibling of each node, and the first outermost node; [`Node::ROOT`] where there is none.
fn children(tree: &CallTree) -> (Vec<u32>, Vec<u32>, u32) {
    let n = tree.nodes.len();
    let (mut first_child, mut next_sibling, mut first_root) =
        (vec![Node::ROOT; n], vec![Node::ROOT; n], Node::ROOT);
    for (i, node) in tree.nodes.iter().enumerate() {
        let first = match first_child.get_mut(node.parent as usize) {
            Some(slot) => slot,
            None => &mut first_root,
        };
        next_sibling[i] = *first;
        *first = i as u32;
    }
    (first_child, next_sibling, first_root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::CallTreeBuilder;

    fn tree(stacks: &[(&[&str], u64)]) -> CallTree {
        let mut builder = CallTreeBuilder::new();
        for (stack, samples) in stacks {
            let mut at = Node::ROOT;
            for name in *stack {
                let frame = builder.frame(name, None, None);
                at = builder.child(at, frame, false);
            }
            builder.add(at, *samples, *samples as f64 * 10.0);
        }
        builder.finish()
    }

    fn costs(frames: &[HotFrame], name: &str) -> (u64, u64, f64, f64) {
        let frame = frames.iter().find(|frame| frame.name == name).unwrap();
        (frame.self_samples, frame.total_samples, frame.self_weight, frame.total_weight)
    }

    #[test]
    fn self_and_total_add_up_over_all_places() {
        let frames =
            hot_frames(&tree(&[(&["main", "a", "log"], 3), (&["main", "b", "log"], 2), (&["main"], 5)]));
        assert_eq!(costs(&frames, "log"), (5, 5, 50.0, 50.0));
        assert_eq!(costs(&frames, "main"), (5, 10, 50.0, 100.0));
        assert_eq!(frames[0].name, "main");
    }

    #[test]
    fn recursion_is_counted_once() {
        let frames = hot_frames(&tree(&[(&["f", "g", "f", "f"], 4), (&["f"], 1)]));
        assert_eq!(costs(&frames, "f"), (5, 5, 50.0, 50.0));
        assert_eq!(costs(&frames, "g"), (0, 4, 0.0, 40.0));
    }

    #[test]
    fn cold_frames_have_no_row_and_rows_are_bounded() {
        let frames = hot_frames(&tree(&[(&["hot"], 1000), (&["cold"], 4)]));
        assert_eq!(frames.len(), 1);
        let deep: Vec<String> = (0..10_000).map(|i| format!("f{i}")).collect();
        let deep: Vec<&str> = deep.iter().map(String::as_str).collect();
        assert_eq!(hot_frames(&tree(&[(&deep, 1)])).len(), MOST);
    }

    #[test]
    fn an_empty_tree_has_no_hot_frames() {
        assert!(hot_frames(&CallTree::default()).is_empty());
    }
}
