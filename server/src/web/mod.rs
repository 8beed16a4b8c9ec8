//! Pages: server-rendered HTML that works without scripts. A page is a pure function of path, query and database.
//!
//! In reading order: the router here, `routes` (from the database to page values), `pages` and
//! `parts` (values that templates print), `words` (signs and units), `link` (addresses), `shell`, `assets`.

mod assets;
mod link;
mod pages;
mod parts;
mod routes;
mod shell;
mod words;

use axum::Router;
use axum::routing::get;

use crate::state::AppState;

pub use pages::offline::offline_report;
pub use routes::errors::error_page;

/// Every page.
pub fn router() -> Router<AppState> {
    Router::new()
        .route("/", get(routes::projects::page))
        .route("/glossary", get(routes::glossary))
        .route("/assets/{*path}", get(routes::assets::file))
        .route("/p/{project}", get(routes::project::page))
        .route("/p/{project}/compare", get(routes::compare::page))
        .route("/p/{project}/series", get(routes::series::page))
        .route("/p/{project}/runs/{run}", get(routes::run::page))
        .route("/p/{project}/runs/{run}/comparison.svg", get(routes::pictures::comparison_svg))
        .route("/p/{project}/runs/{run}/comparison.png", get(routes::pictures::comparison_png))
        .route("/p/{project}/runs/{run}/findings/{n}", get(routes::finding::page))
        .route("/p/{project}/profiles/{profile}", get(routes::profile::page))
        .fallback(routes::errors::missing)
        .layer(axum::middleware::from_fn(routes::errors::as_pages))
}
