//! Verdicts: the whole document, and flat rows of what changed for lists.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};
use model::{Confidence, Finding, FindingOutcome, ProjectId, RunId, Verdict};
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::alerts::{self, Judged};
use crate::series::benchmark_of;
use crate::text::{storable, storable_json};
use crate::word::parse_word;
use crate::{StoreError, dimension};

/// A verdict as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The run compared with.
    pub base_run: Option<RunId>,
    /// When it was reached.
    pub created_at: DateTime<Utc>,
}

/// A changed finding with the series that it is of.
pub(crate) struct Changed<'a> {
    pub(crate) series: i64,
    pub(crate) position: i32,
    pub(crate) finding: &'a Finding,
}

/// Stores the verdict of a run, in place of one reached before, and opens, updates and resolves alerts by it.
/// Alerts follow measured runs outside of pull requests.
#[tracing::instrument(name = "db.verdict.save", skip_all, fields(run.id = %run))]
pub async fn save(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    base_run: Option<RunId>,
    verdict: &Verdict,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let place = place_of(conn, project, run).await?.ok_or(StoreError::Conflict { what: "no such run" })?;
    upsert_verdict(conn, project, run, base_run, verdict, now).await?;
    let changed = changed_findings(conn, project, place.testbed, &verdict.findings).await?;
    replace_findings(conn, project, run, &changed).await?;
    if place.feeds_alerts {
        let judged = Judged { project, run, branch: place.branch, testbed: place.testbed, now };
        alerts::follow(conn, &judged, &verdict.findings, &changed).await?;
    }
    Ok(())
}

/// The verdict of a run; `None` while it has none.
#[tracing::instrument(name = "db.verdict.find", skip_all, fields(run.id = %run))]
pub async fn find(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
) -> Result<Option<StoredVerdict>, StoreError> {
    let row = sqlx::query!(
        r#"
        SELECT document::text AS "document!", base_run_id, created_at
        FROM verdict
        WHERE project_id = $1 AND run_id = $2
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let verdict = serde_json::from_str(&row.document)
        .map_err(|error| StoreError::corrupt("verdict", "document", error))?;
    let base_run = row.base_run_id.map(RunId::from_uuid);
    Ok(Some(StoredVerdict { verdict, base_run, created_at: row.created_at }))
}

/// Where a run was measured, by row numbers.
struct Place {
    branch: i64,
    testbed: i64,
    feeds_alerts: bool,
}

#[tracing::instrument(name = "db.run.place", skip_all)]
async fn place_of(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
) -> Result<Option<Place>, StoreError> {
    let place = sqlx::query_as!(
        Place,
        r#"
        SELECT
            branch_id AS branch,
            testbed_id AS testbed,
            (pull_request IS NULL AND role = 'measured') AS "feeds_alerts!"
        FROM run
        WHERE project_id = $1 AND run_id = $2
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(place)
}

#[tracing::instrument(name = "db.verdict.upsert", skip_all)]
async fn upsert_verdict(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    base_run: Option<RunId>,
    verdict: &Verdict,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let sentence = storable(&verdict.sentence);
    sqlx::query!(
        r#"
        INSERT INTO verdict (
            project_id, run_id, base_run_id, outcome, confidence, sentence, document, rules_version, created_at
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $9)
        ON CONFLICT (project_id, run_id) DO UPDATE SET
            base_run_id = EXCLUDED.base_run_id,
            outcome = EXCLUDED.outcome,
            confidence = EXCLUDED.confidence,
            sentence = EXCLUDED.sentence,
            document = EXCLUDED.document,
            rules_version = EXCLUDED.rules_version,
            created_at = EXCLUDED.created_at
        "#,
        project.as_uuid(),
        run.as_uuid(),
        base_run.map(RunId::as_uuid),
        verdict.outcome.name(),
        verdict.confidence.name(),
        sentence.as_ref(),
        storable_json(verdict)?,
        i32::try_from(verdict.rules_version).unwrap_or(i32::MAX),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Findings that regressed or improved, each series once: the first, which is the most important.
async fn changed_findings<'a>(
    conn: &mut PgConnection,
    project: ProjectId,
    testbed: i64,
    findings: &'a [Finding],
) -> Result<Vec<Changed<'a>>, StoreError> {
    let is_change = |f: &Finding| matches!(f.outcome, FindingOutcome::Regressed | FindingOutcome::Improved);
    let changed: Vec<(i32, &Finding)> =
        (0..).zip(findings).filter(|(_, finding)| is_change(finding)).collect();
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let each = || changed.iter().map(|(_, finding)| *finding);
    // The kind may come from the policy, which is not the sender's word: it is not stored with the benchmark.
    let benchmarks =
        dimension::upsert_benchmarks(conn, project, each().map(|f| (&f.benchmark, None))).await?;
    let measures = dimension::upsert_measures(conn, project, each().map(|f| &f.measure)).await?;
    let pairs: Vec<_> = benchmarks.iter().zip(each()).map(|(id, f)| (*id, measures[&f.measure])).collect();
    let series = dimension::upsert_series(conn, project, testbed, pairs.clone()).await?;
    let mut seen = HashSet::new();
    let rows = changed.into_iter().zip(pairs).map(|((position, finding), pair)| Changed {
        series: series[&pair],
        position,
        finding,
    });
    Ok(rows.filter(|row| seen.insert(row.series)).collect())
}

#[tracing::instrument(name = "db.finding.replace", skip_all, fields(n_findings = changed.len()))]
async fn replace_findings(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    changed: &[Changed<'_>],
) -> Result<(), StoreError> {
    sqlx::query!(
        r#"
        DELETE FROM finding
        WHERE project_id = $1 AND run_id = $2
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .execute(&mut *conn)
    .await?;
    if changed.is_empty() {
        return Ok(());
    }
    let series: Vec<i64> = changed.iter().map(|row| row.series).collect();
    let positions: Vec<i32> = changed.iter().map(|row| row.position).collect();
    let outcomes: Vec<String> = changed.iter().map(|row| row.finding.outcome.name().to_owned()).collect();
    let confidences: Vec<String> =
        changed.iter().map(|row| row.finding.confidence.name().to_owned()).collect();
    let changes: Vec<Option<f64>> = changed.iter().map(|row| row.finding.change).collect();
    sqlx::query!(
        r#"
        INSERT INTO finding (project_id, run_id, series_id, position, outcome, confidence, change)
        SELECT $1, $2, series_id, position, outcome, confidence, change
        FROM UNNEST($3::bigint[], $4::integer[], $5::text[], $6::text[], $7::double precision[])
            AS i (series_id, position, outcome, confidence, change)
        "#,
        project.as_uuid(),
        run.as_uuid(),
        &series,
        &positions,
        &outcomes,
        &confidences,
        &changes as &[Option<f64>],
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What changed in a run, for lists.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingOverview {
    /// The benchmark, as printed with its parameters.
    pub benchmark: String,
    /// The measure's name.
    pub measure: String,
    /// Regressed or improved.
    pub outcome: FindingOutcome,
    /// How sure that is.
    pub confidence: Confidence,
    /// Relative change of the level.
    pub change: Option<f64>,
}

/// What changed in a run, most important first.
#[tracing::instrument(name = "db.finding.list_of_run", skip_all, fields(run.id = %run))]
pub async fn list_changes(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    limit: i64,
) -> Result<Vec<FindingOverview>, StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT
            b.name, b.parameters AS "parameters: Json<BTreeMap<String, String>>",
            m.name AS measure, f.outcome, f.confidence, f.change
        FROM finding AS f
        JOIN series AS s ON s.project_id = f.project_id AND s.series_id = f.series_id
        JOIN benchmark AS b ON b.project_id = s.project_id AND b.benchmark_id = s.benchmark_id
        JOIN measure AS m ON m.project_id = s.project_id AND m.measure_id = s.measure_id
        WHERE f.project_id = $1 AND f.run_id = $2
        ORDER BY f.position
        LIMIT $3
        "#,
        project.as_uuid(),
        run.as_uuid(),
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let benchmark = benchmark_of(row.name, row.parameters.0)?;
            Ok(FindingOverview {
                benchmark: benchmark.to_string(),
                measure: row.measure,
                outcome: parse_word("finding", "outcome", &row.outcome)?,
                confidence: parse_word("finding", "confidence", &row.confidence)?,
                change: row.change,
            })
        })
        .collect()
}
