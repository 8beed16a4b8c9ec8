//! From a tree to boxes: which frames are drawn, where, and what is summed instead.

use super::tree::{NONE, Tree};

/// How much of a tree is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Frames below this share of what is shown are summed. 0.0005 is a good one: less than a pixel.
    pub min_share: f64,
    /// Most frames drawn; the smallest beyond are summed. 8,000 is a good one.
    pub max_boxes: usize,
    /// Most rows drawn; what is deeper is summed. 200 is a good one.
    pub max_rows: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { min_share: 0.0005, max_boxes: 8000, max_rows: 200 }
    }
}

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoxKind {
    /// All stacks.
    Root,
    /// A caller of the focused frame, at full width.
    Ancestor,
    /// A frame.
    Frame,
    /// This many frames under its caller that are too small or too many.
    Fewer(usize),
    /// This many frames under its caller that are too deep.
    Deeper(usize),
}

/// A rectangle of a flame graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlameBox {
    /// What it stands for.
    pub kind: BoxKind,
    /// The node; of sums, the caller's; `u32::MAX` for the root.
    pub node: u32,
    /// Row from the top, the root's being 0.
    pub row: u32,
    /// Left edge as a share of the whole width.
    pub x: f64,
    /// Width as a share of the whole width.
    pub width: f64,
    /// What the width stands for: weight, or cost in a diff.
    pub weight: f64,
}

/// Boxes, callers before callees, and siblings in alphabetical order with sums last.
pub(super) struct Layout {
    pub(super) boxes: Vec<FlameBox>,
    /// Frames summed instead of drawn.
    pub(super) n_summed: usize,
    /// Rows drawn.
    pub(super) rows: u32,
}

/// Lays a tree out; `focus` shows one node's subtree at full width under its callers.
pub(super) fn lay_out(tree: &Tree<'_>, focus: Option<u32>, limits: &Limits) -> Layout {
    let focus = focus.filter(|node| (*node as usize) < tree.parents.len());
    let mut boxes =
        vec![FlameBox { kind: BoxKind::Root, node: NONE, row: 0, x: 0.0, width: 1.0, weight: tree.total }];
    let callers = focus.map_or(Vec::new(), |node| tree.callers(node));
    // Callers beyond the limit are not repeated: the nearest ones tell where the focus is.
    let shown_callers = &callers[callers.len().saturating_sub(limits.max_rows as usize / 2)..];
    for (i, caller) in shown_callers.iter().enumerate() {
        let (kind, weight) = (BoxKind::Ancestor, tree.widths[*caller as usize]);
        boxes.push(FlameBox { kind, node: *caller, row: i as u32 + 1, x: 0.0, width: 1.0, weight });
    }
    let top = Top {
        node: focus,
        row: shown_callers.len() as u32 + 1,
        weight: focus.map_or(tree.total, |node| tree.widths[node as usize]),
    };
    let mut kept = choose(tree, &top, limits);
    sort_by_row(tree, &mut kept);
    let n_summed = place(tree, &top, limits, &kept, &mut boxes);
    let rows = boxes.iter().map(|b| b.row + 1).max().unwrap_or(1);
    Layout { boxes, n_summed, rows }
}

/// The top of what is shown at full detail.
struct Top {
    /// The focused node; `None` for the whole tree.
    node: Option<u32>,
    /// Its row, or the row of outermost frames.
    row: u32,
    /// What the full width stands for.
    weight: f64,
}

/// A frame that is drawn.
struct Kept {
    node: u32,
    row: u32,
}

/// Rows of all nodes below the top; `NONE` for nodes that are elsewhere.
fn rows(tree: &Tree<'_>, top: &Top) -> Vec<u32> {
    let mut rows = vec![NONE; tree.parents.len()];
    for (i, parent) in tree.parents.iter().enumerate() {
        let is_top = top.node.map_or(*parent == NONE, |node| node as usize == i);
        let above = if *parent == NONE { NONE } else { rows[*parent as usize] };
        rows[i] = if is_top {
            top.row
        } else if above == NONE {
            NONE
        } else {
            above + 1
        };
    }
    rows
}

/// The frames that are drawn. With a frame its callers are drawn too: they are at least as wide, and where
/// equally wide they come first.
fn choose(tree: &Tree<'_>, top: &Top, limits: &Limits) -> Vec<Kept> {
    let least = top.weight * limits.min_share;
    let is_wide = |width: f64| width > 0.0 && width >= least;
    let rows = rows(tree, top).into_iter().enumerate();
    let mut kept: Vec<Kept> = rows
        .filter(|(i, row)| *row != NONE && *row <= limits.max_rows && is_wide(tree.widths[*i]))
        .map(|(i, row)| Kept { node: i as u32, row })
        .collect();
    if kept.len() > limits.max_boxes {
        let widest_first = |a: &Kept, b: &Kept| {
            tree.widths[b.node as usize].total_cmp(&tree.widths[a.node as usize]).then(a.node.cmp(&b.node))
        };
        kept.select_nth_unstable_by(limits.max_boxes, widest_first);
        kept.truncate(limits.max_boxes);
        kept.sort_unstable_by_key(|k| k.node);
    }
    kept
}

/// Rows from the top, siblings by name; equal names by node, so that the order is the same every time.
fn sort_by_row(tree: &Tree<'_>, kept: &mut [Kept]) {
    kept.sort_unstable_by(|a, b| {
        let key = |k: &Kept| (k.row, tree.parents[k.node as usize]);
        let name = |k: &Kept| tree.names[tree.frames[k.node as usize] as usize];
        key(a).cmp(&key(b)).then_with(|| name(a).cmp(name(b))).then(a.node.cmp(&b.node))
    });
}

/// What is summed under one drawn caller.
#[derive(Clone, Copy, Default)]
struct Sum {
    n: usize,
    weight: f64,
}

/// Puts the kept frames and the sums beside each other. Returns how many frames are in sums.
fn place(tree: &Tree<'_>, top: &Top, limits: &Limits, kept: &[Kept], boxes: &mut Vec<FlameBox>) -> usize {
    let share = |weight: f64| if top.weight > 0.0 { weight / top.weight } else { 0.0 };
    let mut slot_of = vec![NONE; tree.parents.len()];
    for (slot, k) in kept.iter().enumerate() {
        slot_of[k.node as usize] = slot as u32;
    }
    // The slot after the last is that of the root.
    let mut next_x = vec![0.0; kept.len() + 1];
    let first_box = boxes.len();
    for (slot, k) in kept.iter().enumerate() {
        let parent = tree.parents[k.node as usize];
        let is_top = Some(k.node) == top.node || parent == NONE;
        let parent_slot = if is_top { kept.len() } else { slot_of[parent as usize] as usize };
        let weight = tree.widths[k.node as usize];
        let (x, width) = (next_x[parent_slot], share(weight));
        next_x[parent_slot] = x + width;
        next_x[slot] = x;
        boxes.push(FlameBox { kind: BoxKind::Frame, node: k.node, row: k.row, x, width, weight });
    }

    let sums = sum_hidden(tree, top, &slot_of, kept.len());
    for (slot, sum) in sums.iter().enumerate().filter(|(_, sum)| sum.n > 0) {
        let (node, row) = kept.get(slot).map_or((top.node.unwrap_or(NONE), top.row - 1), |k| (k.node, k.row));
        let kind = if row >= limits.max_rows { BoxKind::Deeper(sum.n) } else { BoxKind::Fewer(sum.n) };
        let (x, width) = (next_x[slot], share(sum.weight));
        boxes.push(FlameBox { kind, node, row: row + 1, x, width, weight: sum.weight });
    }
    boxes[first_box..].sort_by(|a, b| a.row.cmp(&b.row).then(a.x.total_cmp(&b.x)));
    sums.iter().map(|sum| sum.n).sum()
}

/// Sums of what is not drawn, by the slot of the nearest drawn caller; the last is the root's.
fn sum_hidden(tree: &Tree<'_>, top: &Top, slot_of: &[u32], n_kept: usize) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); n_kept + 1];
    // The slot that a node's hidden callees are summed in; `NONE` outside of what is shown.
    let mut owners = vec![NONE; tree.parents.len()];
    for (i, parent) in tree.parents.iter().enumerate() {
        let is_top = top.node.map_or(*parent == NONE, |node| node as usize == i);
        let above = match (is_top, *parent) {
            (true, _) => n_kept as u32,
            (false, NONE) => NONE,
            (false, parent) => owners[parent as usize],
        };
        if slot_of[i] != NONE {
            owners[i] = slot_of[i];
            continue;
        }
        owners[i] = above;
        let Some(sum) = sums.get_mut(above as usize) else { continue };
        sum.n += 1;
        let parent_is_drawn = is_top || slot_of[*parent as usize] != NONE;
        if parent_is_drawn {
            sum.weight += tree.widths[i];
        }
    }
    sums
}
