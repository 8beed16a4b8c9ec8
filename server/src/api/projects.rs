//! Projects.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use model::ProjectSlug;
use serde::Serialize;
use store::projects::{self, ProjectOverview};

use super::view::Page;
use crate::http::AppError;
use crate::http::extract::Path;
use crate::state::AppState;

/// A project as the API shows it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ProjectView {
    /// The slug in addresses.
    project: String,
    /// Runs stored.
    runs: i64,
    /// Benchmarks known.
    benchmarks: i64,
    /// When the last run arrived.
    last_run_at: Option<DateTime<Utc>>,
    /// Regressions that are open.
    open_regressions: i64,
}

impl From<ProjectOverview> for ProjectView {
    fn from(overview: ProjectOverview) -> Self {
        Self {
            project: overview.project.slug.to_string(),
            runs: overview.n_runs,
            benchmarks: overview.n_benchmarks,
            last_run_at: overview.last_run_at,
            open_regressions: overview.open_regressions,
        }
    }
}

/// Every project.
#[utoipa::path(get, path = "/api/v1/projects", tag = "projects",
    responses((status = 200, body = Page<ProjectView>)))]
pub(super) async fn list(State(state): State<AppState>) -> Result<Json<Page<ProjectView>>, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let items = projects::list(&mut conn).await?.into_iter().map(ProjectView::from).collect();
    Ok(Json(Page { items, next: None }))
}

/// One project.
#[utoipa::path(get, path = "/api/v1/projects/{project}", tag = "projects",
    params(("project" = String, Path, description = "The project's slug")),
    responses((status = 200, body = ProjectView), (status = 404, body = crate::http::Problem)))]
pub(super) async fn show(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
) -> Result<Json<ProjectView>, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let all = projects::list(&mut conn).await?;
    let found = all.into_iter().find(|overview| overview.project.slug == slug);
    found.map(|overview| Json(overview.into())).ok_or_else(|| AppError::NotFound(format!("project {slug}")))
}
