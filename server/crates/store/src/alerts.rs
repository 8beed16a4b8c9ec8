//! Alerts: regressions with a life.
//!
//! A finding opens an alert when its series has none open on the branch, and updates it otherwise. It is resolved
//! when the level is back where it was before, or when the run that opened it is judged anew and found good. "No
//! worse than the run before" resolves nothing: that run is slow already.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use model::{
    BenchmarkKey, Better, BranchName, Confidence, Finding, FindingOutcome, Measure, ProjectId, RunId,
    TestbedName, Unit,
};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::StoreError;
use crate::key::{benchmark_key, measure_key};
use crate::series::benchmark_of;
use crate::verdicts::Changed;
use crate::word::{parse_name, parse_word};

/// Whether an alert still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlertState {
    /// It does.
    Open,
    /// The level is back, or it was a mistake.
    Resolved,
}

/// A regression with a life.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Its id.
    pub id: Uuid,
    /// What got worse.
    pub benchmark: BenchmarkKey,
    /// In which measure.
    pub measure: Measure,
    /// Where.
    pub testbed: TestbedName,
    /// On which branch.
    pub branch: BranchName,
    /// The run that opened it.
    pub first_run: RunId,
    /// The last run found worse again, or the one that resolved it.
    pub last_run: RunId,
    /// Whether it still holds.
    pub state: AlertState,
    /// How sure the last finding was.
    pub confidence: Confidence,
    /// Relative change of the level in the last finding.
    pub change: Option<f64>,
    /// When it was opened.
    pub opened_at: DateTime<Utc>,
    /// When it was resolved.
    pub resolved_at: Option<DateTime<Utc>>,
}

/// Open alerts of a project, latest first.
#[tracing::instrument(name = "db.alert.list_open", skip_all)]
pub async fn list_open(
    conn: &mut PgConnection,
    project: ProjectId,
    limit: i64,
) -> Result<Vec<Alert>, StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT
            a.alert_id, b.name AS benchmark, b.parameters AS "parameters: Json<BTreeMap<String, String>>",
            m.name AS measure, m.unit, m.better, t.name AS testbed, br.name AS branch,
            a.first_run_id, a.last_run_id, a.state, a.confidence, a.change, a.opened_at, a.resolved_at
        FROM alert AS a
        JOIN series AS s ON s.project_id = a.project_id AND s.series_id = a.series_id
        JOIN benchmark AS b ON b.project_id = s.project_id AND b.benchmark_id = s.benchmark_id
        JOIN measure AS m ON m.project_id = s.project_id AND m.measure_id = s.measure_id
        JOIN testbed AS t ON t.project_id = s.project_id AND t.testbed_id = s.testbed_id
        JOIN branch AS br ON br.project_id = a.project_id AND br.branch_id = a.branch_id
        WHERE a.project_id = $1 AND a.state = 'open'
        ORDER BY a.opened_at DESC, a.alert_id DESC
        LIMIT $2
        "#,
        project.as_uuid(),
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Alert {
                id: row.alert_id,
                benchmark: benchmark_of(row.benchmark, row.parameters.0)?,
                measure: Measure {
                    name: parse_name("measure", "name", row.measure)?,
                    unit: Unit::from(row.unit),
                    better: parse_word("measure", "better", &row.better)?,
                },
                testbed: parse_name("testbed", "name", row.testbed)?,
                branch: parse_name("branch", "name", row.branch)?,
                first_run: RunId::from_uuid(row.first_run_id),
                last_run: RunId::from_uuid(row.last_run_id),
                state: parse_word("alert", "state", &row.state)?,
                confidence: parse_word("alert", "confidence", &row.confidence)?,
                change: row.change,
                opened_at: row.opened_at,
                resolved_at: row.resolved_at,
            })
        })
        .collect()
}

/// The run whose verdict is being stored.
pub(crate) struct Judged {
    pub(crate) project: ProjectId,
    pub(crate) run: RunId,
    pub(crate) branch: i64,
    pub(crate) testbed: i64,
    pub(crate) now: DateTime<Utc>,
}

/// Lets the alerts of a branch follow a verdict.
pub(crate) async fn follow(
    conn: &mut PgConnection,
    judged: &Judged,
    findings: &[Finding],
    changed: &[Changed<'_>],
) -> Result<(), StoreError> {
    let open = list_followed(conn, judged).await?;
    if !open.is_empty() {
        let over = over(&open, judged.run, findings);
        resolve(conn, judged, &over).await?;
    }
    let is_regression =
        |f: &Finding| f.outcome == FindingOutcome::Regressed && f.confidence != Confidence::Noise;
    let mut regressed: Vec<&Changed<'_>> = changed.iter().filter(|row| is_regression(row.finding)).collect();
    // In one order, so that two verdicts on one branch cannot lock each other out.
    regressed.sort_unstable_by_key(|row| row.series);
    open_or_update(conn, judged, &regressed).await
}

/// An open alert that a verdict may resolve.
struct Followed {
    alert_id: Uuid,
    first_run_id: Uuid,
    base_level: Option<f64>,
    benchmark_hash: Vec<u8>,
    measure_hash: Vec<u8>,
}

/// Open alerts on the run's branch and testbed, without those that a later run opened: an old run sent late says
/// nothing about today.
#[tracing::instrument(name = "db.alert.list_followed", skip_all)]
async fn list_followed(conn: &mut PgConnection, judged: &Judged) -> Result<Vec<Followed>, StoreError> {
    let rows = sqlx::query_as!(
        Followed,
        r#"
        SELECT a.alert_id, a.first_run_id, a.base_level, b.key_hash AS benchmark_hash, m.key_hash AS measure_hash
        FROM alert AS a
        JOIN series AS s ON s.project_id = a.project_id AND s.series_id = a.series_id
        JOIN benchmark AS b ON b.project_id = s.project_id AND b.benchmark_id = s.benchmark_id
        JOIN measure AS m ON m.project_id = s.project_id AND m.measure_id = s.measure_id
        JOIN run AS first ON first.project_id = a.project_id AND first.run_id = a.first_run_id
        JOIN run AS own ON own.project_id = a.project_id AND own.run_id = $4
        WHERE a.project_id = $1
            AND a.branch_id = $2
            AND s.testbed_id = $3
            AND a.state = 'open'
            AND first.started_at <= own.started_at
        "#,
        judged.project.as_uuid(),
        judged.branch,
        judged.testbed,
        judged.run.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}

fn over(open: &[Followed], run: RunId, findings: &[Finding]) -> Vec<Uuid> {
    let keyed = findings.iter().map(|f| ((benchmark_key(&f.benchmark), measure_key(&f.measure)), f));
    let findings: HashMap<_, _> = keyed.collect();
    let finding_of = |alert: &Followed| {
        let benchmark = alert.benchmark_hash.as_slice().try_into().ok()?;
        let measure = alert.measure_hash.as_slice().try_into().ok()?;
        findings.get(&(benchmark, measure)).copied()
    };
    let is_over = |alert: &&Followed| {
        let judged_anew = alert.first_run_id == run.as_uuid();
        finding_of(alert).is_some_and(|finding| ends(finding, alert.base_level, judged_anew))
    };
    let mut over: Vec<Uuid> = open.iter().filter(is_over).map(|alert| alert.alert_id).collect();
    over.sort_unstable();
    over
}

/// Whether a finding ends an alert. `judged_anew`: it is of the run that opened the alert.
fn ends(finding: &Finding, base_level: Option<f64>, judged_anew: bool) -> bool {
    if !matches!(finding.outcome, FindingOutcome::Unchanged | FindingOutcome::Improved) {
        return false;
    }
    let (Some(base), Some(head)) = (base_level, finding.head) else {
        return judged_anew || finding.outcome == FindingOutcome::Improved;
    };
    let worse_by = match finding.measure.better {
        Better::Higher => base - head.median,
        Better::Lower => head.median - base,
        Better::Neither => 0.0,
    };
    judged_anew || worse_by <= finding.floor * base.abs()
}

#[tracing::instrument(name = "db.alert.resolve", skip_all, fields(n_alerts = over.len()))]
async fn resolve(conn: &mut PgConnection, judged: &Judged, over: &[Uuid]) -> Result<(), StoreError> {
    if over.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"
        UPDATE alert
        SET state = 'resolved', last_run_id = $3, resolved_at = $4
        WHERE project_id = $1 AND alert_id = ANY ($2) AND state = 'open'
        "#,
        judged.project.as_uuid(),
        over,
        judged.run.as_uuid(),
        judged.now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[tracing::instrument(name = "db.alert.open", skip_all, fields(n_alerts = regressed.len()))]
async fn open_or_update(
    conn: &mut PgConnection,
    judged: &Judged,
    regressed: &[&Changed<'_>],
) -> Result<(), StoreError> {
    if regressed.is_empty() {
        return Ok(());
    }
    let series: Vec<i64> = regressed.iter().map(|row| row.series).collect();
    let confidences: Vec<String> =
        regressed.iter().map(|row| row.finding.confidence.name().to_owned()).collect();
    let changes: Vec<Option<f64>> = regressed.iter().map(|row| row.finding.change).collect();
    let levels: Vec<Option<f64>> =
        regressed.iter().map(|row| row.finding.base.map(|base| base.median)).collect();
    sqlx::query!(
        r#"
        INSERT INTO alert (
            project_id, series_id, branch_id, first_run_id, last_run_id, state, confidence, change, base_level,
            opened_at
        )
        SELECT $1, i.series_id, $2, $3, $3, 'open', i.confidence, i.change, i.base_level, $4
        FROM UNNEST($5::bigint[], $6::text[], $7::double precision[], $8::double precision[])
            AS i (series_id, confidence, change, base_level)
        -- A later run has settled it already: an old one judged again does not bring it back.
        WHERE NOT EXISTS (
            SELECT
            FROM alert AS a
            JOIN run AS last ON last.project_id = a.project_id AND last.run_id = a.last_run_id
            JOIN run AS own ON own.project_id = a.project_id AND own.run_id = $3
            WHERE a.project_id = $1
                AND a.series_id = i.series_id
                AND a.branch_id = $2
                AND a.state = 'resolved'
                AND last.started_at > own.started_at
        )
        ORDER BY i.series_id
        ON CONFLICT (project_id, series_id, branch_id) WHERE state = 'open' DO UPDATE SET
            last_run_id = EXCLUDED.last_run_id,
            confidence = EXCLUDED.confidence,
            change = EXCLUDED.change
        "#,
        judged.project.as_uuid(),
        judged.branch,
        judged.run.as_uuid(),
        judged.now,
        &series,
        &confidences,
        &changes as &[Option<f64>],
        &levels as &[Option<f64>],
    )
    .execute(conn)
    .await?;
    Ok(())
}
