//! Changes of many benchmarks at once: a dot and its interval a row, around a line of no change.

use plotters::backend::DrawingBackend;

use model::quantity::signed_percent;

use super::axis::{
    BODY, HEADING, KeyEntry, KeyMark, MARGIN, Plot, heading, key, label_room, nothing, x_axis,
};
use super::document::Chart;
use crate::paint::{Hit, HitShape, Painter, Side};
use crate::palette::Role;
use crate::scale::{Scale, range};
use crate::text::fit;

const ROW: f64 = 24.0;
/// Room below the rows for ticks and the key.
const FOOT: f64 = 56.0;
/// Changes beyond this are drawn at the edge with an arrow: one row at ×25 must not flatten all others.
const WIDEST: f64 = 1.5;

/// One measure of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRow {
    /// The benchmark, and the measure where there are several.
    pub label: String,
    /// Where the row leads.
    pub href: Option<String>,
    /// Relative change, candidate against baseline.
    pub change: f64,
    /// Interval of the change, where known.
    pub interval: Option<(f64, f64)>,
    /// The smallest relative change worth reporting; shaded around zero.
    pub floor: f64,
    /// Whether the change counts and is for the worse; `None` when it does not count.
    pub worse: Option<bool>,
    /// What stands at the row's end: "+12.3 %, regressed".
    pub text: String,
}

/// Changes of many benchmarks. Best up to about 40 rows; the caller chooses which.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonChart {
    /// The heading.
    pub title: String,
    /// Width in pixels; 900 is a good one.
    pub width: u32,
    /// Rows from top to bottom.
    pub rows: Vec<ComparisonRow>,
}

impl ComparisonChart {
    fn plot(&self) -> Plot {
        let width = f64::from(self.width);
        let labels = label_room(self.rows.iter().map(|row| row.label.as_str()), BODY).min(width * 0.36);
        let texts = label_room(self.rows.iter().map(|row| row.text.as_str()), BODY).min(width * 0.3);
        Plot {
            left: MARGIN + labels + 16.0,
            top: HEADING,
            right: width - MARGIN - texts - 16.0,
            bottom: HEADING + self.rows.len() as f64 * ROW,
        }
    }

    fn scale(&self, plot: Plot) -> Scale {
        let ends = self.rows.iter().flat_map(|row| {
            let (lo, hi) = row.interval.unwrap_or((row.change, row.change));
            [row.change, lo, hi, row.floor, -row.floor]
        });
        let (lo, hi) = range(ends).unwrap_or((-0.1, 0.1));
        // The shorter side gets at least a third of the longer, so that zero never sticks to an edge.
        let (lo, hi) = (lo.clamp(-1.0, 0.0), hi.clamp(0.0, WIDEST));
        let (lo, hi) = (lo.min(-hi / 3.0), hi.max(-lo / 3.0));
        let room = (hi - lo).max(1e-6) * 0.04;
        Scale::linear((lo - room, hi + room), (plot.left, plot.right))
    }
}

impl Chart for ComparisonChart {
    const CLASS: &'static str = "pf-comparison";

    fn size(&self) -> (u32, u32) {
        (self.width, (HEADING + self.rows.len().max(1) as f64 * ROW + FOOT) as u32)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let count = |worse| self.rows.iter().filter(|row| row.worse == Some(worse)).count();
        format!(
            "Relative changes of {} measures with their intervals: {} worse, {} better, the rest without a change that counts.",
            self.rows.len(),
            count(true),
            count(false)
        )
    }

    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>) {
        heading(painter, &self.title, f64::from(self.width));
        if self.rows.is_empty() {
            return nothing(painter, self.size());
        }
        let plot = self.plot();
        let scale = self.scale(plot);
        for (i, row) in self.rows.iter().enumerate() {
            let middle = plot.top + (i as f64 + 0.5) * ROW;
            draw_floor(painter, plot, &scale, row.floor, middle);
        }
        let ticks = scale.ticks(6, 0.01);
        let label = |tick: &f64| (scale.at(*tick), percent_tick(*tick));
        x_axis(painter, plot, &ticks.iter().map(label).collect::<Vec<_>>());
        painter.line((scale.at(0.0), plot.top - 4.0), (scale.at(0.0), plot.bottom + 4.0), &Role::Axis, 1.0);
        for (i, row) in self.rows.iter().enumerate() {
            draw_row(painter, plot, &scale, row, plot.top + (i as f64 + 0.5) * ROW, f64::from(self.width));
        }
        let entry = |mark, role, word| KeyEntry { mark, role, word };
        let entries = [
            entry(KeyMark::Diamond, Role::Worse, "worse"),
            entry(KeyMark::Dot, Role::Better, "better"),
            entry(KeyMark::Ring, Role::Muted, "no change that counts"),
            entry(KeyMark::Square, Role::Band, "below the floor"),
        ];
        key(painter, (MARGIN, plot.bottom + FOOT - 18.0), &entries);
    }
}

/// `+10 %` on an axis: whole percents where ticks are whole.
fn percent_tick(tick: f64) -> String {
    let percent = tick * 100.0;
    let sign = if percent < 0.0 { "\u{2212}" } else { "+" };
    match percent.abs() {
        p if p < 1e-9 => "0".to_owned(),
        p if (p - p.round()).abs() < 1e-6 => format!("{sign}{p:.0} %"),
        _ => signed_percent(tick),
    }
}

fn draw_floor<DB: DrawingBackend>(
    painter: &Painter<'_, DB>,
    plot: Plot,
    scale: &Scale,
    floor: f64,
    middle: f64,
) {
    let floor = if floor.is_finite() { floor.abs() } else { 0.0 };
    let left = scale.at(-floor).max(plot.left);
    let right = scale.at(floor).min(plot.right);
    painter.rect((left, middle - ROW / 2.0), right - left, ROW, &Role::Band);
}

fn draw_row<DB: DrawingBackend>(
    painter: &mut Painter<'_, DB>,
    plot: Plot,
    scale: &Scale,
    row: &ComparisonRow,
    middle: f64,
    width: f64,
) {
    let role = match row.worse {
        Some(true) => Role::Worse,
        Some(false) => Role::Better,
        None => Role::Muted,
    };
    let label = fit(&row.label, BODY, plot.left - MARGIN - 16.0);
    painter.text((plot.left - 16.0, middle), &label, BODY, &Role::Text, Side::Right);
    let text_role = if row.worse.is_some() { &role } else { &Role::Muted };
    let text = fit(&row.text, BODY, width - MARGIN - plot.right - 16.0);
    painter.text((plot.right + 16.0, middle), &text, BODY, text_role, Side::Left);

    let inside = |value: f64| scale.at(value).clamp(plot.left, plot.right);
    if let Some((lo, hi)) = row.interval {
        painter.line((inside(lo), middle), (inside(hi), middle), &role, 2.0);
        for end in [lo, hi].into_iter().filter(|end| scale.at(*end) == inside(*end)) {
            painter.line((inside(end), middle - 4.0), (inside(end), middle + 4.0), &role, 1.0);
        }
    }
    let at = (inside(row.change), middle);
    if at.0 < scale.at(row.change) {
        // Beyond the axis: an arrow, and the number at the row's end.
        painter.polygon(&[(at.0 - 9.0, middle - 6.0), (at.0, middle), (at.0 - 9.0, middle + 6.0)], &role);
    } else {
        match row.worse {
            Some(true) => painter.diamond(at, 6.0, &role),
            Some(false) => painter.dot(at, 5.0, &role),
            None => painter.ring(at, 4.0, &role),
        }
    }
    let interval = row.interval.map_or(String::new(), |(lo, hi)| {
        format!(", interval {} to {}", signed_percent(lo), signed_percent(hi))
    });
    painter.hit(Hit {
        shape: HitShape::Rect { x: MARGIN, y: middle - ROW / 2.0, width: width - 2.0 * MARGIN, height: ROW },
        href: row.href.clone(),
        title: format!("{}: {}{interval}", row.label, row.text),
    });
}
