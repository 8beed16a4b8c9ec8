//! Writing a run: a fixed number of statements, however many benchmarks it has.

use chrono::{DateTime, Utc};
use model::{
    Benchmark, BranchName, CommitSha, Measurement, Profile, ProfileId, ProjectId, Role, RunId, Status,
    TestbedName,
};
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use super::find::find_by_idempotency_key;
use crate::dimension;
use crate::summary::summarise;
use crate::text::{storable, storable_json, stored};
use crate::word::role_word;
use crate::{StoreError, profiles};

/// Everything that one upload holds.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Its id, a UUIDv7 of the time received: lists and pages rely on that order.
    pub id: RunId,
    /// Its project.
    pub project_id: ProjectId,
    /// The sender's key: the same key twice is the same run once.
    pub idempotency_key: Option<String>,
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
    /// What to compare it with: a branch, a commit or a run id.
    pub base: Option<String>,
    /// Recorded facts of the machine.
    pub environment: Value,
    /// Whatever the sender attached.
    pub labels: Value,
    /// Its benchmarks, each key once.
    pub benchmarks: Vec<Benchmark>,
    /// Its profiles.
    pub profiles: Vec<NewProfile>,
}

/// A profile and the id that it gets.
#[derive(Debug, Clone)]
pub struct NewProfile {
    /// Its id, a UUIDv7.
    pub id: ProfileId,
    /// The profile, canonical and categorised.
    pub profile: Profile,
}

/// What became of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// It was stored.
    New,
    /// Its idempotency key was there; nothing was stored.
    Existing(RunId),
}

/// Stores a run with its benchmarks and profiles, unless its idempotency key is known.
///
/// Two uploads with one key at the same time: the second waits for the first and then finds its run, or takes its
/// place if the first is rolled back.
#[tracing::instrument(name = "db.run.create", skip_all, fields(run.id = %run.id))]
pub async fn create(conn: &mut PgConnection, run: &NewRun) -> Result<Created, StoreError> {
    if let Some(existing) = existing(conn, run).await? {
        return Ok(Created::Existing(existing));
    }
    let branch = dimension::upsert_branch(conn, run.project_id, &run.branch).await?;
    let testbed = dimension::upsert_testbed(conn, run.project_id, &run.testbed).await?;
    dimension::upsert_commit(conn, run.project_id, &run.commit, &run.parents, run.committed_at).await?;
    if !insert_run(conn, run, branch, testbed).await? {
        let existing = existing(conn, run).await?;
        return existing.map(Created::Existing).ok_or(StoreError::RowsAffected { expected: 1, actual: 0 });
    }
    insert_benchmarks(conn, run, branch, testbed).await?;
    profiles::insert(conn, run.project_id, run.id, &run.profiles).await?;
    Ok(Created::New)
}

/// Adds profiles to a stored run.
#[tracing::instrument(name = "db.run.add_profiles", skip_all, fields(run.id = %run))]
pub async fn add_profiles(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    profiles: &[NewProfile],
) -> Result<(), StoreError> {
    profiles::insert(conn, project, run, profiles).await
}

async fn existing(conn: &mut PgConnection, run: &NewRun) -> Result<Option<RunId>, StoreError> {
    match &run.idempotency_key {
        Some(key) => find_by_idempotency_key(conn, run.project_id, key).await,
        None => Ok(None),
    }
}

/// Whether the run was written; not when another transaction has committed its idempotency key meanwhile.
async fn insert_run(
    conn: &mut PgConnection,
    run: &NewRun,
    branch: i64,
    testbed: i64,
) -> Result<bool, StoreError> {
    let idempotency_key = stored(run.idempotency_key.as_deref());
    let base = stored(run.base.as_deref());
    let written = sqlx::query!(
        r#"
        INSERT INTO run (
            project_id, run_id, idempotency_key, branch_id, commit_sha, testbed_id, role, started_at, received_at,
            pull_request, base, environment, labels, n_benchmarks
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text::jsonb, $13::text::jsonb, $14)
        ON CONFLICT (project_id, idempotency_key) DO NOTHING
        "#,
        run.project_id.as_uuid(),
        run.id.as_uuid(),
        idempotency_key.as_deref(),
        branch,
        run.commit.as_str(),
        testbed,
        role_word(run.role),
        run.started_at,
        run.received_at,
        run.pull_request,
        base.as_deref(),
        storable_json(&run.environment)?,
        storable_json(&run.labels)?,
        int(run.benchmarks.len()),
    )
    .execute(conn)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// A number of things in one upload; a message to Postgres holds fewer than overflow here.
fn int(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// The rows of `metric`, a column each, as `UNNEST` takes them.
#[derive(Default)]
struct Metrics {
    series: Vec<i64>,
    medians: Vec<f64>,
    los: Vec<f64>,
    his: Vec<f64>,
    mins: Vec<f64>,
    maxs: Vec<f64>,
    positions: Vec<i32>,
    summarised: Vec<bool>,
    /// First and last index into `observations`, counted from one as Postgres does.
    firsts: Vec<i32>,
    lasts: Vec<i32>,
    observations: Vec<f64>,
}

impl Metrics {
    fn push(&mut self, series: i64, position: i32, measurement: &Measurement) -> Result<(), StoreError> {
        let summary = summarise(&measurement.observations)
            .ok_or(StoreError::Conflict { what: "a measure has no observations" })?;
        self.series.push(series);
        self.medians.push(summary.median);
        self.los.push(summary.lo);
        self.his.push(summary.hi);
        self.mins.push(summary.min);
        self.maxs.push(summary.max);
        self.positions.push(position);
        self.summarised.push(measurement.summarised);
        self.firsts.push(int(self.observations.len() + 1));
        self.observations.extend_from_slice(&measurement.observations);
        self.lasts.push(int(self.observations.len()));
        Ok(())
    }
}

/// The rows of `unmeasured`, a column each.
#[derive(Default)]
struct Unmeasured {
    benchmarks: Vec<i64>,
    positions: Vec<i32>,
    failed: Vec<bool>,
    reasons: Vec<String>,
}

impl Unmeasured {
    fn push(&mut self, benchmark: i64, position: i32, status: &Status) {
        let reason = match status {
            Status::Ok => None,
            Status::Failed(reason) => Some(storable(reason).into_owned()),
        };
        self.benchmarks.push(benchmark);
        self.positions.push(position);
        self.failed.push(reason.is_some());
        self.reasons.push(reason.unwrap_or_default());
    }
}

async fn insert_benchmarks(
    conn: &mut PgConnection,
    run: &NewRun,
    branch: i64,
    testbed: i64,
) -> Result<(), StoreError> {
    if run.benchmarks.is_empty() {
        return Ok(());
    }
    let project = run.project_id;
    let measurements = || run.benchmarks.iter().flat_map(Benchmark::judged);
    let keys = run.benchmarks.iter().map(|benchmark| (&benchmark.key, benchmark.kind));
    let benchmarks = dimension::upsert_benchmarks(conn, project, keys).await?;
    let measures = dimension::upsert_measures(conn, project, measurements().map(|m| &m.measure)).await?;
    let mut pairs = Vec::new();
    for (benchmark, id) in run.benchmarks.iter().zip(&benchmarks) {
        pairs.extend(benchmark.judged().iter().map(|m| (*id, measures[&m.measure])));
    }
    let series = dimension::upsert_series(conn, project, testbed, pairs).await?;

    let (mut metrics, mut unmeasured) = (Metrics::default(), Unmeasured::default());
    let mut position = 0;
    for (benchmark, id) in run.benchmarks.iter().zip(benchmarks) {
        if benchmark.judged().is_empty() {
            unmeasured.push(id, position, &benchmark.status);
        }
        for (place, measurement) in (position..).zip(benchmark.judged()) {
            metrics.push(series[&(id, measures[&measurement.measure])], place, measurement)?;
        }
        // A benchmark without measures takes a place too, so that the order is whole.
        position += int(benchmark.judged().len().max(1));
    }
    insert_metrics(conn, run, branch, &metrics).await?;
    insert_unmeasured(conn, project.as_uuid(), run.id.as_uuid(), &unmeasured).await
}

#[tracing::instrument(name = "db.metric.create", skip_all, fields(n_metrics = metrics.series.len()))]
async fn insert_metrics(
    conn: &mut PgConnection,
    run: &NewRun,
    branch: i64,
    metrics: &Metrics,
) -> Result<(), StoreError> {
    if metrics.series.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"
        INSERT INTO metric (
            project_id, run_id, branch_id, started_at,
            series_id, median, lo, hi, min, max, n, position, summarised, observations
        )
        SELECT
            $1, $2, $3, $4,
            -- Postgres has no ragged arrays: each row cuts its observations out of one long array.
            series_id, median, lo, hi, min, max, last - first + 1, position, summarised,
            ($5::double precision[])[first:last]
        FROM UNNEST(
            $6::bigint[], $7::double precision[], $8::double precision[], $9::double precision[],
            $10::double precision[], $11::double precision[], $12::integer[], $13::boolean[], $14::integer[],
            $15::integer[]
        ) AS i (series_id, median, lo, hi, min, max, position, summarised, first, last)
        "#,
        run.project_id.as_uuid(),
        run.id.as_uuid(),
        branch,
        run.started_at,
        &metrics.observations,
        &metrics.series,
        &metrics.medians,
        &metrics.los,
        &metrics.his,
        &metrics.mins,
        &metrics.maxs,
        &metrics.positions,
        &metrics.summarised,
        &metrics.firsts,
        &metrics.lasts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[tracing::instrument(name = "db.unmeasured.create", skip_all)]
async fn insert_unmeasured(
    conn: &mut PgConnection,
    project: Uuid,
    run: Uuid,
    unmeasured: &Unmeasured,
) -> Result<(), StoreError> {
    if unmeasured.benchmarks.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"
        INSERT INTO unmeasured (project_id, run_id, benchmark_id, position, failed, reason)
        SELECT $1, $2, benchmark_id, position, failed, reason
        FROM UNNEST($3::bigint[], $4::integer[], $5::boolean[], $6::text[])
            AS i (benchmark_id, position, failed, reason)
        "#,
        project,
        run,
        &unmeasured.benchmarks,
        &unmeasured.positions,
        &unmeasured.failed,
        &unmeasured.reasons,
    )
    .execute(conn)
    .await?;
    Ok(())
}
