//! CI posts a run.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{ProjectSlug, Verdict};
use store::{runs, verdicts};

use super::super::view::RunView;
use crate::analysis;
use crate::http::extract::{Path, Query};
use crate::http::{AppError, accept};
use crate::ingest::{self, Accepted, MetaQuery};
use crate::state::AppState;

/// Stores a run and answers with its verdict.
///
/// The body is a file in any known format (gzip and zstd are taken off), `multipart/form-data` with a `meta` part
/// (JSON) and any number of `benchmark` and `profile` files, or native JSON. What is named is created on first use.
/// What `format` to `operations` say holds for every file; `files` in the `meta` part says it by file name and wins.
/// A tar or zip archive stands for the files in it.
#[utoipa::path(post, path = "/api/v1/projects/{project}/runs", tag = "runs",
    params(("project" = String, Path, description = "The project's slug; created on first use"),
        ("branch" = Option<String>, Query), ("commit" = Option<String>, Query),
        ("parents" = Option<String>, Query, description = "Commits, separated by commas"),
        ("base" = Option<String>, Query, description = "What to compare with: a branch, a commit or a run's id"),
        ("pull_request" = Option<i32>, Query), ("testbed" = Option<String>, Query),
        ("role" = Option<String>, Query, description = "measured, profiled or confirming"),
        ("started_at" = Option<String>, Query),
        ("file" = Option<String>, Query, description = "The name of a raw body's file; some formats name a benchmark by it"),
        ("format" = Option<String>, Query, description = "The format, instead of finding it out; `perfblame formats` lists them"),
        ("column" = Option<String>, Query, description = "The column of a file that holds several sides"),
        ("benchmark" = Option<String>, Query, description = "The benchmark that a profile belongs to, or that a file with one benchmark is named after"),
        ("kind" = Option<String>, Query, description = "end-to-end or micro"),
        ("event" = Option<String>, Query, description = "The event of a profile, over what the file says"),
        ("unit" = Option<String>, Query, description = "The unit of a profile's weights, over what the file says"),
        ("period" = Option<f64>, Query, description = "Units of weight between two samples of a profile"),
        ("mapping" = Option<String>, Query, description = "Where the benchmarks of a JSON or CSV document stand, for the formats json-mapping and csv"),
        ("operations" = Option<f64>, Query, description = "How many operations the profiled run did"),
        ("wait" = Option<String>, Query, description = "0 answers 202 without waiting for the verdict"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same key twice gives the same run once")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, description = "Stored and judged", body = RunView),
        (status = 200, description = "The idempotency key was seen before: that run", body = RunView),
        (status = 202, description = "Stored; the verdict is pending", body = RunView),
        (status = 400, body = crate::http::Problem), (status = 413, body = crate::http::Problem),
        (status = 415, body = crate::http::Problem), (status = 422, body = crate::http::Problem)))]
pub(crate) async fn create(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    Query(query): Query<MetaQuery>,
    request: Request,
) -> Result<Response, AppError> {
    let form = accept::form(None, request.headers());
    let upload = ingest::receive(&state, &query, request).await?;
    let accepted = ingest::accept(&state, &slug, upload).await?;
    let verdict = verdict_in_time(&state, &accepted, query.wait.as_deref() == Some("0")).await?;
    let mut conn = store::acquire(&state.pool).await?;
    let run = runs::find(&mut conn, accepted.project.id, accepted.run_id).await?;
    let run = run.ok_or_else(|| AppError::NotFound(format!("run {}", accepted.run_id)))?;
    let status = match (accepted.existed, &verdict) {
        (true, _) => StatusCode::OK,
        (false, Some(_)) => StatusCode::CREATED,
        (false, None) => StatusCode::ACCEPTED,
    };
    let mut view = RunView::new(&state, slug.as_str(), &run, verdict);
    view.files = accepted.files;
    Ok(view.respond(status, form))
}

/// Judges in a task of its own, so that a caller who hangs up or a deadline that passes loses nothing.
async fn verdict_in_time(
    state: &AppState,
    accepted: &Accepted,
    hurry: bool,
) -> Result<Option<Verdict>, AppError> {
    let (project, run) = (accepted.project.id, accepted.run_id);
    if accepted.existed {
        let mut conn = store::acquire(&state.pool).await?;
        if let Some(stored) = verdicts::find(&mut conn, project, run).await? {
            return Ok(Some(stored.verdict));
        }
    }
    let worker = state.clone();
    let task = state.tasks.spawn(async move { analysis::judge(&worker, project, run).await });
    if hurry {
        return Ok(None);
    }
    match tokio::time::timeout(state.config.limits.verdict_wait(), task).await {
        Ok(done) => {
            // The run is stored whatever happens here; the sweep judges it again when this failed.
            let verdict = done?.inspect_err(crate::http::error::log_fault);
            Ok(verdict.ok())
        }
        Err(_) => Ok(None),
    }
}
