//! A hand-written tree to a profile that invents nothing.
//!
//! The one weight that is known, the heading's share, is the blamed frame's own; its callers and callees are kept as
//! shape without weight, and the rest of the program is one frame beside. There are no samples.

use model::profile::PathCursor;
use model::{CallTreeBuilder, Event, Node, Profile, Unit};

use super::NAME;
use super::heading::{self, Heading};
use super::outline::{self, Place, Row};
use crate::error::{At, Kind, ParseError};
use crate::read::{Content, Input, Parsed, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

/// The frame that stands for everything outside the tree.
const REST: &str = "[rest of the program]";

/// Yes for a heading with a share and a branch drawn below it.
pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines().filter(|line| !line.trim().is_empty());
    let heading = lines.next().and_then(heading::parse);
    let is_drawn = |line: &str| outline::parse(line).is_some_and(|row| row.place != Place::Root);
    match (heading, lines.take(50).any(is_drawn)) {
        (Some(_), true) => Sniff::Yes,
        (Some(_), false) => Sniff::Maybe,
        (None, _) => Sniff::No,
    }
}

/// The profile of a tree: unit ratio, total 1.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let whole = text(&input, &mut warnings);
    let mut lines = (1..).zip(whole.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (first, line) = lines.next().ok_or_else(|| ParseError::new(NAME, At::File, Kind::Empty))?;
    let heading = heading::parse(line).ok_or_else(|| {
        let expected = "a heading such as `Class.method \u{2014} 15.7% of total CPU:`";
        ParseError::new(NAME, At::Line(first), Kind::Expected { expected, found: excerpt(line).into_owned() })
    })?;
    let mut drawing = Drawing::new(&heading, input);
    for (number, line) in lines {
        if heading::parse(line).is_some() {
            let text = "a second heading: send one tree a file".to_owned();
            return Err(ParseError::new(NAME, At::Line(number), Kind::Invalid(text)));
        }
        if let Some(row) = outline::parse(line) {
            drawing.row(&row, number, &mut warnings)?;
        }
    }
    let Some(blamed) = drawing.blamed else {
        let text = format!("no frame of the tree is the heading's {:?}", excerpt(heading.frame));
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    };
    let mut tree = drawing.tree;
    tree.add(blamed, 0, heading.share);
    if heading.share < 1.0 {
        let frame = tree.frame(REST, None, None);
        let rest = tree.child(Node::ROOT, frame, false);
        tree.add(rest, 0, 1.0 - heading.share);
    }
    let event = input.hints.event.clone().unwrap_or_else(|| heading.event.clone());
    let mut profile = Profile::new(Event { name: event, unit: Unit::Ratio }, tree.finish());
    profile.partial = true;
    profile.handwritten = true;
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

/// The tree while it is read.
struct Drawing<'a> {
    heading: &'a Heading<'a>,
    input: Input<'a>,
    tree: CallTreeBuilder,
    /// The frames that a branch may hang from: column of the branch, last node of its chain, its depth.
    open: Vec<(usize, PathCursor, usize)>,
    blamed: Option<PathCursor>,
}

impl<'a> Drawing<'a> {
    fn new(heading: &'a Heading<'a>, input: Input<'a>) -> Self {
        Self { heading, input, tree: CallTreeBuilder::new(), open: Vec::new(), blamed: None }
    }

    fn row(&mut self, row: &Row<'_>, line: usize, warnings: &mut Warnings) -> Result<(), ParseError> {
        // A root is further left than any branch, so columns of branches count from 1 here.
        let column = match row.place {
            Place::Root => {
                self.open.clear();
                0
            }
            Place::Branch(column) => {
                self.open.retain(|(other, ..)| *other <= column);
                column + 1
            }
            Place::Continued => self.open.pop().map_or(0, |(column, node, depth)| {
                self.open.push((column, node, depth));
                column
            }),
        };
        let (mut node, mut depth) =
            self.open.last().map_or((Node::ROOT, 0), |(_, node, depth)| (*node, *depth));
        for (name, times) in &row.chain {
            for _ in 0..*times {
                depth += 1;
                self.check(depth, line)?;
                node = self.frame(node, name, line, warnings);
            }
        }
        if row.place == Place::Continued {
            self.open.pop();
        }
        self.open.push((column, node, depth));
        Ok(())
    }

    fn frame(&mut self, caller: PathCursor, name: &str, line: usize, warnings: &mut Warnings) -> PathCursor {
        let most = self.input.limits.symbol_bytes;
        let short = name.get(..name.floor_char_boundary(most)).unwrap_or(name);
        if short.len() < name.len() {
            warnings
                .add_with(At::Line(line), || format!("a name was cut to {most} bytes (max_symbol_bytes)"));
        }
        let frame = self.tree.frame(short, None, None);
        let node = self.tree.child(caller, frame, false);
        if self.blamed.is_none() && self.heading.names(name) {
            self.blamed = Some(node);
        }
        node
    }

    fn check(&self, depth: usize, line: usize) -> Result<(), ParseError> {
        let limits = self.input.limits;
        let (what, limit, setting) = if depth > limits.stack_depth {
            ("frames on a stack", limits.stack_depth, "max_stack_depth")
        } else if self.tree.n_nodes() >= limits.nodes {
            ("nodes of the call tree", limits.nodes, "max_nodes")
        } else {
            return Ok(());
        };
        Err(ParseError::new(NAME, At::Line(line), Kind::Limit { what, limit: limit as u64, setting }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::read::Hints;

    fn profile(text: &str) -> Result<Profile, ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits }).map(|parsed| {
            match parsed.content {
                Content::Profiles(mut profiles) => profiles.remove(0),
                _ => unreachable!("this reader makes profiles"),
            }
        })
    }

    /// Each node with its caller, by name.
    fn edges(profile: &Profile) -> Vec<(String, String)> {
        let name = |frame: u32| profile.tree.frames[frame as usize].name.clone();
        let caller = |node: &Node| {
            profile.tree.nodes.get(node.parent as usize).map_or(String::new(), |n| name(n.frame))
        };
        profile.tree.nodes.iter().map(|node| (caller(node), name(node.frame))).collect()
    }

    #[test]
    fn branches_hang_from_the_line_whose_branch_is_further_left() {
        let text = "x \u{2014} 10% of total CPU:\n\nroot\n \u{251c}\u{2500} x\n \u{2502}    \u{251c}\u{2500} a \u{2192} b\n      \u{2192} c\n \u{2502}    \u{2514}\u{2500} d\n \u{2514}\u{2500} e\n";
        let profile = profile(text).unwrap();
        let expected = [
            ("", "root"),
            ("root", "x"),
            ("x", "a"),
            ("a", "b"),
            ("b", "c"),
            ("x", "d"),
            ("root", "e"),
            ("", REST),
        ];
        let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(edges(&profile), expected);
        assert_eq!((profile.tree.nodes[1].self_weight, profile.tree.samples()), (0.1, 0));
        assert!((profile.tree.weight() - 1.0).abs() < 1e-12);
        assert!(profile.partial && profile.handwritten);
    }

    #[test]
    fn a_heading_must_name_a_frame_and_be_alone() {
        assert!(profile("x \u{2014} 10% of total CPU:\nroot\n \u{2514}\u{2500} y\n").is_err());
        let two = "x \u{2014} 10% of total CPU:\nx\ny \u{2014} 10% of total CPU:\ny\n";
        assert_eq!(profile(two).unwrap_err().at, At::Line(3));
        assert!(profile("x\n").is_err());
    }

    #[test]
    fn repeats_are_bounded() {
        let error = profile("x \u{2014} 10% of total CPU:\nx \u{2192} y\u{d7}4000000000\n").unwrap_err();
        assert!(matches!(error.kind, Kind::Limit { setting: "max_stack_depth", .. }), "{error}");
    }
}
