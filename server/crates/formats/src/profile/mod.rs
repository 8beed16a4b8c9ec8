//! Readers of profiles.

mod async_profiler;
mod async_profiler_tree;
mod folded;
mod intern;
mod jfr;
mod perf_script;
mod gecko;
mod ghc_prof;
mod otlp;
mod parts;
mod pprof;
mod pprof_legacy;
mod rbspy_summary;
mod sink;
mod speedscope;
mod stackprof;
mod trace_event;
mod v8;

use crate::read::Reader;

/// Readers of this folder, most telling first.
pub(crate) const READERS: &[Reader] = &[
    // Binary, by their magic.
    pprof::READER,
    pprof_legacy::BINARY,
    jfr::READER,
    otlp::READER,
    // JSON, by their members.
    speedscope::READER,
    v8::CPU,
    v8::HEAP,
    trace_event::READER,
    gecko::PROCESSED,
    gecko::RAW,
    stackprof::READER,
    ghc_prof::READER,
    // Markup, by their outermost tag.
    async_profiler::HTML,
    // Text with a heading of its own.
    pprof_legacy::TEXT,
    pprof_legacy::GOROUTINES,
    async_profiler_tree::READER,
    async_profiler::TEXT,
    perf_script::READER,
    rbspy_summary::READER,
    // Text that is told by the form of its lines, so it comes last.
    folded::READER,
];
