//! The rules on real numbers and real profiles, and their invariants on arbitrary ones.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod cases;
mod corpus;
mod pairs;
mod properties;
mod rules;
