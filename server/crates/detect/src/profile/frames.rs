//! Self and total of every frame on both sides, each sample counted once however often the frame is on its stack.

use super::pool::{Run, Union};

/// One frame's part of both sides (baseline first).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct FrameStats {
    pub(super) self_weight: [f64; 2],
    pub(super) total_weight: [f64; 2],
    pub(super) total_samples: [u64; 2],
}

/// Samples and weight of a whole side, as far as they are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Side {
    pub(super) samples: u64,
    pub(super) weight: f64,
}

/// Statistics of all frames over the stacks that no suspect has claimed yet.
#[derive(Debug)]
pub(super) struct Statistics {
    pub(super) frames: Vec<FrameStats>,
    pub(super) sides: [Side; 2],
}

/// Counts; `claimed` marks nodes whose stacks are explained already.
pub(super) fn count(union: &Union, claimed: &[bool]) -> Statistics {
    let mut node = vec![([0.0_f64; 2], [0_u64; 2]); union.nodes.len()];
    let mut frames = vec![FrameStats::default(); union.frames.len()];
    let mut sides = [Side::default(); 2];
    for stack in union.stacks.iter().filter(|stack| !claimed[stack.node as usize]) {
        let at = stack.node as usize;
        let frame = &mut frames[union.nodes[at].frame as usize];
        for (side, sum) in sides.iter_mut().enumerate() {
            let (weight, samples) = (stack.weight[side], stack.samples[side]);
            node[at].0[side] += weight;
            node[at].1[side] = node[at].1[side].saturating_add(samples);
            frame.self_weight[side] += weight;
            sum.weight += weight;
            sum.samples = sum.samples.saturating_add(samples);
        }
    }
    for at in (0..union.nodes.len()).rev() {
        let (weight, samples) = node[at];
        if let Some(parent) = node.get_mut(union.nodes[at].parent as usize) {
            for side in 0..2 {
                parent.0[side] += weight[side];
                parent.1[side] = parent.1[side].saturating_add(samples[side]);
            }
        }
        if union.outermost[at] {
            let frame = &mut frames[union.nodes[at].frame as usize];
            for side in 0..2 {
                frame.total_weight[side] += weight[side];
                frame.total_samples[side] = frame.total_samples[side].saturating_add(samples[side]);
            }
        }
    }
    Statistics { frames, sides }
}

/// Total samples of every frame in one run.
pub(super) fn totals_of_run(union: &Union, run: &Run) -> Vec<u64> {
    let mut node = vec![0_u64; union.nodes.len()];
    for &(at, samples) in &run.by_node {
        node[at as usize] = node[at as usize].saturating_add(samples);
    }
    let mut frames = vec![0_u64; union.frames.len()];
    for at in (0..union.nodes.len()).rev() {
        let samples = node[at];
        if let Some(parent) = node.get_mut(union.nodes[at].parent as usize) {
            *parent = parent.saturating_add(samples);
        }
        if union.outermost[at] {
            let frame = &mut frames[union.nodes[at].frame as usize];
            *frame = frame.saturating_add(samples);
        }
    }
    frames
}
