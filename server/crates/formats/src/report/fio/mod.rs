//! fio: `--output-format=json` and `json+`, and its normal text.
//!
//! Written from fio 2.1 to 3.36 (<https://fio.readthedocs.io/>). A benchmark is a job and a direction (`rr/read`). In
//! JSON `bw` is KiB/s, `bw_bytes` B/s, `*_ns` nanoseconds; before 3.0 latencies were microseconds without a suffix.

mod json;
mod text;

use model::Kind;

use crate::read::Reader;

pub(super) const JSON: Reader =
    Reader { name: "fio", about: "fio's JSON, also json+", sniff: json::sniff, read: json::read };
pub(super) const TEXT: Reader =
    Reader { name: "fio-text", about: "fio's normal text", sniff: text::sniff, read: text::read };

const KIND: Option<Kind> = Some(Kind::EndToEnd);
/// What a job does, in fio's order.
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];
