//! Every observation of both sides of one measure, with medians and their intervals.

use plotters::backend::DrawingBackend;

use model::{Quantity, Unit};

use super::axis::{BODY, HEADING, MARGIN, Plot, SMALL, heading, label_room, nothing, placed_ticks, x_axis};
use super::document::Chart;
use crate::paint::{Hit, HitShape, Painter, Side};
use crate::palette::Role;
use crate::scale::{Scale, TickUnit, padded, range};

const STRIP: f64 = 58.0;
const FOOT: f64 = 36.0;
/// More points than this say nothing more in a strip.
const MOST_POINTS: usize = 1000;

/// One side's observations.
#[derive(Debug, Clone, PartialEq)]
pub struct SideValues {
    /// What it is: "baseline, main 4beb514".
    pub label: String,
    /// Observations in the base unit, in the order they were made.
    pub points: Vec<f64>,
    /// Their median.
    pub median: Option<f64>,
    /// Interval of the median.
    pub interval: Option<(f64, f64)>,
}

/// Both sides of one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct SidesChart {
    /// The heading: benchmark and measure.
    pub title: String,
    /// Width in pixels; 640 is a good one.
    pub width: u32,
    /// Unit of all values.
    pub unit: Unit,
    /// The baseline.
    pub base: SideValues,
    /// The candidate.
    pub head: SideValues,
}

impl SidesChart {
    fn median_text(&self, side: &SideValues) -> String {
        side.median.map_or(String::new(), |value| Quantity { value, unit: &self.unit }.to_string())
    }

    fn plot(&self) -> Plot {
        let width = f64::from(self.width);
        let sides = [&self.base, &self.head];
        let labels = label_room(sides.map(|side| side.label.as_str()), BODY).clamp(60.0, width * 0.3);
        let medians = sides.map(|side| self.median_text(side));
        let medians = label_room(medians.iter().map(String::as_str), BODY).clamp(48.0, width * 0.25);
        let (left, right) = (MARGIN + labels + 14.0, width - MARGIN - medians - 14.0);
        Plot { left, top: HEADING, right, bottom: HEADING + 2.0 * STRIP }
    }

    fn draw_side<DB: DrawingBackend>(
        &self,
        painter: &mut Painter<'_, DB>,
        (plot, scale): (Plot, &Scale),
        side: &SideValues,
        (middle, role, pale): (f64, Role, Role),
    ) {
        let label = crate::text::fit(&side.label, BODY, plot.left - MARGIN - 14.0);
        let count = format!("n = {}", side.points.len());
        painter.text((plot.left - 14.0, middle - 8.0), &label, BODY, &Role::Text, Side::Right);
        painter.text((plot.left - 14.0, middle + 8.0), &count, SMALL, &Role::Muted, Side::Right);
        if let Some((lo, hi)) = side.interval {
            let (left, right) = (scale.at(lo), scale.at(hi));
            painter.rect((left, middle - 20.0), (right - left).max(1.0), 40.0, &pale);
        }
        let every = side.points.len().div_ceil(MOST_POINTS).max(1);
        for (i, value) in side.points.iter().enumerate().step_by(every).filter(|(_, v)| v.is_finite()) {
            painter.dot((scale.at(*value), middle + jitter(i) * 13.0), 3.0, &role);
        }
        if let Some(median) = side.median {
            let x = scale.at(median);
            painter.line((x, middle - 22.0), (x, middle + 22.0), &Role::Text, 2.0);
        }
        let text = self.median_text(side);
        painter.text((plot.right + 14.0, middle - 8.0), &text, BODY, &Role::Text, Side::Left);
        painter.text((plot.right + 14.0, middle + 8.0), "median", SMALL, &Role::Muted, Side::Left);
        let interval = side.interval.map_or(String::new(), |(lo, hi)| {
            let quantity = |value| Quantity { value, unit: &self.unit };
            format!(", interval {} to {}", quantity(lo), quantity(hi))
        });
        painter.hit(Hit {
            shape: HitShape::Rect {
                x: 0.0,
                y: middle - STRIP / 2.0,
                width: f64::from(self.width),
                height: STRIP,
            },
            href: None,
            title: format!("{}: median {text}, {count}{interval}", side.label),
        });
    }
}

/// A place between −1 and 1 for the i-th point: van der Corput's sequence to base 2, which spreads neighbours.
fn jitter(i: usize) -> f64 {
    f64::from((i as u32).wrapping_add(1).reverse_bits()) / f64::from(u32::MAX) * 2.0 - 1.0
}

impl Chart for SidesChart {
    const CLASS: &'static str = "pf-sides";

    fn size(&self) -> (u32, u32) {
        (self.width, (HEADING + 2.0 * STRIP + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let side = |side: &SideValues| {
            format!("{}: median {} of {}", side.label, self.median_text(side), side.points.len())
        };
        format!("Observations of both sides. {}. {}.", side(&self.base), side(&self.head))
    }

    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>) {
        heading(painter, &self.title, f64::from(self.width));
        let values = [&self.base, &self.head].into_iter().flat_map(|side| {
            let ends = side.interval.map_or([f64::NAN; 2], |(lo, hi)| [lo, hi]);
            side.points.iter().copied().chain(side.median).chain(ends)
        });
        let Some(found) = range(values) else { return nothing(painter, self.size()) };
        let plot = self.plot();
        let scale = Scale::linear(padded(found, 0.06), (plot.left, plot.right));
        let unit = TickUnit::of(&self.unit, found.1.abs().max(found.0.abs()));
        let ticks = ((plot.right - plot.left) / 90.0).clamp(2.0, 8.0) as usize;
        x_axis(painter, plot, &placed_ticks(&scale, ticks, &unit));
        let first = plot.top + STRIP / 2.0;
        self.draw_side(painter, (plot, &scale), &self.base, (first, Role::Base, Role::Neutral));
        self.draw_side(painter, (plot, &scale), &self.head, (first + STRIP, Role::Head, Role::Interval));
    }
}
