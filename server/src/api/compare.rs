//! A verdict on any two sides, storing nothing.

use axum::extract::{Multipart, State};
use axum::http::HeaderMap;
use axum::response::Response;
use frames::Rules;
use model::{Policy, ProjectSlug};
use serde::Deserialize;

use super::view::verdict_text;
use crate::http::extract::{Path, Query};
use crate::http::{AppError, accept, lookup};
use crate::ingest::{FileHints, UploadFile, read_files};
use crate::report::Links;
use crate::state::{AppState, blocking};

/// Which stored runs to compare.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sides {
    /// The baseline: a run's id, a commit or a branch.
    base: String,
    /// The candidate, likewise.
    head: String,
    /// `json`, `markdown` or `text`; else the `Accept` header decides.
    format: Option<String>,
}

/// Compares two stored runs.
#[utoipa::path(get, path = "/api/v1/projects/{project}/compare", tag = "verdicts",
    params(("project" = String, Path, description = "The project's slug"),
        ("base" = String, Query, description = "The baseline: a run's id, a commit or a branch"),
        ("head" = String, Query, description = "The candidate, likewise"),
        ("format" = Option<String>, Query, description = "json, markdown or text")),
    responses((status = 200, description = "The verdict", body = Object), (status = 404, body = crate::http::Problem)))]
pub(super) async fn stored(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    Query(sides): Query<Sides>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    drop(conn);
    let compared = crate::analysis::compare(&state, project.id, &sides.base, &sides.head).await?;
    let form = accept::form(sides.format.as_deref(), &headers);
    Ok(verdict_text(&compared.verdict, &Links::default(), form))
}

/// The form of the answer to posted files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Posted {
    format: Option<String>,
    base_column: Option<String>,
    head_column: Option<String>,
}

/// Compares files that are posted and not stored: `multipart/form-data` with any number of `base` and `head` files.
#[utoipa::path(post, path = "/api/v1/projects/{project}/compare", tag = "verdicts",
    params(("project" = String, Path, description = "The project's slug, whose policy is used if it exists"),
        ("format" = Option<String>, Query, description = "json, markdown or text"),
        ("base_column" = Option<String>, Query, description = "The baseline's column in files with several; the first by default"),
        ("head_column" = Option<String>, Query, description = "The candidate's column; the last by default")),
    request_body(content_type = "multipart/form-data", content = Object),
    responses((status = 200, description = "The verdict", body = Object), (status = 422, body = crate::http::Problem)))]
pub(super) async fn posted(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    Query(query): Query<Posted>,
    headers: HeaderMap,
    mut parts: Multipart,
) -> Result<Response, AppError> {
    let (mut base, mut head) = (Vec::new(), Vec::new());
    let column = |of: &Option<String>, default: &str| FileHints {
        column: Some(of.clone().unwrap_or_else(|| default.to_owned())),
        ..FileHints::default()
    };
    let broken = |error: axum::extract::multipart::MultipartError| {
        AppError::bad_request("multipart body", error.body_text())
    };
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let (field, name) = (part.name().unwrap_or_default().to_owned(), part.file_name().map(str::to_owned));
        let (side, hints) = match field.as_str() {
            "base" => (&mut base, column(&query.base_column, "1")),
            "head" => (&mut head, FileHints { column: query.head_column.clone(), ..FileHints::default() }),
            other => {
                return Err(AppError::bad_request(
                    format!("part {other:?}"),
                    "known parts are base and head",
                ));
            }
        };
        let bytes = part.bytes().await.map_err(broken)?;
        side.push(UploadFile { name, role: None, bytes, hints });
    }
    let mut conn = store::acquire(&state.pool).await?;
    let policy = match store::projects::find(&mut conn, &slug).await? {
        Some(project) => store::policies::find(&mut conn, project.id).await?.unwrap_or_default(),
        None => Policy::default(),
    };
    drop(conn);
    let limits = state.config.limits.formats();
    let verdict = blocking(&state, move || {
        let rules = Rules::new(&policy.categories);
        let base = read_files(&base, &rules, &limits)?;
        let head = read_files(&head, &rules, &limits)?;
        Ok::<_, AppError>(detect::judge(Some(&base.run), &head.run, &policy))
    })
    .await??;
    let form = accept::form(query.format.as_deref(), &headers);
    Ok(verdict_text(&verdict, &Links::default(), form))
}
