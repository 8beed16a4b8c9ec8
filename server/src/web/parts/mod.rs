//! Pieces that several pages show, as values that templates print.

pub(crate) mod bars;
pub(crate) mod drawings;
pub(crate) mod findings;
pub(crate) mod frames;
pub(crate) mod rows;
pub(crate) mod suspects;
pub(crate) mod verdict;
