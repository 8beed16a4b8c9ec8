//! Readers of profiles.

mod async_profiler;
mod async_profiler_tree;
mod folded;
mod intern;
mod jfr;
mod perf_script;
mod pprof;
mod sink;

use crate::read::Reader;

/// Readers of this folder, most telling first.
pub(crate) const READERS: &[Reader] = &[
    // Binary, by their magic.
    pprof::READER,
    jfr::READER,
    // JSON, by their members.
    // Markup, by their outermost tag.
    async_profiler::HTML,
    // Text with a heading of its own.
    async_profiler_tree::READER,
    async_profiler::TEXT,
    perf_script::READER,
    // Text that is told by the form of its lines, so it comes last.
    folded::READER,
];
