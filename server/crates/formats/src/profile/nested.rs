//! Call trees written as an outline: one row a function, deeper rows below their callers.

use model::profile::PathCursor;
use model::{CallTree, Node};

use super::sink::Sink;
use crate::error::{At, ParseError};
use crate::limits::Limits;
use crate::text::excerpt;
use crate::warnings::Warnings;

/// How much a row weighs, in the unit of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cost {
    /// The function alone.
    Own(f64),
    /// The function with everything that it calls.
    Total(f64),
}

/// A row of the outline.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'r> {
    /// Its line.
    pub(super) line: usize,
    /// How far it is indented. Any number will do, as long as callees are indented further than their caller.
    pub(super) depth: usize,
    /// The function; without a name the row is its caller's, so that a grouping row (a thread) adds no frame.
    pub(super) name: &'r str,
    /// The library.
    pub(super) module: Option<&'r str>,
    /// The source file.
    pub(super) file: Option<&'r str>,
    /// Its cost.
    pub(super) cost: Cost,
}

#[derive(Debug)]
struct Open {
    depth: usize,
    node: PathCursor,
    place: usize,
}

#[derive(Debug)]
struct Place {
    line: usize,
    node: PathCursor,
    own: f64,
    frames: usize,
}

/// The tree while its rows come in.
#[derive(Debug)]
pub(super) struct Nested<'a> {
    sink: Sink<'a>,
    places: Vec<Place>,
    open: Vec<Open>,
}

impl<'a> Nested<'a> {
    pub(super) fn new(format: &'static str, limits: &'a Limits) -> Self {
        Self { sink: Sink::new(format, limits), places: Vec::new(), open: Vec::new() }
    }

    /// Whether no row has come yet.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Takes the next row.
    pub(super) fn row(&mut self, row: Row<'_>) -> Result<(), ParseError> {
        while self.open.last().is_some_and(|open| open.depth >= row.depth) {
            self.open.pop();
        }
        let at = || At::Line(row.line);
        let caller = self.open.last().map_or(Node::ROOT, |open| open.node);
        let node = if row.name.is_empty() {
            caller
        } else {
            let frame = self.sink.frame(at, row.name, row.module, row.file)?;
            self.sink.child(at, caller, frame, false)?
        };
        let own = match row.cost {
            Cost::Own(own) => own,
            Cost::Total(total) => {
                if let Some(above) = self.open.last().and_then(|open| self.places.get_mut(open.place)) {
                    above.own -= total;
                }
                total
            }
        };
        let place = self.places.len();
        let frames = self.open.len() + 1;
        self.places.push(Place { line: row.line, node, own, frames });
        self.open.push(Open { depth: row.depth, node, place });
        Ok(())
    }

    /// The tree. `meaning` gives a row's samples and weight from what the file has as its own cost. What a row's
    /// callees have more than the row itself is a fault of the file, and told.
    pub(super) fn finish(
        mut self,
        warnings: &mut Warnings,
        meaning: impl Fn(f64) -> (u64, f64),
    ) -> Result<CallTree, ParseError> {
        let most = self.places.iter().map(|place| place.own.abs()).fold(0.0, f64::max);
        for place in self.places {
            let at = || At::Line(place.line);
            // Sums of numbers with decimals are off by their last bits.
            if place.own < most * -1e-9 {
                warnings.add_with(at(), || {
                    format!(
                        "the rows below add up to {} more than this one",
                        excerpt(&(-place.own).to_string())
                    )
                });
            }
            if place.own > most * 1e-9 {
                self.sink.count_stack(at, place.frames)?;
                // What belongs to no function at all has no place in a call tree of functions.
                if place.node == Node::ROOT {
                    let frame = self.sink.frame(at, "[no frames]", None, None)?;
                    let node = self.sink.child(at, Node::ROOT, frame, false)?;
                    let (samples, weight) = meaning(place.own);
                    self.sink.add(node, samples, weight);
                } else {
                    let (samples, weight) = meaning(place.own);
                    self.sink.add(place.node, samples, weight);
                }
            }
        }
        Ok(self.sink.finish(warnings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[(usize, &str, Cost)]) -> (CallTree, usize) {
        let limits = Limits::default();
        let mut nested = Nested::new("test", &limits);
        for (line, (depth, name, cost)) in (1..).zip(rows) {
            nested.row(Row { line, depth: *depth, name, module: None, file: None, cost: *cost }).unwrap();
        }
        let mut warnings = Warnings::new(&limits);
        let tree = nested.finish(&mut warnings, |own| (own as u64, own * 2.0)).unwrap();
        (tree, warnings.into_kept().len())
    }

    fn own(tree: &CallTree) -> Vec<(String, u64)> {
        let name = |node: &Node| tree.frames[node.frame as usize].name.clone();
        tree.nodes.iter().map(|node| (name(node), node.self_samples)).collect()
    }

    #[test]
    fn totals_leave_to_each_row_what_its_callees_do_not_have() {
        let total = Cost::Total;
        let (tree, warnings) = rows(&[
            (2, "main", total(10.0)),
            (5, "work", total(7.0)),
            (9, "copy", total(3.0)),
            (5, "log", total(2.0)),
            (2, "idle", total(4.0)),
        ]);
        let own = own(&tree);
        let wanted = [("main", 1), ("work", 4), ("copy", 3), ("log", 2), ("idle", 4)];
        assert_eq!(own, wanted.map(|(name, n)| (name.to_owned(), n)));
        assert_eq!((tree.samples(), tree.weight(), warnings), (14, 28.0, 0));
    }

    #[test]
    fn groups_add_no_frame_and_contradictions_are_told() {
        let (tree, warnings) = rows(&[(0, "", Cost::Total(3.0)), (1, "main", Cost::Total(2.0))]);
        assert_eq!(own(&tree), [("main".to_owned(), 2), ("[no frames]".to_owned(), 1)]);
        assert_eq!(warnings, 0);
        let (tree, warnings) = rows(&[(0, "a", Cost::Total(1.0)), (1, "b", Cost::Total(5.0))]);
        assert_eq!((tree.samples(), warnings), (5, 1));
        assert_eq!(rows(&[(0, "a", Cost::Own(1.0)), (1, "b", Cost::Own(5.0))]).0.samples(), 6);
    }
}
