//! Readers of profiles.

mod async_profiler_tree;
mod folded;
mod pprof;
mod text;
mod warnings;

use crate::read::Reader;

/// Readers of this folder, most telling first.
pub(crate) const READERS: &[Reader] = &[pprof::READER, async_profiler_tree::READER, folded::READER];
