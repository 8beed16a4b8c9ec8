//! store → detect → store: judges a candidate against its baseline.

mod compare;
mod judge;
mod sweep;

pub use compare::{Compared, compare};
pub use judge::judge;
pub use sweep::sweep;
