//! The rules against real names and real profiles.

mod categories;
mod coverage;
mod folded;
mod names;
mod properties;
mod rules;
mod same_program;
