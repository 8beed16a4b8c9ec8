//! JSON over HTTP. The router is the table of contents.

mod compare;
mod debug;
mod health;
mod openapi;
mod policy;
mod projects;
mod runs;
mod view;

use axum::Router;
use axum::routing::{get, post};

use crate::http::AppError;
use crate::state::AppState;

/// Every route of the API.
pub fn router(state: &AppState) -> Router<AppState> {
    let mut router = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/api/v1/openapi.json", get(openapi::document))
        .route("/api/v1/projects", get(projects::list))
        .route("/api/v1/projects/{project}", get(projects::show))
        .route("/api/v1/projects/{project}/policy", get(policy::show).put(policy::save))
        .route("/api/v1/projects/{project}/runs", get(runs::list).post(runs::create))
        .route("/api/v1/projects/{project}/runs/{run}", get(runs::show))
        .route("/api/v1/projects/{project}/runs/{run}/profiles", post(runs::add_profiles))
        .route("/api/v1/projects/{project}/compare", get(compare::stored).post(compare::posted));
    if state.config.debug_pprof {
        router = router.route("/debug/pprof/profile", get(debug::profile));
    }
    router.route("/api/{*rest}", axum::routing::any(missing))
}

async fn missing(uri: axum::http::Uri) -> AppError {
    AppError::NotFound(format!("{} in the API (see /api/v1/openapi.json)", uri.path()))
}
