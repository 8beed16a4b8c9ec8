//! Series: lists of what a project measures, and the history of one.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use model::{
    BenchmarkKey, BranchName, CommitSha, FindingOutcome, Measure, MeasureName, ProjectId, RunId, TestbedName,
    Unit,
};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::StoreError;
use crate::key::benchmark_key;
use crate::text::stored;
use crate::word::{parse_name, parse_word};

/// Which series to list; `None` is any.
#[derive(Debug, Clone, Default)]
pub struct SeriesFilter {
    /// Only of benchmarks whose name begins so.
    pub prefix: Option<String>,
    /// Only on this testbed.
    pub testbed: Option<TestbedName>,
    /// Only those after this one: the last of the page before.
    pub after: Option<i64>,
}

/// A series in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesOverview {
    /// Its row, for the next page.
    pub series_id: i64,
    /// What runs.
    pub benchmark: BenchmarkKey,
    /// What is measured.
    pub measure: Measure,
    /// Where.
    pub testbed: TestbedName,
    /// The median that the run begun last gave, on any branch.
    pub latest: Option<f64>,
    /// That run's branch.
    pub branch: Option<BranchName>,
    /// Number of runs, over all branches.
    pub n_points: i64,
}

/// One run in a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The run.
    pub run_id: RunId,
    /// Its commit.
    pub commit: CommitSha,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Number of observations.
    pub n: usize,
    /// Their median, in the measure's base unit.
    pub median: f64,
    /// Lower end of the 95 % interval of the median, or the smallest when there are too few.
    pub lo: f64,
    /// Upper end of it, or the largest.
    pub hi: f64,
    /// What its verdict found: regressed or improved; `None` for everything else.
    pub outcome: Option<FindingOutcome>,
}

pub(crate) fn benchmark_of(
    name: String,
    parameters: BTreeMap<String, String>,
) -> Result<BenchmarkKey, StoreError> {
    Ok(BenchmarkKey { name: parse_name("benchmark", "name", name)?, parameters })
}

/// Series of a project by benchmark name, then in the order in which they were first sent.
#[tracing::instrument(name = "db.series.list", skip_all)]
pub async fn list(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &SeriesFilter,
    limit: i64,
) -> Result<Vec<SeriesOverview>, StoreError> {
    let prefix = stored(filter.prefix.as_deref());
    let rows = sqlx::query!(
        r#"
        WITH page AS (
            SELECT
                s.series_id, b.name, b.parameters, m.name AS measure, m.unit, m.better, t.name AS testbed
            FROM series AS s
            JOIN benchmark AS b ON b.project_id = s.project_id AND b.benchmark_id = s.benchmark_id
            JOIN measure AS m ON m.project_id = s.project_id AND m.measure_id = s.measure_id
            JOIN testbed AS t ON t.project_id = s.project_id AND t.testbed_id = s.testbed_id
            WHERE s.project_id = $1
                AND ($2::text IS NULL OR starts_with(b.name, $2))
                AND ($3::text IS NULL OR t.name = $3)
                AND ($4::bigint IS NULL OR (b.name, s.series_id) > (
                    SELECT last_b.name, last_s.series_id
                    FROM series AS last_s
                    JOIN benchmark AS last_b
                        ON last_b.project_id = last_s.project_id AND last_b.benchmark_id = last_s.benchmark_id
                    WHERE last_s.project_id = $1 AND last_s.series_id = $4
                ))
            ORDER BY b.name, s.series_id
            LIMIT $5
        )
        SELECT
            page.series_id, page.name, page.parameters AS "parameters: Json<BTreeMap<String, String>>",
            page.measure, page.unit, page.better, page.testbed,
            newest.median AS "latest?", newest.branch AS "branch?",
            (
                SELECT count(*)
                FROM metric AS x
                WHERE x.project_id = $1 AND x.series_id = page.series_id
            ) AS "n_points!"
        FROM page
        LEFT JOIN LATERAL (
            SELECT x.median, b.name AS branch
            FROM metric AS x
            JOIN branch AS b ON b.project_id = x.project_id AND b.branch_id = x.branch_id
            WHERE x.project_id = $1 AND x.series_id = page.series_id
            ORDER BY x.started_at DESC, x.run_id DESC
            LIMIT 1
        ) AS newest ON TRUE
        ORDER BY page.name, page.series_id
        "#,
        project.as_uuid(),
        prefix.as_deref(),
        filter.testbed.as_ref().map(TestbedName::as_str),
        filter.after,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(SeriesOverview {
                series_id: row.series_id,
                benchmark: benchmark_of(row.name, row.parameters.0)?,
                measure: Measure {
                    name: parse_name("measure", "name", row.measure)?,
                    unit: Unit::from(row.unit),
                    better: parse_word("measure", "better", &row.better)?,
                },
                testbed: parse_name("testbed", "name", row.testbed)?,
                latest: row.latest,
                branch: row.branch.map(|name| parse_name("branch", "name", name)).transpose()?,
                n_points: row.n_points,
            })
        })
        .collect()
}

/// What a history is of.
#[derive(Debug, Clone, Copy)]
pub struct HistoryOf<'a> {
    /// What ran.
    pub benchmark: &'a BenchmarkKey,
    /// What was measured. Where one name has been used with several units, the unit sent last is meant.
    pub measure: &'a MeasureName,
    /// Where.
    pub testbed: &'a TestbedName,
    /// On which branch.
    pub branch: &'a BranchName,
}

struct PointRow {
    run_id: Uuid,
    commit_sha: String,
    started_at: DateTime<Utc>,
    n: i32,
    median: f64,
    lo: f64,
    hi: f64,
    outcome: Option<String>,
}

/// The last `limit` measured runs of a series on a branch, oldest first.
#[tracing::instrument(name = "db.series.history", skip_all)]
pub async fn history(
    conn: &mut PgConnection,
    project: ProjectId,
    of: HistoryOf<'_>,
    limit: i64,
) -> Result<Vec<Point>, StoreError> {
    let key = benchmark_key(of.benchmark);
    let rows = sqlx::query_as!(
        PointRow,
        r#"
        WITH place AS MATERIALIZED (
            SELECT br.branch_id, s.series_id
            FROM branch AS br
            JOIN benchmark AS b ON b.project_id = $1 AND b.key_hash = $2
            JOIN testbed AS t ON t.project_id = $1 AND t.name = $4
            JOIN measure AS m ON m.project_id = $1 AND m.name = $3
            JOIN series AS s ON s.project_id = $1
                AND s.benchmark_id = b.benchmark_id
                AND s.measure_id = m.measure_id
                AND s.testbed_id = t.testbed_id
            WHERE br.project_id = $1 AND br.name = $5
            ORDER BY (
                SELECT x.started_at
                FROM metric AS x
                WHERE x.project_id = $1 AND x.series_id = s.series_id AND x.branch_id = br.branch_id
                ORDER BY x.started_at DESC
                LIMIT 1
            ) DESC NULLS LAST, s.series_id DESC
            LIMIT 1
        )
        SELECT
            x.run_id, r.commit_sha, x.started_at, x.n, x.median, x.lo, x.hi,
            f.outcome AS "outcome?"
        FROM place
        CROSS JOIN LATERAL (
            SELECT x.run_id, x.started_at, x.n, x.median, x.lo, x.hi
            FROM metric AS x
            JOIN run AS measured ON measured.project_id = $1
                AND measured.run_id = x.run_id
                AND measured.role = 'measured'
            WHERE x.project_id = $1 AND x.series_id = place.series_id AND x.branch_id = place.branch_id
            ORDER BY x.started_at DESC, x.run_id DESC
            LIMIT $6
        ) AS x
        JOIN run AS r ON r.project_id = $1 AND r.run_id = x.run_id
        LEFT JOIN finding AS f ON f.project_id = $1 AND f.run_id = x.run_id AND f.series_id = place.series_id
        ORDER BY x.started_at, x.run_id
        "#,
        project.as_uuid(),
        key.as_slice(),
        of.measure.as_str(),
        of.testbed.as_str(),
        of.branch.as_str(),
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Point {
                run_id: RunId::from_uuid(row.run_id),
                commit: parse_name("run", "commit_sha", row.commit_sha)?,
                started_at: row.started_at,
                n: row.n.unsigned_abs() as usize,
                median: row.median,
                lo: row.lo,
                hi: row.hi,
                outcome: row.outcome.map(|word| parse_word("finding", "outcome", &word)).transpose()?,
            })
        })
        .collect()
}
