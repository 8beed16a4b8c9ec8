//! autocannon: its JSON (`-j`) and the tables that it prints.
//!
//! Written from autocannon 4 to 9 (<https://github.com/mcollina/autocannon>). Latencies are milliseconds.

mod json;
mod text;

use crate::read::Reader;

pub(super) const JSON: Reader =
    Reader { name: "autocannon", about: "autocannon -j", sniff: json::sniff, read: json::read };
pub(super) const TEXT: Reader = Reader {
    name: "autocannon-text",
    about: "the tables that autocannon prints",
    sniff: text::sniff,
    read: text::read,
};
