//! The store against a real Postgres: one file a module, a fresh database a test.

#![expect(clippy::unwrap_used, reason = "functions shared by tests fail them by panicking")]

mod build;

mod alerts;
mod baselines;
mod catalogue;
mod policies;
mod profiles;
mod projects;
mod runs;
mod runs_at_once;
mod series;
mod verdicts;
