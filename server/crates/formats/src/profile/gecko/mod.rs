//! Profiles of Firefox: the processed form, which samply and the profiler's page write, and the raw form of Gecko.
//!
//! Description: <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md>. Every
//! thread with samples is a profile of its own, the heaviest first, labelled with its name.

mod processed;
mod raw;

use model::{Node, Profile};

use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::read::Reader;

/// The processed form.
pub(super) const PROCESSED: Reader = Reader {
    name: processed::NAME,
    about: "a processed profile of the Firefox profiler or samply (versions 1 to 65)",
    sniff: processed::sniff,
    read: processed::read,
};

/// The raw form.
pub(super) const RAW: Reader =
    Reader { name: raw::NAME, about: "a raw profile of Gecko", sniff: raw::sniff, read: raw::read };

/// A row of a stack table: its caller's row, its function, and whether it is inlined.
struct Row {
    prefix: Option<u32>,
    frame: u32,
    inlined: bool,
}

/// Nodes of a stack table, made for the rows that are used.
struct Stacks<'t> {
    format: &'static str,
    thread: &'t str,
    rows: Vec<Row>,
    /// The node and the depth of each row that was used.
    nodes: Vec<Option<(u32, usize)>>,
}

impl<'t> Stacks<'t> {
    fn new(format: &'static str, thread: &'t str, rows: Vec<Row>) -> Self {
        let nodes = vec![None; rows.len()];
        Self { format, thread, rows, nodes }
    }

    /// The node of a row; callers that lead back to it are an error.
    fn node(&mut self, row: u32, sink: &mut Sink<'_>) -> Result<u32, ParseError> {
        let at = || At::Field(format!("thread {}, stack {row}", self.thread));
        let mut way = Vec::new();
        let mut next = Some(row);
        let (mut node, mut depth) = (Node::ROOT, 0_usize);
        while let Some(row) = next {
            let Some(known) = self.nodes.get(row as usize) else {
                let kind = Kind::Dangling { what: "stack", id: row.into() };
                return Err(ParseError::new(self.format, at(), kind));
            };
            if let Some(known) = known {
                (node, depth) = *known;
                break;
            }
            if way.len() > self.rows.len() {
                let text = "its callers form a circle".to_owned();
                return Err(ParseError::new(self.format, at(), Kind::Invalid(text)));
            }
            way.push(row);
            next = self.rows.get(row as usize).and_then(|row| row.prefix);
        }
        sink.count_stack(at, depth.saturating_add(way.len()))?;
        for row in way.into_iter().rev() {
            let Some(Row { frame, inlined, .. }) = self.rows.get(row as usize) else { continue };
            node = sink.child(at, node, *frame, *inlined)?;
            if let Some(slot) = self.nodes.get_mut(row as usize) {
                depth += 1;
                *slot = Some((node, depth));
            }
        }
        Ok(node)
    }
}

/// Heaviest threads first.
fn order(profiles: &mut [Profile]) {
    profiles.sort_by_cached_key(|profile| std::cmp::Reverse(profile.tree.samples()));
}
