//! Profiles that arrive after their run.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{ProjectSlug, RunId};

use super::super::view::RunView;
use crate::analysis;
use crate::http::extract::{Path, Query};
use crate::http::{AppError, accept, lookup};
use crate::ingest::{self, MetaQuery};
use crate::state::AppState;

/// Adds profiles to a run and judges it again.
#[utoipa::path(post, path = "/api/v1/projects/{project}/runs/{run}/profiles", tag = "runs",
    params(("project" = String, Path), ("run" = String, Path, description = "The run's id"),
        ("event" = Option<String>, Query), ("unit" = Option<String>, Query),
        ("benchmark" = Option<String>, Query, description = "The benchmark that the profile belongs to"),
        ("event" = Option<String>, Query, description = "The event, over what the file says"),
        ("unit" = Option<String>, Query, description = "The unit of the weights, over what the file says"),
        ("period" = Option<f64>, Query, description = "Units of weight between two samples"),
        ("operations" = Option<f64>, Query, description = "How many operations the profiled run did")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = RunView), (status = 404, body = crate::http::Problem),
        (status = 422, body = crate::http::Problem)))]
pub(crate) async fn add_profiles(
    State(state): State<AppState>,
    Path((slug, run)): Path<(ProjectSlug, RunId)>,
    Query(query): Query<MetaQuery>,
    request: Request,
) -> Result<Response, AppError> {
    let form = accept::form(None, request.headers());
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let found = lookup::run(&mut conn, &project, run).await?;
    drop(conn);
    let upload = ingest::receive(&state, &query, request).await?;
    let files = ingest::add_profiles(&state, &project, run, upload).await?;
    let verdict = analysis::judge(&state, project.id, run).await?;
    let mut view = RunView::new(&state, slug.as_str(), &found, Some(verdict));
    view.files = files;
    Ok(view.respond(StatusCode::CREATED, form))
}
