//! Flame graphs, root on top. [`flame_svg`] draws one tree, [`diff_svg`] two of them on one.
//!
//! Nothing is dropped in silence: frames too small or too many to draw are summed in boxes that say how many
//! they are, and so are rows beyond the deepest drawn one.

mod diff;
mod layout;
mod legend;
mod merge;
mod one;
mod tree;
mod write;

pub use diff::{DiffFlame, DiffOptions, diff_svg};
pub use layout::{BoxKind, FlameBox, Limits};
pub use merge::{DiffNode, DiffTree};
pub use one::{Flame, FlameOptions, flame_svg};
