//! A verdict as people read it: a table for a terminal, Markdown for a pull request, charts. All of them
//! show the same value and compute nothing.

pub mod charts;
pub mod markdown;
mod rows;
pub mod text;

pub use rows::{cost, finding_change, sides};

/// Where a reader can go from a report, when there is a server.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// The page of the run.
    pub run: Option<String>,
    /// How to get the same verdict again.
    pub reproduce: Option<String>,
}
