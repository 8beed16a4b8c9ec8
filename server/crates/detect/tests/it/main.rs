//! The rules on real numbers and real profiles, and their invariants on arbitrary ones.

mod cases;
mod corpus;
mod pairs;
mod properties;
mod rules;
