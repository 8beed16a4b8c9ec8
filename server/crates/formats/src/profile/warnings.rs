//! Collects remarks up to a bound; a hostile file must not turn into a million of them.

use crate::error::At;
use crate::limits::Limits;
use crate::read::{Content, Parsed, Warning};

/// Warnings kept so far and how many were not.
#[derive(Debug)]
pub(super) struct Warnings {
    kept: Vec<Warning>,
    dropped: usize,
    most: usize,
}

impl Warnings {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { kept: Vec::new(), dropped: 0, most: limits.warnings }
    }

    /// Adds a remark; its text is built only when there is room for it.
    pub(super) fn push(&mut self, at: At, text: impl FnOnce() -> String) {
        if self.kept.len() < self.most {
            self.kept.push(Warning { at, text: text() });
        } else {
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// The finished reading.
    pub(super) fn parsed(self, format: &'static str, content: Content) -> Parsed {
        Parsed { format, content, warnings: self.kept, warnings_dropped: self.dropped }
    }
}

/// A piece of input short enough for a message, cut at a character.
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
