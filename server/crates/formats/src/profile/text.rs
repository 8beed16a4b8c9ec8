//! Bytes to text, whatever editor or shell wrote them: UTF-8 with or without a mark, UTF-16 with one.

use std::borrow::Cow;

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Text and the first place where bytes had to be replaced.
#[derive(Debug)]
pub(super) struct Text<'a> {
    /// The text without its byte-order mark.
    pub(super) text: Cow<'a, str>,
    /// The first line, from 1, that holds bytes which are not text; they became U+FFFD.
    pub(super) replaced: Option<usize>,
}

/// Decodes by the byte-order mark, UTF-8 without one.
pub(super) fn decode(bytes: &[u8]) -> Text<'_> {
    let wide = match bytes {
        [0xFF, 0xFE, rest @ ..] => Some(decode_utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Some(decode_utf16(rest, u16::from_be_bytes)),
        _ => None,
    };
    if let Some(text) = wide {
        let replaced = text.find(char::REPLACEMENT_CHARACTER).map(|at| line_of(text.as_bytes(), at));
        return Text { text: Cow::Owned(text), replaced };
    }
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Text { text: Cow::Borrowed(text), replaced: None },
        Err(error) => {
            Text { text: String::from_utf8_lossy(bytes), replaced: Some(line_of(bytes, error.valid_up_to())) }
        }
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    bytes.iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_not_text_and_choose_the_encoding() {
        for bytes in [
            &b"a\n\xC3\xA9"[..],
            b"\xEF\xBB\xBFa\n\xC3\xA9",
            b"\xFF\xFEa\0\n\0\xE9\0",
            b"\xFE\xFF\0a\0\n\0\xE9",
        ] {
            let decoded = decode(bytes);
            assert_eq!((decoded.text.as_ref(), decoded.replaced), ("a\n\u{e9}", None));
        }
    }

    #[test]
    fn damaged_bytes_are_replaced_and_located() {
        assert_eq!(decode(b"ok\n\nx\xFFy").replaced, Some(3));
        assert_eq!(decode(b"\xFF\xFEa\0\n\0\x00\xD8").replaced, Some(2));
        assert_eq!(decode(b"\xFF\xFEa\0b").text, "a\u{fffd}");
    }
}
