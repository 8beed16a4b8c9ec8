//! Judges what was stored and not judged: a process that died between the two loses no verdict.

use std::time::Duration;

use super::judge;
use crate::state::AppState;

/// How long a run may wait for the request that stored it before the sweep takes it.
const GRACE: chrono::TimeDelta = chrono::TimeDelta::seconds(30);
/// How often the sweep looks.
const EVERY: Duration = Duration::from_secs(15);
/// Runs taken at once.
const BATCH: i64 = 20;

/// Looks for runs without a verdict until told to stop. At start there is no grace: whatever is unjudged then was
/// left by an earlier process or belongs to another replica, where judging twice gives the same verdict.
pub async fn sweep(state: AppState, stop: tokio_util::sync::CancellationToken) {
    let mut grace = chrono::TimeDelta::zero();
    loop {
        if let Err(error) = once(&state, grace).await {
            tracing::warn!(error = %error, "could not look for runs without a verdict");
        }
        grace = GRACE;
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

async fn once(state: &AppState, grace: chrono::TimeDelta) -> Result<(), crate::http::AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let waiting = store::runs::list_unjudged(&mut conn, state.now() - grace, BATCH).await?;
    drop(conn);
    for (project, run) in waiting {
        if let Err(error) = judge(state, project, run).await {
            tracing::error!(run.id = %run, error = %error, "a run could not be judged");
        }
    }
    Ok(())
}
