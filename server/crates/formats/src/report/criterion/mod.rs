//! criterion: its text, cargo-criterion's messages, single files of `target/criterion`, and the folder as an archive.

mod folder;
mod json;
mod messages;
mod text;

use model::Kind;

pub(super) use folder::READER as FOLDER;
pub(super) use json::{BENCHMARK, ESTIMATES, SAMPLE};
pub(super) use messages::READER as MESSAGES;
pub(super) use text::READER as TEXT;

/// The measure of time where nothing names it.
const TIME: &str = "time";
const KIND: Option<Kind> = Some(Kind::Micro);
