//! `.heapprofile`: nested nodes with the bytes that each allocated and that are still alive.

use model::{Event, Node as TreeNode, Profile, Unit};
use rustc_hash::FxHashMap;

use super::CallFrame;
use crate::error::{At, Kind, ParseError};
use crate::json::{Nested, Pull};
use crate::profile::parts::shows;
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "heapprofile";

#[derive(Default)]
struct Node {
    call_frame: CallFrame,
    self_size: f64,
    id: Option<u64>,
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
    let (nodes, readings) = file(&input)?;
    let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
    for sample in &readings {
        *counts.entry(sample.node_id).or_default() += 1;
    }
    let mut sink = Sink::new(NAME, input.limits);
    let mut places: Vec<u32> = Vec::with_capacity(nodes.len());
    for (caller, node) in &nodes {
        let at = || At::Field(format!("node {}", node.id.unwrap_or_default()));
        sink.count_stack(at, 0)?;
        let frame = node.call_frame.frame(&mut sink, at)?;
        // The node around comes first.
        let caller = caller.and_then(|caller| places.get(caller).copied()).unwrap_or(TreeNode::ROOT);
        let place = sink.child(at, caller, frame, false)?;
        places.push(place);
        let listed = node.id.and_then(|id| counts.get(&id).copied()).unwrap_or_default();
        let samples = if readings.is_empty() { u64::from(node.self_size > 0.0) } else { listed };
        sink.add(place, samples, node.self_size);
    }
    let event = Event { name: "inuse_space".to_owned(), unit: Unit::Bytes };
    let profile = Profile::new(event, sink.finish(&mut warnings));
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

fn file(input: &Input<'_>) -> Result<(Nested<Node>, Vec<Sample>), ParseError> {
    let (mut nodes, mut samples) = (Vec::new(), Vec::new());
    let mut pull = Pull::new(NAME, input.bytes);
    pull.members(|pull, name| match name {
        "head" => {
            nodes = pull.nested(input.limits, member)?;
            Ok(())
        }
        "samples" => {
            samples = pull.value()?;
            Ok(())
        }
        _ => pull.skip(),
    })?;
    pull.end()?;
    if nodes.is_empty() {
        return Err(pull.error(Kind::Invalid("the field \"head\" is missing".to_owned())));
    }
    Ok((nodes, samples))
}

fn member(pull: &mut Pull<'_>, name: &str, node: &mut Node) -> Result<(), ParseError> {
    match name {
        "callFrame" => node.call_frame = pull.value()?,
        "selfSize" => node.self_size = pull.value()?,
        "id" => node.id = pull.value()?,
        _ => pull.skip()?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    #[test]
    fn stacks_deeper_than_128_levels_of_json_are_read() {
        let node = |i: usize| {
            format!(r#"{{"callFrame":{{"functionName":"f{i}","url":""}},"selfSize":8,"id":{i},"children":["#)
        };
        let text = format!("{{\"head\":{}{}}}", (0..500).map(node).collect::<String>(), "]}".repeat(500));
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits }).unwrap();
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        assert_eq!((profiles[0].tree.samples(), profiles[0].tree.weight()), (500, 4000.0));
        assert_eq!(profiles[0].tree.frames.len(), profiles[0].tree.nodes.len());
    }
}
