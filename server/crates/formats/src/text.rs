//! Text as tools print it: bytes to characters, lines, colours, and pieces short enough for a message.

use std::borrow::Cow;

use crate::error::At;
use crate::read::Input;
use crate::warnings::Warnings;

/// The input as text. Bytes that are not UTF-8 become replacement characters, with a warning where the first stands.
pub(crate) fn text<'a>(input: &Input<'a>, warnings: &mut Warnings) -> Cow<'a, str> {
    match str::from_utf8(input.bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            let before = input.bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            warnings.add(At::Line(line), "bytes that are not UTF-8 are replaced");
            String::from_utf8_lossy(input.bytes)
        }
    }
}

/// A line without the codes that colour a terminal (`ESC [ … m` and the other control sequences of ECMA-48).
pub(crate) fn without_colours(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        if chars.next_if_eq(&'[').is_some() {
            // Parameters and intermediates end at a final byte from `@` to `~`.
            for c in chars.by_ref() {
                if ('@'..='~').contains(&c) {
                    break;
                }
            }
        } else {
            chars.next();
        }
    }
    Cow::Owned(plain)
}

/// A piece of foreign text that is short enough for a message.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    const BYTES: usize = 120;
    let text = text.trim();
    if text.len() <= BYTES { Cow::Borrowed(text) } else { Cow::Owned(format!("{}…", cut(text, BYTES))) }
}

/// At most `bytes` bytes, never through a character.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::read::{Content, Hints};

    #[test]
    fn damaged_bytes_are_replaced_and_located() {
        let (hints, limits) = (Hints::default(), Limits::default());
        let mut warnings = Warnings::new(&limits);
        let input = Input { bytes: b"ok\n\nx\xFFy", hints: &hints, limits: &limits };
        assert_eq!(text(&input, &mut warnings), "ok\n\nx\u{fffd}y");
        let parsed = warnings.parsed("test", Content::Profiles(Vec::new()));
        assert_eq!(parsed.warnings[0].at, At::Line(3));
    }

    #[test]
    fn colours_are_taken_off() {
        assert_eq!(without_colours("\u{1b}[1;31mred\u{1b}[0m \u{1b}[2Kx"), "red x");
        assert_eq!(without_colours("\u{1b}(B\u{1b}"), "B");
        assert!(matches!(without_colours("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_cut_never_goes_through_a_character() {
        assert_eq!(cut("aµb", 2), "a");
        assert_eq!(cut("aµb", 9), "aµb");
    }
}
