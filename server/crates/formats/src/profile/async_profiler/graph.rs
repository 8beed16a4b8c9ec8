//! Boxes of a flame graph to stacks.

use model::profile::PathCursor;
use model::{CallTree, Node};

use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::profile::intern::KERNEL;
use crate::profile::sink::Sink;
use crate::warnings::Warnings;

/// The name of the box below all others.
const ALL: &str = "all";
/// The frame of weight that no frame holds.
const NO_FRAMES: &str = "[no frames]";

/// A box: what the script draws.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Box<'n> {
    pub(super) line: usize,
    pub(super) level: usize,
    pub(super) left: i64,
    pub(super) width: i64,
    pub(super) name: &'n str,
    pub(super) inlined: bool,
    pub(super) kernel: bool,
}

/// What to make of boxes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Making<'l> {
    pub(super) format: &'static str,
    pub(super) limits: &'l Limits,
    /// Weight of one unit of width.
    pub(super) scale: f64,
    /// Widths are samples.
    pub(super) in_samples: bool,
    pub(super) leaf_is_class: bool,
}

impl Making<'_> {
    /// The tree of all boxes. A box belongs to the box of the level before that it stands on; what a box is wider than
    /// the boxes on it is its own weight.
    pub(super) fn tree(self, boxes: &[Box<'_>], warnings: &mut Warnings) -> Result<CallTree, ParseError> {
        let callers = self.callers(boxes)?;
        let mut own: Vec<i64> = boxes.iter().map(|one| one.width).collect();
        let mut is_leaf = vec![true; boxes.len()];
        for (one, caller) in boxes.iter().zip(&callers) {
            if let Some(caller) = caller {
                if let Some(own) = own.get_mut(*caller) {
                    *own = own.saturating_sub(one.width);
                }
                if let Some(is_leaf) = is_leaf.get_mut(*caller) {
                    *is_leaf = false;
                }
            }
        }
        let mut sink = Sink::new(self.format, self.limits);
        let mut nodes: Vec<PathCursor> = Vec::with_capacity(boxes.len());
        let mut too_wide = 0;
        for (index, (one, caller)) in boxes.iter().zip(&callers).enumerate() {
            let at = || At::Line(one.line);
            let own = own.get(index).copied().unwrap_or_default();
            too_wide += usize::from(own < 0);
            let below = caller.and_then(|caller| nodes.get(caller).copied()).unwrap_or(Node::ROOT);
            let is_class = self.leaf_is_class && is_leaf.get(index) == Some(&true);
            let node = if one.level == 0 && one.name == ALL {
                if own <= 0 {
                    nodes.push(Node::ROOT);
                    continue;
                }
                let frame = sink.frame(at, NO_FRAMES, None, None)?;
                let node = sink.child(at, Node::ROOT, frame, false)?;
                nodes.push(Node::ROOT);
                node
            } else {
                let module = (one.kernel && !is_class).then_some(KERNEL);
                let frame = sink.frame(at, one.name, module, None)?;
                let inlined = one.inlined && !is_class && below != Node::ROOT;
                let node = sink.child(at, below, frame, inlined)?;
                nodes.push(node);
                node
            };
            if own > 0 {
                sink.count_stack(at, one.level + 1)?;
                let samples = if self.in_samples { own as u64 } else { 1 };
                sink.add(node, samples, own as f64 * self.scale);
            }
        }
        if too_wide > 0 {
            warnings.add(At::File, format!("{too_wide} frames are narrower than what they call"));
        }
        Ok(sink.finish(warnings))
    }

    /// For each box the one that it stands on. Boxes come callers first; those of one level from left to right.
    fn callers(self, boxes: &[Box<'_>]) -> Result<Vec<Option<usize>>, ParseError> {
        let mut levels: Vec<Vec<(i64, usize)>> = Vec::new();
        let mut callers = Vec::with_capacity(boxes.len());
        for (index, one) in boxes.iter().enumerate() {
            let fail = |kind| ParseError::new(self.format, At::Line(one.line), kind);
            if one.level > self.limits.stack_depth {
                let limit = self.limits.stack_depth as u64;
                return Err(fail(Kind::Limit {
                    what: "frames on a stack",
                    limit,
                    setting: "max_stack_depth",
                }));
            }
            let caller = match one.level.checked_sub(1) {
                None => None,
                Some(below) => {
                    let below = levels.get(below).map(Vec::as_slice).unwrap_or_default();
                    let last = below.partition_point(|(left, _)| *left <= one.left).checked_sub(1);
                    let found = last.and_then(|last| below.get(last));
                    Some(
                        found
                            .map(|(_, caller)| *caller)
                            .ok_or_else(|| fail(Kind::Invalid("a frame stands on no other".to_owned())))?,
                    )
                }
            };
            callers.push(caller);
            if levels.len() <= one.level {
                levels.resize_with(one.level + 1, Vec::new);
            }
            if let Some(level) = levels.get_mut(one.level) {
                if level.last().is_some_and(|(left, _)| *left > one.left) {
                    return Err(fail(Kind::Invalid("the frames of a level are not in order".to_owned())));
                }
                level.push((one.left, index));
            }
        }
        Ok(callers)
    }
}
