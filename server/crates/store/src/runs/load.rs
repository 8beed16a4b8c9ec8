//! Reading a run back as it was sent: the same benchmarks, measures and profiles in the same order.

use std::collections::{BTreeMap, HashMap};

use model::{Benchmark, BenchmarkKey, Measure, Measurement, ProjectId, RunData, RunId, Status, Unit};
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::word::{parse_name, parse_word};
use crate::{StoreError, profiles};

/// Benchmarks and profiles of a run.
#[tracing::instrument(name = "db.run.load", skip_all, fields(run.id = %run))]
pub async fn load(conn: &mut PgConnection, project: ProjectId, run: RunId) -> Result<RunData, StoreError> {
    let benchmarks = load_benchmarks(conn, project, run).await?;
    let profiles = profiles::load_of_run(conn, project, run).await?;
    Ok(RunData { benchmarks, profiles })
}

/// A benchmark while its rows are put together, with its place in the run.
struct Placed {
    position: i32,
    benchmark: Benchmark,
}

fn key(name: String, parameters: BTreeMap<String, String>) -> Result<BenchmarkKey, StoreError> {
    Ok(BenchmarkKey { name: parse_name("benchmark", "name", name)?, parameters })
}

/// Benchmarks of a run, failed ones included, in the order sent.
#[tracing::instrument(name = "db.run.load_benchmarks", skip_all, fields(run.id = %run))]
pub async fn load_benchmarks(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
) -> Result<Vec<Benchmark>, StoreError> {
    let mut benchmarks: HashMap<i64, Placed> = HashMap::new();
    add_measured(conn, project, run, &mut benchmarks).await?;
    add_unmeasured(conn, project, run, &mut benchmarks).await?;
    let mut placed: Vec<Placed> = benchmarks.into_values().collect();
    placed.sort_unstable_by_key(|placed| placed.position);
    Ok(placed.into_iter().map(|placed| placed.benchmark).collect())
}

async fn add_measured(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    benchmarks: &mut HashMap<i64, Placed>,
) -> Result<(), StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT
            b.benchmark_id, b.name, b.parameters AS "parameters: Json<BTreeMap<String, String>>", b.kind,
            m.name AS measure, m.unit, m.better,
            x.position, x.summarised, x.observations
        FROM metric AS x
        JOIN series AS s ON s.project_id = x.project_id AND s.series_id = x.series_id
        JOIN benchmark AS b ON b.project_id = s.project_id AND b.benchmark_id = s.benchmark_id
        JOIN measure AS m ON m.project_id = s.project_id AND m.measure_id = s.measure_id
        WHERE x.project_id = $1 AND x.run_id = $2
        ORDER BY x.position
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        let measure = Measure {
            name: parse_name("measure", "name", row.measure)?,
            unit: Unit::from(row.unit),
            better: parse_word("measure", "better", &row.better)?,
        };
        let measurement =
            Measurement { summarised: row.summarised, ..Measurement::new(measure, row.observations) };
        if let Some(placed) = benchmarks.get_mut(&row.benchmark_id) {
            placed.benchmark.measurements.push(measurement);
            continue;
        }
        let benchmark = Benchmark {
            key: key(row.name, row.parameters.0)?,
            kind: row.kind.map(|word| parse_word("benchmark", "kind", &word)).transpose()?,
            status: Status::Ok,
            measurements: vec![measurement],
        };
        benchmarks.insert(row.benchmark_id, Placed { position: row.position, benchmark });
    }
    Ok(())
}

async fn add_unmeasured(
    conn: &mut PgConnection,
    project: ProjectId,
    run: RunId,
    benchmarks: &mut HashMap<i64, Placed>,
) -> Result<(), StoreError> {
    let rows = sqlx::query!(
        r#"
        SELECT
            b.benchmark_id, b.name, b.parameters AS "parameters: Json<BTreeMap<String, String>>", b.kind,
            u.position, u.failed, u.reason
        FROM unmeasured AS u
        JOIN benchmark AS b ON b.project_id = u.project_id AND b.benchmark_id = u.benchmark_id
        WHERE u.project_id = $1 AND u.run_id = $2
        ORDER BY u.position
        "#,
        project.as_uuid(),
        run.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        let status = if row.failed { Status::Failed(row.reason) } else { Status::Ok };
        if let Some(placed) = benchmarks.get_mut(&row.benchmark_id) {
            placed.benchmark.status = status;
            continue;
        }
        let benchmark = Benchmark {
            key: key(row.name, row.parameters.0)?,
            kind: row.kind.map(|word| parse_word("benchmark", "kind", &word)).transpose()?,
            status,
            measurements: Vec::new(),
        };
        benchmarks.insert(row.benchmark_id, Placed { position: row.position, benchmark });
    }
    Ok(())
}
