//! Profiles as one call tree with samples *and* weights.

mod builder;
mod category;
mod codec;
mod costs;
mod stacks;

pub use builder::{CallTreeBuilder, PathCursor};
pub use category::Category;
pub use codec::{CodecError, decode, encode};
pub use costs::FrameCost;
pub use stacks::StackCategories;

use serde::{Deserialize, Serialize};

use crate::unit::Unit;

/// What the profiler counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Event {
    /// `cpu`, `wall`, `alloc_space`, `lock`, `cycles` …, as the profiler names it.
    pub name: String,
    /// The unit of weights. `samples` where a weight is a bare tick.
    pub unit: Unit,
}

/// One function, once per profile, with whatever the profiler knew about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameInfo {
    /// The raw symbol as the profiler wrote it until `frames` has run; the canonical name after.
    pub name: String,
    /// Binary, library or package, where known.
    pub module: Option<String>,
    /// Source file, where known.
    pub file: Option<String>,
    /// What the frame is for; `Other` until `frames` has run.
    pub category: Category,
}

/// A node of the call tree: a frame called along one path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Index of the caller's node, or [`Node::ROOT`] for an outermost frame.
    pub parent: u32,
    /// Index into [`CallTree::frames`].
    pub frame: u32,
    /// The compiler inlined this call into its caller; statistics merge it into the physical frame.
    pub inlined: bool,
    /// Profiler ticks or events whose leaf is this node.
    pub self_samples: u64,
    /// What those ticks stand for, in the event's unit. Negative only in difference profiles.
    pub self_weight: f64,
}

impl Node {
    /// The parent of outermost frames.
    pub const ROOT: u32 = u32::MAX;
}

/// Merged stacks. Invariant: a node's parent comes before it, so one forward pass sees callers first and one
/// backward pass adds children up without recursion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CallTree {
    /// Every function once.
    pub frames: Vec<FrameInfo>,
    /// Every path once, callers before callees.
    pub nodes: Vec<Node>,
}

/// One profile of one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// What was counted and in which unit.
    pub event: Event,
    /// The benchmark it belongs to (as `BenchmarkKey` prints it), where the sender said so.
    pub benchmark: Option<String>,
    /// Units of weight between two samples, where known.
    pub period: Option<f64>,
    /// How long the profiler ran, in nanoseconds.
    pub duration_ns: Option<f64>,
    /// How many operations the profiled run did, where the sender said so.
    pub operations: Option<f64>,
    /// Parts are known to be missing (cut stacks, a top-N list, a hand-written tree): shown, never tested.
    pub partial: bool,
    /// Shares in it are estimates typed by a person, not samples.
    pub handwritten: bool,
    /// Version of the rules of `frames` that named and categorised it; 0 for raw symbols.
    pub rules_version: u32,
    /// The stacks.
    pub tree: CallTree,
    /// How the weight divides by the labels that the program put on its samples (a thread's name, an endpoint);
    /// the heaviest values of each key, at most [`Profile::MOST_LABELS`] in all.
    pub labels: Vec<LabelWeight>,
}

/// The weight of all samples that carry one value of a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelWeight {
    /// The label's name, such as `thread`.
    pub key: String,
    /// Its value; numbers as text with their unit.
    pub value: String,
    /// Samples that carry it.
    pub samples: u64,
    /// Their weight in the event's unit.
    pub weight: f64,
}

impl CallTree {
    /// Number of samples in the whole tree; saturates.
    pub fn samples(&self) -> u64 {
        self.nodes.iter().fold(0_u64, |sum, node| sum.saturating_add(node.self_samples))
    }

    /// Weight of the whole tree.
    pub fn weight(&self) -> f64 {
        self.nodes.iter().map(|node| node.self_weight).sum()
    }

    /// Self plus callees of each node, as (samples, weight), in node order.
    pub fn node_totals(&self) -> Vec<(u64, f64)> {
        let mut totals: Vec<(u64, f64)> =
            self.nodes.iter().map(|n| (n.self_samples, n.self_weight)).collect();
        for i in (0..self.nodes.len()).rev() {
            let parent = self.nodes[i].parent;
            if parent != Node::ROOT {
                let (samples, weight) = totals[i];
                let slot = &mut totals[parent as usize];
                slot.0 = slot.0.saturating_add(samples);
                slot.1 += weight;
            }
        }
        totals
    }

    /// Frame indices from the outermost caller down to `node`.
    pub fn path(&self, node: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(step) = self.nodes.get(at as usize) {
            path.push(step.frame);
            at = step.parent;
        }
        path.reverse();
        path
    }
}

impl Profile {
    /// Label values that a profile keeps.
    pub const MOST_LABELS: usize = 64;

    /// An empty profile of an event, raw symbols, nothing else known.
    pub fn new(event: Event, tree: CallTree) -> Self {
        Self {
            event,
            benchmark: None,
            period: None,
            duration_ns: None,
            operations: None,
            partial: false,
            handwritten: false,
            rules_version: 0,
            tree,
            labels: Vec::new(),
        }
    }

    /// Whether the event measures processor or wall time, so that shares of it are shares of the time per
    /// operation.
    pub fn is_time(&self) -> bool {
        let name = self.event.name.to_ascii_lowercase();
        matches!(self.event.unit, Unit::Nanoseconds | Unit::Cycles)
            || ["cpu", "wall", "itimer", "cycles", "samples", "time", "clock"]
                .iter()
                .any(|word| name.contains(word))
    }
}
