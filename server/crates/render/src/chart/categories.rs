//! What kinds of work cost, base against head: the best one-glance picture of a change.

use plotters::backend::DrawingBackend;

use model::quantity::signed_percent;
use model::{Category, Quantity, Unit};

use super::axis::{
    BODY, HEADING, KeyEntry, KeyMark, MARGIN, Plot, SMALL, heading, key, key_width, label_room, nothing,
    placed_ticks, x_axis,
};
use super::document::Chart;
use crate::paint::{Hit, HitShape, Painter, Side};
use crate::palette::Role;
use crate::scale::{Scale, TickUnit, range};
use crate::text::fit;

const ROW: f64 = 40.0;
const BAR: f64 = 13.0;
const FOOT: f64 = 30.0;

/// One category on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryRow {
    /// The category.
    pub category: Category,
    /// The baseline's cost in the base unit.
    pub base: f64,
    /// The candidate's cost.
    pub head: f64,
    /// Whether the difference is larger than noise; only then is it coloured.
    pub counts: bool,
}

/// Costs of categories per operation. Less is better.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoriesChart {
    /// The heading.
    pub title: String,
    /// Width in pixels; 760 is a good one.
    pub width: u32,
    /// Unit of costs.
    pub unit: Unit,
    /// What the baseline is called in the key.
    pub base_label: String,
    /// What the candidate is called in the key.
    pub head_label: String,
    /// Rows from top to bottom.
    pub rows: Vec<CategoryRow>,
}

impl CategoriesChart {
    fn quantity(&self, value: f64) -> String {
        Quantity { value, unit: &self.unit }.to_string()
    }

    /// `▲ +41.20 µs, +12.3 %`: a sign always, a ratio where there is one.
    fn delta_text(&self, row: &CategoryRow) -> String {
        let delta = row.head - row.base;
        if delta == 0.0 || !delta.is_finite() {
            return "\u{b1}0".to_owned();
        }
        let (arrow, sign) = if delta > 0.0 { ('\u{25b2}', "+") } else { ('\u{25bc}', "") };
        let relative = match (row.base == 0.0, row.head == 0.0) {
            (true, _) => "new".to_owned(),
            (_, true) => "gone".to_owned(),
            _ => signed_percent(delta / row.base.abs()),
        };
        format!("{arrow} {sign}{}, {relative}", self.quantity(delta))
    }

    fn draw_row<DB: DrawingBackend>(
        &self,
        painter: &mut Painter<'_, DB>,
        plot: Plot,
        scale: &Scale,
        i: usize,
    ) {
        let row = &self.rows[i];
        let middle = plot.top + (i as f64 + 0.5) * ROW;
        let name = fit(row.category.name(), BODY, plot.left - MARGIN - 12.0);
        painter.text((plot.left - 12.0, middle), &name, BODY, &Role::Text, Side::Right);
        let head_role = Role::Kind(row.category.clone());
        for (cost, top, role) in
            [(row.base, middle - BAR - 1.0, Role::Base), (row.head, middle + 1.0, head_role)]
        {
            let end = scale.at(cost.max(0.0)).min(plot.right);
            // A cost that is there is seen, however small.
            let length = if cost > 0.0 { (end - plot.left).max(2.0) } else { 0.0 };
            painter.rect((plot.left, top), length, BAR, &role);
            painter.text(
                (plot.left + length + 6.0, top + BAR / 2.0),
                &self.quantity(cost),
                SMALL,
                &Role::Muted,
                Side::Left,
            );
        }
        let delta = self.delta_text(row);
        let role = match (row.counts, row.head > row.base) {
            (false, _) => Role::Muted,
            (true, true) => Role::Worse,
            (true, false) => Role::Better,
        };
        painter.text((f64::from(self.width) - MARGIN, middle), &delta, BODY, &role, Side::Right);
        painter.hit(Hit {
            shape: HitShape::Rect {
                x: 0.0,
                y: middle - ROW / 2.0,
                width: f64::from(self.width),
                height: ROW,
            },
            href: None,
            title: format!(
                "{}: {} {}, {} {}; {delta}",
                row.category,
                self.base_label,
                self.quantity(row.base),
                self.head_label,
                self.quantity(row.head)
            ),
        });
    }
}

impl Chart for CategoriesChart {
    const CLASS: &'static str = "pf-categories";

    fn size(&self) -> (u32, u32) {
        (self.width, (HEADING + self.rows.len().max(1) as f64 * ROW + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let row = |row: &CategoryRow| {
            format!("{} {} to {}", row.category, self.quantity(row.base), self.quantity(row.head))
        };
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        format!("Cost of each category, {} to {}: {}.", self.base_label, self.head_label, rows.join("; "))
    }

    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>) {
        let total = f64::from(self.width);
        let (base_word, head_word) =
            (fit(&self.base_label, SMALL, 160.0), fit(&self.head_label, SMALL, 220.0));
        let head_word = format!("{head_word} (coloured)");
        let entries = [
            KeyEntry { mark: KeyMark::Square, role: Role::Base, word: &base_word },
            KeyEntry { mark: KeyMark::Square, role: Role::Kind(Category::Other), word: &head_word },
        ];
        heading(painter, &self.title, total - key_width(&entries));
        key(painter, (total - MARGIN - key_width(&entries), 22.0), &entries);
        if self.rows.is_empty() {
            return nothing(painter, self.size());
        }
        let names = label_room(self.rows.iter().map(|row| row.category.name()), BODY).min(total * 0.25);
        let deltas: Vec<_> = self.rows.iter().map(|row| self.delta_text(row)).collect();
        let deltas = label_room(deltas.iter().map(String::as_str), BODY);
        let values: Vec<_> =
            self.rows.iter().flat_map(|r| [r.base, r.head]).map(|v| self.quantity(v)).collect();
        let values = label_room(values.iter().map(String::as_str), SMALL);
        let plot = Plot {
            left: MARGIN + names + 12.0,
            top: HEADING,
            right: (total - MARGIN - deltas - values - 24.0).max(MARGIN + names + 52.0),
            bottom: HEADING + self.rows.len() as f64 * ROW,
        };
        let most = range(self.rows.iter().flat_map(|row| [row.base, row.head])).map_or(1.0, |(_, hi)| hi);
        let scale = Scale::linear((0.0, most.max(0.0)), (plot.left, plot.right));
        let unit = TickUnit::of(&self.unit, most);
        let ticks = ((plot.right - plot.left) / 90.0).clamp(2.0, 6.0) as usize;
        x_axis(painter, plot, &placed_ticks(&scale, ticks, &unit));
        for i in 0..self.rows.len() {
            self.draw_row(painter, plot, &scale, i);
        }
        painter.line((plot.left, plot.top), (plot.left, plot.bottom), &Role::Axis, 1.0);
    }
}
