//! Pairs of profiles, and the union of a pair: one physical tree with the samples and weights of both sides.

use std::collections::BTreeMap;

use model::profile::{Category, StackCategories};
use model::{Node, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{is_idle, own, physical};

/// Profiles of one event (and one benchmark, where said) on both sides; never empty.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) benchmark: Option<String>,
    pub(super) base: Vec<&'a Profile>,
    pub(super) head: Vec<&'a Profile>,
}

type Groups<'a> = BTreeMap<(String, Option<String>), Vec<&'a Profile>>;

fn groups(profiles: &[Profile]) -> Groups<'_> {
    let mut groups = Groups::new();
    for profile in profiles {
        let key = (profile.event.name.to_ascii_lowercase(), profile.benchmark.clone());
        groups.entry(key).or_default().push(profile);
    }
    groups
}

/// Pairs by event, and by benchmark where both sides say one. What one side left unsaid is paired with what is left
/// of the other; the notes name profiles without a partner.
pub(super) fn pairs<'a>(base: &'a [Profile], head: &'a [Profile]) -> (Vec<Pair<'a>>, Vec<String>) {
    let (mut base, head) = (groups(base), groups(head));
    let mut pairs = Vec::new();
    let mut left = Vec::new();
    for ((event, benchmark), profiles) in head {
        match base.remove(&(event.clone(), benchmark.clone())) {
            Some(partners) => pairs.push(Pair { benchmark, base: partners, head: profiles }),
            None => left.push(((event, benchmark), profiles)),
        }
    }
    let mut notes = Vec::new();
    for ((event, benchmark), profiles) in left {
        let partner = base.keys().find(|(e, b)| *e == event && (b.is_none() || benchmark.is_none())).cloned();
        match partner.and_then(|key| Some((base.remove(&key)?, key))) {
            Some((partners, key)) => {
                pairs.push(Pair { benchmark: benchmark.or(key.1), base: partners, head: profiles });
            }
            None => notes
                .push(format!("the baseline has no {} to compare with", title(&event, benchmark.as_deref()))),
        }
    }
    for (event, benchmark) in base.keys() {
        notes.push(format!("the candidate has no {} to compare with", title(event, benchmark.as_deref())));
    }
    (pairs, notes)
}

fn title(event: &str, benchmark: Option<&str>) -> String {
    benchmark.map_or_else(|| format!("{event} profile"), |name| format!("{event} profile of {name}"))
}

/// A function on either side.
#[derive(Debug, Clone)]
pub(super) struct UnionFrame {
    /// Canonical name; the candidate's where the sides differ.
    pub(super) name: String,
    /// The baseline's name where the function was renamed.
    pub(super) before: Option<String>,
    /// The program's own code, by its name.
    pub(super) own: bool,
    /// It says why the work below it is done, such as logging.
    cause: bool,
}

/// A function called along one path.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnionNode {
    pub(super) parent: u32,
    pub(super) frame: u32,
}

/// The stacks that end at one node with one pair of categories, by side (baseline first).
#[derive(Debug, Clone, Copy)]
pub(super) struct Stack {
    pub(super) node: u32,
    /// Index of the category that the stack is charged to.
    pub(super) charged: u16,
    /// Index of the leaf's own category.
    pub(super) leaf: u16,
    pub(super) weight: [f64; 2],
    pub(super) samples: [u64; 2],
}

/// Samples of one profile by node; only what is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub(super) samples: u64,
    pub(super) by_node: Vec<(u32, u64)>,
}

/// Both sides on one tree. Idle stacks are not in it, nor, where time is wall time, threads of the runtime.
/// Invariant: a node's parent comes before it.
#[derive(Debug, Default)]
pub(super) struct Union {
    pub(super) frames: Vec<UnionFrame>,
    pub(super) nodes: Vec<UnionNode>,
    pub(super) stacks: Vec<Stack>,
    pub(super) categories: Vec<Category>,
    pub(super) runs: [Vec<Run>; 2],
    pub(super) kept_weight: [f64; 2],
    pub(super) kept_samples: [u64; 2],
    /// Weight of threads of the runtime while they are not idle.
    pub(super) background_weight: [f64; 2],
    /// Weights are shares of a whole typed by a person.
    pub(super) weights_are_shares: bool,
    /// Whether those threads are left out of the tree.
    pub(super) background_left_out: bool,
    /// The part of it that is garbage collection and left out of the tree.
    pub(super) background_gc: [f64; 2],
    pub(super) idle_weight: [f64; 2],
    /// Whether the node is the outermost one of its frame on its path: where totals are counted once.
    pub(super) outermost: Vec<bool>,
    /// Whether the node is the program's own code and was not called for the sake of a library or the kernel.
    pub(super) is_place_to_act: Vec<bool>,
    /// First child and next sibling of each node, for walks without recursion.
    pub(super) links: Vec<(u32, u32)>,
    pub(super) roots: Vec<u32>,
}

/// Interning tables while a union is built.
#[derive(Default)]
struct Tables<'a> {
    /// Names of functions that are real frames, not inlined ones, somewhere in the pair.
    real: FxHashSet<&'a str>,
    frames: FxHashMap<String, u32>,
    children: FxHashMap<(u32, u32), u32>,
    categories: FxHashMap<Category, u16>,
    stacks: FxHashMap<(u32, u16, u16), u32>,
}

fn real_frames<'a>(pair: &Pair<'a>) -> FxHashSet<&'a str> {
    let mut real = FxHashSet::default();
    for profile in pair.base.iter().chain(&pair.head) {
        let frames = &profile.tree.frames;
        let nodes = profile.tree.nodes.iter().filter(|node| !node.inlined);
        real.extend(
            nodes.filter_map(|node| frames.get(node.frame as usize)).map(|frame| frame.name.as_str()),
        );
    }
    real
}

impl Union {
    /// The union of a pair, with frames that were renamed between the sides made one.
    pub(super) fn build(pair: &Pair<'_>, leave_out_background: bool) -> Self {
        let plain = Self::build_with(pair, leave_out_background, &FxHashMap::default());
        let renamed = super::rename::renamed(&plain);
        if renamed.is_empty() {
            return plain;
        }
        let names = |id: &u32| plain.frames[*id as usize].name.clone();
        let aliases = renamed.iter().map(|(base, head)| (names(base), names(head))).collect();
        Self::build_with(pair, leave_out_background, &aliases)
    }

    fn build_with(pair: &Pair<'_>, leave_out_background: bool, aliases: &FxHashMap<String, String>) -> Self {
        let typed = |profile: &&Profile| profile.handwritten && profile.event.unit == model::Unit::Ratio;
        let mut union = Self {
            background_left_out: leave_out_background,
            weights_are_shares: pair.base.iter().chain(&pair.head).all(typed),
            ..Self::default()
        };
        let mut tables = Tables { real: real_frames(pair), ..Tables::default() };
        for (side, profiles) in [&pair.base, &pair.head].into_iter().enumerate() {
            for profile in profiles {
                let run = union.add(side, profile, leave_out_background, aliases, &mut tables);
                union.runs[side].push(run);
            }
        }
        union.link();
        union
    }

    fn add(
        &mut self,
        side: usize,
        profile: &Profile,
        leave_out_background: bool,
        aliases: &FxHashMap<String, String>,
        tables: &mut Tables<'_>,
    ) -> Run {
        let tree = &profile.tree;
        let frames = self.intern_frames(profile, aliases, tables);
        let charged: Vec<&Category> = tree.stack_categories().iter().map(StackCategories::charged).collect();
        let background = tree.background();
        let is_real: Vec<bool> =
            tree.frames.iter().map(|frame| tables.real.contains(frame.name.as_str())).collect();
        let places = physical::physical(tree, &is_real);
        let is_time = profile.is_time();
        let mut at: Vec<u32> = Vec::with_capacity(tree.nodes.len());
        let mut run = Run::default();
        for (i, node) in tree.nodes.iter().enumerate() {
            let place = places[i];
            let caller = at.get(node.parent as usize).copied().unwrap_or(Node::ROOT);
            let frame = frames.get(node.frame as usize).copied();
            at.push(match frame {
                Some(frame) if place.kept => self.child(caller, frame, tables),
                _ => caller,
            });
            let weight = if node.self_weight.is_finite() { node.self_weight } else { 0.0 };
            if weight == 0.0 && node.self_samples == 0 {
                continue;
            }
            let leaf = tree.frames.get(node.frame as usize).map_or(&Category::Other, |frame| &frame.category);
            if is_time && is_idle(leaf) {
                self.idle_weight[side] += weight;
                continue;
            }
            if background[i] {
                self.background_weight[side] += weight;
            }
            if background[i] && leave_out_background {
                if *charged[i] == Category::Gc {
                    self.background_gc[side] += weight;
                }
                continue;
            }
            let Some(&home) = at.get(place.counts_at as usize).filter(|home| **home != Node::ROOT) else {
                continue;
            };
            self.kept_weight[side] += weight;
            self.kept_samples[side] = self.kept_samples[side].saturating_add(node.self_samples);
            run.samples = run.samples.saturating_add(node.self_samples);
            if node.self_samples > 0 {
                run.by_node.push((home, node.self_samples));
            }
            let key = (home, self.category(charged[i], tables), self.category(leaf, tables));
            let stack = self.stack(key, tables);
            stack.weight[side] += weight;
            stack.samples[side] = stack.samples[side].saturating_add(node.self_samples);
        }
        run
    }

    fn intern_frames(
        &mut self,
        profile: &Profile,
        aliases: &FxHashMap<String, String>,
        tables: &mut Tables<'_>,
    ) -> Vec<u32> {
        let mut ids = Vec::with_capacity(profile.tree.frames.len());
        for frame in &profile.tree.frames {
            let alias = aliases.get(&frame.name);
            let name = alias.unwrap_or(&frame.name);
            let id = tables.frames.get(name).copied().unwrap_or_else(|| {
                let id = self.frames.len() as u32;
                let cause = frame.category.is_cause() && !matches!(frame.category, Category::User(_));
                self.frames.push(UnionFrame {
                    name: name.clone(),
                    before: None,
                    own: own::is_own(frame),
                    cause,
                });
                tables.frames.insert(name.clone(), id);
                id
            });
            if alias.is_some() {
                self.frames[id as usize].before = Some(frame.name.clone());
            }
            ids.push(id);
        }
        ids
    }

    fn child(&mut self, caller: u32, frame: u32, tables: &mut Tables<'_>) -> u32 {
        let nodes = &mut self.nodes;
        *tables.children.entry((caller, frame)).or_insert_with(|| {
            nodes.push(UnionNode { parent: caller, frame });
            (nodes.len() - 1) as u32
        })
    }

    fn category(&mut self, category: &Category, tables: &mut Tables<'_>) -> u16 {
        if let Some(&id) = tables.categories.get(category) {
            return id;
        }
        let id = self.categories.len().min(usize::from(u16::MAX)) as u16;
        if usize::from(id) == self.categories.len() {
            self.categories.push(category.clone());
        }
        tables.categories.insert(category.clone(), id);
        id
    }

    fn stack(&mut self, key: (u32, u16, u16), tables: &mut Tables<'_>) -> &mut Stack {
        let stacks = &mut self.stacks;
        let index = *tables.stacks.entry(key).or_insert_with(|| {
            stacks.push(Stack {
                node: key.0,
                charged: key.1,
                leaf: key.2,
                weight: [0.0; 2],
                samples: [0; 2],
            });
            (stacks.len() - 1) as u32
        });
        &mut stacks[index as usize]
    }

    /// Links children to parents, finds outermost frames, and says which frames the kernel holds.
    fn link(&mut self) {
        self.links = vec![(Node::ROOT, Node::ROOT); self.nodes.len()];
        for i in (0..self.nodes.len()).rev() {
            let parent = self.nodes[i].parent;
            if parent == Node::ROOT {
                self.roots.push(i as u32);
            } else {
                self.links[i].1 = self.links[parent as usize].0;
                self.links[parent as usize].0 = i as u32;
            }
        }
        self.roots.reverse();
        let kernel: Vec<bool> = self.frames.iter().map(|frame| own::enters_kernel(&frame.name)).collect();
        // Below the kernel's entry nothing is the program's, and below a cause (a log call) the program's own code is
        // called back because of it: there is no place to act.
        let mut inside = vec![false; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let frame = &self.frames[node.frame as usize];
            inside[i] = inside.get(node.parent as usize).copied().unwrap_or(false)
                || kernel[node.frame as usize]
                || frame.cause;
            self.is_place_to_act.push(frame.own && !inside[i]);
        }
        let mut outermost = vec![false; self.nodes.len()];
        let roots = std::mem::take(&mut self.roots);
        for &root in &roots {
            self.walk(root, |node, first| outermost[node as usize] = first);
        }
        (self.roots, self.outermost) = (roots, outermost);
    }

    /// Visits a node and everything below it, callers first, saying whether the node is the first of its frame on
    /// the way down from `from`.
    pub(super) fn walk(&self, from: u32, mut visit: impl FnMut(u32, bool)) {
        let mut open: FxHashMap<u32, u32> = FxHashMap::default();
        let mut at = from;
        'down: loop {
            let count = open.entry(self.nodes[at as usize].frame).or_insert(0);
            *count += 1;
            visit(at, *count == 1);
            let first_child = self.links[at as usize].0;
            if first_child != Node::ROOT {
                at = first_child;
                continue;
            }
            loop {
                if let Some(count) = open.get_mut(&self.nodes[at as usize].frame) {
                    *count -= 1;
                }
                if at == from {
                    return;
                }
                let sibling = self.links[at as usize].1;
                if sibling != Node::ROOT {
                    at = sibling;
                    continue 'down;
                }
                at = self.nodes[at as usize].parent;
            }
        }
    }

    /// The name of a frame, as the baseline or as the candidate has it.
    pub(super) fn name(&self, frame: u32, of_baseline: bool) -> String {
        let frame = &self.frames[frame as usize];
        let before = frame.before.as_ref().filter(|_| of_baseline);
        before.unwrap_or(&frame.name).clone()
    }

    /// The share of a side's active weight that threads of the runtime hold; 0 where they are not left out.
    pub(super) fn background_share(&self, side: usize) -> f64 {
        let all = self.kept_weight[side] + self.background_weight[side];
        if self.background_left_out && all > 0.0 {
            (self.background_weight[side] / all).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}
