//! Boxes to a call tree by their places.

use std::collections::BTreeMap;

use model::profile::PathCursor;
use model::{CallTree, Node};

use super::NAME;
use super::boxes::Picture;
use crate::error::{At, ParseError};
use crate::limits::Limits;
use crate::profile::folded::Meaning;
use crate::profile::intern::{KERNEL, is_class, split_mark};
use crate::profile::sink::Sink;
use crate::warnings::Warnings;

/// The box below all others.
const ALL: &str = "all";

/// Boxes of one row of the picture, from left to right.
type Level = Vec<usize>;

/// The rows from the outermost functions to the innermost. Flame graphs stand on their root, icicle graphs hang from
/// it; the row whose boxes are wider together holds the callers.
fn levels(picture: &Picture) -> Vec<Level> {
    let mut rows: BTreeMap<i64, Level> = BTreeMap::new();
    for (index, drawn) in picture.boxes.iter().enumerate() {
        // Tops of one row are equal up to their decimals.
        rows.entry((drawn.top * 10.0).round() as i64).or_default().push(index);
    }
    let mut rows: Vec<Level> = rows.into_values().collect();
    let left = |index: &usize| picture.boxes.get(*index).map_or(0.0, |drawn| drawn.left);
    for row in &mut rows {
        row.sort_by(|a, b| left(a).total_cmp(&left(b)));
    }
    let total = |row: Option<&Level>| -> f64 {
        row.into_iter().flatten().filter_map(|index| picture.boxes.get(*index)).map(|drawn| drawn.total).sum()
    };
    // Of a single chain every row is as wide; it stands on its root unless the root is said to be above.
    let hangs = rows
        .first()
        .into_iter()
        .flatten()
        .all(|index| picture.boxes.get(*index).is_some_and(|drawn| drawn.name == ALL));
    if !hangs && total(rows.last()) >= total(rows.first()) {
        rows.reverse();
    }
    rows
}

/// For each box the one that it stands on, and its level: indices into the picture's boxes.
#[derive(Debug)]
pub(super) struct Callers {
    /// Boxes, callers before callees.
    order: Vec<usize>,
    of: Vec<Option<usize>>,
    depth: Vec<usize>,
}

/// Finds callers: the box of the row before whose span holds the middle of this box.
pub(super) fn callers(picture: &Picture) -> Callers {
    let n = picture.boxes.len();
    let mut callers = Callers { order: Vec::with_capacity(n), of: vec![None; n], depth: vec![0; n] };
    let mut before: Level = Vec::new();
    for level in levels(picture) {
        let mut at = 0;
        for index in &level {
            let Some(drawn) = picture.boxes.get(*index) else { continue };
            let middle = drawn.left + drawn.width / 2.0;
            let span = |i: usize| before.get(i).and_then(|caller| picture.boxes.get(*caller));
            while span(at).is_some_and(|caller| caller.left + caller.width < middle) {
                at += 1;
            }
            let caller =
                before.get(at).copied().filter(|_| span(at).is_some_and(|caller| caller.left <= middle));
            if let (Some(slot), Some(depth)) = (callers.of.get_mut(*index), caller) {
                *slot = Some(depth);
            }
            let depth = caller.and_then(|caller| callers.depth.get(caller)).map_or(0, |depth| depth + 1);
            if let Some(slot) = callers.depth.get_mut(*index) {
                *slot = depth;
            }
            callers.order.push(*index);
        }
        before = level;
    }
    callers
}

/// What each box has more than the boxes on it.
pub(super) fn own(picture: &Picture, callers: &Callers) -> Vec<f64> {
    let mut own: Vec<f64> = picture.boxes.iter().map(|drawn| drawn.total).collect();
    for (drawn, caller) in picture.boxes.iter().zip(&callers.of) {
        if let Some(own) = caller.and_then(|caller| own.get_mut(caller)) {
            *own -= drawn.total;
        }
    }
    own
}

/// The call tree.
pub(super) fn build(
    picture: &Picture,
    callers: &Callers,
    own: &[f64],
    limits: &Limits,
    warnings: &mut Warnings,
    meaning: &Meaning,
) -> Result<CallTree, ParseError> {
    let mut sink = Sink::new(NAME, limits);
    let mut nodes: Vec<PathCursor> = vec![Node::ROOT; picture.boxes.len()];
    let mut too_wide = 0;
    for index in &callers.order {
        let Some(drawn) = picture.boxes.get(*index) else { continue };
        let at = || At::Line(drawn.line);
        let caller = callers.of.get(*index).copied().flatten();
        let own = own.get(*index).copied().unwrap_or_default();
        too_wide += usize::from(own < 0.0);
        let is_all = caller.is_none() && drawn.name == ALL;
        if is_all && own <= 0.0 {
            continue;
        }
        let below = caller.and_then(|caller| nodes.get(caller).copied()).unwrap_or(Node::ROOT);
        let (name, mark) = split_mark(&drawn.name);
        let mark = mark.filter(|_| !is_class(name));
        let module = (mark == Some(b'k')).then_some(KERNEL);
        let name = if is_all { "[not drawn]" } else { name };
        let frame = sink.frame(at, name, module, None)?;
        let node = sink.child(at, below, frame, mark == Some(b'i') && below != Node::ROOT)?;
        if let Some(slot) = nodes.get_mut(*index).filter(|_| !is_all) {
            *slot = node;
        }
        if own > 0.0 {
            sink.count_stack(at, callers.depth.get(*index).map_or(1, |depth| depth + 1))?;
            sink.add(node, meaning.samples.of(own), own * meaning.scale);
        }
    }
    if too_wide > 0 {
        warnings.add(At::File, format!("{too_wide} frames are narrower than what they call"));
    }
    Ok(sink.finish(warnings))
}

#[cfg(test)]
mod tests {
    use model::Profile;

    use crate::read::{Content, Hints, Input};
    use crate::{Limits, ParseError};

    fn parse(text: &str) -> Result<(Profile, Vec<String>), ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = super::super::read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })?;
        let Content::Profiles(mut profiles) = parsed.content else { panic!("not profiles") };
        Ok((profiles.remove(0), parsed.warnings.into_iter().map(|warning| warning.text).collect()))
    }

    fn stacks(profile: &Profile) -> Vec<(String, u64)> {
        let tree = &profile.tree;
        let name = |frame: u32| tree.frames[frame as usize].name.as_str();
        let path = |node| tree.path(node).into_iter().map(name).collect::<Vec<_>>().join(";");
        let nodes = (0..).zip(&tree.nodes).filter(|(_, node)| node.self_samples > 0);
        let mut stacks: Vec<_> = nodes.map(|(index, node)| (path(index), node.self_samples)).collect();
        stacks.sort();
        stacks
    }

    fn wanted(stacks: &[(&str, u64)]) -> Vec<(String, u64)> {
        stacks.iter().map(|(path, n)| ((*path).to_owned(), *n)).collect()
    }

    const BOXES: [(&str, u64, u64, u64); 5] =
        [("all", 10, 0, 3), ("main", 8, 0, 2), ("f_[i]", 3, 0, 1), ("g", 2, 30, 1), ("idle", 1, 80, 2)];

    fn picture(row: impl Fn(u64) -> u64) -> String {
        let boxes = BOXES.iter().map(|(name, n, x, y)| {
            format!(
                "<g><title>{name} ({n} samples, {n}0.00%)</title><rect x=\"{x}\" y=\"{}\" width=\"{}\"/></g>",
                row(*y) * 16,
                n * 10
            )
        });
        format!("<svg><script>alert(1)</script>{}</svg>", boxes.collect::<String>())
    }

    #[test]
    fn both_directions_give_the_same_stacks() {
        for text in [picture(|row| row), picture(|row| 3 - row)] {
            let (profile, warnings) = parse(&text).unwrap();
            let all = [("[not drawn]", 1), ("idle", 1), ("main", 3), ("main;f", 3), ("main;g", 2)];
            assert_eq!(stacks(&profile), wanted(&all));
            assert!(profile.partial && warnings.len() == 2, "{warnings:?}");
            assert!(profile.tree.nodes.iter().any(|node| node.inlined));
        }
    }

    #[test]
    fn places_in_samples_and_old_titles_are_read() {
        let text = "<svg xmlns:fg='x'><g><title>main (4 samples, 100%)</title><rect x='0%' y='16' width='100%' fg:x='0' fg:w='4'/></g><g onmouseover=\"s('f (4 samples, 100%)')\"><rect x='0' y='0' width='4'/></g></svg>";
        assert_eq!(stacks(&parse(text).unwrap().0), wanted(&[("main;f", 4)]));
    }

    #[test]
    fn a_picture_without_boxes_is_refused() {
        let error = parse("<svg><rect width='3'/><title>x</title></svg>").unwrap_err().to_string();
        assert!(error.contains("no box"), "{error}");
    }
}
