//! The flame graph of one profile, coloured by what frames are for.

use std::collections::BTreeSet;

use model::{CallTree, Category, Quantity, Share, Unit};

use super::layout::{BoxKind, FlameBox, Layout, Limits, lay_out};
use super::legend::{self, Swatch};
use super::tree::{NONE, Tree};
use super::write::{
    Canvas, Face, LETTERS, MARGIN, ROW, count, frames, push_box, push_paint, push_text, sum_label, target,
};
use crate::palette::Role;
use crate::svg::{Head, Sketch, open};
use crate::text::{clean, escape_into, fit, fit_symbol};

/// How a flame graph is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct FlameOptions {
    /// The heading: event, benchmark, run.
    pub title: String,
    /// Width in pixels; 1,200 is a good one.
    pub width: u32,
    /// Unit of the weights.
    pub unit: Unit,
    /// How much is drawn.
    pub limits: Limits,
    /// The node whose callees are shown at full width.
    pub focus: Option<u32>,
    /// Frames whose name holds this, in either case, are marked. Empty: none.
    pub search: String,
    /// Theme and sizing.
    pub sketch: Sketch,
}

/// A drawn flame graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Flame {
    /// The document.
    pub svg: String,
    /// What was drawn, callers before callees.
    pub boxes: Vec<FlameBox>,
    /// Frames summed instead of drawn.
    pub n_summed: usize,
    /// Weight of the stacks with a marked frame, each counted once.
    pub matched: Option<f64>,
}

/// Everything that tells what a box says.
struct Scene<'a> {
    source: &'a CallTree,
    tree: Tree<'a>,
    samples: Vec<u64>,
    is_match: Vec<bool>,
    options: &'a FlameOptions,
}

/// Draws a profile. `link` gives the address that a box leads to, by its node; the root's is `u32::MAX`.
pub fn flame_svg(source: &CallTree, options: &FlameOptions, link: impl Fn(u32) -> String) -> Flame {
    let tree = Tree::of_weights(source);
    let is_match = matches(&tree, &options.search);
    let samples = source_samples(source, &tree);
    let layout = lay_out(&tree, options.focus, &options.limits);
    let scene = Scene { source, tree, samples, is_match, options };
    let matched = (!scene.is_match.is_empty()).then(|| scene.matched_weight());
    let svg = scene.write(&layout, matched, link);
    Flame { svg, boxes: layout.boxes, n_summed: layout.n_summed, matched }
}

/// Which frames a search marks; empty without a search.
fn matches(tree: &Tree<'_>, search: &str) -> Vec<bool> {
    let wanted = search.to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    tree.names.iter().map(|name| name.to_lowercase().contains(&wanted)).collect()
}

/// Inclusive samples of every node.
fn source_samples(source: &CallTree, tree: &Tree<'_>) -> Vec<u64> {
    let mut samples: Vec<u64> = source.nodes.iter().map(|node| node.self_samples).collect();
    for i in (0..samples.len()).rev() {
        if tree.parents[i] != NONE {
            let parent = tree.parents[i] as usize;
            samples[parent] = samples[parent].saturating_add(samples[i]);
        }
    }
    samples
}

impl Scene<'_> {
    /// Weight under outermost marked frames, so that no stack counts twice.
    fn matched_weight(&self) -> f64 {
        let mut is_below = vec![false; self.tree.parents.len()];
        let mut sum = 0.0;
        for (i, parent) in self.tree.parents.iter().enumerate() {
            let above = *parent != NONE && is_below[*parent as usize];
            let own = self.is_match[self.tree.frames[i] as usize];
            if own && !above {
                sum += self.tree.widths[i];
            }
            is_below[i] = above || own;
        }
        sum
    }

    fn category(&self, node: u32) -> &Category {
        let frame = self.tree.frames[node as usize] as usize;
        self.source.frames.get(frame).map_or(&Category::Other, |frame| &frame.category)
    }

    fn name(&self, node: u32) -> &str {
        self.tree.names[self.tree.frames[node as usize] as usize]
    }

    fn face(&self, canvas: Canvas, b: &FlameBox) -> Face {
        let room = canvas.room(b);
        let mut face = Face {
            fill: Role::Rest,
            class: "sum",
            is_dashed: false,
            is_inlined: false,
            is_match: false,
            label: String::new(),
        };
        match b.kind {
            BoxKind::Root => {
                face.fill = Role::Root;
                face.class = "root";
                face.label = fit("all stacks", LETTERS, room);
            }
            BoxKind::Fewer(_) | BoxKind::Deeper(_) => face.label = sum_label(b.kind, room),
            BoxKind::Frame | BoxKind::Ancestor => {
                let frame = self.tree.frames[b.node as usize] as usize;
                face.is_match = self.is_match.get(frame).copied().unwrap_or(false);
                face.is_inlined = self.source.nodes[b.node as usize].inlined;
                face.fill =
                    if face.is_match { Role::Match } else { Role::Kind(self.category(b.node).clone()) };
                if b.kind == BoxKind::Ancestor {
                    face.fill = Role::Root;
                }
                face.class = match (b.kind, face.is_match, face.is_inlined) {
                    (BoxKind::Ancestor, ..) => "caller",
                    (_, true, _) => "match",
                    (_, _, true) => "inlined",
                    _ => "frame",
                };
                face.label =
                    if room > 0.0 { fit_symbol(self.name(b.node), LETTERS, room) } else { String::new() };
            }
        }
        face
    }

    fn push_title(&self, out: &mut String, b: &FlameBox) {
        let weight = Quantity { value: b.weight, unit: &self.options.unit };
        let share = Share(if self.tree.total > 0.0 { b.weight / self.tree.total } else { 0.0 });
        match b.kind {
            BoxKind::Root => escape_into(out, &format!("all stacks: {weight}")),
            BoxKind::Fewer(n) => {
                escape_into(out, &format!("{} too small to draw: {share}, {weight}", frames(n)));
            }
            BoxKind::Deeper(n) => {
                escape_into(out, &format!("{} too deep to draw: {share}, {weight}", frames(n)));
            }
            BoxKind::Frame | BoxKind::Ancestor => {
                escape_into(out, &clean(self.name(b.node), 500));
                let node = b.node as usize;
                let inlined = if self.source.nodes[node].inlined { ", inlined" } else { "" };
                let samples = count(usize::try_from(self.samples[node]).unwrap_or(usize::MAX));
                let category = clean(self.category(b.node).name(), 100);
                escape_into(
                    out,
                    &format!(
                        " \u{b7} {category}{inlined} \u{b7} {share} \u{b7} {samples} samples \u{b7} {weight}"
                    ),
                );
            }
        }
    }

    /// Categories of the drawn frames, in the order of reports.
    fn swatches(&self, layout: &Layout) -> Vec<Swatch> {
        let frames = layout.boxes.iter().filter(|b| b.kind == BoxKind::Frame);
        let present: BTreeSet<&Category> = frames.map(|b| self.category(b.node)).collect();
        // User-defined categories share a colour; beyond a few their names would fill the picture.
        let mut swatches: Vec<_> = present
            .into_iter()
            .take(40)
            .map(|category| Swatch::solid(Role::Kind(category.clone()), clean(category.name(), 40)))
            .collect();
        if !self.is_match.is_empty() {
            swatches.push(Swatch::solid(Role::Match, "found"));
        }
        swatches
    }

    /// What stands below the graph: what was found and what was summed.
    fn note(&self, layout: &Layout, matched: Option<f64>) -> String {
        let mut parts = Vec::new();
        if let Some(weight) = matched {
            let share = Share(if self.tree.total > 0.0 { weight / self.tree.total } else { 0.0 });
            parts.push(format!(
                "\u{201c}{}\u{201d} is in {share} of the weight",
                clean(&self.options.search, 60)
            ));
        }
        if layout.n_summed > 0 {
            let is_sum = |b: &&FlameBox| matches!(b.kind, BoxKind::Fewer(_) | BoxKind::Deeper(_));
            let weight: f64 = layout.boxes.iter().filter(is_sum).map(|b| b.weight).sum();
            let share = Share(if self.tree.total > 0.0 { weight / self.tree.total } else { 0.0 });
            let n = frames(layout.n_summed);
            parts.push(format!("{n} too small or too deep to draw are summed ({share} of the weight)"));
        }
        parts.join(" \u{b7} ")
    }

    fn write(&self, layout: &Layout, matched: Option<f64>, link: impl Fn(u32) -> String) -> String {
        let theme = self.options.sketch.theme;
        let width = f64::from(self.options.width) - 2.0 * MARGIN;
        let (swatches, note) = (self.swatches(layout), self.note(layout, matched));
        let legend_top = 36.0;
        let top = legend_top + legend::n_rows(&swatches, width) as f64 * legend::ROW + 6.0;
        let bottom = top + f64::from(layout.rows) * ROW;
        let height = bottom + if note.is_empty() { MARGIN } else { 26.0 };
        let head = Head {
            class: "pf-flame",
            title: &self.options.title,
            description: &format!(
                "Flame graph, root on top: {} of {} nodes drawn. {note}",
                count(layout.boxes.len()),
                count(self.tree.parents.len())
            ),
            width: self.options.width,
            height: height.ceil() as u32,
            has_links: true,
        };
        let mut out = String::with_capacity(layout.boxes.len() * 300 + 4096);
        open(&mut out, &head, self.options.sketch);
        let title = fit(&self.options.title, 14.0, width);
        push_text(&mut out, (MARGIN, 24.0), "14", theme, &Role::Text, &title);
        legend::push(&mut out, theme, &swatches, legend_top, width);
        out.push_str("<g class=\"boxes\" font-size=\"12\"");
        push_paint(&mut out, "fill", theme, &Role::OnFill);
        out.push_str(">\n");
        let canvas = Canvas { theme, width, top };
        for b in &layout.boxes {
            let face = self.face(canvas, b);
            push_box(&mut out, canvas, b, &face, &link(target(b)), |out| self.push_title(out, b));
        }
        out.push_str("</g>\n");
        push_text(&mut out, (MARGIN, bottom + 16.0), "11", theme, &Role::Muted, &note);
        out.push_str("</svg>\n");
        out
    }
}
