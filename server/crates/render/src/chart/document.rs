//! A chart as an SVG document: what plotters drew, in our frame, with a layer of hit targets above it.

use std::fmt::Write as _;

use plotters::backend::DrawingBackend;
use plotters::drawing::IntoDrawingArea;
use plotters::prelude::SVGBackend;

use crate::paint::{Hit, HitShape, Painter};
use crate::svg::{Head, Sketch, open};
use crate::text::{escape_into, number_into};

/// Something that can be drawn on any backend.
pub trait Chart {
    /// A class that tells the kind of chart.
    const CLASS: &'static str;

    /// Width and height in pixels.
    fn size(&self) -> (u32, u32);

    /// What it shows, in a few words; the document's title.
    fn title(&self) -> &str;

    /// What is to be seen, in a sentence for those who cannot see it.
    fn description(&self) -> String;

    /// Draws it.
    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>);
}

/// A chart as SVG.
pub fn chart_svg<C: Chart>(chart: &C, sketch: Sketch) -> String {
    let (width, height) = chart.size();
    let mut drawn = String::new();
    let area = SVGBackend::with_string(&mut drawn, (width, height)).into_drawing_area();
    let mut painter = Painter::new(&area, sketch.theme, 1.0);
    chart.draw(&mut painter);
    let hits = painter.into_hits();
    // Closes the document; it goes into a string, which cannot fail.
    let _ = area.present();
    drop(area);

    let head = Head {
        class: C::CLASS,
        title: chart.title(),
        description: &chart.description(),
        width,
        height,
        has_links: hits.iter().any(|hit| hit.href.is_some()),
    };
    let mut out = String::with_capacity(drawn.len() + hits.len() * 160 + 1024);
    open(&mut out, &head, sketch);
    push_marks(&mut out, &drawn);
    push_hits(&mut out, &hits);
    out.push_str("</svg>\n");
    out
}

/// What is inside plotters' own `<svg>` element, without what its writer repeats on every mark.
fn push_marks(out: &mut String, drawn: &str) {
    let body = drawn.split_once('>').map_or("", |(_, rest)| rest).trim_start();
    let body = body.strip_suffix("</svg>\n").unwrap_or(body);
    for line in body.lines() {
        let mut rest = line;
        while let Some(at) = rest.find(" opacity=\"1\"") {
            out.push_str(&rest[..at]);
            rest = &rest[at + " opacity=\"1\"".len()..];
        }
        out.push_str(rest);
        out.push('\n');
    }
}

/// Links and tooltips, invisible, above all marks.
fn push_hits(out: &mut String, hits: &[Hit]) {
    if hits.is_empty() {
        return;
    }
    out.push_str("<g class=\"hits\" fill=\"#000\" fill-opacity=\"0\">\n");
    for hit in hits {
        if let Some(href) = &hit.href {
            out.push_str("<a href=\"");
            escape_into(out, href);
            out.push_str("\">");
        }
        push_shape(out, hit.shape);
        out.push_str("<title>");
        escape_into(out, &hit.title);
        // Writing to a string cannot fail.
        let _ = write!(out, "</title></{}>", tag(hit.shape));
        out.push_str(if hit.href.is_some() { "</a>\n" } else { "\n" });
    }
    out.push_str("</g>\n");
}

fn tag(shape: HitShape) -> &'static str {
    match shape {
        HitShape::Circle { .. } => "circle",
        HitShape::Rect { .. } => "rect",
    }
}

fn push_shape(out: &mut String, shape: HitShape) {
    let attributes = match shape {
        HitShape::Circle { x, y, r } => [("cx", x), ("cy", y), ("r", r), ("", 0.0)],
        HitShape::Rect { x, y, width, height } => [("x", x), ("y", y), ("width", width), ("height", height)],
    };
    out.push('<');
    out.push_str(tag(shape));
    for (name, value) in attributes.into_iter().filter(|(name, _)| !name.is_empty()) {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        number_into(out, value);
        out.push('"');
    }
    out.push('>');
}
