//! The OpenAPI document, put together from what stands beside each handler.

use axum::Json;
use utoipa::OpenApi;

use super::{compare, health, policy, projects, runs};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "perfblame",
        description = "Catches performance regressions and names the code that caused them.",
        license(name = "MIT")
    ),
    paths(
        health::healthz,
        health::readyz,
        projects::list,
        projects::show,
        policy::show,
        policy::save,
        runs::create,
        runs::list,
        runs::show,
        runs::add_profiles,
        compare::stored,
        compare::posted
    ),
    components(schemas(crate::http::Problem))
)]
struct Document;

/// The document as served and as snapshotted.
pub(super) async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Document::openapi())
}
