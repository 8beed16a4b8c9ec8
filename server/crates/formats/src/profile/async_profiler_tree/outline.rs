//! The drawing of a hand-written tree: columns, branches, arrows, repeats and remarks.

/// What one line of the drawing says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row<'a> {
    /// Where it stands.
    pub(super) place: Place,
    /// The frames of its chain, outermost first, each with how often it is nested.
    pub(super) chain: Vec<(&'a str, usize)>,
}

/// Where a line's chain hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// An outermost frame.
    Root,
    /// Below the nearest line above whose branch begins further left; holds this branch's column.
    Branch(usize),
    /// Goes on where the line before ended (it begins with an arrow).
    Continued,
}

const BRANCHES: [char; 4] = ['\u{251c}', '\u{2514}', '\u{2570}', '\u{2517}'];
const ARROW: char = '\u{2192}';

/// Reads one line; `None` when nothing but drawing or a remark is on it.
pub(super) fn parse(line: &str) -> Option<Row<'_>> {
    let line = without_remark(line);
    let is_drawing = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{257f}').contains(&c);
    let text = line.trim_start_matches(is_drawing);
    let place = match line.chars().position(|c| BRANCHES.contains(&c)) {
        Some(column) => Place::Branch(column),
        None if text.starts_with(ARROW) => Place::Continued,
        None => Place::Root,
    };
    let chain: Vec<_> =
        text.split(ARROW).map(str::trim).filter(|frame| !frame.is_empty()).map(repeated).collect();
    (!chain.is_empty()).then_some(Row { place, chain })
}

/// A remark begins with a `#` after a blank; `#` inside a name (`Class#method`) is part of it.
fn without_remark(line: &str) -> &str {
    let begins = |at: &usize| {
        line.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace))
    };
    let remark = line.match_indices('#').map(|(at, _)| at).find(begins);
    remark.and_then(|at| line.get(..at)).unwrap_or(line).trim_end()
}

/// `<init>×4` is four nested frames.
fn repeated(frame: &str) -> (&str, usize) {
    let split =
        frame.rsplit_once('\u{d7}').and_then(|(name, times)| Some((name.trim_end(), times.parse().ok()?)));
    split.filter(|(name, times)| *times > 0 && !name.is_empty()).unwrap_or((frame, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_a_place_and_a_chain() {
        let row = |line| parse(line).unwrap();
        assert_eq!(row("A.b"), Row { place: Place::Root, chain: vec![("A.b", 1)] });
        assert_eq!(row(" \u{2514}\u{2500} A.b").place, Place::Branch(1));
        assert_eq!(
            row(
                "  \u{2502} \u{251c}\u{2500} s \u{2192} <init>\u{d7}4 \u{2192} copy   # copy #1: a \u{2192} b"
            ),
            Row { place: Place::Branch(4), chain: vec![("s", 1), ("<init>", 4), ("copy", 1)] }
        );
        assert_eq!(row("      \u{2192} A#b"), Row { place: Place::Continued, chain: vec![("A#b", 1)] });
        assert_eq!((parse("  \u{2502}"), parse("# remark"), parse("")), (None, None, None));
        assert_eq!(row("a\u{d7}0").chain, [("a\u{d7}0", 1)]);
    }
}
