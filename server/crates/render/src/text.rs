//! Names from outside made safe to print, and cut to the room there is.

use std::fmt::Write as _;

/// Fonts of every picture, most wanted first. The picture's reader has one of them.
pub(crate) const FONTS: &str = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif";

/// Advance widths of DejaVu Sans for U+0020 to U+007E in hundredths of an em (from its `hmtx` table). It is wider
/// than the fonts in [`FONTS`] that most readers have, so text that is judged to fit does.
const WIDTHS: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,
    61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97,
    63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// Width of a character in hundredths of an em.
fn advance(c: char) -> u32 {
    match c as u32 {
        code @ 0x20..=0x7E => u32::from(WIDTHS[(code - 0x20) as usize]),
        // Combining marks, zero-width joiners and variation selectors take no room.
        0x300..=0x36F | 0x200B..=0x200D | 0xFE00..=0xFE0F => 0,
        // CJK, Hangul, full-width forms and the ellipsis are squares, or nearly; emoji are wider.
        0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFF00..=0xFF60 | 0x2026 => {
            100
        }
        0x1_F000..=0x1_FAFF | 0x2_0000..=0x3_FFFF => 130,
        0x25A0..=0x25FF => 77,
        0x2212 => 84,
        _ => 66,
    }
}

/// Estimated width of `text` in pixels at a font size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    f64::from(text.chars().map(advance).sum::<u32>()) * size / 100.0
}

/// Whether a character may be printed as it is. Refused: what XML 1.0 forbids, other control characters, and
/// the marks that reorder or hide the text around them (bidirectional controls, zero-width space, BOM).
fn is_printable(c: char) -> bool {
    !(c.is_control()
        || matches!(c as u32, 0x200B | 0x200E..=0x200F | 0x2028..=0x202E | 0x2060..=0x2069 | 0xFEFF)
        || c as u32 & 0xFFFE == 0xFFFE)
}

/// `c` as it is printed: white space of any kind is a space, what must not be printed is nothing.
fn printed(c: char) -> Option<char> {
    if c.is_whitespace() { Some(' ') } else { is_printable(c).then_some(c) }
}

/// `text` without what must not be printed, at most `limit` characters with an ellipsis for the rest.
pub(crate) fn clean(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(4 * limit));
    for (n, c) in text.chars().filter_map(printed).enumerate() {
        if n == limit {
            out.push('\u{2026}');
            break;
        }
        out.push(c);
    }
    out
}

/// Appends `text` cleaned and escaped for XML text and attribute values.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for c in text.chars().filter_map(printed) {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// `text` cleaned and cut at the end to fit `room` pixels; empty when not even two characters fit.
pub(crate) fn fit(text: &str, size: f64, room: f64) -> String {
    let room = room * 100.0 / size;
    let ellipsis = f64::from(advance('\u{2026}'));
    let (mut used, mut safe) = (0.0, 0);
    let mut out = String::new();
    for c in text.chars().filter_map(printed) {
        used += f64::from(advance(c));
        if used > room {
            out.truncate(safe);
            let shown = out.trim_end().len();
            out.truncate(shown);
            if out.chars().count() < 2 {
                return String::new();
            }
            out.push('\u{2026}');
            return out;
        }
        out.push(c);
        if used + ellipsis <= room {
            safe = out.len();
        }
    }
    out
}

/// A function's name cut to fit `room` pixels: qualifiers go first, from the left, because the end of
/// `org.example.store.Pager.read` tells more than its beginning; then the end is cut.
pub(crate) fn fit_symbol(name: &str, size: f64, room: f64) -> String {
    // Longer names than any box can show are not measured in full.
    let name = clean(name, 400);
    if width(&name, size) <= room {
        return name;
    }
    let mut rest = name.as_str();
    while let Some(cut) = next_qualifier(rest) {
        rest = &rest[cut..];
        if width(rest, size) <= room {
            return rest.to_owned();
        }
    }
    fit(rest, size, room)
}

/// Where the name after the first qualifier starts: past the first `.`, `/` or `::` before any bracket.
fn next_qualifier(name: &str) -> Option<usize> {
    let head = name.find(['(', '<', '[', '{', ' ']).unwrap_or(name.len());
    let at = name[..head].find(['.', '/', ':'])?;
    let end = at + name[at..].len() - name[at..].trim_start_matches(['.', '/', ':']).len();
    (end < name.len() && end <= head).then_some(end)
}

/// Appends a coordinate with at most one decimal, which is a tenth of a pixel.
pub(crate) fn number_into(out: &mut String, value: f64) {
    let tenths = (value * 10.0).round();
    // Coordinates are far inside i64; anything else prints as 0 instead of as `NaN`.
    let tenths = if tenths.abs() < 1e15 { tenths as i64 } else { 0 };
    if tenths < 0 {
        out.push('-');
    }
    // Writing to a string cannot fail.
    let _ = write!(out, "{}", tenths.unsigned_abs() / 10);
    if tenths % 10 != 0 {
        let _ = write!(out, ".{}", tenths.unsigned_abs() % 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: f64) -> String {
        let mut out = String::new();
        number_into(&mut out, value);
        out
    }

    #[test]
    fn qualifiers_go_before_the_name_is_cut() {
        let name = "org.example.store.Pager.read";
        assert_eq!(fit_symbol(name, 12.0, 500.0), name);
        assert_eq!(fit_symbol(name, 12.0, 80.0), "Pager.read");
        assert_eq!(fit_symbol("core::ptr::drop_in_place<a::B>", 12.0, 145.0), "drop_in_place<a::B>");
        assert_eq!(fit_symbol("drop_in_place", 12.0, 60.0), "drop_in\u{2026}");
        assert_eq!(fit_symbol("drop_in_place", 12.0, 10.0), "");
        assert_eq!(fit_symbol("::", 12.0, 1.0), "");
    }

    #[test]
    fn text_that_fits_is_never_wider_than_its_room() {
        for room in 0..200 {
            for text in ["WWWWWWWWWWWW", "iiiiiiiiii ii", "\u{6f22}\u{5b57}\u{6f22}\u{5b57}\u{6f22}\u{5b57}"]
            {
                assert!(width(&fit(text, 12.0, f64::from(room)), 12.0) <= f64::from(room));
            }
        }
    }

    #[test]
    fn control_and_reordering_characters_are_not_printed() {
        assert_eq!(clean("a\u{0}b\u{202e}c\nd\u{feff}\u{ffff}e", 99), "abc de");
        assert_eq!(clean("abcdef", 3), "abc\u{2026}");
    }

    #[test]
    fn coordinates_are_short_and_never_words() {
        for (value, text) in [
            (1.0, "1"),
            (1.26, "1.3"),
            (-0.04, "0"),
            (-2.5, "-2.5"),
            (-0.31, "-0.3"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
