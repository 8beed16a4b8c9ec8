//! The only room that speaks SQL: rows in, values of `model` out.
//!
//! What is absent: HTTP, parsing of foreign formats, judgement. Every function takes a connection, so the caller
//! owns the transaction; absence is `None` and every fault is a [`StoreError`]. Every statement names the project
//! first, which is what keeps projects apart and lets the schema shard.

mod error;
mod pool;

pub mod alerts;
pub mod baselines;
pub mod policies;
pub mod profiles;
pub mod projects;
pub mod runs;
pub mod series;
pub mod verdicts;

mod blob;
mod dimension;
mod hot;
mod key;
mod summary;
mod text;
mod word;

pub use error::StoreError;
pub use pool::{PoolOptions, Transaction, acquire, begin, commit, connect, migrate, ping};
pub use sqlx::{PgConnection, PgPool as Pool};

/// Every migration, embedded. Rules in `migrations/README.md`.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../../migrations");
