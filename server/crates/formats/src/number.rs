//! Numbers and text lines as tools print them.
//!
//! Whether a comma is the decimal mark or the thousands mark is a property of the tool and of its locale; the
//! reader that calls says which, nothing here guesses.

/// What the marks in a number mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    /// `1234.5`: no thousands mark. `1,5` is not a number.
    Point,
    /// `1234,5`: the comma is the decimal mark.
    DecimalComma,
    /// `1,234.5`: commas stand between groups of three digits.
    ThousandsComma,
    /// `1.234,5`: points stand between groups of three digits.
    ThousandsPoint,
}

/// Reads a finite number; `None` for `NaN`, infinities and anything that is not wholly a number of this form.
pub(crate) fn number(text: &str, marks: Marks) -> Option<f64> {
    let text = text.trim();
    // `parse` also takes words (`inf`, `nan`, `infinity`); the first digit must come before any letter.
    let digits = text.strip_prefix(['+', '-', '\u{2212}']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let normal = match marks {
        Marks::Point => text.to_owned(),
        Marks::DecimalComma if text.contains('.') => return None,
        Marks::DecimalComma => text.replace(',', "."),
        Marks::ThousandsComma => ungrouped(text, ',', '.')?,
        Marks::ThousandsPoint => ungrouped(text, '.', ',')?.replace(',', "."),
    };
    normal.replace('\u{2212}', "-").parse().ok().filter(|value: &f64| value.is_finite())
}

/// Takes thousands marks out where they stand between groups of three digits, before the decimal mark.
fn ungrouped(text: &str, group: char, decimal: char) -> Option<String> {
    let (whole, fraction) = text.split_once(decimal).map_or((text, ""), |(whole, rest)| (whole, rest));
    if fraction.contains(group) {
        return None;
    }
    let mut groups = whole.split(group);
    let first = groups.next()?.trim_start_matches(['+', '-', '\u{2212}']);
    let grouped = whole.contains(group);
    let three_digits = |part: &str| part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit());
    if grouped && (first.is_empty() || first.len() > 3 || !groups.all(three_digits)) {
        return None;
    }
    Some(text.replace(group, ""))
}

/// Whether a tool says that it has no number: `NaN`, `-nan`, `+Inf`, `∞`.
pub(crate) fn is_not_a_number(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    matches!(word.as_str(), "nan" | "inf" | "infinity" | "\u{221e}")
}

/// Splits `2.246us` into `2.246` and `us`; the unit may be empty. `None` where no number leads.
pub(crate) fn split_unit(text: &str, marks: Marks) -> Option<(f64, &str)> {
    let text = text.trim();
    let mut end = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let sign = matches!(c, '+' | '-' | '\u{2212}');
        let numeric = c.is_ascii_digit()
            || matches!(c, '.' | ',')
            || (sign && (at == 0 || matches!(before, 'e' | 'E')));
        let exponent = matches!(c, 'e' | 'E') && before.is_ascii_digit() && is_exponent(text, at);
        if !numeric && !exponent {
            break;
        }
        before = c;
        end = at + c.len_utf8();
    }
    let (digits, unit) = text.split_at_checked(end)?;
    Some((number(digits, marks)?, unit.trim_start()))
}

fn is_exponent(text: &str, at: usize) -> bool {
    let rest = text.get(at + 1..).unwrap_or_default();
    rest.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
}

/// The factor of an SI or binary prefix as benchstat prints it behind a number (`520.60n`, `1.718µ`, `117.9Mi`).
pub(crate) fn prefix_scale(prefix: &str) -> Option<f64> {
    Some(match prefix {
        "" => 1.0,
        "p" => 1e-12,
        "n" => 1e-9,
        "u" | "\u{b5}" | "\u{3bc}" => 1e-6,
        "m" => 1e-3,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        _ => return None,
    })
}

/// Seconds of `HH:MM:SS`, `MM:SS`, each with optional decimals.
pub(crate) fn clock_seconds(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    parts.iter().try_fold(0.0, |seconds, part| {
        let value = number(part, Marks::Point).filter(|value| *value >= 0.0)?;
        Some(seconds * 60.0 + value)
    })
}

/// The lines of a text with their numbers from 1, without their ends.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_comma_means_what_the_caller_says() {
        for (text, marks, value) in [
            ("19,1", Marks::DecimalComma, Some(19.1)),
            ("19.1", Marks::DecimalComma, None),
            ("19,1", Marks::Point, None),
            ("13,967,756.30", Marks::ThousandsComma, Some(13_967_756.3)),
            ("1,234", Marks::ThousandsComma, Some(1234.0)),
            ("1,23", Marks::ThousandsComma, None),
            ("1.234,5", Marks::ThousandsComma, None),
            ("1.234,5", Marks::ThousandsPoint, Some(1234.5)),
            ("\u{2212}5.5", Marks::Point, Some(-5.5)),
            ("2.5e+06", Marks::Point, Some(2.5e6)),
            ("1e400", Marks::Point, None),
            ("NaN", Marks::Point, None),
            ("-inf", Marks::Point, None),
            ("", Marks::Point, None),
            ("1_000", Marks::Point, None),
        ] {
            assert_eq!(number(text, marks), value, "{text} as {marks:?}");
        }
    }

    #[test]
    fn a_number_and_its_unit_come_apart() {
        for (text, split) in [
            ("2.246us", Some((2.246, "us"))),
            ("389.08 MiB/s", Some((389.08, "MiB/s"))),
            ("112", Some((112.0, ""))),
            ("1e3ns", Some((1000.0, "ns"))),
            ("5e", Some((5.0, "e"))),
            ("ns", None),
        ] {
            assert_eq!(split_unit(text, Marks::Point), split, "{text}");
        }
    }

    #[test]
    fn a_clock_reads_as_seconds() {
        assert_eq!(clock_seconds("00:02:28"), Some(148.0));
        assert_eq!(clock_seconds("1:02.5"), Some(62.5));
        assert_eq!(clock_seconds("12"), None);
        assert_eq!(clock_seconds("1:-2"), None);
    }

    proptest! {
        #[test]
        fn printed_numbers_read_back(value in -1e15..1e15_f64) {
            let text = value.to_string();
            prop_assert_eq!(number(&text, Marks::Point), Some(value));
            prop_assert_eq!(number(&text.replace('.', ","), Marks::DecimalComma), Some(value));
        }

        #[test]
        fn no_text_panics(text in ".{0,30}") {
            for marks in [Marks::Point, Marks::DecimalComma, Marks::ThousandsComma, Marks::ThousandsPoint] {
                let _ = (number(&text, marks), split_unit(&text, marks));
            }
            let _ = clock_seconds(&text);
        }
    }
}
