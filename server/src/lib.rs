//! perfblame.

pub mod cluster;
