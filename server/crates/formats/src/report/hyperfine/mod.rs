//! hyperfine: its JSON, CSV and Markdown exports and what it prints.
//!
//! Written from hyperfine 1.10 to 1.19 (<https://github.com/sharkdp/hyperfine>). Seconds everywhere but on the console,
//! where each value has its unit, and in Markdown, where the heading has it. Only JSON holds the single times; the
//! others' mean is the observation.

mod json;
mod tables;
mod text;

use model::Kind;

use crate::read::Reader;

pub(super) const JSON: Reader =
    Reader { name: "hyperfine", about: "hyperfine --export-json", sniff: json::sniff, read: json::read };
pub(super) const CSV: Reader = Reader {
    name: "hyperfine-csv",
    about: "hyperfine --export-csv",
    sniff: tables::sniff_csv,
    read: tables::read_csv,
};
pub(super) const MARKDOWN: Reader = Reader {
    name: "hyperfine-markdown",
    about: "hyperfine --export-markdown (also AsciiDoc's and Org-mode's tables)",
    sniff: tables::sniff_markdown,
    read: tables::read_markdown,
};
pub(super) const TEXT: Reader =
    Reader { name: "hyperfine-text", about: "what hyperfine prints", sniff: text::sniff, read: text::read };

/// A command with its arguments is an end-to-end benchmark.
const KIND: Option<Kind> = Some(Kind::EndToEnd);
/// The measure of wall time; JSON says nothing of its name.
const TIME: &str = "time";
