//! `.heapprofile`: nested nodes with the bytes that each allocated and that are still alive.

use model::{Event, Node as TreeNode, Profile, Unit};
use rustc_hash::FxHashMap;

use super::CallFrame;
use crate::error::{At, ParseError};
use crate::json;
use crate::profile::parts::shows;
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "heapprofile";

#[derive(serde::Deserialize)]
struct Heap {
    head: Node,
    #[serde(default)]
    samples: Vec<Sample>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    call_frame: CallFrame,
    #[serde(default)]
    self_size: f64,
    #[serde(default)]
    id: Option<u64>,
    #[serde(default)]
    children: Vec<Node>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    node_id: u64,
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    if shows(head, &[&["head", "selfSize"]]) { Sniff::Yes } else { Sniff::No }
}

/// Bytes are those of the nodes; `samples`, which newer versions list, count the readings behind them. Without it a
/// node that holds anything is at least one.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let heap: Heap = json::typed(NAME, input.bytes)?;
    let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
    for sample in &heap.samples {
        *counts.entry(sample.node_id).or_default() += 1;
    }
    let mut sink = Sink::new(NAME, input.limits);
    let mut todo = vec![(&heap.head, TreeNode::ROOT, 1_usize)];
    while let Some((node, caller, depth)) = todo.pop() {
        let at = || At::Field(format!("node {}", node.id.unwrap_or_default()));
        sink.count_stack(at, depth)?;
        let frame = node.call_frame.frame(&mut sink, at)?;
        let place = sink.child(at, caller, frame, false)?;
        let listed = node.id.and_then(|id| counts.get(&id).copied()).unwrap_or_default();
        let samples = if heap.samples.is_empty() { u64::from(node.self_size > 0.0) } else { listed };
        sink.add(place, samples, node.self_size);
        todo.extend(node.children.iter().rev().map(|child| (child, place, depth + 1)));
    }
    let event = Event { name: "inuse_space".to_owned(), unit: Unit::Bytes };
    let profile = Profile::new(event, sink.finish(&mut warnings));
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}
