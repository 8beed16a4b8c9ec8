//! Bytes of benchmark tools and profilers to values.
//!
//! One table of readers ([`readers`]); each reader is one file that says whether the bytes are its own (`sniff`)
//! and what they hold (`read`). A file that cannot be read is one located [`ParseError`]; what could be read
//! despite oddities comes with warnings. Nothing here judges, and nothing panics on input.

#![warn(clippy::indexing_slicing, clippy::string_slice)]
#![cfg_attr(
    test,
    allow(clippy::indexing_slicing, reason = "a test that is out of bounds fails, as it should")
)]

mod archive;
mod container;
mod csv;
mod error;
mod json;
mod limits;
mod number;
mod profile;
mod read;
mod report;
mod text;
mod warnings;
mod xml;

pub use report::native;

pub use archive::{Entry as ArchiveEntry, unpack as unpack_archive};
pub use container::decompress;
pub use error::{At, Kind as ErrorKind, ParseError};
pub use limits::Limits;
pub use read::{
    Attempt, Content, Hints, Input, Parsed, Point, Reader, Report, Sniff, Warning, read, readers, sniff,
};
