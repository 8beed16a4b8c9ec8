//! One run with its verdict.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use model::{ProjectSlug, RunId};
use serde::Deserialize;
use store::verdicts;

use super::super::view::RunView;
use crate::http::extract::{Path, Query};
use crate::http::{AppError, accept, lookup};
use crate::state::AppState;

/// The form of the answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    format: Option<String>,
}

/// A run with its verdict, as JSON, Markdown or a table.
#[utoipa::path(get, path = "/api/v1/projects/{project}/runs/{run}", tag = "runs",
    params(("project" = String, Path), ("run" = String, Path, description = "The run's id"),
        ("format" = Option<String>, Query, description = "json, markdown or text; else the Accept header decides")),
    responses((status = 200, body = RunView), (status = 404, body = crate::http::Problem)))]
pub(crate) async fn show(
    State(state): State<AppState>,
    Path((slug, run)): Path<(ProjectSlug, RunId)>,
    Query(shape): Query<Shape>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let found = lookup::run(&mut conn, &project, run).await?;
    let verdict = verdicts::find(&mut conn, project.id, run).await?.map(|stored| stored.verdict);
    let view = RunView::new(&state, slug.as_str(), &found, verdict);
    Ok(view.respond(StatusCode::OK, accept::form(shape.format.as_deref(), &headers)))
}
