//! The wire format of protobuf, walked without allocating: keys, varints, lengths.
//!
//! Own code instead of generated messages: one pass over a message costs no allocation, every error knows its byte,
//! and a length is checked against the bytes that are there before anything is done with it.
//! Source: protobuf.dev, "Encoding".

use super::error;
use crate::error::{At, Kind, ParseError};

/// A field's value as the wire has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 2.
    Bytes(Message<'a>),
    /// Wire types 1 and 5, which no field of pprof has.
    Fixed,
}

/// Bytes of a message, or of a string or packed field, and where they start in the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Message<'a> {
    /// The bytes not yet read.
    pub(super) bytes: &'a [u8],
    /// The offset of the first of them in the input.
    pub(super) offset: usize,
}

impl<'a> Message<'a> {
    /// A whole input.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The next field's number and value; `None` at the end.
    pub(super) fn field(&mut self) -> Result<Option<(u64, Value<'a>)>, ParseError> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let start = self.offset;
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let len = self.varint()?;
                Value::Bytes(self.take(len)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            wire => {
                let found = format!("wire type {wire}");
                return Err(error(At::Offset(start), Kind::Expected { expected: "a field", found }));
            }
        };
        Ok(Some((key >> 3, value)))
    }

    /// A varint of at most ten bytes; bits beyond 64 are refused.
    pub(super) fn varint(&mut self) -> Result<u64, ParseError> {
        if let [byte @ 0..=0x7F, rest @ ..] = self.bytes {
            self.bytes = rest;
            self.offset += 1;
            return Ok(u64::from(*byte));
        }
        let start = self.offset;
        let mut value = 0_u64;
        for (i, byte) in self.bytes.iter().take(10).enumerate() {
            let bits = u64::from(byte & 0x7F);
            if i == 9 && *byte > 1 {
                break;
            }
            value |= bits << (7 * i);
            if byte & 0x80 == 0 {
                self.bytes = self.bytes.get(i + 1..).unwrap_or_default();
                self.offset += i + 1;
                return Ok(value);
            }
        }
        let kind = if self.bytes.len() < 10 {
            Kind::Truncated("inside a number")
        } else {
            Kind::Expected { expected: "a number of at most 64 bits", found: "a longer one".to_owned() }
        };
        Err(error(At::Offset(start), kind))
    }

    fn take(&mut self, len: u64) -> Result<Self, ParseError> {
        let split = usize::try_from(len).ok().and_then(|len| self.bytes.split_at_checked(len));
        let Some((bytes, rest)) = split else {
            let found = format!("{len} bytes with {} left", self.bytes.len());
            let expected = "a field that ends inside the message";
            return Err(error(At::Offset(self.offset), Kind::Expected { expected, found }));
        };
        let taken = Self { bytes, offset: self.offset };
        self.bytes = rest;
        self.offset += bytes.len();
        Ok(taken)
    }
}

impl<'a> Value<'a> {
    /// The number of a scalar field. Other wire types are not what `profile.proto` says.
    pub(super) fn number(self, offset: usize) -> Result<u64, ParseError> {
        match self {
            Self::Varint(number) => Ok(number),
            Self::Bytes(_) | Self::Fixed => Err(wrong(offset, "a number")),
        }
    }

    /// The message, string or packed numbers of a field.
    pub(super) fn message(self, offset: usize) -> Result<Message<'a>, ParseError> {
        match self {
            Self::Bytes(message) => Ok(message),
            Self::Varint(_) | Self::Fixed => Err(wrong(offset, "a message")),
        }
    }

    /// Hands the numbers of a repeated field to `each`, packed or not.
    pub(super) fn numbers(self, offset: usize, mut each: impl FnMut(u64)) -> Result<(), ParseError> {
        match self {
            Self::Varint(number) => each(number),
            Self::Bytes(mut packed) => {
                while !packed.bytes.is_empty() {
                    each(packed.varint()?);
                }
            }
            Self::Fixed => return Err(wrong(offset, "numbers")),
        }
        Ok(())
    }
}

fn wrong(offset: usize, expected: &'static str) -> ParseError {
    error(
        At::Offset(offset),
        Kind::Expected { expected, found: "another kind of field before here".to_owned() },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(bytes: &[u8]) -> Result<u64, Kind> {
        Message::new(bytes).varint().map_err(|error| error.kind)
    }

    #[test]
    fn numbers_of_up_to_64_bits_are_read() {
        assert_eq!(varint(&[0x05]), Ok(5));
        assert_eq!(varint(&[0xAC, 0x02]), Ok(300));
        assert_eq!(varint(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]), Ok(u64::MAX));
        assert!(matches!(varint(&[0xFF; 12]), Err(Kind::Expected { .. })));
        assert!(matches!(
            varint(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]),
            Err(Kind::Expected { .. })
        ));
        assert_eq!(varint(&[0x80]), Err(Kind::Truncated("inside a number")));
        assert_eq!(varint(&[]), Err(Kind::Truncated("inside a number")));
    }

    #[test]
    fn fields_know_their_place_and_their_end() {
        let mut message = Message::new(&[0x08, 0x01, 0x12, 0x02, b'h', b'i', 0x1D, 0, 0, 0, 0, 0x1A, 0x7F]);
        assert_eq!(message.field(), Ok(Some((1, Value::Varint(1)))));
        assert_eq!(message.field(), Ok(Some((2, Value::Bytes(Message { bytes: b"hi", offset: 4 })))));
        assert_eq!(message.field(), Ok(Some((3, Value::Fixed))));
        assert_eq!(message.field().unwrap_err().at, At::Offset(13));
        assert_eq!(Message::new(&[0x0B]).field().unwrap_err().at, At::Offset(0));
    }
}
