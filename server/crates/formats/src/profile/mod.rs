//! Readers of profiles.

mod async_profiler;
mod async_profiler_tree;
mod callgrind;
mod dtrace;
mod folded;
mod gecko;
mod ghc_prof;
mod heaptrack;
mod instruments;
mod intern;
mod jfr;
mod macos_sample;
mod nested;
mod otlp;
mod parts;
mod perf_script;
mod pmcstat;
mod pprof;
mod pprof_legacy;
mod rbspy_summary;
mod sink;
mod speedscope;
mod stackprof;
mod svg;
mod trace_event;
mod v8;
mod vtune;
mod xctrace;

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
    ghc_prof::JSON,
    // Markup, by their outermost tag.
    async_profiler::HTML,
    svg::READER,
    xctrace::READER,
    // Text with a heading of its own.
    pprof_legacy::TEXT,
    pprof_legacy::GOROUTINES,
    async_profiler_tree::READER,
    callgrind::READER,
    heaptrack::RECORDING,
    heaptrack::PRINT,
    macos_sample::READER,
    vtune::READER,
    instruments::READER,
    ghc_prof::TEXT,
    pmcstat::READER,
    dtrace::READER,
    async_profiler::TEXT,
    perf_script::READER,
    rbspy_summary::READER,
    // Text that is told by the form of its lines, so it comes last.
    folded::READER,
];
