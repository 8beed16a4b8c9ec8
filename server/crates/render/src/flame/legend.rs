//! Swatches with words above a flame graph, wrapped to its width.

use super::write::{MARGIN, push_paint, push_text};
use crate::palette::{Role, Theme};
use crate::text::{number_into, width};

/// Height of a row of swatches.
pub(super) const ROW: f64 = 18.0;
const LETTERS: f64 = 11.0;

/// One swatch.
pub(super) struct Swatch {
    pub(super) role: Role,
    pub(super) is_dashed: bool,
    pub(super) word: String,
}

impl Swatch {
    pub(super) fn solid(role: Role, word: impl Into<String>) -> Self {
        Self { role, is_dashed: false, word: word.into() }
    }

    pub(super) fn dashed(role: Role, word: impl Into<String>) -> Self {
        Self { role, is_dashed: true, word: word.into() }
    }
}

/// Where each swatch starts: x and row.
fn places(swatches: &[Swatch], room: f64) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (0.0, 0);
    let place = |swatch: &Swatch| {
        let needed = 18.0 + width(&swatch.word, LETTERS) + 14.0;
        if x > 0.0 && x + needed > room {
            x = 0.0;
            row += 1;
        }
        let at = (x, row);
        x += needed;
        at
    };
    swatches.iter().map(place).collect()
}

/// Rows that the swatches take.
pub(super) fn n_rows(swatches: &[Swatch], room: f64) -> usize {
    places(swatches, room).last().map_or(0, |(_, row)| row + 1)
}

/// Writes the swatches from height `top` on.
pub(super) fn push(out: &mut String, theme: Theme, swatches: &[Swatch], top: f64, room: f64) {
    for (swatch, (x, row)) in swatches.iter().zip(places(swatches, room)) {
        let (x, y) = (MARGIN + x, top + row as f64 * ROW);
        out.push_str("<rect width=\"12\" height=\"12\" x=\"");
        number_into(out, x);
        out.push_str("\" y=\"");
        number_into(out, y);
        out.push('"');
        push_paint(out, "fill", theme, &swatch.role);
        if swatch.is_dashed {
            push_paint(out, "stroke", theme, &Role::Axis);
            out.push_str(" stroke-dasharray=\"3 2\"");
        }
        out.push_str("/>");
        push_text(out, (x + 18.0, y + 10.0), "11", theme, &Role::Muted, &swatch.word);
    }
}
