//! The header of a chunk, and its events.

use super::cursor::Cursor;
use super::{MAGIC, NAME};
use crate::error::{At, Kind, ParseError};

/// Bytes of a header.
const HEADER: usize = 68;
/// The bit of the header's last byte that says how whole numbers are written.
const COMPRESSED: u8 = 1;
/// Type numbers that every chunk has.
pub(super) const METADATA: u64 = 0;
pub(super) const CHECKPOINT: u64 = 1;

/// What a header says; offsets are those of the whole recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) metadata: usize,
    pub(super) duration_ns: u64,
    pub(super) ticks_a_second: u64,
    pub(super) compressed: bool,
}

impl Header {
    /// Reads and checks the header at `start`.
    pub(super) fn read(bytes: &[u8], start: usize) -> Result<Self, ParseError> {
        let rest = bytes.get(start..).unwrap_or_default();
        let fail = |at: usize, kind| ParseError::new(NAME, At::Offset(start + at), kind);
        if !rest.starts_with(MAGIC) {
            let found = String::from_utf8_lossy(rest.get(..4).unwrap_or(rest)).into_owned();
            return Err(fail(0, Kind::Expected { expected: "a chunk, which begins with FLR\\0", found }));
        }
        if rest.len() < HEADER {
            return Err(fail(rest.len(), Kind::Truncated("a chunk's header has 68 bytes")));
        }
        let mut cursor = Cursor::new(bytes, start + 4, false);
        let (major, minor) = (cursor.big_endian::<2>()?, cursor.big_endian::<2>()?);
        // Version 1 is that of Oracle's JDK 9, which differs in names only; 0.9 is another format.
        if !(1..=2).contains(&major) {
            let found = format!("{major}.{minor}");
            return Err(fail(4, Kind::Expected { expected: "version 1 or 2 of the format", found }));
        }
        let size = cursor.big_endian::<8>()?;
        let constants = cursor.big_endian::<8>()?;
        let metadata = cursor.big_endian::<8>()?;
        cursor.skip(8)?;
        let duration_ns = cursor.big_endian::<8>()?;
        cursor.skip(8)?;
        let ticks_a_second = cursor.big_endian::<8>()?;
        cursor.skip(3)?;
        let flags = cursor.byte()?;
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        if length < HEADER {
            let text = format!("a chunk of {size} bytes: it was not finished, or is damaged");
            return Err(fail(8, Kind::Invalid(text)));
        }
        let end = start.checked_add(length).filter(|end| *end <= bytes.len());
        let end = end.ok_or_else(|| fail(8, Kind::Truncated("the chunk is longer than the recording")))?;
        let inside = |offset: u64, at: usize, what: &str| {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            if (HEADER..length).contains(&offset) {
                return Ok(start + offset);
            }
            Err(fail(
                at,
                Kind::Invalid(format!("the {what} are said to begin outside of the chunk, at {offset}")),
            ))
        };
        inside(constants, 16, "constants")?;
        let metadata = inside(metadata, 24, "metadata")?;
        Ok(Self { start, end, metadata, duration_ns, ticks_a_second, compressed: flags & COMPRESSED != 0 })
    }

    /// A cursor at `at` that ends with the chunk.
    pub(super) fn cursor<'a>(&self, bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor::new(bytes, at, self.compressed).until(self.end)
    }

    /// The chunk's events.
    pub(super) fn events<'a>(&self, bytes: &'a [u8]) -> Events<'a> {
        Events { cursor: self.cursor(bytes, self.start + HEADER), end: self.end }
    }
}

/// One event: its type and a cursor at its first field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event<'a> {
    pub(super) kind: u64,
    pub(super) fields: Cursor<'a>,
}

/// Walks from event to event by their sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Events<'a> {
    cursor: Cursor<'a>,
    end: usize,
}

impl<'a> Events<'a> {
    pub(super) fn next(&mut self) -> Result<Option<Event<'a>>, ParseError> {
        let start = self.cursor.at();
        if start >= self.end {
            return Ok(None);
        }
        let mut fields = self.cursor;
        let size = usize::try_from(fields.int()?).unwrap_or(usize::MAX);
        let end = start.checked_add(size).filter(|end| *end <= self.end && *end > fields.at());
        let Some(end) = end else {
            return Err(self.cursor.invalid(format!("an event of {size} bytes does not fit its chunk")));
        };
        let kind = fields.long()?;
        self.cursor = self.cursor.moved_to(end);
        Ok(Some(Event { kind, fields: fields.until(end) }))
    }
}

/// The event at `at`, which has to be of the type `kind`.
pub(super) fn event_at<'a>(
    header: &Header,
    bytes: &'a [u8],
    at: usize,
    kind: u64,
) -> Result<Cursor<'a>, ParseError> {
    let mut events = Events { cursor: header.cursor(bytes, at), end: header.end };
    match events.next()? {
        Some(event) if event.kind == kind => Ok(event.fields),
        _ => Err(header.cursor(bytes, at).invalid(format!("there is no event of type {kind}"))),
    }
}
