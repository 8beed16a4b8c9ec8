//! Runs that wait for a verdict: what a process left behind when it died between storing and judging.

use chrono::{DateTime, Utc};
use model::{ProjectId, RunId};
use sqlx::PgConnection;

use crate::StoreError;

/// Runs of any project that arrived before `before` and have no verdict, oldest first.
#[tracing::instrument(name = "db.run.list_unjudged", skip_all)]
pub async fn list_unjudged(
    conn: &mut PgConnection,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<(ProjectId, RunId)>, StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT r.project_id, r.run_id
        FROM run AS r
        WHERE r.received_at <= $1
            AND NOT EXISTS (
                SELECT 1
                FROM verdict AS v
                WHERE v.project_id = r.project_id AND v.run_id = r.run_id
            )
        ORDER BY r.run_id
        LIMIT $2
        "#,
        before,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (ProjectId::from_uuid(row.project_id), RunId::from_uuid(row.run_id)))
        .collect())
}
