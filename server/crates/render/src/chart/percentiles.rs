//! Latency percentiles of both sides, evenly spaced so that the tail can be read.

use plotters::backend::DrawingBackend;

use model::{Quantity, Unit};

use super::axis::{
    HEADING, KeyEntry, KeyMark, MARGIN, Plot, SMALL, heading, key, key_width, label_room, nothing,
    placed_ticks, x_axis, y_axis,
};
use super::document::Chart;
use crate::paint::{Hit, HitShape, Painter, Side};
use crate::palette::Role;
use crate::scale::{Scale, TickUnit, padded, range};
use crate::text::{fit, width};

const FOOT: f64 = 40.0;
/// From this ratio of the largest to the smallest value on, the axis is logarithmic.
const LOG_FROM: f64 = 10.0;

/// One percentile of both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct PercentileRow {
    /// `p50`, `p99.9`, `max`.
    pub label: String,
    /// The baseline's value in the base unit.
    pub base: Option<f64>,
    /// The candidate's.
    pub head: Option<f64>,
}

/// Percentiles of both sides, in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct PercentilesChart {
    /// The heading.
    pub title: String,
    /// Width in pixels; 640 is a good one.
    pub width: u32,
    /// Height in pixels; 320 is a good one.
    pub height: u32,
    /// Unit of all values.
    pub unit: Unit,
    /// What the baseline is called in the key.
    pub base_label: String,
    /// What the candidate is called in the key.
    pub head_label: String,
    /// From the median to the maximum.
    pub rows: Vec<PercentileRow>,
}

impl PercentilesChart {
    fn values(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().flat_map(|row| [row.base, row.head]).flatten().filter(|v| v.is_finite())
    }

    fn quantity(&self, value: f64) -> String {
        Quantity { value, unit: &self.unit }.to_string()
    }

    fn scale(found: (f64, f64), bottom: f64) -> Scale {
        let pixels = (bottom - 26.0, HEADING + 22.0);
        if found.0 > 0.0 && found.1 / found.0 > LOG_FROM {
            Scale::log(found, pixels)
        } else {
            Scale::linear(padded(found, 0.1), pixels)
        }
    }

    /// The line of one side with its labels. Percentiles rise, so labels above their point lean to the left and
    /// labels below it to the right, out of the line's way.
    fn draw_line<DB: DrawingBackend>(
        painter: &Painter<'_, DB>,
        places: &[(f64, f64)],
        labels: &[((f64, f64), Side, String)],
        role: &Role,
    ) {
        painter.path(places, role, 2.0);
        for place in places {
            painter.dot(*place, 4.0, role);
        }
        for (at, side, label) in labels {
            painter.text(*at, label, SMALL, &Role::Text, *side);
        }
    }
}

impl Chart for PercentilesChart {
    const CLASS: &'static str = "pf-percentiles";

    fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let value = |value: Option<f64>| value.map_or("no value".to_owned(), |v| self.quantity(v));
        let row =
            |row: &PercentileRow| format!("{} {} against {}", row.label, value(row.base), value(row.head));
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        format!("Percentiles, {} against {}: {}.", self.base_label, self.head_label, rows.join("; "))
    }

    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>) {
        let total = f64::from(self.width);
        let words = [&self.base_label, &self.head_label].map(|label| fit(label, SMALL, total * 0.22));
        let entry = |word, role| KeyEntry { mark: KeyMark::Dot, role, word };
        let entries = [entry(&words[0], Role::Base), entry(&words[1], Role::Head)];
        heading(painter, &self.title, total - key_width(&entries));
        key(painter, (total - MARGIN - key_width(&entries), 22.0), &entries);
        let Some(found) = range(self.values()) else { return nothing(painter, self.size()) };

        let bottom = f64::from(self.height) - FOOT;
        let scale = Self::scale(found, bottom);
        let unit = TickUnit::of(&self.unit, found.1);
        let ticks = placed_ticks(&scale, 5, &unit);
        let left = MARGIN + label_room(ticks.iter().map(|(_, label)| label.as_str()), SMALL) + 8.0;
        let plot = Plot { left, top: HEADING, right: total - MARGIN, bottom };
        y_axis(painter, plot, &ticks);
        let column = (plot.right - plot.left) / self.rows.len().max(1) as f64;
        let x = |i: usize| plot.left + (i as f64 + 0.5) * column;
        let names: Vec<_> = self.rows.iter().enumerate().map(|(i, row)| (x(i), row.label.clone())).collect();
        x_axis(painter, plot, &names);

        let places = |side: fn(&PercentileRow) -> Option<f64>| -> Vec<(f64, f64)> {
            let value = |(i, row): (usize, &PercentileRow)| {
                side(row).filter(|v| v.is_finite()).map(|v| (x(i), scale.at(v)))
            };
            self.rows.iter().enumerate().filter_map(value).collect()
        };
        let labels = |head: bool| -> Vec<((f64, f64), Side, String)> {
            let label = |(i, row): (usize, &PercentileRow)| {
                let (own, other) = if head { (row.head, row.base) } else { (row.base, row.head) };
                let own = own.filter(|v| v.is_finite())?;
                let above = other.map_or(head, |other| if own == other { head } else { own > other });
                let text = self.quantity(own);
                let (x, y) = (x(i), scale.at(own));
                let (at, side) = if above {
                    ((x + 8.0, y - 13.0), Side::Right)
                } else {
                    ((x - 8.0, y + 14.0), Side::Left)
                };
                (width(&text, SMALL) < column - 4.0).then_some((at, side, text))
            };
            self.rows.iter().enumerate().filter_map(label).collect()
        };
        Self::draw_line(painter, &places(|row| row.base), &labels(false), &Role::Base);
        Self::draw_line(painter, &places(|row| row.head), &labels(true), &Role::Head);
        for (i, row) in self.rows.iter().enumerate() {
            let value = |value: Option<f64>| value.map_or("no value".to_owned(), |v| self.quantity(v));
            let (base, head) = (value(row.base), value(row.head));
            painter.hit(Hit {
                shape: HitShape::Rect {
                    x: x(i) - column / 2.0,
                    y: plot.top,
                    width: column,
                    height: bottom - plot.top,
                },
                href: None,
                title: format!("{}: {} {base}, {} {head}", row.label, self.base_label, self.head_label),
            });
        }
    }
}
