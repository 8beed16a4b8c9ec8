//! Java flight recordings, of the JDK's recorder and of async-profiler.
//!
//! A recording is a row of chunks, each with a header, its events, the constants that they refer to (in checkpoint
//! events) and a description of every type (in the metadata event). The format is described by the JDK's own parser
//! (`jdk.jfr.internal.consumer` in <https://github.com/openjdk/jdk>) and by Marcus Hirt's and Gunnar Morling's notes
//! on it (<https://www.morling.dev/blog/jdk-flight-recorder-file-format/>). No layout is taken for granted: every
//! field is found by the name that the metadata gives it.

mod chunk;
mod cursor;
mod kinds;
mod metadata;
mod pools;
mod read;
mod slot;

use crate::read::{Reader, Sniff};

/// The name of the format in hints and errors.
const NAME: &str = "jfr";
/// What every chunk begins with.
const MAGIC: &[u8] = b"FLR\0";

/// Java flight recordings.
pub(super) const READER: Reader = Reader {
    name: NAME,
    about: "Java flight recordings of the JDK and of async-profiler",
    sniff: |head| if head.starts_with(MAGIC) { Sniff::Yes } else { Sniff::No },
    read: read::read,
};
