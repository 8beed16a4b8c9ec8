//! Runs, newest first, paged by key.

use axum::Json;
use axum::extract::State;
use model::{BranchName, CommitSha, Outcome, ProjectSlug, RunId, TestbedName};
use serde::Deserialize;
use store::runs::{self, RunFilter};

use super::super::view::{Page, RunSummary};
use crate::http::extract::{Path, Query};
use crate::http::{AppError, lookup};
use crate::state::AppState;

/// Which runs.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Filter {
    branch: Option<BranchName>,
    testbed: Option<TestbedName>,
    commit: Option<CommitSha>,
    verdict: Option<Outcome>,
    pull_request: Option<i32>,
    before: Option<RunId>,
    limit: Option<i64>,
}

/// Runs of a project.
#[utoipa::path(get, path = "/api/v1/projects/{project}/runs", tag = "runs",
    params(("project" = String, Path), ("branch" = Option<String>, Query), ("testbed" = Option<String>, Query),
        ("commit" = Option<String>, Query), ("verdict" = Option<String>, Query),
        ("pull_request" = Option<i32>, Query),
        ("before" = Option<String>, Query, description = "Only runs older than this one"),
        ("limit" = Option<i64>, Query, description = "1 to 200, 50 by default")),
    responses((status = 200, body = Page<RunSummary>), (status = 404, body = crate::http::Problem)))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    Query(filter): Query<Filter>,
) -> Result<Json<Page<RunSummary>>, AppError> {
    let limit = filter.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(AppError::bad_request("limit", "it must be between 1 and 200"));
    }
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let filter = RunFilter {
        branch: filter.branch,
        testbed: filter.testbed,
        commit: filter.commit,
        outcome: filter.verdict,
        pull_request: filter.pull_request,
        before: filter.before,
    };
    let found = runs::list(&mut conn, project.id, &filter, limit).await?;
    let full = usize::try_from(limit).is_ok_and(|limit| found.len() == limit);
    let last = found.last().filter(|_| full).map(|last| last.run.id);
    let next = last.map(|last| next_page(&slug, &filter, last, limit));
    let items = found.into_iter().map(|overview| RunSummary::new(&state, slug.as_str(), overview)).collect();
    Ok(Json(Page { items, next }))
}

fn next_page(slug: &ProjectSlug, filter: &RunFilter, last: RunId, limit: i64) -> String {
    let mut query = vec![("before", last.to_string()), ("limit", limit.to_string())];
    query.extend(filter.branch.iter().map(|v| ("branch", v.to_string())));
    query.extend(filter.testbed.iter().map(|v| ("testbed", v.to_string())));
    query.extend(filter.commit.iter().map(|v| ("commit", v.to_string())));
    query.extend(filter.outcome.iter().map(|v| ("verdict", v.name().to_owned())));
    query.extend(filter.pull_request.iter().map(|v| ("pull_request", v.to_string())));
    let query = serde_urlencoded::to_string(query).unwrap_or_default();
    format!("/api/v1/projects/{slug}/runs?{query}")
}
