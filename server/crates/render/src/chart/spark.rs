//! A history in the size of a word, for tables.

use plotters::backend::DrawingBackend;

use super::document::Chart;
use crate::paint::Painter;
use crate::palette::Role;
use crate::scale::{Scale, range};

/// A tiny line with a dot at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Spark {
    /// What it shows, for those who cannot see it: "read, op rate: 40 runs".
    pub title: String,
    /// Width in pixels; 120 is a good one.
    pub width: u32,
    /// Height in pixels; 28 is a good one.
    pub height: u32,
    /// Values, oldest first. Those that are no numbers leave a gap.
    pub values: Vec<f64>,
    /// Whether the last value is judged worse or better; colours the dot.
    pub worse: Option<bool>,
}

impl Chart for Spark {
    const CLASS: &'static str = "pf-spark";

    fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn description(&self) -> String {
        let word = match self.worse {
            Some(true) => ", the last one worse",
            Some(false) => ", the last one better",
            None => "",
        };
        format!("{} values, oldest first{word}.", self.values.len())
    }

    fn draw<DB: DrawingBackend>(&self, painter: &mut Painter<'_, DB>) {
        let Some(found) = range(self.values.iter().copied()) else { return };
        let last = self.values.len().saturating_sub(1);
        let x = Scale::linear((0.0, last as f64), (5.0, f64::from(self.width) - 5.0));
        let y = Scale::linear(found, (f64::from(self.height) - 5.0, 5.0));
        let place = |(i, v): (usize, &f64)| (x.at(if last == 0 { 0.0 } else { i as f64 }), y.at(*v));
        for stretch in self.values.iter().enumerate().collect::<Vec<_>>().split(|(_, v)| !v.is_finite()) {
            let points: Vec<_> = stretch.iter().copied().map(place).collect();
            if points.len() > 1 {
                painter.path(&points, &Role::Base, 1.0);
            }
        }
        let role = match self.worse {
            Some(true) => Role::Worse,
            Some(false) => Role::Better,
            None => Role::Head,
        };
        if let Some(end) = self.values.iter().enumerate().rfind(|(_, v)| v.is_finite()) {
            match self.worse {
                Some(true) => painter.diamond(place(end), 4.0, &role),
                _ => painter.dot(place(end), 3.0, &role),
            }
        }
    }
}
