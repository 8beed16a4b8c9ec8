//! What charts share: a heading, a plot's rectangle, axes with ticks, a key of marks.

use plotters::backend::DrawingBackend;

use crate::paint::{Painter, Side};
use crate::palette::Role;
use crate::scale::{Scale, TickUnit};
use crate::text::{fit, width};

/// Size of titles.
pub(crate) const TITLE: f64 = 14.0;
/// Size of names and numbers.
pub(crate) const BODY: f64 = 12.0;
/// Size of axis labels and notes; nothing is smaller.
pub(crate) const SMALL: f64 = 11.0;
/// Room around everything.
pub(crate) const MARGIN: f64 = 16.0;
/// Height of the heading, below which a plot may start.
pub(crate) const HEADING: f64 = 44.0;

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plot {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// A mark of a key with its word.
pub(crate) struct KeyEntry<'a> {
    pub(crate) mark: KeyMark,
    pub(crate) role: Role,
    pub(crate) word: &'a str,
}

/// How a key shows a mark.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyMark {
    Dot,
    Ring,
    Diamond,
    Square,
}

/// The title on the left.
pub(crate) fn heading<DB: DrawingBackend>(painter: &Painter<'_, DB>, title: &str, room: f64) {
    painter.text((MARGIN, 22.0), &fit(title, TITLE, room - 2.0 * MARGIN), TITLE, &Role::Text, Side::Left);
}

/// Width of a key, for placing it.
pub(crate) fn key_width(entries: &[KeyEntry<'_>]) -> f64 {
    entries.iter().map(|e| 14.0 + width(e.word, SMALL) + 16.0).sum::<f64>() - 16.0
}

/// Marks and their words in one row from `(x, y)` on.
pub(crate) fn key<DB: DrawingBackend>(
    painter: &Painter<'_, DB>,
    (mut x, y): (f64, f64),
    entries: &[KeyEntry<'_>],
) {
    for KeyEntry { mark, role, word } in entries {
        match mark {
            KeyMark::Dot => painter.dot((x + 4.0, y), 4.0, role),
            KeyMark::Ring => painter.ring((x + 4.0, y), 4.0, role),
            KeyMark::Diamond => painter.diamond((x + 4.0, y), 5.0, role),
            KeyMark::Square => painter.rect((x - 1.0, y - 5.0), 10.0, 10.0, role),
        }
        painter.text((x + 14.0, y), word, SMALL, &Role::Muted, Side::Left);
        x += 14.0 + width(word, SMALL) + 16.0;
    }
}

/// Horizontal grid lines with labels on their left.
pub(crate) fn y_axis<DB: DrawingBackend>(painter: &Painter<'_, DB>, plot: Plot, ticks: &[(f64, String)]) {
    for (y, label) in ticks {
        painter.line((plot.left, *y), (plot.right, *y), &Role::Grid, 1.0);
        painter.text((plot.left - 8.0, *y), label, SMALL, &Role::Muted, Side::Right);
    }
}

/// Vertical grid lines with labels below; labels that would touch the one before are left out.
pub(crate) fn x_axis<DB: DrawingBackend>(painter: &Painter<'_, DB>, plot: Plot, ticks: &[(f64, String)]) {
    let mut free_from = f64::NEG_INFINITY;
    for (x, label) in ticks {
        painter.line((*x, plot.top), (*x, plot.bottom), &Role::Grid, 1.0);
        let half = width(label, SMALL) / 2.0;
        if x - half > free_from {
            painter.text((*x, plot.bottom + 14.0), label, SMALL, &Role::Muted, Side::Middle);
            free_from = x + half + 8.0;
        }
    }
}

/// Places and labels of a scale's ticks.
pub(crate) fn placed_ticks(scale: &Scale, n: usize, unit: &TickUnit) -> Vec<(f64, String)> {
    let ticks = scale.ticks(n, unit.scale);
    let labels = unit.labels(&ticks);
    ticks.iter().map(|tick| scale.at(*tick)).zip(labels).collect()
}

/// Width of the widest label.
pub(crate) fn label_room<'a>(labels: impl IntoIterator<Item = &'a str>, size: f64) -> f64 {
    // The room is later found again as a difference of sums; a pixel more keeps rounding from cutting a label.
    labels.into_iter().map(|label| width(label, size)).fold(0.0, f64::max) + 1.0
}

/// What stands in an empty chart.
pub(crate) fn nothing<DB: DrawingBackend>(painter: &Painter<'_, DB>, (width, height): (u32, u32)) {
    let middle = (f64::from(width) / 2.0, f64::from(height) / 2.0);
    painter.text(middle, "Nothing to show", BODY, &Role::Muted, Side::Middle);
}
