//! The differential flame graph: two profiles on one tree, coloured by what got dearer and cheaper.

use model::quantity::signed_percent;
use model::{CallTree, Quantity, Unit};

use super::layout::{BoxKind, FlameBox, Layout, Limits, lay_out};
use super::legend::{self, Swatch};
use super::merge::{DiffNode, DiffTree};
use super::write::{
    Canvas, Face, LETTERS, MARGIN, ROW, frames, push_box, push_paint, push_text, sum_label, target,
};
use crate::palette::{Role, STEPS, change_role, step_start};
use crate::svg::{Head, Sketch, open};
use crate::text::{clean, escape_into, fit, fit_symbol, width};

/// How a differential flame graph is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffOptions {
    /// The heading.
    pub title: String,
    /// How the costs were made comparable, in words: "CPU ns per operation, 6 against 6 runs".
    pub header: String,
    /// Width in pixels; 1,200 is a good one.
    pub width: u32,
    /// Unit of costs.
    pub unit: Unit,
    /// Costs a unit of the baseline's weight.
    pub base_scale: f64,
    /// Costs a unit of the candidate's weight.
    pub head_scale: f64,
    /// Changes below this share of the baseline's cost are grey, and the colours' scale starts here. 0.005 is a
    /// good one where nothing better is known.
    pub threshold: f64,
    /// How much is drawn.
    pub limits: Limits,
    /// The node of the merged tree whose callees are shown at full width.
    pub focus: Option<u32>,
    /// Theme and sizing.
    pub sketch: Sketch,
}

/// A drawn differential flame graph.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffFlame {
    /// The document.
    pub svg: String,
    /// What was drawn; nodes are those of `tree`.
    pub boxes: Vec<FlameBox>,
    /// Frames summed instead of drawn.
    pub n_summed: usize,
    /// The merged tree.
    pub tree: DiffTree,
}

struct Scene<'a> {
    tree: &'a DiffTree,
    options: &'a DiffOptions,
    /// What changes are shares of.
    whole: f64,
}

/// Draws two profiles on one tree. `link` gives the address that a box leads to, by its node in the merged
/// tree; the root's is `u32::MAX`.
pub fn diff_svg(
    base: &CallTree,
    head: &CallTree,
    options: &DiffOptions,
    link: impl Fn(u32) -> String,
) -> DiffFlame {
    let tree = DiffTree::merge(base, head, options.base_scale, options.head_scale);
    let layout = lay_out(&tree.to_tree(), options.focus, &options.limits);
    let whole = if tree.base > 0.0 { tree.base } else { tree.head };
    let svg = Scene { tree: &tree, options, whole }.write(&layout, link);
    DiffFlame { svg, boxes: layout.boxes, n_summed: layout.n_summed, tree }
}

impl Scene<'_> {
    fn cost(&self, value: f64) -> Quantity<'_> {
        Quantity { value, unit: &self.options.unit }
    }

    /// The root as a node, so that it is coloured and described like any other.
    fn root(&self) -> DiffNode {
        DiffNode { parent: u32::MAX, name: 0, base: self.tree.base, head: self.tree.head }
    }

    fn node(&self, b: &FlameBox) -> DiffNode {
        self.tree
            .nodes
            .get(b.node as usize)
            .copied()
            .filter(|_| b.kind != BoxKind::Root)
            .unwrap_or(self.root())
    }

    fn name(&self, b: &FlameBox, node: &DiffNode) -> &str {
        if b.kind == BoxKind::Root { "all stacks" } else { &self.tree.names[node.name as usize] }
    }

    fn change_role(&self, node: &DiffNode) -> Role {
        let share = if self.whole > 0.0 { node.delta() / self.whole } else { 0.0 };
        change_role(share, self.options.threshold)
    }

    fn face(&self, canvas: Canvas, b: &FlameBox) -> Face {
        let room = canvas.room(b);
        let node = self.node(b);
        let is_sum = matches!(b.kind, BoxKind::Fewer(_) | BoxKind::Deeper(_));
        let role = self.change_role(&node);
        let is_one_sided = !is_sum && (node.is_new() || node.is_gone());
        let (fill, class) = match (&role, b.kind) {
            _ if is_sum => (Role::Rest, "sum"),
            (_, BoxKind::Root) => (role.clone(), "root"),
            (Role::Neutral, _) => (Role::Neutral, "same"),
            _ if node.is_new() => (Role::New, "new"),
            _ if node.is_gone() => (Role::Gone, "gone"),
            (Role::More(_), _) => (role.clone(), "more"),
            _ => (role.clone(), "less"),
        };
        let label = match room > 0.0 {
            false => String::new(),
            true if is_sum => sum_label(b.kind, room),
            true => Self::label(self.name(b, &node), &node, &role, room),
        };
        Face { fill, class, is_dashed: is_one_sided, is_inlined: false, is_match: false, label }
    }

    /// Name, then the change where it counts and fits.
    fn label(name: &str, node: &DiffNode, role: &Role, room: f64) -> String {
        let change = if *role == Role::Neutral { String::new() } else { change_text(node) };
        let needed = width(&change, LETTERS) + 8.0;
        let beside = fit_symbol(name, LETTERS, room - needed);
        // A name that would have to be cut for the number is worth more than the number.
        if change.is_empty() || beside.is_empty() || beside.ends_with('\u{2026}') {
            return fit_symbol(name, LETTERS, room);
        }
        format!("{beside}  {change}")
    }

    fn push_title(&self, out: &mut String, b: &FlameBox) {
        match b.kind {
            BoxKind::Fewer(n) => escape_into(out, &format!("{} too small to draw", frames(n))),
            BoxKind::Deeper(n) => escape_into(out, &format!("{} too deep to draw", frames(n))),
            BoxKind::Root | BoxKind::Frame | BoxKind::Ancestor => {
                let node = self.node(b);
                escape_into(out, &clean(self.name(b, &node), 500));
                let change = change_text(&node);
                let (base, head, delta) =
                    (self.cost(node.base), self.cost(node.head), self.cost(node.delta()));
                let plus = if node.delta() > 0.0 { "+" } else { "" };
                let counts =
                    if self.change_role(&node) == Role::Neutral { ", too small to count" } else { "" };
                escape_into(
                    out,
                    &format!(" \u{b7} {change} \u{b7} {base} \u{2192} {head} ({plus}{delta}{counts})"),
                );
            }
        }
    }

    fn swatches(&self) -> Vec<Swatch> {
        let percent = |step| {
            let text = format!("{:.1}", step_start(step, self.options.threshold) * 100.0);
            format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
        };
        let less = (1..=STEPS).rev().map(|s| Swatch::solid(Role::Less(s), format!("\u{2212}{}", percent(s))));
        let more = (1..=STEPS).map(|s| Swatch::solid(Role::More(s), format!("+{}", percent(s))));
        let same = Swatch::solid(Role::Neutral, "less than that");
        let sides = [Swatch::dashed(Role::New, "new"), Swatch::dashed(Role::Gone, "gone")];
        less.chain([same]).chain(more).chain(sides).collect()
    }

    fn note(layout: &Layout) -> String {
        let scale = "Colours: change of a frame's cost with its callees, as a share of the baseline's whole cost. \
                     Widths: the dearer side.";
        if layout.n_summed == 0 {
            return scale.to_owned();
        }
        format!("{scale} {} too small or too deep to draw are summed.", frames(layout.n_summed))
    }

    fn write(&self, layout: &Layout, link: impl Fn(u32) -> String) -> String {
        let theme = self.options.sketch.theme;
        let width = f64::from(self.options.width) - 2.0 * MARGIN;
        let swatches = self.swatches();
        let legend_top = 56.0;
        let top = legend_top + legend::n_rows(&swatches, width) as f64 * legend::ROW + 6.0;
        let bottom = top + f64::from(layout.rows) * ROW;
        let root = self.root();
        let description = format!(
            "Differential flame graph, root on top: {} to {}, {}. {} {}",
            self.cost(root.base),
            self.cost(root.head),
            change_text(&root),
            self.options.header,
            Self::note(layout)
        );
        let head = Head {
            class: "pf-flame pf-diff",
            title: &self.options.title,
            description: &description,
            width: self.options.width,
            height: (bottom + 26.0).ceil() as u32,
            has_links: true,
        };
        let mut out = String::with_capacity(layout.boxes.len() * 320 + 4096);
        open(&mut out, &head, self.options.sketch);
        let title = fit(&self.options.title, 14.0, width);
        push_text(&mut out, (MARGIN, 24.0), "14", theme, &Role::Text, &title);
        push_text(
            &mut out,
            (MARGIN, 44.0),
            "12",
            theme,
            &Role::Muted,
            &fit(&self.options.header, 12.0, width),
        );
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
        let note = fit(&Self::note(layout), 11.0, width);
        push_text(&mut out, (MARGIN, bottom + 16.0), "11", theme, &Role::Muted, &note);
        out.push_str("</svg>\n");
        out
    }
}

/// `▲ +12.0 %`, `▼ −3.10 %`, `new`, `gone`, `±0 %`.
fn change_text(node: &DiffNode) -> String {
    if node.is_new() {
        return "new".to_owned();
    }
    if node.is_gone() {
        return "gone".to_owned();
    }
    if node.delta() == 0.0 {
        return "\u{b1}0 %".to_owned();
    }
    let arrow = if node.delta() > 0.0 { '\u{25b2}' } else { '\u{25bc}' };
    format!("{arrow} {}", signed_percent(node.delta() / node.base))
}
