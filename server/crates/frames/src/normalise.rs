//! A whole profile under the rules: canonical names, categories, equal frames and equal paths merged.

use std::collections::hash_map::Entry;

use model::{CallTree, Category, FrameInfo, Node, Profile};
use rustc_hash::FxHashMap;

use crate::category::Rules;
use crate::ecosystem::{Ecosystem, Family};
use crate::{RULES_VERSION, canonical};

/// Names and categorises every frame, merges frames that are now equal, and then paths that are now equal. Samples
/// and weights stay to the last unit: nothing is dropped, and callers still come before callees.
///
/// Frames are equal if their canonical names are and their runtimes' families are, so that a C function does not
/// merge with a script's of the same name. Their module and file are kept where all of them agree.
///
/// Linear in nodes and in bytes of names, without recursion. A profile that was normalised before comes out the
/// same, or as the current rules have it.
pub fn normalise(profile: Profile, rules: &Rules) -> Profile {
    let Profile { tree, .. } = profile;
    let n_nodes = tree.nodes.len();
    let (frames, new_frame) = merge_frames(tree.frames, rules);
    let mut merged = Merged { frames, nodes: Vec::with_capacity(n_nodes) };
    merged.add_paths(&tree.nodes, &new_frame);
    let tree = CallTree { frames: merged.frames, nodes: merged.nodes };
    Profile { tree, rules_version: RULES_VERSION, ..profile }
}

/// The merged frames, and for each old frame the index of its new one.
fn merge_frames(old: Vec<FrameInfo>, rules: &Rules) -> (Vec<FrameInfo>, Vec<u32>) {
    let mut by_name: FxHashMap<(Family, String), u32> = FxHashMap::default();
    by_name.reserve(old.len());
    let mut frames: Vec<FrameInfo> = Vec::with_capacity(old.len());
    let mut new_frame = Vec::with_capacity(old.len());
    for frame in old {
        let (module, file) = (frame.module.as_deref(), frame.file.as_deref());
        let name = canonical(&frame.name, module, file);
        let family = Ecosystem::of(&name, module, file).family();
        let index = match by_name.entry((family, name)) {
            Entry::Occupied(known) => {
                let index = *known.get();
                agree(&mut frames[index as usize], frame);
                index
            }
            Entry::Vacant(fresh) => {
                let index = frames.len() as u32;
                frames.push(FrameInfo { name: fresh.key().1.clone(), ..frame });
                fresh.insert(index);
                index
            }
        };
        new_frame.push(index);
    }
    for frame in &mut frames {
        frame.category = rules.category(&frame.name, frame.module.as_deref(), frame.file.as_deref());
    }
    (frames, new_frame)
}

/// Keeps of `known` what `other` says too.
fn agree(known: &mut FrameInfo, other: FrameInfo) {
    if known.module != other.module {
        known.module = None;
    }
    if known.file != other.file {
        known.file = None;
    }
}

struct Merged {
    frames: Vec<FrameInfo>,
    nodes: Vec<Node>,
}

impl Merged {
    fn add_paths(&mut self, old: &[Node], new_frame: &[u32]) {
        let mut by_path: FxHashMap<(u32, u32, bool), u32> = FxHashMap::default();
        by_path.reserve(old.len());
        let mut new_node: Vec<u32> = Vec::with_capacity(old.len());
        for node in old {
            // A caller that does not come first breaks the tree's invariant: its callee becomes a root.
            let parent = new_node.get(node.parent as usize).copied().unwrap_or(Node::ROOT);
            let frame = match new_frame.get(node.frame as usize) {
                Some(frame) => *frame,
                None => self.unknown_frame(),
            };
            let index = *by_path.entry((parent, frame, node.inlined)).or_insert_with(|| {
                self.nodes.push(Node {
                    parent,
                    frame,
                    inlined: node.inlined,
                    self_samples: 0,
                    self_weight: 0.0,
                });
                (self.nodes.len() - 1) as u32
            });
            let merged = &mut self.nodes[index as usize];
            merged.self_samples = merged.self_samples.saturating_add(node.self_samples);
            merged.self_weight += node.self_weight;
            new_node.push(index);
        }
    }

    /// A frame for nodes that name none.
    fn unknown_frame(&mut self) -> u32 {
        const NAME: &str = "[unknown]";
        if let Some(known) = self.frames.iter().position(|frame| frame.name == NAME) {
            return known as u32;
        }
        self.frames.push(FrameInfo {
            name: NAME.to_owned(),
            module: None,
            file: None,
            category: Category::Other,
        });
        (self.frames.len() - 1) as u32
    }
}
