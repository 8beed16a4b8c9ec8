//! Which run a run is compared with.
//!
//! Only measured runs on the same testbed and of another commit qualify: slowed-down and confirming runs would
//! shift the level, and a commit compared with itself says nothing. The order, first match wins:
//!
//! 1. what the sender named (a run, a commit, a branch);
//! 2. the nearest ancestor in the commit graph;
//! 3. the run before on the same branch;
//! 4. the latest run of `main` or `master`.
//!
//! Runs of pull requests are nobody's baseline but their own pull request's, and there only when nothing else is:
//! a change must be judged against what it is merged into, not against its own first attempt.

use chrono::{DateTime, Utc};
use model::{BranchName, ProjectId, RunId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::StoreError;
use crate::runs::{Run, complete};
use crate::word::parse_name;

/// A baseline and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// The run to compare with.
    pub run_id: RunId,
    /// How it was chosen.
    pub how: BaselineHow,
}

/// How a baseline was chosen, for the words that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineHow {
    /// By which rule.
    pub kind: BaselineKind,
    /// Commits between it and where the search began (the candidate, or the commit named), where the graph is known.
    pub distance: Option<u32>,
    /// The branch of the baseline.
    pub branch: BranchName,
}

/// The rule that chose a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BaselineKind {
    /// The sender named this run.
    NamedRun,
    /// The sender named this commit, or one whose nearest measured ancestor it is.
    NamedCommit,
    /// The sender named its branch.
    NamedBranch,
    /// It is the nearest measured ancestor.
    Ancestor,
    /// It is the run before on the same branch.
    SameBranch,
    /// It is the latest run of the branch that others branch off.
    OtherBranch,
}

/// Branches that others branch off when the sender does not say which.
const TRUNKS: [&str; 2] = ["main", "master"];

/// How many commits back an ancestor is looked for. Further back, the latest run of the branch is as good.
const FARTHEST: i32 = 500;

/// The baseline of a run; `None` when there is nothing to compare it with.
#[tracing::instrument(name = "db.baseline.choose", skip_all, fields(run.id = %run.id))]
pub async fn choose(
    conn: &mut PgConnection,
    project: ProjectId,
    run: &Run,
) -> Result<Option<Baseline>, StoreError> {
    if let Some(base) = run.base.as_deref().map(str::trim)
        && let Some(baseline) = named(conn, project, run, base).await?
    {
        return Ok(Some(baseline));
    }
    let start = Search { commit: run.commit.as_str(), branch: None };
    if let Some(found) = nearest(conn, project, run, start).await? {
        return found.baseline(BaselineKind::Ancestor);
    }
    let own = run.branch.as_str();
    if run.pull_request.is_none()
        && let Some(found) = before_on(conn, project, run, own).await?
    {
        return found.baseline(BaselineKind::SameBranch);
    }
    for trunk in TRUNKS.into_iter().filter(|trunk| *trunk != own) {
        if let Some(found) = latest_on(conn, project, run, trunk).await? {
            return found.baseline(BaselineKind::OtherBranch);
        }
    }
    match before_on(conn, project, run, own).await? {
        Some(found) => found.baseline(BaselineKind::SameBranch),
        None => Ok(None),
    }
}

/// What the sender named. A name that leads nowhere is passed over: the words of the comparison say which rule
/// was used instead.
async fn named(
    conn: &mut PgConnection,
    project: ProjectId,
    run: &Run,
    base: &str,
) -> Result<Option<Baseline>, StoreError> {
    if let Ok(id) = base.parse::<RunId>() {
        let found = by_id(conn, project, run, id).await?;
        return found.map_or(Ok(None), |found| found.baseline(BaselineKind::NamedRun));
    }
    if base.is_empty() || base.chars().any(char::is_control) {
        return Ok(None);
    }
    let at_commit = Search { commit: base, branch: None };
    if let Some(found) = nearest(conn, project, run, at_commit).await? {
        return found.baseline(BaselineKind::NamedCommit);
    }
    // The point where the branches part is fairer than the tip, which may have moved on since.
    let on_branch = Search { commit: run.commit.as_str(), branch: Some(base) };
    if let Some(found) = nearest(conn, project, run, on_branch).await? {
        return found.baseline(BaselineKind::NamedBranch);
    }
    if let Some(found) = latest_on(conn, project, run, base).await? {
        return found.baseline(BaselineKind::NamedBranch);
    }
    let Some(commit) = complete(conn, project, base).await? else { return Ok(None) };
    let found = nearest(conn, project, run, Search { commit: &commit, branch: None }).await?;
    found.map_or(Ok(None), |found| found.baseline(BaselineKind::NamedCommit))
}

/// A run as the searches give it.
struct Found {
    run_id: Uuid,
    branch: String,
    distance: Option<i32>,
}

impl Found {
    fn baseline(self, kind: BaselineKind) -> Result<Option<Baseline>, StoreError> {
        let branch = parse_name("branch", "name", self.branch)?;
        let distance = self.distance.map(i32::unsigned_abs);
        let how = BaselineHow { kind, distance, branch };
        Ok(Some(Baseline { run_id: RunId::from_uuid(self.run_id), how }))
    }
}

/// A run named by its id may be of another testbed or of the same commit: whoever writes an id down means it.
#[tracing::instrument(name = "db.baseline.by_id", skip_all)]
async fn by_id(
    conn: &mut PgConnection,
    project: ProjectId,
    run: &Run,
    id: RunId,
) -> Result<Option<Found>, StoreError> {
    let found = sqlx::query_as!(
        Found,
        r#"
        SELECT r.run_id, b.name AS branch, NULL::integer AS distance
        FROM run AS r
        JOIN branch AS b ON b.project_id = r.project_id AND b.branch_id = r.branch_id
        WHERE r.project_id = $1 AND r.run_id = $2 AND r.run_id <> $3 AND r.role = 'measured'
        "#,
        project.as_uuid(),
        id.as_uuid(),
        run.id.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// Where a walk through the graph begins and on which branch it may end.
struct Search<'a> {
    commit: &'a str,
    branch: Option<&'a str>,
}

/// The nearest commit with a run that qualifies, from `search.commit` back, breadth first.
///
/// The walk keeps one row a generation, holding the commits reached and those seen before, so a history full of
/// merges costs as many rows as a straight one; it ends at the first generation that was measured. A commit whose
/// parents are not known ends its path.
#[tracing::instrument(name = "db.baseline.nearest", skip_all)]
async fn nearest(
    conn: &mut PgConnection,
    project: ProjectId,
    run: &Run,
    search: Search<'_>,
) -> Result<Option<Found>, StoreError> {
    let found = sqlx::query_as!(
        Found,
        r#"
        WITH RECURSIVE place AS MATERIALIZED (
            SELECT
                (SELECT t.testbed_id FROM testbed AS t WHERE t.project_id = $1 AND t.name = $4) AS testbed_id,
                (SELECT b.branch_id FROM branch AS b WHERE b.project_id = $1 AND b.name = $5) AS own_branch_id,
                (SELECT b.branch_id FROM branch AS b WHERE b.project_id = $1 AND b.name = $6::text) AS only_branch_id
        ), generation AS (
            SELECT
                0 AS distance,
                ARRAY[$2::text COLLATE "C"] AS commits,
                ARRAY[$2::text COLLATE "C"] AS seen
            UNION ALL
            SELECT g.distance + 1, older.commits, g.seen || older.commits
            FROM generation AS g
            CROSS JOIN LATERAL (
                SELECT ARRAY(
                    SELECT DISTINCT parent
                    FROM commit AS c
                    CROSS JOIN LATERAL UNNEST(c.parents) AS parent
                    WHERE c.project_id = $1 AND c.sha = ANY (g.commits) AND parent <> ALL (g.seen)
                ) AS commits
            ) AS older
            WHERE g.distance < $8
                AND cardinality(older.commits) > 0
                AND NOT EXISTS (
                    SELECT
                    FROM run AS r
                    CROSS JOIN place
                    WHERE r.project_id = $1
                        AND r.commit_sha = ANY (g.commits)
                        AND r.commit_sha <> $3
                        AND r.run_id <> $7
                        AND r.testbed_id = place.testbed_id
                        AND r.role = 'measured'
                        AND r.pull_request IS NULL
                        AND ($6::text IS NULL OR r.branch_id = place.only_branch_id)
                )
        )
        SELECT r.run_id, b.name AS branch, g.distance AS "distance?"
        FROM generation AS g
        CROSS JOIN place
        JOIN run AS r ON r.project_id = $1 AND r.commit_sha = ANY (g.commits)
        JOIN branch AS b ON b.project_id = $1 AND b.branch_id = r.branch_id
        WHERE r.commit_sha <> $3
            AND r.run_id <> $7
            AND r.testbed_id = place.testbed_id
            AND r.role = 'measured'
            AND r.pull_request IS NULL
            AND ($6::text IS NULL OR r.branch_id = place.only_branch_id)
        -- A merge has two parents: the one on the candidate's own branch is the line that it continues.
        ORDER BY g.distance, (r.branch_id = place.own_branch_id) DESC, r.started_at DESC, r.run_id DESC
        LIMIT 1
        "#,
        project.as_uuid(),
        search.commit,
        run.commit.as_str(),
        run.testbed.as_str(),
        run.branch.as_str(),
        search.branch,
        run.id.as_uuid(),
        FARTHEST,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}

/// The run before the candidate on a branch.
async fn before_on(
    conn: &mut PgConnection,
    project: ProjectId,
    run: &Run,
    branch: &str,
) -> Result<Option<Found>, StoreError> {
    last_on(conn, project, run, branch, Some(run.started_at)).await
}

/// The latest run on a branch that began before the candidate, or the latest of all when none did: results of the
/// trunk may come in late.
async fn latest_on(
    conn: &mut PgConnection,
    project: ProjectId,
    run: &Run,
    branch: &str,
) -> Result<Option<Found>, StoreError> {
    match last_on(conn, project, run, branch, Some(run.started_at)).await? {
        Some(found) => Ok(Some(found)),
        None => last_on(conn, project, run, branch, None).await,
    }
}

#[tracing::instrument(name = "db.baseline.last_on", skip_all)]
async fn last_on(
    conn: &mut PgConnection,
    project: ProjectId,
    run: &Run,
    branch: &str,
    before: Option<DateTime<Utc>>,
) -> Result<Option<Found>, StoreError> {
    let found = sqlx::query_as!(
        Found,
        r#"
        SELECT r.run_id, b.name AS branch, NULL::integer AS distance
        FROM run AS r
        JOIN branch AS b ON b.project_id = r.project_id AND b.branch_id = r.branch_id
        JOIN testbed AS t ON t.project_id = r.project_id AND t.testbed_id = r.testbed_id
        WHERE r.project_id = $1
            AND b.name = $2
            AND t.name = $3
            AND r.role = 'measured'
            AND r.run_id <> $4
            AND r.commit_sha <> $5
            AND (r.pull_request IS NULL OR r.pull_request = $6)
            AND ($7::timestamptz IS NULL OR (r.started_at, r.run_id) < ($7, $4))
        ORDER BY (r.pull_request IS NULL) DESC, r.started_at DESC, r.run_id DESC
        LIMIT 1
        "#,
        project.as_uuid(),
        branch,
        run.testbed.as_str(),
        run.id.as_uuid(),
        run.commit.as_str(),
        run.pull_request,
        before,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found)
}
