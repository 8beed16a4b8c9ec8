//! Judges one stored run and stores its verdict.

use model::{ProjectId, RunId, Verdict};
use store::baselines::{self, Baseline, BaselineKind};
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
    verdict.baseline = baseline.as_ref().map(words);
    let base_run = baseline.map(|baseline| baseline.run_id);
    let mut tx = store::begin(&state.pool).await?;
    verdicts::save(&mut tx, project, run_id, base_run, &verdict, state.now()).await?;
    store::commit(tx).await?;
    tracing::info!(run.id = %run_id, verdict.outcome = verdict.outcome.name(), "judged a run");
    Ok(verdict)
}

/// How the baseline was chosen, honestly: which run, by which rule, how far away.
fn words(baseline: &Baseline) -> String {
    let how = &baseline.how;
    let rule = match how.kind {
        BaselineKind::NamedRun => "the run that the sender named".to_owned(),
        BaselineKind::NamedCommit => "the commit that the sender named".to_owned(),
        BaselineKind::NamedBranch => format!("the latest run of {}, which the sender named", how.branch),
        BaselineKind::Ancestor => "the nearest measured ancestor".to_owned(),
        BaselineKind::SameBranch => format!("the run before on {} (commit parents unknown)", how.branch),
        BaselineKind::OtherBranch => format!("the latest run of {} (merge base unknown)", how.branch),
    };
    let distance = match how.distance {
        None | Some(0) => String::new(),
        Some(1) => ", 1 commit older".to_owned(),
        Some(n) => format!(", {n} commits older"),
    };
    format!("{rule}{distance} (run {})", baseline.run_id)
}
