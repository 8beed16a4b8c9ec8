//! perfblame: the service and its command line. Modules in reading order.

pub mod analysis; // store → detect → store
pub mod api; // JSON over HTTP
pub mod cli;
pub mod clock; // the time and fresh ids
pub mod cluster; // a private PostgreSQL when no database is given
pub mod config; // flags and variables
pub mod demo; // the cases that perfblame was born from
pub mod http; // errors at the edge, extractors, middleware
pub mod ingest; // bytes and context to a stored run
pub mod report; // a verdict as text, Markdown and one HTML file
pub mod state; // what handlers share
pub mod telemetry; // logs
pub mod web; // pages // the commands

/// The whole service: API, pages and middleware.
pub fn router(state: state::AppState) -> axum::Router {
    let limits = state.config.limits.clone();
    let routes = api::router(&state).merge(web::router()).with_state(state);
    http::apply(routes, &limits)
}
