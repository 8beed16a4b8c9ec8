//! Observations and profiles of two sides to a verdict.
//!
//! One function, [`judge()`], serves the command line and the server alike. It is total: bad or thin input ends in
//! *inconclusive*, never in an error or a panic. What is absent: I/O, a clock, randomness, knowledge of projects.
//!
//! Reading order: `judge` pairs what both sides measured; `compare` turns one pair into numbers; `fdr` corrects
//! them for their count; `decide` applies floors and significance; `profile` explains with frames; `report` adds it
//! all up to an outcome and a sentence.

mod budget;
mod compare;
mod decide;
mod drift;
mod fdr;
mod headline;
mod judge;
mod policy;
mod profile;
mod rank_test;
mod report;
mod robust;
mod sentence;

pub use judge::judge;

/// Version of the rules in this crate; stored with every verdict. A change of any rule or constant raises it.
pub const RULES_VERSION: u32 = 1;
