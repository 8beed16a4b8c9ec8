//! The private PostgreSQL cluster: for those who have PostgreSQL installed but no database to give.
//!
//! perfblame makes a cluster in its own data directory, runs `postgres` as its child on a Unix socket and stops
//! it on exit. What a crash leaves behind is taken over, never wiped. Nothing here knows SQL, pools or tables.
//!
//! In reading order: [`ClusterOptions`] say where, `install` finds the programs, `account` says who runs them,
//! `layout` lays out the directory, `create` makes a cluster, `orphan` takes over what was left, `start` runs it.

mod account;
mod create;
mod error;
mod install;
mod layout;
mod options;
mod orphan;
mod postmaster;
mod signal;
mod start;

#[cfg(test)]
mod tests;

pub use error::ClusterError;
pub use options::{ClusterOptions, default_data_dir};
pub use start::Cluster;
