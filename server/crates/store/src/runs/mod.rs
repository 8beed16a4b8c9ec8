//! Runs: written whole, found by what people call them, listed, and read back as they were sent.

mod create;
mod find;
mod list;
mod load;
mod unjudged;

pub use create::{Created, NewProfile, NewRun, add_profiles, create};
pub use find::{Run, find, find_by_idempotency_key, resolve};
pub use list::{RunFilter, RunOverview, list};
pub use load::{load, load_benchmarks};
pub use unjudged::list_unjudged;

pub(crate) use find::{RunRow, complete};
