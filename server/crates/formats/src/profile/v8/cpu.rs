//! `.cpuprofile`: a tree of nodes, samples that name a node, and the times between them.
//!
//! A sample lasts until the next one, so `timeDeltas[i + 1]` belongs to `samples[i]`, and the last sample has no
//! time. V8 writes negative deltas when its clock is read out of order; they count as no time. Before Node.js 8 and
//! Chrome 59 the nodes were nested under `head`, with `timestamps` of the samples.

use model::{Node as TreeNode, Profile};
use rustc_hash::FxHashMap;

use super::CallFrame;
use crate::error::{At, Kind, ParseError};
use crate::json::Pull;
use crate::profile::parts::{shows, ticks, time};
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "cpuprofile";

/// A node with its caller or its callees.
#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(in crate::profile) struct Node {
    id: u64,
    call_frame: CallFrame,
    #[serde(default)]
    hit_count: u64,
    #[serde(default)]
    children: Vec<u64>,
    #[serde(default)]
    parent: Option<u64>,
}

/// A processor profile.
#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::profile) struct Cpu {
    pub(in crate::profile) nodes: Vec<Node>,
    pub(in crate::profile) samples: Vec<u64>,
    pub(in crate::profile) time_deltas: Vec<f64>,
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let is_it = shows(head, &[&["nodes", "[]", "callFrame"]]) || shows(head, &[&["head", "hitCount"]]);
    if is_it { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let File { cpu, is_old, span } = file(&input)?;
    let mut profile = profile(NAME, &cpu, is_old, &input, &mut warnings)?;
    profile.duration_ns = Some(span).filter(|span| *span > 0.0);
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

struct File {
    cpu: Cpu,
    /// Nodes are nested under `head`, and times are in seconds.
    is_old: bool,
    /// In nanoseconds.
    span: f64,
}

fn file(input: &Input<'_>) -> Result<File, ParseError> {
    let mut pull = Pull::new(NAME, input.bytes);
    let (mut cpu, mut is_old, mut timestamps): (_, _, Vec<f64>) = (Cpu::default(), false, Vec::new());
    let (mut start, mut end) = (0.0, 0.0);
    pull.members(|pull, name| {
        match name {
            "nodes" => cpu.nodes = pull.value()?,
            "samples" => cpu.samples = pull.value()?,
            "timeDeltas" => cpu.time_deltas = pull.value()?,
            "timestamps" => timestamps = pull.value()?,
            "startTime" => start = pull.value()?,
            "endTime" => end = pull.value()?,
            "head" => (cpu.nodes, is_old) = (nested(pull, input)?, true),
            _ => pull.skip()?,
        }
        Ok(())
    })?;
    pull.end()?;
    if is_old {
        let gaps = timestamps.iter().zip(timestamps.iter().skip(1)).map(|(a, b)| b - a);
        cpu.time_deltas = std::iter::once(0.0).chain(gaps).collect();
    }
    let span: f64 = end - start;
    Ok(File { cpu, is_old, span: span * if is_old { 1e9 } else { 1e3 } })
}

/// The nodes of the old form.
fn nested(pull: &mut Pull<'_>, input: &Input<'_>) -> Result<Vec<Node>, ParseError> {
    let found = pull.nested(input.limits, |pull, name, node: &mut Node| {
        match name {
            "functionName" => node.call_frame.function_name = pull.value()?,
            "url" => node.call_frame.url = pull.value()?,
            "id" => node.id = pull.value()?,
            "hitCount" => node.hit_count = pull.value()?,
            _ => pull.skip()?,
        }
        Ok(())
    })?;
    let ids: Vec<u64> = found.iter().map(|(_, node)| node.id).collect();
    let with_caller = |(around, node): (Option<usize>, Node)| Node {
        parent: around.and_then(|place| ids.get(place).copied()),
        ..node
    };
    Ok(found.into_iter().map(with_caller).collect())
}

/// The profile of nodes and samples.
pub(in crate::profile) fn profile(
    format: &'static str,
    cpu: &Cpu,
    by_hits: bool,
    input: &Input<'_>,
    warnings: &mut Warnings,
) -> Result<Profile, ParseError> {
    let mut sink = Sink::new(format, input.limits);
    let places = place(format, cpu, &mut sink, warnings)?;
    let timed = !cpu.time_deltas.is_empty() && !cpu.samples.is_empty();
    let by_hits = by_hits || cpu.samples.is_empty();
    for node in cpu.nodes.iter().filter(|_| by_hits) {
        let weight = if timed { 0.0 } else { node.hit_count as f64 };
        sink.add(places.get(&node.id).copied().unwrap_or(TreeNode::ROOT), node.hit_count, weight);
    }
    let (mut dangling, mut backwards) = (0_usize, 0_usize);
    for (i, id) in cpu.samples.iter().enumerate() {
        sink.count_stack(|| At::Field(format!("samples[{i}]")), 0)?;
        let delta = cpu.time_deltas.get(i + 1).copied().unwrap_or_default();
        backwards += usize::from(delta < 0.0);
        let Some(node) = places.get(id) else {
            dangling += 1;
            continue;
        };
        let weight = if timed { delta.max(0.0) * 1e3 } else { f64::from(u8::from(!by_hits)) };
        sink.add(*node, u64::from(!by_hits), weight);
    }
    if backwards > 0 {
        warnings.add(At::Field("timeDeltas".to_owned()), format!("{backwards} negative times count as none"));
    }
    if dangling > 0 {
        let text = format!("{dangling} samples name nodes that do not exist and are left out");
        warnings.add(At::Field("samples".to_owned()), text);
    }
    let event = if timed { time("cpu") } else { ticks("cpu") };
    let mut profile = Profile::new(event, sink.finish(warnings));
    profile.partial = dangling > 0;
    Ok(profile)
}

/// Puts every node below its caller. A node with two callers, or with none that leads to a root, makes the nodes no
/// tree.
fn place(
    format: &'static str,
    cpu: &Cpu,
    sink: &mut Sink<'_>,
    warnings: &mut Warnings,
) -> Result<FxHashMap<u64, u32>, ParseError> {
    let invalid = |i: usize, text: String| {
        ParseError::new(format, At::Field(format!("nodes[{i}]")), Kind::Invalid(text))
    };
    let mut index: FxHashMap<u64, usize> = FxHashMap::default();
    for (i, node) in cpu.nodes.iter().enumerate() {
        if index.insert(node.id, i).is_some() {
            return Err(invalid(i, format!("two nodes have the id {}", node.id)));
        }
    }
    let mut caller: Vec<Option<usize>> =
        cpu.nodes.iter().map(|node| node.parent.and_then(|id| index.get(&id).copied())).collect();
    for (i, node) in cpu.nodes.iter().enumerate() {
        if let Some(id) = node.parent.filter(|id| !index.contains_key(id)) {
            warnings.add(At::Field(format!("nodes[{i}].parent")), format!("node {id} does not exist"));
        }
        for id in &node.children {
            let Some(child) = index.get(id).copied() else {
                warnings.add(At::Field(format!("nodes[{i}].children")), format!("node {id} does not exist"));
                continue;
            };
            match caller.get_mut(child) {
                Some(Some(known)) if *known != i => {
                    return Err(invalid(i, format!("its child {id} has another caller already")));
                }
                Some(slot) => *slot = Some(i),
                None => {}
            }
        }
    }
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); caller.len()];
    let mut todo: Vec<(usize, u32, usize)> = Vec::new();
    for (i, caller) in caller.iter().enumerate().rev() {
        match caller.and_then(|caller| callees.get_mut(caller)) {
            Some(callees) => callees.push(i),
            None => todo.push((i, TreeNode::ROOT, 1)),
        }
    }
    let mut places = FxHashMap::default();
    while let Some((i, above, depth)) = todo.pop() {
        let at = || At::Field(format!("nodes[{i}]"));
        let (Some(node), Some(callees)) = (cpu.nodes.get(i), callees.get(i)) else { continue };
        sink.count_stack(at, depth)?;
        let frame = node.call_frame.frame(sink, at)?;
        let place = sink.child(at, above, frame, false)?;
        places.insert(node.id, place);
        todo.extend(callees.iter().map(|callee| (*callee, place, depth + 1)));
    }
    match cpu.nodes.iter().position(|node| !places.contains_key(&node.id)) {
        Some(i) => Err(invalid(i, "its callers form a circle".to_owned())),
        None => Ok(places),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn one(text: &str) -> Result<(Profile, usize), String> {
        let (hints, limits) = (Hints::default(), Limits::default());
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits });
        let parsed = parsed.map_err(|error| error.to_string())?;
        let Content::Profiles(mut profiles) = parsed.content else { panic!("not profiles") };
        Ok((profiles.remove(0), parsed.warnings.len()))
    }

    #[test]
    fn a_time_belongs_to_the_sample_before_it_and_negative_ones_are_none() {
        let nodes = r#"{"id":1,"callFrame":{"functionName":"(root)","url":""}},
            {"id":2,"parent":1,"callFrame":{"functionName":"","url":"file:///a.js"}}"#;
        let text = format!(
            r#"{{"nodes":[{nodes}],"samples":[2,2,1],"timeDeltas":[9,-5,4],"startTime":0,"endTime":9}}"#
        );
        let (profile, warned) = one(&text).unwrap();
        assert_eq!((profile.tree.samples(), profile.tree.weight(), warned), (3, 4000.0, 1));
        assert_eq!(profile.tree.frames[1].name, "(anonymous)");
        assert_eq!(profile.tree.frames[1].file.as_deref(), Some("file:///a.js"));
        assert_eq!(profile.duration_ns, Some(9000.0));
    }

    #[test]
    fn circles_and_equal_ids_are_no_tree() {
        let node = |id: u64, child: u64| {
            format!(r#"{{"id":{id},"callFrame":{{"functionName":"f"}},"children":[{child}]}}"#)
        };
        for (a, b, word) in [((1, 2), (2, 1), "circle"), ((1, 9), (1, 9), "two nodes")] {
            let text = format!(r#"{{"nodes":[{},{}],"samples":[1]}}"#, node(a.0, a.1), node(b.0, b.1));
            let error = one(&text).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
