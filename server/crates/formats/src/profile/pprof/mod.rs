//! pprof's `profile.proto`, as Go, Rust, Node, Python and C++ profilers write it (gzip is taken off before).

mod kinds;
mod labels;
mod project;
mod proto;
mod read;
mod samples;
mod sniff;
mod tables;

use crate::error::{At, Kind, ParseError};
use crate::read::Reader;

/// The name of the format in hints and errors.
const NAME: &str = "pprof";

/// pprof.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "pprof protobuf, gzip or plain", sniff: sniff::sniff, read: read::read };

fn error(at: At, kind: Kind) -> ParseError {
    ParseError::new(NAME, at, kind)
}

fn limit(at: At, what: &'static str, limit: usize, setting: &'static str) -> ParseError {
    error(at, Kind::Limit { what, limit: limit as u64, setting })
}
