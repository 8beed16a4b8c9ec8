//! Judges one stored run and stores its verdict.

use model::{ProjectId, RunId, Verdict};
use store::baselines::{self, Baseline};
use store::{policies, runs, verdicts};

use crate::http::AppError;
use crate::state::{AppState, blocking};

/// Chooses the baseline, judges, and stores the verdict in one transaction.
///
/// # Errors
///
/// The run does not exist, or the database fails.
pub async fn judge(state: &AppState, project: ProjectId, run_id: RunId) -> Result<Verdict, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let run = runs::find(&mut conn, project, run_id).await?;
    let run = run.ok_or_else(|| AppError::NotFound(format!("run {run_id}")))?;
    let policy = policies::find(&mut conn, project).await?.unwrap_or_default();
    let baseline = baselines::choose(&mut conn, project, &run).await?;
    let head = runs::load(&mut conn, project, run_id).await?;
    let base = match &baseline {
        Some(baseline) => Some(runs::load(&mut conn, project, baseline.run_id).await?),
        None => None,
    };
    drop(conn);
    let mut verdict = blocking(state, move || detect::judge(base.as_ref(), &head, &policy)).await?;
    verdict.baseline = baseline.as_ref().map(Baseline::to_string);
    let base_run = baseline.map(|baseline| baseline.run_id);
    let mut tx = store::begin(&state.pool).await?;
    verdicts::save(&mut tx, project, run_id, base_run, &verdict, state.now()).await?;
    store::commit(tx).await?;
    tracing::info!(run.id = %run_id, verdict.outcome = verdict.outcome.name(), "judged a run");
    Ok(verdict)
}
