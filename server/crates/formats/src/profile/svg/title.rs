//! The title of a box: `name (1,234 samples, 5.67%)`, perhaps with `; +1.20%` of a difference before the end.

use crate::number::{Marks, number};

/// What a title says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Title<'t> {
    /// The frame.
    pub(super) name: &'t str,
    /// Its total.
    pub(super) total: f64,
    /// What was counted: `samples`, `ns`, `bytes`.
    pub(super) counted: &'t str,
    /// The share has a difference behind it.
    pub(super) is_difference: bool,
}

/// Reads a title; `None` for other titles of the picture.
pub(super) fn parse(text: &str) -> Option<Title<'_>> {
    let text = text.trim();
    let open = text.rmatch_indices(" (").find(|(at, _)| {
        text.get(at + 2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })?;
    let (name, rest) = (text.get(..open.0)?, text.get(open.0 + 2..)?);
    let inside = rest.strip_suffix(')')?;
    let (share, is_difference) = match inside.split_once("%;") {
        Some((share, _)) => (share, true),
        None => (inside.strip_suffix('%')?, false),
    };
    let (amount, share) = share.rsplit_once(", ")?;
    number(share, Marks::Point)?;
    let (count, counted) = amount.split_once(' ').unwrap_or((amount, ""));
    let total = number(count, Marks::ThousandsComma).filter(|total| *total >= 0.0)?;
    Some(Title { name: name.trim(), total, counted: counted.trim(), is_difference })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_hold_name_total_and_what_was_counted() {
        for (text, name, total, counted, is_difference) in [
            ("main (10 samples, 100%)", "main", 10.0, "samples", false),
            ("f(int) (1,234 ns, 5.67%)", "f(int)", 1234.0, "ns", false),
            ("<module> (a.py:50) (207 samples, 98.10%)", "<module> (a.py:50)", 207.0, "samples", false),
            ("a (12 samples, 5.67%; +1.20%)", "a", 12.0, "samples", true),
            ("a (1,000 event counts, 0.1%)", "a", 1000.0, "event counts", false),
        ] {
            assert_eq!(parse(text), Some(Title { name, total, counted, is_difference }), "{text}");
        }
        for text in ["", "Flame Graph", "a (b)", "a (10 samples)", "a (x samples, 5%)"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
