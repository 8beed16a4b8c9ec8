//! Boxes as SVG. What one box looks like and says is decided by the caller, row by row.

use model::Node;

use super::layout::{BoxKind, FlameBox};
use crate::palette::{Role, Theme};
use crate::text::{escape_into, fit, number_into};

/// Height of a row.
pub(super) const ROW: f64 = 18.0;
/// Size of letters in boxes.
pub(super) const LETTERS: f64 = 12.0;
/// Room on the left and right of the graph.
pub(super) const MARGIN: f64 = 12.0;
/// Boxes narrower than this have no lettering.
const LETTERED_FROM: f64 = 22.0;

/// How a box looks and what it says.
pub(super) struct Face {
    pub(super) fill: Role,
    /// Class names, without `class=`.
    pub(super) class: &'static str,
    /// Drawn with a dashed outline: on one side only.
    pub(super) is_dashed: bool,
    /// Joined to the box above: inlined into it.
    pub(super) is_inlined: bool,
    /// Drawn with a strong outline: found by a search.
    pub(super) is_match: bool,
    /// Lettering, already cut to fit.
    pub(super) label: String,
}

/// Where the graph is.
#[derive(Clone, Copy)]
pub(super) struct Canvas {
    pub(super) theme: Theme,
    /// Width of the graph in pixels, without margins.
    pub(super) width: f64,
    /// Where row 0 starts.
    pub(super) top: f64,
}

impl Canvas {
    /// Pixels that a box has for letters.
    pub(super) fn room(&self, b: &FlameBox) -> f64 {
        let room = b.width * self.width - 8.0;
        if room + 8.0 < LETTERED_FROM { 0.0 } else { room }
    }
}

/// Writes one box: a link with a tooltip, a rectangle and lettering.
pub(super) fn push_box(
    out: &mut String,
    canvas: Canvas,
    b: &FlameBox,
    face: &Face,
    href: &str,
    title: impl FnOnce(&mut String),
) {
    let (left, top) = (MARGIN + b.x * canvas.width, canvas.top + f64::from(b.row) * ROW);
    // Half a pixel between neighbours and a whole one between rows; inlined frames touch their caller.
    let width = (b.width * canvas.width - 0.5).max(0.3);
    let (rect_top, height) = if face.is_inlined { (top - 1.0, ROW) } else { (top, ROW - 1.0) };
    out.push_str("<a href=\"");
    escape_into(out, href);
    out.push_str("\" class=\"");
    out.push_str(face.class);
    out.push_str("\"><title>");
    title(out);
    out.push_str("</title><rect");
    for (name, value) in [("x", left), ("y", rect_top), ("width", width), ("height", height)] {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        number_into(out, value);
        out.push('"');
    }
    push_paint(out, "fill", canvas.theme, &face.fill);
    if face.is_match {
        push_paint(out, "stroke", canvas.theme, &Role::Text);
    } else if face.is_dashed {
        push_paint(out, "stroke", canvas.theme, &Role::Axis);
        out.push_str(" stroke-dasharray=\"3 2\"");
    }
    out.push_str("/>");
    if !face.label.is_empty() {
        out.push_str("<text x=\"");
        number_into(out, left + 4.0);
        out.push_str("\" y=\"");
        number_into(out, top + 12.5);
        out.push_str("\">");
        escape_into(out, &face.label);
        out.push_str("</text>");
    }
    out.push_str("</a>\n");
}

/// Writes ` fill="#RRGGBB"`.
pub(super) fn push_paint(out: &mut String, attribute: &str, theme: Theme, role: &Role) {
    out.push(' ');
    out.push_str(attribute);
    out.push_str("=\"");
    out.push_str(&theme.colour(role).to_string());
    out.push('"');
}

/// Writes a line of text outside of boxes.
pub(super) fn push_text(
    out: &mut String,
    (x, y): (f64, f64),
    size: &str,
    theme: Theme,
    role: &Role,
    text: &str,
) {
    out.push_str("<text x=\"");
    number_into(out, x);
    out.push_str("\" y=\"");
    number_into(out, y);
    out.push_str("\" font-size=\"");
    out.push_str(size);
    out.push('"');
    push_paint(out, "fill", theme, role);
    out.push('>');
    escape_into(out, text);
    out.push_str("</text>\n");
}

/// Lettering of a sum: `… 1,234 frames`.
pub(super) fn sum_label(kind: BoxKind, room: f64) -> String {
    match kind {
        BoxKind::Fewer(n) => fit(&format!("\u{2026} {}", frames(n)), LETTERS, room),
        BoxKind::Deeper(n) => fit(&format!("\u{2026} {} deeper", frames(n)), LETTERS, room),
        _ => String::new(),
    }
}

/// `1 frame`, `12,345 frames`.
pub(super) fn frames(n: usize) -> String {
    if n == 1 { "1 frame".to_owned() } else { format!("{} frames", count(n)) }
}

/// A count with commas between thousands.
pub(super) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The link of a box: sums lead to their caller, where they can be seen in full.
pub(super) fn target(b: &FlameBox) -> u32 {
    if b.kind == BoxKind::Root { Node::ROOT } else { b.node }
}
