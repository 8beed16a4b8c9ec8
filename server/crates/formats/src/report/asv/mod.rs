//! airspeed velocity (asv): its result files, `benchmarks.json`, and what `asv run` prints.
//!
//! Written from asv 0.2 to 0.6 (<https://asv.readthedocs.io/en/latest/dev.html#json-file-formats>). Results are a list
//! over the product of all parameter values, the last varying fastest. `null` is a benchmark that failed, `NaN` one
//! that its setup skipped. Result files hold no units, so the kind of a benchmark, which its name begins with, gives it.

mod compare;
mod json;
mod text;

use model::Kind;

use crate::read::Reader;

pub(super) use json::{Declared, declared, results};

pub(super) const RESULT: Reader = Reader {
    name: "asv",
    about: "a result file of airspeed velocity (asv)",
    sniff: json::sniff_result,
    read: json::read_result,
};
pub(super) const BENCHMARKS: Reader = Reader {
    name: "asv-benchmarks",
    about: "asv's benchmarks.json, which names benchmarks and units and holds no value",
    sniff: json::sniff_benchmarks,
    read: json::read_benchmarks,
};
pub(super) const TEXT: Reader =
    Reader { name: "asv-text", about: "what asv run prints", sniff: text::sniff, read: text::read };

pub(super) const COMPARE: Reader = Reader {
    name: "asv-compare",
    about: "what asv compare and asv continuous print",
    sniff: compare::sniff,
    read: compare::read,
};

const KIND: Option<Kind> = Some(Kind::Micro);

/// The unit of a kind of benchmark by the method's name; `None` for `track_…`, which may be anything.
fn unit(name: &str) -> Option<&'static str> {
    let method = name.rsplit('.').next().unwrap_or(name);
    if method.starts_with("time") {
        Some("s")
    } else if method.starts_with("mem") || method.starts_with("peakmem") {
        Some("B")
    } else {
        None
    }
}
