//! What a path names, or a 404.

use model::{ProjectSlug, RunId};
use store::PgConnection;
use store::projects::Project;
use store::runs::Run;

use super::AppError;

/// The project that a path names.
pub(crate) async fn project(conn: &mut PgConnection, slug: &ProjectSlug) -> Result<Project, AppError> {
    let found = store::projects::find(conn, slug).await?;
    found.ok_or_else(|| AppError::NotFound(format!("project {slug}")))
}

/// The run that a path names.
pub(crate) async fn run(conn: &mut PgConnection, project: &Project, id: RunId) -> Result<Run, AppError> {
    let found = store::runs::find(conn, project.id, id).await?;
    found.ok_or_else(|| AppError::NotFound(format!("run {id} of project {}", project.slug)))
}
