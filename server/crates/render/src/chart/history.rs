//! The history of a series: a point a commit, with whiskers, levels and marked regressions; every point is a link.

use plotters::backend::DrawingBackend;

use model::{Quantity, Unit};

use super::axis::{
    HEADING, KeyEntry, KeyMark, MARGIN, Plot, SMALL, heading, key, key_width, label_room, nothing,
    placed_ticks, y_axis,
};
use super::document::Chart;
use crate::paint::{Hit, HitShape, Painter, Side};
use crate::palette::Role;
use crate::scale::{Scale, TickUnit, padded, range};
use crate::text::width;

const FOOT: f64 = 40.0;
/// Up to here points have dots and whiskers of their own; beyond, a band shows the intervals.
const FEW: usize = 150;
/// Up to here every point has a dot.
const MANY: usize = 2000;
/// Most hit targets: beyond, every n-th point and all marked ones have one.
const MOST_HITS: usize = 2000;

/// What is special about a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Nothing.
    None,
    /// The first point of a level that is worse.
    Regression,
    /// The first point of a level that is better.
    Improvement,
    /// Left out of baselines.
    Excluded,
}

/// One commit's metric.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPoint {
    /// What stands below it where there is room: a short hash or a date.
    pub label: String,
    /// The level in the base unit.
    pub value: f64,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
    /// Where it leads.
    pub href: Option<String>,
    /// What is special about it.
    pub mark: Mark,
    /// What its tooltip says after label and value: date, author, verdict; may be empty.
    pub note: String,
}

/// A level that a stretch of points has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Index of its first point.
    pub from: usize,
    /// Index of its last point.
    pub to: usize,
    /// The level in the base unit.
    pub value: f64,
}

/// A series in commit order.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryChart {
    /// The heading: benchmark and measure.
    pub title: String,
    /// Width in pixels; 960 is a good one.
    pub width: u32,
    /// Height in pixels; 320 is a good one.
    pub height: u32,
    /// Unit of all values.
    pub unit: Unit,
    /// Points, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Levels between change points; may be empty.
    pub levels: Vec<Level>,
}

/// Where things are in one drawing of a history.
struct Places {
    plot: Plot,
    x: Scale,
    y: Scale,
}

impl HistoryChart {
    fn quantity(&self, value: f64) -> Quantity<'_> {
        Quantity { value, unit: &self.unit }
    }

    /// The range shown: all values, and intervals as far as they do not dwarf the values.
    fn shown_range(&self) -> Option<(f64, f64)> {
        let (lo, hi) = range(self.points.iter().map(|p| p.value).chain(self.levels.iter().map(|l| l.value)))?;
        let room = (hi - lo).max(hi.abs() * 0.02);
        let ends = self.points.iter().filter_map(|p| p.interval).flat_map(|(a, b)| [a, b]);
        let ends = ends.map(|end| end.clamp(lo - room, hi + room));
        range(ends.chain([lo, hi])).map(|found| padded(found, 0.06))
    }

    fn place(&self, places: &Places, i: usize) -> Option<(f64, f64)> {
        let point = self.points.get(i).filter(|p| p.value.is_finite())?;
        Some((places.x.at(i as f64), places.y.at(point.value)))
    }

    fn draw_intervals<DB: DrawingBackend>(&self, painter: &Painter<'_, DB>, places: &Places) {
        let inside = |value: f64| places.y.at(value).clamp(places.plot.top, places.plot.bottom);
        let ends = self.points.iter().enumerate().filter_map(|(i, p)| {
            let (lo, hi) = p.interval.filter(|(lo, hi)| lo.is_finite() && hi.is_finite())?;
            Some((places.x.at(i as f64), inside(lo), inside(hi)))
        });
        if self.points.len() <= FEW {
            for (x, lo, hi) in ends {
                painter.line((x, lo), (x, hi), &Role::Interval, 2.0);
            }
            return;
        }
        let ends: Vec<_> = ends.collect();
        let outline =
            ends.iter().map(|(x, lo, _)| (*x, *lo)).chain(ends.iter().rev().map(|(x, _, hi)| (*x, *hi)));
        let outline: Vec<_> = outline.collect();
        if outline.len() >= 4 {
            painter.polygon(&outline, &Role::Interval);
        }
    }

    fn draw_points<DB: DrawingBackend>(&self, painter: &Painter<'_, DB>, places: &Places) {
        let all: Vec<_> = (0..self.points.len()).filter_map(|i| self.place(places, i)).collect();
        painter.path(&all, &Role::Head, if self.points.len() <= FEW { 2.0 } else { 1.0 });
        let radius = if self.points.len() <= FEW { 3.0 } else { 2.0 };
        for (i, point) in self.points.iter().enumerate() {
            let Some(at) = self.place(places, i) else { continue };
            match point.mark {
                Mark::None if self.points.len() <= MANY => painter.dot(at, radius, &Role::Head),
                Mark::None => {}
                Mark::Excluded => painter.ring(at, 3.0, &Role::Base),
                Mark::Regression | Mark::Improvement => {
                    let worse = point.mark == Mark::Regression;
                    let role = if worse { Role::Worse } else { Role::Better };
                    painter.dashes((at.0, places.plot.top), (at.0, places.plot.bottom), &role);
                    if worse { painter.diamond(at, 7.0, &role) } else { painter.dot(at, 6.0, &role) }
                }
            }
        }
    }

    fn draw_levels<DB: DrawingBackend>(&self, painter: &Painter<'_, DB>, places: &Places) {
        let last = self.points.len().saturating_sub(1);
        for level in self.levels.iter().filter(|level| level.value.is_finite()) {
            let y = places.y.at(level.value);
            let (from, to) =
                (places.x.at(level.from.min(last) as f64), places.x.at(level.to.min(last) as f64));
            painter.line((from - 3.0, y), (to + 3.0, y), &Role::Text, 1.0);
        }
    }

    /// Labels below the axis, as many as fit, the last one always.
    fn draw_labels<DB: DrawingBackend>(&self, painter: &Painter<'_, DB>, places: &Places) {
        let widest =
            label_room(self.points.iter().take(200).map(|p| p.label.as_str()), SMALL).clamp(20.0, 140.0);
        let n = self.points.len();
        let fit_in = ((places.plot.right - places.plot.left) / (widest + 18.0)).max(1.0);
        let every = (n as f64 / fit_in).ceil().max(1.0) as usize;
        let y = places.plot.bottom;
        for (i, point) in self.points.iter().enumerate().rev().step_by(every) {
            let x = places.x.at(i as f64);
            let label = crate::text::fit(&point.label, SMALL, 140.0);
            let half = width(&label, SMALL) / 2.0;
            painter.line((x, y), (x, y + 4.0), &Role::Axis, 1.0);
            let x = x.clamp(half + 4.0, (f64::from(self.width) - half - 4.0).max(half + 4.0));
            painter.text((x, y + 16.0), &label, SMALL, &Role::Muted, Side::Middle);
        }
    }

    fn push_hits<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>, places: &Places) {
        let n = self.points.len();
        let every = n.div_ceil(MOST_HITS).max(1);
        let gap = (places.plot.right - places.plot.left) / n.max(1) as f64;
        let r = (gap * 0.6).clamp(4.0, 10.0);
        for (i, point) in self.points.iter().enumerate() {
            if i % every != 0 && point.mark == Mark::None {
                continue;
            }
            let Some((x, y)) = self.place(places, i) else { continue };
            let mark = match point.mark {
                Mark::None => "",
                Mark::Regression => ", regression",
                Mark::Improvement => ", improvement",
                Mark::Excluded => ", excluded",
            };
            let note = if point.note.is_empty() { String::new() } else { format!(" \u{b7} {}", point.note) };
            let title = format!("{}: {}{mark}{note}", point.label, self.quantity(point.value));
            painter.hit(Hit { shape: HitShape::Circle { x, y, r }, href: point.href.clone(), title });
        }
    }
}

impl Chart for HistoryChart {
    const CLASS: &'static str = "pf-history";

    fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let count = |mark| self.points.iter().filter(|p| p.mark == mark).count();
        let end = |p: Option<&HistoryPoint>| p.map_or(String::new(), |p| self.quantity(p.value).to_string());
        format!(
            "{} points, from {} to {}; {} regressions and {} improvements are marked.",
            self.points.len(),
            end(self.points.first()),
            end(self.points.last()),
            count(Mark::Regression),
            count(Mark::Improvement)
        )
    }

    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>) {
        let total = f64::from(self.width);
        let present = |mark| self.points.iter().any(|p| p.mark == mark);
        let entry = |mark, role, word| KeyEntry { mark, role, word };
        let entries: Vec<_> = [
            (Mark::Regression, entry(KeyMark::Diamond, Role::Worse, "regression")),
            (Mark::Improvement, entry(KeyMark::Dot, Role::Better, "improvement")),
            (Mark::Excluded, entry(KeyMark::Ring, Role::Base, "excluded")),
        ]
        .into_iter()
        .filter(|(mark, _)| present(*mark))
        .map(|(_, entry)| entry)
        .collect();
        heading(painter, &self.title, total - key_width(&entries).max(0.0));
        key(painter, (total - MARGIN - key_width(&entries), 22.0), &entries);
        let Some(shown) = self.shown_range() else { return nothing(painter, self.size()) };

        let bottom = f64::from(self.height) - FOOT;
        let y = Scale::linear(shown, (bottom, HEADING));
        let unit = TickUnit::of(&self.unit, shown.1.abs().max(shown.0.abs()));
        let ticks = placed_ticks(&y, 5, &unit);
        let left = MARGIN + label_room(ticks.iter().map(|(_, label)| label.as_str()), SMALL) + 8.0;
        let plot = Plot { left, top: HEADING, right: total - MARGIN, bottom };
        let last = self.points.len().saturating_sub(1) as f64;
        let x = Scale::linear((0.0, last), (plot.left + 12.0, plot.right - 12.0));
        let places = Places { plot, x, y };
        y_axis(painter, plot, &ticks);
        painter.line((plot.left, bottom), (plot.right, bottom), &Role::Axis, 1.0);
        self.draw_labels(painter, &places);
        self.draw_intervals(painter, &places);
        self.draw_points(painter, &places);
        self.draw_levels(painter, &places);
        self.push_hits(painter, &places);
    }
}
