//! Stacks into one call tree within the limits, for every reader that makes its own frames and nodes.

use model::profile::PathCursor;
use model::{CallTree, CallTreeBuilder};

use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::text::cut;
use crate::warnings::Warnings;

/// A call tree that grows no further than the limits.
#[derive(Debug)]
pub(super) struct Sink<'a> {
    format: &'static str,
    limits: &'a Limits,
    tree: CallTreeBuilder,
    samples: usize,
    cut_names: usize,
}

impl<'a> Sink<'a> {
    pub(super) fn new(format: &'static str, limits: &'a Limits) -> Self {
        Self { format, limits, tree: CallTreeBuilder::new(), samples: 0, cut_names: 0 }
    }

    fn limit(&self, at: At, what: &'static str, limit: usize, setting: &'static str) -> ParseError {
        ParseError::new(self.format, at, Kind::Limit { what, limit: limit as u64, setting })
    }

    /// The index of a function, made on first use; a name that is too long is cut, which [`Self::finish`] tells.
    pub(super) fn frame(
        &mut self,
        at: impl FnOnce() -> At,
        name: &str,
        module: Option<&str>,
        file: Option<&str>,
    ) -> Result<u32, ParseError> {
        let most = self.limits.symbol_bytes;
        self.cut_names += usize::from(name.len() > most);
        let short = |text| cut(text, most);
        let index = self.tree.frame(short(name), module.map(short), file.map(short));
        if self.tree.n_frames() > self.limits.frames {
            return Err(self.limit(at(), "different functions", self.limits.frames, "max_frames"));
        }
        Ok(index)
    }

    /// The node for `frame` called from `caller`, made on first use.
    pub(super) fn child(
        &mut self,
        at: impl FnOnce() -> At,
        caller: PathCursor,
        frame: u32,
        inlined: bool,
    ) -> Result<PathCursor, ParseError> {
        let node = self.tree.child(caller, frame, inlined);
        if self.tree.n_nodes() > self.limits.nodes {
            return Err(self.limit(at(), "nodes of the call tree", self.limits.nodes, "max_nodes"));
        }
        Ok(node)
    }

    /// Counts one more stack of the file, whose depth the reader knows.
    pub(super) fn count_stack(&mut self, at: impl FnOnce() -> At, depth: usize) -> Result<(), ParseError> {
        self.samples += 1;
        if self.samples > self.limits.samples {
            return Err(self.limit(at(), "samples", self.limits.samples, "max_samples"));
        }
        if depth > self.limits.stack_depth {
            return Err(self.limit(at(), "frames on a stack", self.limits.stack_depth, "max_stack_depth"));
        }
        Ok(())
    }

    /// Adds samples and weight to a leaf.
    pub(super) fn add(&mut self, node: PathCursor, samples: u64, weight: f64) {
        self.tree.add(node, samples, weight);
    }

    /// The finished tree; says how many names were cut.
    pub(super) fn finish(self, warnings: &mut Warnings) -> CallTree {
        if self.cut_names > 0 {
            let most = self.limits.symbol_bytes;
            warnings.add_with(At::File, || {
                format!("{} names were cut to {most} bytes (max_symbol_bytes)", self.cut_names)
            });
        }
        self.tree.finish()
    }
}

#[cfg(test)]
mod tests {
    use model::Node;

    use super::*;

    #[test]
    fn limits_are_errors_that_name_their_setting() {
        let limits =
            Limits { frames: 1, nodes: 1, samples: 1, stack_depth: 3, symbol_bytes: 4, ..Limits::default() };
        let mut sink = Sink::new("test", &limits);
        let frame = sink.frame(|| At::File, "longer", None, None).unwrap();
        let node = sink.child(|| At::File, Node::ROOT, frame, false).unwrap();
        sink.add(node, 1, 1.0);
        let errors = [
            sink.frame(|| At::File, "b", None, None).unwrap_err(),
            sink.child(|| At::File, node, frame, false).unwrap_err(),
            sink.count_stack(|| At::File, 4).unwrap_err(),
            sink.count_stack(|| At::File, 1).unwrap_err(),
        ];
        for (error, setting) in
            errors.iter().zip(["max_frames", "max_nodes", "max_stack_depth", "max_samples"])
        {
            assert!(error.to_string().contains(setting), "{error}");
        }
        let mut warnings = Warnings::new(&limits);
        assert_eq!(sink.finish(&mut warnings).frames[0].name, "long");
        assert_eq!(warnings.into_kept().len(), 1);
    }
}
