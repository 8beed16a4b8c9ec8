//! Finding one run, by id or by what people call it.

use chrono::{DateTime, Utc};
use model::{BranchName, CommitSha, ProjectId, Role, RunId, TestbedName};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::StoreError;
use crate::text::storable;
use crate::word::{parse_name, parse_word};

/// A stored run without what it measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// Its project.
    pub project_id: ProjectId,
    /// The branch measured.
    pub branch: BranchName,
    /// The commit measured.
    pub commit: CommitSha,
    /// The commit's parents, first parent first; empty when not known.
    pub parents: Vec<CommitSha>,
    /// When it was committed, where known.
    pub committed_at: Option<DateTime<Utc>>,
    /// Where it was measured.
    pub testbed: TestbedName,
    /// What it was made for.
    pub role: Role,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When the server took it.
    pub received_at: DateTime<Utc>,
    /// The pull request that it is for.
    pub pull_request: Option<i32>,
    /// What the sender wants it compared with.
    pub base: Option<String>,
    /// Recorded facts of the machine.
    pub environment: Value,
    /// Whatever the sender attached.
    pub labels: Value,
}

/// A run as a query gives it.
pub(crate) struct RunRow {
    pub(crate) project_id: Uuid,
    pub(crate) run_id: Uuid,
    pub(crate) branch: String,
    pub(crate) commit_sha: String,
    pub(crate) parents: Vec<String>,
    pub(crate) committed_at: Option<DateTime<Utc>>,
    pub(crate) testbed: String,
    pub(crate) role: String,
    pub(crate) started_at: DateTime<Utc>,
    pub(crate) received_at: DateTime<Utc>,
    pub(crate) pull_request: Option<i32>,
    pub(crate) base: Option<String>,
    pub(crate) environment: Value,
    pub(crate) labels: Value,
}

impl TryFrom<RunRow> for Run {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self, StoreError> {
        let parents = row.parents.into_iter().map(|sha| parse_name("commit", "parents", sha));
        Ok(Self {
            id: RunId::from_uuid(row.run_id),
            project_id: ProjectId::from_uuid(row.project_id),
            branch: parse_name("branch", "name", row.branch)?,
            commit: parse_name("commit", "sha", row.commit_sha)?,
            parents: parents.collect::<Result<_, _>>()?,
            committed_at: row.committed_at,
            testbed: parse_name("testbed", "name", row.testbed)?,
            role: parse_word("run", "role", &row.role)?,
            started_at: row.started_at,
            received_at: row.received_at,
            pull_request: row.pull_request,
            base: row.base,
            environment: row.environment,
            labels: row.labels,
        })
    }
}

/// A run by its id.
#[tracing::instrument(name = "db.run.find", skip_all, fields(run.id = %run))]
pub async fn find(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
) -> Result<Option<Run>, StoreError> {
    let row = sqlx::query_as!(
        RunRow,
        r#"
        SELECT
            r.project_id, r.run_id, b.name AS branch, r.commit_sha, c.parents, c.committed_at, t.name AS testbed,
            r.role, r.started_at, r.received_at, r.pull_request, r.base, r.environment, r.labels
        FROM run AS r
        JOIN branch AS b ON b.project_id = r.project_id AND b.branch_id = r.branch_id
        JOIN commit AS c ON c.project_id = r.project_id AND c.sha = r.commit_sha
        JOIN testbed AS t ON t.project_id = r.project_id AND t.testbed_id = r.testbed_id
        WHERE r.project_id = $1 AND r.run_id = $2
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    row.map(Run::try_from).transpose()
}

/// The run that was sent with an idempotency key.
#[tracing::instrument(name = "db.run.find_by_idempotency_key", skip_all)]
pub async fn find_by_idempotency_key(
    conn: &mut PgConnection,
    project: ProjectId,
    key: &str,
) -> Result<Option<RunId>, StoreError> {
    let key = storable(key);
    let id = sqlx::query_scalar!(
        r#"
        SELECT run_id
        FROM run
        WHERE project_id = $1 AND idempotency_key = $2
        "#,
        project.as_uuid(),
        key.as_ref(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(RunId::from_uuid))
}

/// The shortest part of a commit's hash that names it, as in git's own output.
const SHORTEST_PREFIX: usize = 7;

/// The run that a person means: by id, by commit, by branch, by the first characters of a commit (seven or more,
/// and only if no other commit begins so). Of several runs a measured one wins, then the latest.
#[tracing::instrument(name = "db.run.resolve", skip_all)]
pub async fn resolve(
    conn: &mut PgConnection,
    project: ProjectId,
    text: &str,
) -> Result<Option<RunId>, StoreError> {
    let text = text.trim();
    if let Ok(id) = text.parse::<RunId>() {
        return exists(conn, project, id).await;
    }
    // Names hold no control characters, so such a text names nothing.
    if text.is_empty() || text.chars().any(char::is_control) {
        return Ok(None);
    }
    if let Some(run) = latest_of_commit(conn, project, text).await? {
        return Ok(Some(run));
    }
    if let Some(run) = latest_of_branch(conn, project, text).await? {
        return Ok(Some(run));
    }
    match complete(conn, project, text).await? {
        Some(sha) => latest_of_commit(conn, project, &sha).await,
        None => Ok(None),
    }
}

#[tracing::instrument(name = "db.run.exists", skip_all)]
async fn exists(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
) -> Result<Option<RunId>, StoreError> {
    let id = sqlx::query_scalar!(
        r#"
        SELECT run_id
        FROM run
        WHERE project_id = $1 AND run_id = $2
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(RunId::from_uuid))
}

#[tracing::instrument(name = "db.run.latest_of_commit", skip_all)]
async fn latest_of_commit(
    conn: &mut PgConnection,
    project: ProjectId,
    sha: &str,
) -> Result<Option<RunId>, StoreError> {
    let id = sqlx::query_scalar!(
        r#"
        SELECT run_id
        FROM run
        WHERE project_id = $1 AND commit_sha = $2
        ORDER BY (role = 'measured') DESC, run_id DESC
        LIMIT 1
        "#,
        project.as_uuid(),
        sha,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(RunId::from_uuid))
}

#[tracing::instrument(name = "db.run.latest_of_branch", skip_all)]
async fn latest_of_branch(
    conn: &mut PgConnection,
    project: ProjectId,
    name: &str,
) -> Result<Option<RunId>, StoreError> {
    let id = sqlx::query_scalar!(
        r#"
        SELECT r.run_id
        FROM run AS r
        JOIN branch AS b ON b.project_id = r.project_id AND b.branch_id = r.branch_id
        WHERE r.project_id = $1 AND b.name = $2
        ORDER BY (r.role = 'measured') DESC, r.started_at DESC, r.run_id DESC
        LIMIT 1
        "#,
        project.as_uuid(),
        name,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(RunId::from_uuid))
}

/// The one commit that begins with `prefix`; `None` when there is none or more than one.
#[tracing::instrument(name = "db.commit.complete", skip_all)]
pub(crate) async fn complete(
    conn: &mut PgConnection,
    project: ProjectId,
    prefix: &str,
) -> Result<Option<String>, StoreError> {
    if prefix.len() < SHORTEST_PREFIX {
        return Ok(None);
    }
    let mut shas = sqlx::query_scalar!(
        r#"
        SELECT sha
        FROM commit
        WHERE project_id = $1 AND starts_with(sha, $2)
        ORDER BY sha
        LIMIT 2
        "#,
        project.as_uuid(),
        prefix,
    )
    .fetch_all(conn)
    .await?;
    Ok(if shas.len() == 1 { shas.pop() } else { None })
}
