//! heaptrack: its recordings, which are text (`heaptrack.APP.PID.zst`, `.gz`), and what `heaptrack_print` says of them.
//!
//! Project: <https://invent.kde.org/sdk/heaptrack>.

mod print;
mod recording;

use crate::read::Reader;

/// Recordings.
pub(super) const RECORDING: Reader = Reader {
    name: recording::NAME,
    about: "heaptrack's recordings of allocations",
    sniff: recording::sniff,
    read: recording::read,
};

/// Reports.
pub(super) const PRINT: Reader = Reader {
    name: print::NAME,
    about: "the report of heaptrack_print",
    sniff: print::sniff,
    read: print::read,
};
