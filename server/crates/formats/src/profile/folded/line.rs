//! One line of folded text: where the stack ends and the weight begins.

/// The frame of stacks that have none.
const NO_FRAMES: &str = "[no frames]";

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Line<'a> {
    /// Nothing on it.
    Blank,
    /// `# text`, with the text.
    Comment(&'a str),
    /// A stack and its weight.
    Stack {
        /// The frames, root first, separated by `;`.
        path: &'a str,
        /// The number after the last blank.
        weight: f64,
    },
    /// Anything else.
    Bad,
}

/// Reads one line, with or without a carriage return at its end.
///
/// The weight stands after the *last* blank, because frames hold blanks (`operator new(unsigned long)`).
pub(super) fn parse(line: &str) -> Line<'_> {
    let line = trim_end(line);
    if line.is_empty() {
        return Line::Blank;
    }
    if let Some(comment) = line.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return Line::Comment(comment.trim());
    }
    let split =
        split_last_blank(line).and_then(|(path, weight)| Some((trim_end(path), parse_weight(weight)?)));
    match split {
        // py-spy writes the samples of threads without Python frames as a stack of none.
        Some(("", weight)) => Line::Stack { path: NO_FRAMES, weight },
        Some((path, weight)) if path.bytes().any(|byte| byte != b';' && byte != b' ') => {
            Line::Stack { path, weight }
        }
        _ => Line::Bad,
    }
}

/// Splits a path that ends in a number of its own, as every line of a difference does (`a;b 10 25`).
pub(super) fn second_weight(path: &str) -> Option<(&str, f64)> {
    let (path, weight) = split_last_blank(path)?;
    let path = trim_end(path);
    (!path.is_empty()).then_some((path, parse_weight(weight)?))
}

fn trim_end(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r'])
}

fn split_last_blank(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once([' ', '\t'])
}

/// A finite decimal number. Words that Rust also reads as numbers (`inf`, `nan`) are not weights.
fn parse_weight(text: &str) -> Option<f64> {
    // Whole numbers below 10^15 are exact in a double and by far the most common.
    if text.len() <= 15 && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let whole = text.bytes().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        return Some(whole as f64);
    }
    let numeric =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let starts = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '-' | '+'));
    if !numeric || !starts {
        return None;
    }
    text.parse().ok().filter(|weight: &f64| weight.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_stands_after_the_last_blank() {
        for (line, path, weight) in [
            ("a;b 3", "a;b", 3.0),
            ("a;b\t3\r", "a;b", 3.0),
            ("t 7;operator new(unsigned long)  2 ", "t 7;operator new(unsigned long)", 2.0),
            ("a 2.5", "a", 2.5),
            ("a 1e3", "a", 1000.0),
            ("a -5", "a", -5.0),
            ("a 18446744073709551615", "a", 18_446_744_073_709_551_615.0),
            ("#<Class:0x1>;b 4", "#<Class:0x1>;b", 4.0),
            (" 3", "[no frames]", 3.0),
        ] {
            assert_eq!(parse(line), Line::Stack { path, weight }, "{line}");
        }
    }

    #[test]
    fn lines_without_a_stack_or_a_weight_are_bad() {
        for line in ["a;b", "12", "a;b 12V.43", "a inf", "a nan", "a 1e999", ";; 5", "a;b 1,5"] {
            assert_eq!(parse(line), Line::Bad, "{line}");
        }
        assert_eq!(parse(" \r"), Line::Blank);
        assert_eq!(parse("# mode: wall"), Line::Comment("mode: wall"));
    }

    #[test]
    fn a_second_number_is_seen() {
        assert_eq!(second_weight("a;b 10"), Some(("a;b", 10.0)));
        assert_eq!(second_weight("a;b"), None);
        assert_eq!(second_weight("a;operator new"), None);
    }
}
