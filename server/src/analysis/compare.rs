//! Judges any two stored runs on request, storing nothing.

use model::{ProjectId, Verdict};
use store::runs::{self, Run};
use store::{PgConnection, policies};

use crate::http::AppError;
use crate::state::{AppState, blocking};

/// Two runs and the verdict on the second.
#[derive(Debug)]
pub struct Compared {
    /// The baseline.
    pub base: Run,
    /// The candidate.
    pub head: Run,
    /// The verdict.
    pub verdict: Verdict,
}

/// Judges `head` against `base`; each is a run's id, a commit or a branch (its latest run).
///
/// # Errors
///
/// One of them names no run, or the database fails.
pub async fn compare(
    state: &AppState,
    project: ProjectId,
    base: &str,
    head: &str,
) -> Result<Compared, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let base = resolve(&mut conn, project, "base", base).await?;
    let head = resolve(&mut conn, project, "head", head).await?;
    let policy = policies::find(&mut conn, project).await?.unwrap_or_default();
    let base_data = runs::load(&mut conn, project, base.id).await?;
    let head_data = runs::load(&mut conn, project, head.id).await?;
    drop(conn);
    let mut verdict = blocking(state, move || detect::judge(Some(&base_data), &head_data, &policy)).await?;
    verdict.baseline = Some(format!("run {} of {} at {}", base.id, base.branch, base.commit.short()));
    Ok(Compared { base, head, verdict })
}

async fn resolve(conn: &mut PgConnection, project: ProjectId, at: &str, text: &str) -> Result<Run, AppError> {
    let missing = || AppError::NotFound(format!("{at}={text:?} as a run's id, a commit or a branch"));
    let id = runs::resolve(conn, project, text).await?.ok_or_else(missing)?;
    runs::find(conn, project, id).await?.ok_or_else(missing)
}
