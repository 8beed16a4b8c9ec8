//! Walks stacks into the call tree, going on from the previous line where two lines begin alike.
//!
//! Collapsers write their lines sorted, so most of a line is the line before it: that part costs one comparison of
//! bytes and no look-up.

use model::profile::PathCursor;
use model::{CallTreeBuilder, Node};

use super::NAME;
use super::names::Names;
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::profile::intern::{scan, split_mark};
use crate::text::cut;

/// A frame of the previous line: where its text ended and which node it is.
#[derive(Debug, Clone, Copy)]
struct Step {
    end: usize,
    node: PathCursor,
}

/// What a line had that deserves a remark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Oddities {
    /// A frame without text was left out.
    pub(super) nameless: bool,
    /// A name was longer than allowed and was cut.
    pub(super) cut: bool,
}

/// The tree being built.
#[derive(Debug)]
pub(super) struct Stacks<'t> {
    tree: CallTreeBuilder,
    names: Names<'t>,
    previous: &'t str,
    steps: Vec<Step>,
    limits: &'t Limits,
    leaf_is_class: bool,
}

impl<'t> Stacks<'t> {
    /// An empty tree. In async-profiler's allocation profiles the leaf is a class whose mark tells how it was
    /// allocated (inside or outside a thread's buffer) and not how it was compiled.
    pub(super) fn new(limits: &'t Limits, leaf_is_class: bool) -> Self {
        let names = Names::new(limits.symbol_bytes);
        Self { tree: CallTreeBuilder::new(), names, previous: "", steps: Vec::new(), limits, leaf_is_class }
    }

    /// The node of a whole stack.
    pub(super) fn walk(&mut self, path: &'t str, line: usize) -> Result<(PathCursor, Oddities), ParseError> {
        self.keep_shared(path);
        let mut odd = Oddities::default();
        let mut start = self.steps.last().map_or(0, |step| step.end + 1);
        while let Some(rest) = path.get(start..).filter(|rest| !rest.is_empty()) {
            let (len, hash) = scan::<b';'>(rest.as_bytes());
            let end = start + len;
            let text = rest.get(..len).unwrap_or(rest);
            if is_nameless(text) {
                odd.nameless = true;
            } else {
                self.step(text, hash, end, end == path.len(), &mut odd);
                self.check(line)?;
            }
            start = end + 1;
        }
        self.previous = path;
        Ok((self.steps.last().map_or(Node::ROOT, |step| step.node), odd))
    }

    /// The builder, once all stacks are in.
    pub(super) fn into_tree(self) -> CallTreeBuilder {
        self.tree
    }

    /// Drops the steps of the previous line that `path` does not begin with.
    fn keep_shared(&mut self, path: &str) {
        let shared = shared_prefix(self.previous.as_bytes(), path.as_bytes());
        while let Some(step) = self.steps.last() {
            let ends_there = path.as_bytes().get(step.end).is_none_or(|byte| *byte == b';');
            if step.end <= shared && ends_there {
                break;
            }
            self.steps.pop();
        }
    }

    fn step(&mut self, text: &'t str, hash: u64, end: usize, is_leaf: bool, odd: &mut Oddities) {
        let caller = self.steps.last().map_or(Node::ROOT, |step| step.node);
        let node = if is_leaf && self.leaf_is_class {
            let class = cut(split_mark(text).0, self.limits.symbol_bytes);
            let frame = self.tree.frame(class, None, None);
            self.tree.child(caller, frame, false)
        } else {
            let (resolved, was_cut) = self.names.resolve(text, hash, &mut self.tree);
            odd.cut |= was_cut;
            // A mark on an outermost frame has no caller to be inlined into.
            self.tree.child(caller, resolved.frame, resolved.inlined && caller != Node::ROOT)
        };
        self.steps.push(Step { end, node });
    }

    fn check(&self, line: usize) -> Result<(), ParseError> {
        let limits = self.limits;
        let (what, limit, setting) = if self.steps.len() > limits.stack_depth {
            ("frames on a stack", limits.stack_depth, "max_stack_depth")
        } else if self.tree.n_nodes() > limits.nodes {
            ("nodes of the call tree", limits.nodes, "max_nodes")
        } else if self.tree.n_frames() > limits.frames {
            ("different functions", limits.frames, "max_frames")
        } else {
            return Ok(());
        };
        Err(ParseError::new(NAME, At::Line(line), Kind::Limit { what, limit: limit as u64, setting }))
    }
}

/// No text, or nothing but blanks. Names that begin with a blank are rare, so most cost one comparison.
fn is_nameless(text: &str) -> bool {
    text.bytes().next().is_none_or(|first| first == b' ') && text.trim_start_matches(' ').is_empty()
}

/// How many bytes two texts begin with in common.
fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 16;
    let (a_chunks, _) = a.as_chunks::<STEP>();
    let (b_chunks, _) = b.as_chunks::<STEP>();
    let whole = a_chunks.iter().zip(b_chunks).take_while(|(x, y)| x == y).count() * STEP;
    let tail = |text: &'_ [u8]| text.get(whole..).map_or(0, <[u8]>::len);
    let most = tail(a).min(tail(b)).min(STEP);
    let differs = a.iter().zip(b).skip(whole).take(most).take_while(|(x, y)| x == y).count();
    whole + differs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_beginnings_are_counted_exactly() {
        let text = b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
        for len in 0..text.len() {
            let mut other = text.to_vec();
            other[len] = b'-';
            assert_eq!(shared_prefix(text, &other), len);
            assert_eq!(shared_prefix(text, &text[..len]), len);
        }
    }

    #[test]
    fn a_line_that_begins_like_the_last_one_reaches_the_same_nodes() {
        let limits = Limits::default();
        let paths = ["a;b;c", "a;b", "a;bc", "a;b;c;d", "a;b;c", ";a;b", "a;;b;c", "ab;c", "a; ;b"];
        let mut together = Stacks::new(&limits, false);
        let names = |stacks: Stacks<'_>, node| {
            let tree = stacks.into_tree().finish();
            tree.path(node).iter().map(|i| tree.frames[*i as usize].name.clone()).collect::<Vec<_>>()
        };
        let leaves: Vec<_> = paths.iter().map(|path| together.walk(path, 1).unwrap().0).collect();
        let tree = together.into_tree().finish();
        for (path, leaf) in paths.iter().zip(leaves) {
            let mut alone = Stacks::new(&limits, false);
            let lone = alone.walk(path, 1).unwrap().0;
            let shared: Vec<_> =
                tree.path(leaf).iter().map(|i| tree.frames[*i as usize].name.clone()).collect();
            assert_eq!(shared, names(alone, lone), "{path}");
        }
    }
}
