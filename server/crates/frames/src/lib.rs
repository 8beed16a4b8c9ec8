//! Raw symbols to canonical names and categories, by rules with a version.
//!
//! Read in this order: `ecosystem` tells which runtime a frame is of, `canonical` names it, `pattern` and `rules`
//! say what it is for, `category` looks that up, `normalise` does all of it to a profile. Pure and total: no I/O,
//! no errors, no panics, and bounded time on any input.

pub mod canonical;
mod category;
pub mod ecosystem;
mod normalise;
mod pattern;
pub mod rules;

pub use canonical::canonical;
pub use category::Rules;
pub use ecosystem::{Ecosystem, Family};
pub use normalise::normalise;

/// Version of the naming and category rules. Any change that gives a frame another name or category takes the next
/// number, so that stored profiles can be told apart and normalised again.
pub const RULES_VERSION: u32 = 2;
