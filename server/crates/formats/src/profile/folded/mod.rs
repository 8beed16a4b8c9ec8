//! Folded (collapsed) stacks: `main;work;copy 42`, one stack a line, root first.

mod header;
mod line;
mod names;
mod read;
mod sniff;
mod stacks;
mod weights;

use crate::read::Reader;

pub(super) use header::Header;
pub(super) use weights::{Meaning, decide};

/// The name of the format in hints and errors.
const NAME: &str = "folded";

/// Folded stacks.
pub(super) const READER: Reader = Reader {
    name: NAME,
    about: "folded stacks, one a line: `main;work;copy 42`",
    sniff: sniff::sniff,
    read: read::read,
};
