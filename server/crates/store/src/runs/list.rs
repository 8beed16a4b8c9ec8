//! Lists of runs, newest first, paged by key.

use model::{BranchName, CommitSha, Outcome, ProjectId, RunId, TestbedName};
use sqlx::PgConnection;

use super::{Run, RunRow};
use crate::StoreError;
use crate::word::parse_word;

/// Which runs to list; `None` is any.
#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    /// Only of this branch.
    pub branch: Option<BranchName>,
    /// Only on this testbed.
    pub testbed: Option<TestbedName>,
    /// Only of this commit.
    pub commit: Option<CommitSha>,
    /// Only with this verdict.
    pub outcome: Option<Outcome>,
    /// Only for this pull request.
    pub pull_request: Option<i32>,
    /// Only those that arrived before this one: the last of the page before.
    pub before: Option<RunId>,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOverview {
    /// The run.
    pub run: Run,
    /// Its verdict; `None` while it waits for one.
    pub outcome: Option<Outcome>,
    /// The verdict in a sentence.
    pub sentence: Option<String>,
    /// Number of benchmarks, failed ones included.
    pub n_benchmarks: i64,
    /// Number of profiles.
    pub n_profiles: i64,
}

/// Runs of a project, newest first.
#[tracing::instrument(name = "db.run.list", skip_all)]
pub async fn list(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &RunFilter,
    limit: i64,
) -> Result<Vec<RunOverview>, StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT
            r.project_id, r.run_id, b.name AS branch, r.commit_sha, c.parents, c.committed_at, t.name AS testbed,
            r.role, r.started_at, r.received_at, r.pull_request, r.base, r.environment, r.labels, r.n_benchmarks,
            v.outcome AS "outcome?",
            v.sentence AS "sentence?",
            (
                SELECT count(*)
                FROM profile AS p
                WHERE p.project_id = r.project_id AND p.run_id = r.run_id
            ) AS "n_profiles!"
        FROM run AS r
        JOIN branch AS b ON b.project_id = r.project_id AND b.branch_id = r.branch_id
        JOIN commit AS c ON c.project_id = r.project_id AND c.sha = r.commit_sha
        JOIN testbed AS t ON t.project_id = r.project_id AND t.testbed_id = r.testbed_id
        LEFT JOIN verdict AS v ON v.project_id = r.project_id AND v.run_id = r.run_id
        WHERE r.project_id = $1
            AND ($2::text IS NULL OR b.name = $2)
            AND ($3::text IS NULL OR t.name = $3)
            AND ($4::text IS NULL OR r.commit_sha = $4)
            AND ($5::text IS NULL OR v.outcome = $5)
            AND ($6::integer IS NULL OR r.pull_request = $6)
            AND ($7::uuid IS NULL OR r.run_id < $7)
        ORDER BY r.run_id DESC
        LIMIT $8
        "#,
        project.as_uuid(),
        filter.branch.as_ref().map(BranchName::as_str),
        filter.testbed.as_ref().map(TestbedName::as_str),
        filter.commit.as_ref().map(CommitSha::as_str),
        filter.outcome.map(Outcome::name),
        filter.pull_request,
        filter.before.map(RunId::as_uuid),
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let run = RunRow {
                project_id: row.project_id,
                run_id: row.run_id,
                branch: row.branch,
                commit_sha: row.commit_sha,
                parents: row.parents,
                committed_at: row.committed_at,
                testbed: row.testbed,
                role: row.role,
                started_at: row.started_at,
                received_at: row.received_at,
                pull_request: row.pull_request,
                base: row.base,
                environment: row.environment,
                labels: row.labels,
            };
            Ok(RunOverview {
                run: run.try_into()?,
                outcome: row.outcome.map(|word| parse_word("verdict", "outcome", &word)).transpose()?,
                sentence: row.sentence,
                n_benchmarks: i64::from(row.n_benchmarks),
                n_profiles: row.n_profiles,
            })
        })
        .collect()
}
