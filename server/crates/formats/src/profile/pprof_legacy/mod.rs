//! Profiles as gperftools, Go and Google's Java wrote them before pprof's protobuf: binary CPU profiles, and text of
//! heaps, growth, contention, goroutines and threads.
//!
//! The layouts and the arithmetic (return addresses point behind the call; heap samples are scaled up by the chance
//! that they were taken; contention by its sampling period) are those of `go tool pprof`
//! (<https://github.com/google/pprof/blob/main/profile/legacy_profile.go>). Addresses keep their number as a name and
//! the binary that the memory map puts them in as a module; Go's `#` lines and Java's tables give them symbols.

mod binary;
mod goroutines;
mod java;
mod maps;
mod stacks;
mod text;

use crate::read::Reader;

pub(super) const BINARY: Reader = Reader {
    name: "gperftools-cpu",
    about: "gperftools's binary CPU profile, also of Go before 1.8 and Java",
    sniff: binary::sniff,
    read: binary::read,
};
pub(super) const TEXT: Reader = Reader {
    name: "pprof-text",
    about: "legacy pprof text: heap, growth, contention, mutex, block, goroutine and threadz pages",
    sniff: text::sniff,
    read: text::read,
};
pub(super) const GOROUTINES: Reader = Reader {
    name: "goroutines",
    about: "a dump of all goroutines (debug=2, SIGQUIT)",
    sniff: goroutines::sniff,
    read: goroutines::read,
};
