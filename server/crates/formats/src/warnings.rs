//! Collects remarks up to a bound; a hostile file must not turn into a million of them.

use crate::error::At;
use crate::limits::Limits;
use crate::read::{Content, Parsed, Warning};

/// Remarks, at most as many as the limit; the rest is counted.
#[derive(Debug)]
pub(crate) struct Warnings {
    kept: Vec<Warning>,
    limit: usize,
    dropped: usize,
}

impl Warnings {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { kept: Vec::new(), limit: limits.warnings, dropped: 0 }
    }

    pub(crate) fn add(&mut self, at: At, text: impl Into<String>) {
        self.add_with(at, || text.into());
    }

    /// Adds a remark whose text is built only when there is room for it.
    pub(crate) fn add_with(&mut self, at: At, text: impl FnOnce() -> String) {
        if self.kept.len() < self.limit {
            self.kept.push(Warning { at, text: text() });
        } else {
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// The first remark, which says best why nothing could be read.
    pub(crate) fn first(&self) -> Option<&Warning> {
        self.kept.first()
    }

    /// The remarks alone.
    pub(crate) fn into_kept(self) -> Vec<Warning> {
        self.kept
    }

    /// The finished reading.
    pub(crate) fn parsed(self, format: &'static str, content: Content) -> Parsed {
        Parsed { format, content, warnings: self.kept, warnings_dropped: self.dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_beyond_the_limit_are_counted() {
        let mut warnings = Warnings::new(&Limits { warnings: 1, ..Limits::default() });
        warnings.add(At::File, "a");
        warnings.add(At::File, "b");
        let parsed = warnings.parsed("test", Content::Profiles(Vec::new()));
        assert_eq!((parsed.warnings.len(), parsed.warnings_dropped), (1, 1));
    }
}
