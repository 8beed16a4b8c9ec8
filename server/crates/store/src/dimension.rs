//! Names and their row numbers: looked up, and made on first use, with one statement a table.
//!
//! Each statement reads what is there and writes only what is missing, so a run of known benchmarks takes no lock
//! here. What is written is written in the order of its key: two runs that name the same new things then wait for
//! each other in one direction and cannot deadlock. For the same reason a transaction visits the tables in the
//! order of this file.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use model::{BenchmarkKey, BranchName, CommitSha, Kind, Measure, ProjectId, TestbedName};
use sqlx::PgConnection;

use crate::StoreError;
use crate::hot::HotFrame;
use crate::key::{Key, benchmark_key, frame_key, measure_key, stored_parameters};
use crate::text::{storable, storable_json};
use crate::word::{better_word, kind_word};

/// Row numbers by key.
pub(crate) type Ids = HashMap<Key, i64>;

struct Row {
    key_hash: Vec<u8>,
    id: i64,
}

fn ids(table: &'static str, rows: Vec<Row>, expected: usize) -> Result<Ids, StoreError> {
    let ids = rows
        .into_iter()
        .map(|row| Ok((Key::try_from(row.key_hash).map_err(|_| wrong_length(table))?, row.id)))
        .collect::<Result<Ids, StoreError>>()?;
    if ids.len() == expected {
        Ok(ids)
    } else {
        Err(StoreError::RowsAffected { expected: expected as u64, actual: ids.len() as u64 })
    }
}

fn wrong_length(table: &'static str) -> StoreError {
    StoreError::corrupt(table, "key_hash", "a key must have 32 bytes")
}

/// The row of a branch.
#[tracing::instrument(name = "db.branch.upsert", skip_all)]
pub(crate) async fn upsert_branch(
    conn: &mut PgConnection,
    project: ProjectId,
    name: &BranchName,
) -> Result<i64, StoreError> {
    let id = sqlx::query_scalar!(
        r#"
        WITH found AS (
            SELECT branch_id
            FROM branch
            WHERE project_id = $1 AND name = $2
        ), written AS (
            INSERT INTO branch (project_id, name)
            SELECT $1, $2
            WHERE NOT EXISTS (SELECT FROM found)
            -- Changes nothing: it makes the row visible when another transaction was first.
            ON CONFLICT (project_id, name) DO UPDATE SET name = EXCLUDED.name
            RETURNING branch_id
        )
        SELECT branch_id AS "id!" FROM found
        UNION ALL
        SELECT branch_id FROM written
        "#,
        project.as_uuid(),
        name.as_str(),
    )
    .fetch_one(conn)
    .await?;
    Ok(id)
}

/// The row of a testbed.
#[tracing::instrument(name = "db.testbed.upsert", skip_all)]
pub(crate) async fn upsert_testbed(
    conn: &mut PgConnection,
    project: ProjectId,
    name: &TestbedName,
) -> Result<i64, StoreError> {
    let id = sqlx::query_scalar!(
        r#"
        WITH found AS (
            SELECT testbed_id
            FROM testbed
            WHERE project_id = $1 AND name = $2
        ), written AS (
            INSERT INTO testbed (project_id, name)
            SELECT $1, $2
            WHERE NOT EXISTS (SELECT FROM found)
            ON CONFLICT (project_id, name) DO UPDATE SET name = EXCLUDED.name
            RETURNING testbed_id
        )
        SELECT testbed_id AS "id!" FROM found
        UNION ALL
        SELECT testbed_id FROM written
        "#,
        project.as_uuid(),
        name.as_str(),
    )
    .fetch_one(conn)
    .await?;
    Ok(id)
}

/// Makes a commit known, and fills in parents and time when a later sender knows them and an earlier one did not.
#[tracing::instrument(name = "db.commit.upsert", skip_all)]
pub(crate) async fn upsert_commit(
    conn: &mut PgConnection,
    project: ProjectId,
    sha: &CommitSha,
    parents: &[CommitSha],
    committed_at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    let parents: Vec<String> = parents.iter().map(|sha| sha.as_str().to_owned()).collect();
    sqlx::query!(
        r#"
        INSERT INTO commit (project_id, sha, parents, committed_at)
        SELECT $1, $2, $3, $4
        -- Shards of one commit arrive together; those that add nothing must not queue for the row.
        WHERE NOT EXISTS (
            SELECT
            FROM commit AS c
            WHERE c.project_id = $1
                AND c.sha = $2
                AND (c.parents <> '{}' OR $3 = '{}'::text[])
                AND (c.committed_at IS NOT NULL OR $4::timestamptz IS NULL)
        )
        ON CONFLICT (project_id, sha) DO UPDATE SET
            parents = CASE WHEN commit.parents = '{}' THEN EXCLUDED.parents ELSE commit.parents END,
            committed_at = COALESCE(commit.committed_at, EXCLUDED.committed_at)
        "#,
        project.as_uuid(),
        sha.as_str(),
        &parents,
        committed_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The rows of benchmarks, in the order given; they may repeat.
#[tracing::instrument(name = "db.benchmark.upsert", skip_all)]
pub(crate) async fn upsert_benchmarks<'a>(
    conn: &mut PgConnection,
    project: ProjectId,
    benchmarks: impl Iterator<Item = (&'a BenchmarkKey, Option<Kind>)>,
) -> Result<Vec<i64>, StoreError> {
    let given: Vec<_> = benchmarks.map(|(key, kind)| (benchmark_key(key), (key, kind))).collect();
    let by_key: BTreeMap<Key, (&BenchmarkKey, Option<Kind>)> = given.iter().copied().collect();
    let mut hashes = Vec::with_capacity(by_key.len());
    let mut names = Vec::with_capacity(by_key.len());
    let mut parameters = Vec::with_capacity(by_key.len());
    let mut kinds = Vec::with_capacity(by_key.len());
    for (hash, (key, kind)) in &by_key {
        hashes.push(hash.to_vec());
        names.push(key.name.as_str().to_owned());
        parameters.push(storable_json(&stored_parameters(key))?);
        kinds.push(kind.map(|kind| kind_word(kind).to_owned()));
    }
    let rows = sqlx::query_as!(
        Row,
        r#"
        WITH input AS (
            SELECT key_hash, name, parameters, kind
            FROM UNNEST($2::bytea[], $3::text[], $4::text[], $5::text[]) AS i (key_hash, name, parameters, kind)
        ), found AS (
            SELECT b.key_hash, b.benchmark_id
            FROM input AS i
            JOIN benchmark AS b ON b.project_id = $1 AND b.key_hash = i.key_hash
            WHERE i.kind IS NULL OR i.kind IS NOT DISTINCT FROM b.kind
        ), written AS (
            INSERT INTO benchmark (project_id, key_hash, name, parameters, kind)
            SELECT $1, i.key_hash, i.name, i.parameters::jsonb, i.kind
            FROM input AS i
            WHERE NOT EXISTS (SELECT FROM found AS f WHERE f.key_hash = i.key_hash)
            ORDER BY i.key_hash
            ON CONFLICT (project_id, key_hash) DO UPDATE SET kind = COALESCE(EXCLUDED.kind, benchmark.kind)
            RETURNING key_hash, benchmark_id
        )
        SELECT key_hash AS "key_hash!", benchmark_id AS "id!" FROM found
        UNION ALL
        SELECT key_hash, benchmark_id FROM written
        "#,
        project.as_uuid(),
        &hashes,
        &names,
        &parameters,
        &kinds as &[Option<String>],
    )
    .fetch_all(conn)
    .await?;
    let ids = ids("benchmark", rows, by_key.len())?;
    Ok(given.iter().map(|(hash, _)| ids[hash]).collect())
}

/// The rows of measures. Two that differ in direction only are one row.
#[tracing::instrument(name = "db.measure.upsert", skip_all)]
pub(crate) async fn upsert_measures<'a>(
    conn: &mut PgConnection,
    project: ProjectId,
    measures: impl Iterator<Item = &'a Measure>,
) -> Result<HashMap<&'a Measure, i64>, StoreError> {
    let given: HashSet<&Measure> = measures.collect();
    let given: HashMap<&Measure, Key> =
        given.into_iter().map(|measure| (measure, measure_key(measure))).collect();
    let by_key: BTreeMap<Key, &Measure> = given.iter().map(|(measure, hash)| (*hash, *measure)).collect();
    let mut hashes = Vec::with_capacity(by_key.len());
    let mut names = Vec::with_capacity(by_key.len());
    let mut units = Vec::with_capacity(by_key.len());
    let mut betters = Vec::with_capacity(by_key.len());
    for (hash, measure) in &by_key {
        hashes.push(hash.to_vec());
        names.push(measure.name.as_str().to_owned());
        units.push(storable(&measure.unit.to_string()).into_owned());
        betters.push(better_word(measure.better).to_owned());
    }
    let rows = sqlx::query_as!(
        Row,
        r#"
        WITH input AS (
            SELECT key_hash, name, unit, better
            FROM UNNEST($2::bytea[], $3::text[], $4::text[], $5::text[]) AS i (key_hash, name, unit, better)
        ), found AS (
            SELECT m.key_hash, m.measure_id
            FROM input AS i
            JOIN measure AS m ON m.project_id = $1 AND m.key_hash = i.key_hash
            WHERE i.better = m.better
        ), written AS (
            INSERT INTO measure (project_id, key_hash, name, unit, better)
            SELECT $1, i.key_hash, i.name, i.unit, i.better
            FROM input AS i
            WHERE NOT EXISTS (SELECT FROM found AS f WHERE f.key_hash = i.key_hash)
            ORDER BY i.key_hash
            ON CONFLICT (project_id, key_hash) DO UPDATE SET better = EXCLUDED.better
            RETURNING key_hash, measure_id
        )
        SELECT key_hash AS "key_hash!", measure_id AS "id!" FROM found
        UNION ALL
        SELECT key_hash, measure_id FROM written
        "#,
        project.as_uuid(),
        &hashes,
        &names,
        &units,
        &betters,
    )
    .fetch_all(conn)
    .await?;
    let ids = ids("measure", rows, by_key.len())?;
    Ok(given.into_iter().map(|(measure, hash)| (measure, ids[&hash])).collect())
}

/// The rows of series on one testbed, by benchmark and measure; the pairs given may repeat.
#[tracing::instrument(name = "db.series.upsert", skip_all)]
pub(crate) async fn upsert_series(
    conn: &mut PgConnection,
    project: ProjectId,
    testbed: i64,
    mut pairs: Vec<(i64, i64)>,
) -> Result<HashMap<(i64, i64), i64>, StoreError> {
    pairs.sort_unstable();
    pairs.dedup();
    let (benchmarks, measures): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
    let rows = sqlx::query!(
        r#"
        WITH input AS (
            SELECT benchmark_id, measure_id
            FROM UNNEST($3::bigint[], $4::bigint[]) AS i (benchmark_id, measure_id)
        ), found AS (
            SELECT s.benchmark_id, s.measure_id, s.series_id
            FROM input AS i
            JOIN series AS s ON s.project_id = $1
                AND s.benchmark_id = i.benchmark_id
                AND s.measure_id = i.measure_id
                AND s.testbed_id = $2
        ), written AS (
            INSERT INTO series (project_id, benchmark_id, measure_id, testbed_id)
            SELECT $1, i.benchmark_id, i.measure_id, $2
            FROM input AS i
            WHERE NOT EXISTS (
                SELECT
                FROM found AS f
                WHERE f.benchmark_id = i.benchmark_id AND f.measure_id = i.measure_id
            )
            ORDER BY i.benchmark_id, i.measure_id
            ON CONFLICT (project_id, benchmark_id, measure_id, testbed_id)
                DO UPDATE SET testbed_id = EXCLUDED.testbed_id
            RETURNING benchmark_id, measure_id, series_id
        )
        SELECT benchmark_id AS "benchmark_id!", measure_id AS "measure_id!", series_id AS "series_id!" FROM found
        UNION ALL
        SELECT benchmark_id, measure_id, series_id FROM written
        "#,
        project.as_uuid(),
        testbed,
        &benchmarks,
        &measures,
    )
    .fetch_all(conn)
    .await?;
    let expected = pairs.len() as u64;
    let series: HashMap<_, _> =
        rows.into_iter().map(|row| ((row.benchmark_id, row.measure_id), row.series_id)).collect();
    let actual = series.len() as u64;
    if actual == expected { Ok(series) } else { Err(StoreError::RowsAffected { expected, actual }) }
}

/// The rows of frames, by [`frame_key`].
#[tracing::instrument(name = "db.frame.upsert", skip_all)]
pub(crate) async fn upsert_frames<'a>(
    conn: &mut PgConnection,
    project: ProjectId,
    frames: impl Iterator<Item = &'a HotFrame>,
) -> Result<Ids, StoreError> {
    let by_key: BTreeMap<Key, &HotFrame> = frames.map(|frame| (frame_key(&frame.name), frame)).collect();
    let mut hashes = Vec::with_capacity(by_key.len());
    let mut names = Vec::with_capacity(by_key.len());
    let mut categories = Vec::with_capacity(by_key.len());
    for (hash, frame) in &by_key {
        hashes.push(hash.to_vec());
        names.push(frame.name.clone());
        categories.push(storable(frame.category.name()).into_owned());
    }
    let rows = sqlx::query_as!(
        Row,
        r#"
        WITH input AS (
            SELECT key_hash, name, category
            FROM UNNEST($2::bytea[], $3::text[], $4::text[]) AS i (key_hash, name, category)
        ), found AS (
            SELECT f.key_hash, f.frame_id
            FROM input AS i
            JOIN frame AS f ON f.project_id = $1 AND f.key_hash = i.key_hash
            WHERE i.category = f.category
        ), written AS (
            INSERT INTO frame (project_id, key_hash, name, category)
            SELECT $1, i.key_hash, i.name, i.category
            FROM input AS i
            WHERE NOT EXISTS (SELECT FROM found AS f WHERE f.key_hash = i.key_hash)
            ORDER BY i.key_hash
            ON CONFLICT (project_id, key_hash) DO UPDATE SET category = EXCLUDED.category
            RETURNING key_hash, frame_id
        )
        SELECT key_hash AS "key_hash!", frame_id AS "id!" FROM found
        UNION ALL
        SELECT key_hash, frame_id FROM written
        "#,
        project.as_uuid(),
        &hashes,
        &names,
        &categories,
    )
    .fetch_all(conn)
    .await?;
    ids("frame", rows, by_key.len())
}
