//! Numbers and strings of a chunk, one after another.

use super::NAME;
use crate::error::{At, Kind, ParseError};

/// A place in a chunk. Offsets are those of the whole recording, which errors name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// The recording up to the end of what may be read here.
    bytes: &'a [u8],
    at: usize,
    /// Whole numbers are written seven bits a byte instead of at their width.
    compressed: bool,
}

/// A string's value, or where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text {
    /// Absent.
    Null,
    /// Written in place.
    Is(String),
    /// A constant of the type `java.lang.String`.
    Constant(u64),
}

impl<'a> Cursor<'a> {
    /// A cursor at `at` that ends with the bytes.
    pub(super) fn new(bytes: &'a [u8], at: usize, compressed: bool) -> Self {
        Self { bytes, at, compressed }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The same cursor elsewhere.
    pub(super) fn moved_to(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// The same cursor, which ends earlier.
    pub(super) fn until(self, end: usize) -> Self {
        Self { bytes: self.bytes.get(..end).unwrap_or(self.bytes), ..self }
    }

    pub(super) fn error(&self, kind: Kind) -> ParseError {
        ParseError::new(NAME, At::Offset(self.at), kind)
    }

    pub(super) fn invalid(&self, text: impl Into<String>) -> ParseError {
        self.error(Kind::Invalid(text.into()))
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], ParseError> {
        let taken = self.at.checked_add(n).and_then(|end| self.bytes.get(self.at..end));
        let taken =
            taken.ok_or_else(|| self.error(Kind::Truncated("a value goes beyond its event or chunk")))?;
        self.at += n;
        Ok(taken)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, ParseError> {
        match self.bytes.get(self.at) {
            Some(byte) => {
                self.at += 1;
                Ok(*byte)
            }
            None => Err(self.error(Kind::Truncated("a value goes beyond its event or chunk"))),
        }
    }

    pub(super) fn skip(&mut self, n: usize) -> Result<(), ParseError> {
        self.take(n).map(|_| ())
    }

    /// A whole number of `N` bytes, most telling first.
    pub(super) fn big_endian<const N: usize>(&mut self) -> Result<u64, ParseError> {
        Ok(self.take(N)?.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    /// Seven bits a byte, lowest first, while the high bit is set; a ninth byte holds eight.
    #[inline]
    fn varint(&mut self) -> Result<u64, ParseError> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        for shift in (7..56).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Ok(value | u64::from(self.byte()?) << 56)
    }

    /// A number of the type `long`.
    #[inline]
    pub(super) fn long(&mut self) -> Result<u64, ParseError> {
        if self.compressed { self.varint() } else { self.big_endian::<8>() }
    }

    /// A number of the type `int`.
    #[inline]
    pub(super) fn int(&mut self) -> Result<u64, ParseError> {
        if self.compressed { self.varint() } else { self.big_endian::<4>() }
    }

    /// A number of the types `short` and `char`.
    #[inline]
    pub(super) fn short(&mut self) -> Result<u64, ParseError> {
        if self.compressed { self.varint() } else { self.big_endian::<2>() }
    }

    /// A string in one of its encodings.
    pub(super) fn text(&mut self) -> Result<Text, ParseError> {
        let at = self.at;
        Ok(match self.byte()? {
            0 => Text::Null,
            1 => Text::Is(String::new()),
            2 => Text::Constant(self.long()?),
            3 => Text::Is(String::from_utf8_lossy(self.sized()?).into_owned()),
            4 => {
                let n = self.int()?;
                // A character takes at least a byte, so that the bytes bound the text.
                let mut units = Vec::new();
                for _ in 0..n {
                    units.push(self.short()? as u16);
                }
                Text::Is(String::from_utf16_lossy(&units))
            }
            5 => Text::Is(self.sized()?.iter().map(|byte| char::from(*byte)).collect()),
            other => {
                let found = format!("encoding {other}");
                let expected = "a string in one of the encodings 0 to 5";
                return Err(self.moved_to(at).error(Kind::Expected { expected, found }));
            }
        })
    }

    /// Passes a string over.
    pub(super) fn skip_text(&mut self) -> Result<(), ParseError> {
        match self.bytes.get(self.at) {
            Some(3 | 5) => {
                self.at += 1;
                self.sized().map(|_| ())
            }
            _ => self.text().map(|_| ()),
        }
    }

    fn sized(&mut self) -> Result<&'a [u8], ParseError> {
        let n = self.int()?;
        self.take(usize::try_from(n).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compressed_or_not() {
        let long = |bytes: &[u8], compressed| Cursor::new(bytes, 0, compressed).long().unwrap();
        assert_eq!(long(&[5], true), 5);
        assert_eq!(long(&[0x80, 1], true), 128);
        assert_eq!(long(&[0xff; 9], true), u64::MAX);
        assert_eq!(long(&[0, 0, 0, 0, 0, 0, 1, 2], false), 258);
        let error = Cursor::new(&[0x80], 0, true).long().unwrap_err();
        assert_eq!(error.at, At::Offset(1));
        assert_eq!(Cursor::new(&[1, 2], 0, false).short().unwrap(), 258);
    }

    #[test]
    fn strings_have_six_encodings() {
        let text = |bytes: &[u8]| Cursor::new(bytes, 0, true).text();
        let is = |text: &str| Text::Is(text.to_owned());
        assert_eq!(text(&[0]).unwrap(), Text::Null);
        assert_eq!(text(&[1]).unwrap(), is(""));
        assert_eq!(text(&[2, 7]).unwrap(), Text::Constant(7));
        assert_eq!(text(&[3, 2, 0xc3, 0xa9]).unwrap(), is("\u{e9}"));
        assert_eq!(text(&[4, 2, b'a', 0xe9, 1]).unwrap(), is("a\u{e9}"));
        assert_eq!(text(&[5, 1, 0xe9]).unwrap(), is("\u{e9}"));
        assert!(text(&[6]).is_err());
        assert!(text(&[3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
        assert!(text(&[4, 9, 1]).is_err());
    }
}
