//! The text that Linux `perf script` prints: one header a sample, its stack below, innermost frame first.
//!
//! Fields and their order are those of `perf-script(1)`
//! (<https://man7.org/linux/man-pages/man1/perf-script.1.html>) with or without `-F`, of old and new versions. The
//! process's name becomes the outermost frame and names lose their arguments, as the collapsers of FlameGraph and
//! inferno do it, so that the same recording reads the same whichever way it came.

mod event;
mod frame;
mod header;
mod per_event;
mod read;
mod sniff;
#[cfg(test)]
mod tests;

use crate::read::Reader;

/// The name of the format in hints and errors.
const NAME: &str = "perf-script";

/// Output of `perf script`.
pub(super) const READER: Reader = Reader {
    name: NAME,
    about: "stacks as `perf script` prints them",
    sniff: sniff::sniff,
    read: read::read,
};
