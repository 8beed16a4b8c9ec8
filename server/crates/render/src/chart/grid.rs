//! Changes over two parameters (threads × size): a heat map with the numbers printed in it.

use std::cmp::Ordering;

use plotters::backend::DrawingBackend;

use model::quantity::signed_percent;

use super::axis::{BODY, HEADING, MARGIN, SMALL, heading, label_room, nothing};
use super::document::Chart;
use crate::paint::{Hit, HitShape, Painter, Side};
use crate::palette::{Role, STEPS, step, step_start};
use crate::text::{fit, width};

const CELL_HEIGHT: f64 = 34.0;
/// Room below the cells for the printed scale.
const FOOT: f64 = 48.0;
/// Changes from here on are coloured; the last step starts at 100 %.
const THRESHOLD: f64 = 0.01;

/// One combination of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct GridCell {
    /// Value of the row's parameter: `16`, `4 MiB`.
    pub row: String,
    /// Value of the column's parameter.
    pub col: String,
    /// Relative change; `None` where there is none to tell.
    pub change: Option<f64>,
    /// Whether it is for the worse. `None`: no direction is better, or it does not count; drawn neutral.
    pub worse: Option<bool>,
    /// Where it leads.
    pub href: Option<String>,
    /// What its tooltip says after parameters and change; may be empty.
    pub note: String,
}

/// Changes over two parameters. Rows and columns are put in numeric order.
#[derive(Debug, Clone, PartialEq)]
pub struct GridChart {
    /// The heading.
    pub title: String,
    /// Width in pixels; 640 is a good one.
    pub width: u32,
    /// Name of the row's parameter.
    pub row_name: String,
    /// Name of the column's parameter.
    pub col_name: String,
    /// Cells in any order; the first of equal ones counts.
    pub cells: Vec<GridCell>,
}

/// The number that a parameter begins with, in base units: `4 KiB` is 4,096. `None` for words.
fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let power = match text[end..].trim_start().bytes().next().map(|b| b.to_ascii_lowercase()) {
        Some(b'k') => 1,
        Some(b'm') if !text[end..].trim_start().starts_with("ms") => 2,
        Some(b'g') => 3,
        Some(b't') => 4,
        _ => 0,
    };
    Some(number * 1024_f64.powi(power))
}

/// Numbers by value, then words by letter.
fn numerically(a: &str, b: &str) -> Ordering {
    match (leading_number(a), leading_number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

impl GridChart {
    fn values(&self, of: fn(&GridCell) -> &str) -> Vec<&str> {
        let mut values: Vec<&str> = self.cells.iter().map(of).collect();
        values.sort_by(|a, b| numerically(a, b));
        values.dedup();
        values
    }

    fn draw_cell<DB: DrawingBackend>(
        &self,
        painter: &mut Painter<'_, DB>,
        cell: &GridCell,
        at: (f64, f64),
        size: f64,
    ) {
        let role = match (cell.change.map_or(0, |change| step(change, THRESHOLD)), cell.worse) {
            (0, _) | (_, None) => Role::Neutral,
            (step, Some(true)) => Role::More(step),
            (step, Some(false)) => Role::Less(step),
        };
        painter.rect(at, size - 2.0, CELL_HEIGHT - 2.0, &role);
        let text = cell.change.map_or("\u{2013}".to_owned(), signed_percent);
        let middle = (at.0 + size / 2.0 - 1.0, at.1 + CELL_HEIGHT / 2.0 - 1.0);
        painter.text(middle, &fit(&text, BODY, size - 4.0), BODY, &Role::OnFill, Side::Middle);
        let word = match cell.worse {
            Some(true) => ", worse",
            Some(false) => ", better",
            None => "",
        };
        let note = if cell.note.is_empty() { String::new() } else { format!(" \u{b7} {}", cell.note) };
        painter.hit(Hit {
            shape: HitShape::Rect { x: at.0, y: at.1, width: size - 2.0, height: CELL_HEIGHT - 2.0 },
            href: cell.href.clone(),
            title: format!(
                "{} {}, {} {}: {text}{word}{note}",
                self.row_name, cell.row, self.col_name, cell.col
            ),
        });
    }

    /// The printed scale: better on the left, worse on the right.
    fn draw_scale<DB: DrawingBackend>(painter: &Painter<'_, DB>, y: f64) {
        let swatch = 42.0;
        let mut x = MARGIN;
        painter.text((x, y), "better", SMALL, &Role::Muted, Side::Left);
        x += width("better", SMALL) + 8.0;
        let steps =
            (1..=STEPS).rev().map(Role::Less).chain([Role::Neutral]).chain((1..=STEPS).map(Role::More));
        for role in steps {
            painter.rect((x, y - 7.0), swatch - 1.0, 14.0, &role);
            let label = match role {
                Role::More(step) | Role::Less(step) => {
                    format!("{:.0} %", step_start(step, THRESHOLD) * 100.0)
                }
                _ => String::new(),
            };
            painter.text((x + swatch / 2.0, y), &label, SMALL, &Role::OnFill, Side::Middle);
            x += swatch;
        }
        painter.text((x + 7.0, y), "worse", SMALL, &Role::Muted, Side::Left);
    }
}

impl Chart for GridChart {
    const CLASS: &'static str = "pf-grid";

    fn size(&self) -> (u32, u32) {
        let rows = self.values(|cell| &cell.row).len().max(1);
        (self.width, (HEADING + 40.0 + rows as f64 * CELL_HEIGHT + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let cell = |cell: &GridCell| {
            format!(
                "{} × {}: {}",
                cell.row,
                cell.col,
                cell.change.map_or("no value".to_owned(), signed_percent)
            )
        };
        let cells: Vec<_> = self.cells.iter().take(100).map(cell).collect();
        format!("Relative changes by {} × {}. {}.", self.row_name, self.col_name, cells.join("; "))
    }

    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>) {
        let total = f64::from(self.width);
        heading(painter, &self.title, total);
        if self.cells.is_empty() {
            return nothing(painter, self.size());
        }
        let (rows, cols) = (self.values(|cell| &cell.row), self.values(|cell| &cell.col));
        let corner = fit(&self.row_name, SMALL, total * 0.25);
        let room = label_room(rows.iter().copied(), BODY).max(width(&corner, SMALL)).min(total * 0.25);
        let (left, top) = (MARGIN + room + 12.0, HEADING + 40.0);
        let size = (total - MARGIN - left) / cols.len() as f64;
        let over = fit(&self.col_name, SMALL, total - left);
        painter.text(
            ((left + total - MARGIN) / 2.0, HEADING + 8.0),
            &over,
            SMALL,
            &Role::Muted,
            Side::Middle,
        );
        painter.text((left - 12.0, HEADING + 28.0), &corner, SMALL, &Role::Muted, Side::Right);
        for (j, col) in cols.iter().enumerate() {
            let x = left + (j as f64 + 0.5) * size - 1.0;
            painter.text((x, HEADING + 28.0), &fit(col, BODY, size - 4.0), BODY, &Role::Text, Side::Middle);
        }
        for (i, row) in rows.iter().enumerate() {
            let y = top + (i as f64 + 0.5) * CELL_HEIGHT - 1.0;
            painter.text((left - 12.0, y), &fit(row, BODY, room), BODY, &Role::Text, Side::Right);
            for (j, col) in cols.iter().enumerate() {
                let found = self.cells.iter().find(|cell| cell.row == *row && cell.col == *col);
                let at = (left + j as f64 * size, top + i as f64 * CELL_HEIGHT);
                if let Some(cell) = found {
                    self.draw_cell(painter, cell, at, size);
                }
            }
        }
        Self::draw_scale(painter, top + rows.len() as f64 * CELL_HEIGHT + 24.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_ordered_by_what_they_mean() {
        let mut values = ["16", "1 MiB", "4", "128KiB", "b", "1", "a", "64 B"];
        values.sort_by(|a, b| numerically(a, b));
        assert_eq!(values, ["1", "4", "16", "64 B", "128KiB", "1 MiB", "a", "b"]);
    }
}
