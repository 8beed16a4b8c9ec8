//! A project's policy.

use chrono::{DateTime, Utc};
use model::{Policy, ProjectId};
use sqlx::PgConnection;

use crate::StoreError;
use crate::text::storable_json;

/// The policy that a project wrote; `None` when it judges with the defaults.
#[tracing::instrument(name = "db.policy.find", skip_all)]
pub async fn find(conn: &mut PgConnection, project: ProjectId) -> Result<Option<Policy>, StoreError> {
    let document = sqlx::query_scalar!(
        r#"
        SELECT document::text AS "document!"
        FROM policy
        WHERE project_id = $1
        "#,
        project.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    document
        .map(|text| {
            serde_json::from_str(&text).map_err(|error| StoreError::corrupt("policy", "document", error))
        })
        .transpose()
}

/// Replaces the policy of a project and counts its version up.
#[tracing::instrument(name = "db.policy.save", skip_all)]
pub async fn save(
    conn: &mut PgConnection,
    project: ProjectId,
    policy: &Policy,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        r#"
        INSERT INTO policy (project_id, document, version, updated_at)
        VALUES ($1, $2::text::jsonb, 1, $3)
        ON CONFLICT (project_id) DO UPDATE SET
            document = EXCLUDED.document,
            version = policy.version + 1,
            updated_at = EXCLUDED.updated_at
        "#,
        project.as_uuid(),
        storable_json(policy)?,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
