//! perfblame.
