//! Readers of benchmark output.

mod benchstat;
mod bmf;
mod builder;
mod cassandra_stress;
mod gab_custom;
mod go_bench;
mod json;
mod key_value;
pub mod native;
mod sides;
mod table_text;
mod warp;

use crate::read::Reader;

/// Readers of this folder, most telling first.
pub(crate) const READERS: &[Reader] = &[
    native::READER,
    bmf::READER,
    gab_custom::READER,
    gab_custom::BIGGER,
    gab_custom::SMALLER,
    cassandra_stress::READER,
    warp::READER,
    go_bench::READER,
    benchstat::READER,
    table_text::READER,
    key_value::READER,
];
