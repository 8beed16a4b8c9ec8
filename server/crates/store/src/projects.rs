//! Projects: made on first use, listed with what is worth knowing at a glance.

use chrono::{DateTime, Utc};
use model::{ProjectId, ProjectSlug};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::StoreError;
use crate::word::parse_name;

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Its name in URLs.
    pub slug: ProjectSlug,
    /// When it was first named.
    pub created_at: DateTime<Utc>,
}

/// A project in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectOverview {
    /// The project.
    pub project: Project,
    /// Number of runs.
    pub n_runs: i64,
    /// Number of distinct benchmarks ever sent.
    pub n_benchmarks: i64,
    /// When the last run arrived.
    pub last_run_at: Option<DateTime<Utc>>,
    /// Number of open regressions.
    pub open_regressions: i64,
}

struct Row {
    project_id: Uuid,
    slug: String,
    created_at: DateTime<Utc>,
}

impl TryFrom<Row> for Project {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: ProjectId::from_uuid(row.project_id),
            slug: parse_name("project", "slug", row.slug)?,
            created_at: row.created_at,
        })
    }
}

/// The project of a name.
#[tracing::instrument(name = "db.project.find", skip_all)]
pub async fn find(conn: &mut PgConnection, slug: &ProjectSlug) -> Result<Option<Project>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"
        SELECT project_id, slug, created_at
        FROM project
        WHERE slug = $1
        "#,
        slug.as_str(),
    )
    .fetch_optional(conn)
    .await?;
    row.map(Project::try_from).transpose()
}

/// The project of a name, made under `new_id` when there is none yet.
#[tracing::instrument(name = "db.project.upsert", skip_all)]
pub async fn upsert(
    conn: &mut PgConnection,
    new_id: ProjectId,
    slug: &ProjectSlug,
    now: DateTime<Utc>,
) -> Result<Project, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"
        WITH found AS (
            SELECT project_id, slug, created_at
            FROM project
            WHERE slug = $2
        ), written AS (
            INSERT INTO project (project_id, slug, created_at)
            SELECT $1, $2, $3
            WHERE NOT EXISTS (SELECT FROM found)
            -- Changes nothing: it makes the row visible when another transaction was first.
            ON CONFLICT (slug) DO UPDATE SET slug = EXCLUDED.slug
            RETURNING project_id, slug, created_at
        )
        SELECT project_id AS "project_id!", slug AS "slug!", created_at AS "created_at!" FROM found
        UNION ALL
        SELECT project_id, slug, created_at FROM written
        "#,
        new_id.as_uuid(),
        slug.as_str(),
        now,
    )
    .fetch_one(conn)
    .await?;
    row.try_into()
}

/// Every project, by name.
#[tracing::instrument(name = "db.project.list", skip_all)]
pub async fn list(conn: &mut PgConnection) -> Result<Vec<ProjectOverview>, StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT
            p.project_id,
            p.slug,
            p.created_at,
            (SELECT count(*) FROM run AS r WHERE r.project_id = p.project_id) AS "n_runs!",
            (SELECT count(*) FROM benchmark AS b WHERE b.project_id = p.project_id) AS "n_benchmarks!",
            -- Run ids are in order of arrival, so the last one is the right edge of the primary key.
            (
                SELECT r.received_at
                FROM run AS r
                WHERE r.project_id = p.project_id
                ORDER BY r.run_id DESC
                LIMIT 1
            ) AS last_run_at,
            (
                SELECT count(*)
                FROM alert AS a
                WHERE a.project_id = p.project_id AND a.state = 'open'
            ) AS "open_regressions!"
        FROM project AS p
        ORDER BY p.slug
        "#,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let project = Row { project_id: row.project_id, slug: row.slug, created_at: row.created_at };
            Ok(ProjectOverview {
                project: project.try_into()?,
                n_runs: row.n_runs,
                n_benchmarks: row.n_benchmarks,
                last_run_at: row.last_run_at,
                open_regressions: row.open_regressions,
            })
        })
        .collect()
}
