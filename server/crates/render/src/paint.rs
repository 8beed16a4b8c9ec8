//! A painter over any plotters backend: places in pixels, colours by role, and a list of places that answer to
//! the pointer. One drawing serves SVG and PNG.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, TextStyle};

use crate::palette::{Role, Theme};
use crate::text::{FONTS, clean};

/// plotters' size of a font is 1.24 of what SVG calls its size.
const FONT_FACTOR: f64 = 1.24;

/// Which side of a text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Middle,
    Right,
}

/// A place that answers to the pointer.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) shape: HitShape,
    pub(crate) href: Option<String>,
    pub(crate) title: String,
}

/// The shape of a [`Hit`], in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HitShape {
    Circle { x: f64, y: f64, r: f64 },
    Rect { x: f64, y: f64, width: f64, height: f64 },
}

/// What charts draw with. Made by [`crate::chart_svg`] and [`crate::chart_png`].
pub struct Painter<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    theme: Theme,
    /// Device pixels a pixel.
    factor: f64,
    hits: Vec<Hit>,
}

impl<'a, DB: DrawingBackend> Painter<'a, DB> {
    pub(crate) fn new(area: &'a DrawingArea<DB, Shift>, theme: Theme, factor: f64) -> Self {
        Self { area, theme, factor, hits: Vec::new() }
    }

    pub(crate) fn into_hits(self) -> Vec<Hit> {
        self.hits
    }

    pub(crate) fn hit(&mut self, hit: Hit) {
        self.hits.push(hit);
    }

    fn place(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.factor).round() as i32, (y * self.factor).round() as i32)
    }

    fn colour(&self, role: &Role) -> RGBColor {
        let colour = self.theme.colour(role);
        RGBColor(colour.0, colour.1, colour.2)
    }

    fn stroke(&self, role: &Role, width: f64) -> ShapeStyle {
        self.colour(role).stroke_width((width * self.factor).round().max(1.0) as u32)
    }

    /// Writing to a string or to memory cannot fail, and a letter without a glyph is no reason to lose a picture.
    fn put<E>(&self, element: E)
    where
        for<'b> &'b E: PointCollection<'b, (i32, i32)>,
        E: Drawable<DB>,
    {
        let _ = self.area.draw(&element);
    }

    pub(crate) fn line(&self, from: (f64, f64), to: (f64, f64), role: &Role, width: f64) {
        self.path(&[from, to], role, width);
    }

    pub(crate) fn path(&self, points: &[(f64, f64)], role: &Role, width: f64) {
        let points: Vec<_> = points.iter().map(|p| self.place(*p)).collect();
        self.put(PathElement::new(points, self.stroke(role, width)));
    }

    /// A horizontal or vertical dashed line.
    pub(crate) fn dashes(&self, from: (f64, f64), to: (f64, f64), role: &Role) {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let n = (length / 7.0).clamp(1.0, 500.0);
        let at = |part: f64| (from.0 + (to.0 - from.0) * part / n, from.1 + (to.1 - from.1) * part / n);
        for i in 0..n as usize {
            self.line(at(i as f64), at(i as f64 + 0.6), role, 1.0);
        }
    }

    pub(crate) fn polygon(&self, points: &[(f64, f64)], role: &Role) {
        let points: Vec<_> = points.iter().map(|p| self.place(*p)).collect();
        self.put(Polygon::new(points, self.colour(role)));
    }

    pub(crate) fn rect(&self, (x, y): (f64, f64), width: f64, height: f64, role: &Role) {
        let corners = [self.place((x, y)), self.place((x + width.max(0.0), y + height.max(0.0)))];
        self.put(Rectangle::new(corners, self.colour(role).filled()));
    }

    pub(crate) fn dot(&self, at: (f64, f64), radius: f64, role: &Role) {
        let radius = (radius * self.factor).round() as i32;
        self.put(Circle::new(self.place(at), radius, self.colour(role).filled()));
    }

    pub(crate) fn ring(&self, at: (f64, f64), radius: f64, role: &Role) {
        let radius_px = (radius * self.factor).round() as i32;
        self.put(Circle::new(self.place(at), radius_px, self.colour(&Role::Ground).filled()));
        self.put(Circle::new(self.place(at), radius_px, self.stroke(role, 2.0)));
    }

    /// A square on its corner.
    pub(crate) fn diamond(&self, (x, y): (f64, f64), radius: f64, role: &Role) {
        self.polygon(&[(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)], role);
    }

    /// One line of text, its middle at the height of `at`. Names from outside may come as they are.
    pub(crate) fn text(&self, at: (f64, f64), text: &str, size: f64, role: &Role, side: Side) {
        let h_pos = match side {
            Side::Left => HPos::Left,
            Side::Middle => HPos::Center,
            Side::Right => HPos::Right,
        };
        let font = (FONTS, size * FONT_FACTOR * self.factor).into_font();
        let colour = self.colour(role);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(h_pos, VPos::Center));
        self.put(Text::new(clean(text, 1000), self.place(at), style));
    }
}
