//! Size and concurrency: what one upload a time does not show.

use std::time::{Duration, Instant};

use model::{Benchmark, Status};
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use store::runs::{self, Created, NewRun};
use store::{PgConnection, Pool};

use crate::build::{benchmark, key, measured, new_profile, project, run, run_id, throughput, time};

fn many(range: std::ops::Range<usize>) -> Vec<Benchmark> {
    range
        .map(|i| Benchmark {
            key: key(&format!("suite/case {}", i / 4), &[("size", &(i % 4).to_string())]),
            kind: None,
            status: Status::Ok,
            measurements: vec![measured(time(), &[i as f64 + 1.0; 5]), measured(throughput(), &[1.0, 2.0])],
        })
        .collect()
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn twenty_thousand_benchmarks_go_in_at_once_and_come_back(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    for n in 1..=2 {
        let new = NewRun { benchmarks: many(0..20_000), ..run(a, n, "c1", &[]) };
        let mut transaction = store::begin(&pool).await.unwrap();
        let start = Instant::now();
        assert_eq!(runs::create(&mut transaction, &new).await.unwrap(), Created::New);
        store::commit(transaction).await.unwrap();
        println!("20,000 benchmarks, 40,000 metrics, run {n}: {:?}", start.elapsed());
        let start = Instant::now();
        assert_eq!(runs::load_benchmarks(&mut conn, a, new.id).await.unwrap(), new.benchmarks);
        println!("read back: {:?}", start.elapsed());
    }
}

/// Statements that a connection has executed so far, those for this question apart.
async fn n_executed(conn: &mut PgConnection) -> i64 {
    // Every prepared statement counts its executions by the plan that it got.
    let (n,): (i64,) = sqlx::query_as(
        "SELECT coalesce(sum(generic_plans + custom_plans), 0)::bigint
         FROM pg_prepared_statements
         WHERE statement NOT LIKE '%pg_prepared_statements%'",
    )
    .fetch_one(conn)
    .await
    .unwrap();
    n
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_run_takes_the_same_few_statements_whatever_its_size(pool: Pool) {
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let names: Vec<String> =
        (0..3000).map(|i| format!("com.example.service.Handler{}.call{i}", i % 40)).collect();
    let stacks: Vec<Vec<&str>> =
        (0..3000).map(|i| vec!["main", &names[i % 7], &names[i % 191], &names[i]]).collect();
    let stacks: Vec<(&[&str], u64)> = stacks.iter().map(|stack| (stack.as_slice(), 10)).collect();
    for (n, size) in [(1, 50), (2, 50), (3, 50), (4, 50), (5, 1), (6, 2000)] {
        let mut new = NewRun { benchmarks: many(0..size), ..run(a, n, "c1", &[]) };
        new.idempotency_key = Some(n.to_string());
        new.profiles = vec![new_profile(n, &stacks)];
        let before = n_executed(&mut conn).await;
        let start = Instant::now();
        assert_eq!(runs::create(&mut conn, &new).await.unwrap(), Created::New);
        println!("{size} benchmarks and a profile, run {n}: {:?}", start.elapsed());
        assert_eq!(n_executed(&mut conn).await - before, 12, "run {n}");
    }
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn plans_are_made_for_the_size_of_each_upload(_: PgPoolOptions, options: PgConnectOptions) {
    let limits = store::PoolOptions { max_connections: 1, acquire_timeout: Duration::from_secs(30) };
    let pool = store::connect(options.to_url_lossy().as_str(), &limits).await.unwrap();
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    // Postgres weighs a general plan against those made so far from the sixth execution on.
    for n in 1..=8 {
        runs::create(&mut conn, &run(a, n, "c1", &[])).await.unwrap();
    }
    let (general, made): (i64, i64) = sqlx::query_as(
        "SELECT sum(generic_plans)::bigint, sum(custom_plans)::bigint
         FROM pg_prepared_statements
         WHERE statement NOT LIKE '%pg_prepared_statements%'",
    )
    .fetch_one(&mut *conn)
    .await
    .unwrap();
    assert!(general == 0 && made > 60, "{general} general plans, {made} made");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn overlapping_uploads_at_once_neither_deadlock_nor_lose_anything(
    _: PgPoolOptions,
    options: PgConnectOptions,
) {
    let pool = PgPoolOptions::new().max_connections(9).connect_with(options).await.unwrap();
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let uploads = (0..8_u128).map(|n| {
        let pool = pool.clone();
        tokio::spawn(async move {
            let first = n as usize * 20;
            let mut benchmarks = many(first..first + 200);
            // Half of them name things in the other direction.
            if n % 2 == 1 {
                benchmarks.reverse();
            }
            let mut new = NewRun { benchmarks, ..run(a, n, "c1", &[]) };
            let stacks: [(&[&str], u64); 3] = [(&["a", "b"], 1), (&["c", "d"], 1), (&["e"], 1)];
            new.profiles = vec![new_profile(n, &stacks)];
            let mut transaction = store::begin(&pool).await.unwrap();
            let created = runs::create(&mut transaction, &new).await.unwrap();
            store::commit(transaction).await.unwrap();
            (created, new)
        })
    });
    for upload in uploads.collect::<Vec<_>>() {
        let (created, new) = upload.await.unwrap();
        assert_eq!(created, Created::New);
        assert_eq!(runs::load_benchmarks(&mut conn, a, new.id).await.unwrap(), new.benchmarks);
    }
    let (benchmarks, series): (i64, i64) =
        sqlx::query_as("SELECT (SELECT count(*) FROM benchmark), (SELECT count(*) FROM series)")
            .fetch_one(&mut *conn)
            .await
            .unwrap();
    assert_eq!((benchmarks, series), (340, 680));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn one_key_sent_eight_times_at_once_is_one_run(_: PgPoolOptions, options: PgConnectOptions) {
    let pool = PgPoolOptions::new().max_connections(9).connect_with(options).await.unwrap();
    let mut conn = pool.acquire().await.unwrap();
    let a = project(&mut conn, "a").await;
    let uploads = (0..8_u128).map(|n| {
        let pool = pool.clone();
        tokio::spawn(async move {
            let mut new = run(a, n, "c1", &[]);
            new.idempotency_key = Some("once".to_owned());
            new.benchmarks = vec![benchmark("read", &[n as f64])];
            let mut transaction = store::begin(&pool).await.unwrap();
            let created = runs::create(&mut transaction, &new).await.unwrap();
            store::commit(transaction).await.unwrap();
            match created {
                Created::New => (true, run_id(n)),
                Created::Existing(id) => (false, id),
            }
        })
    });
    let mut answers = Vec::new();
    for upload in uploads.collect::<Vec<_>>() {
        answers.push(upload.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|(new, _)| *new).count(), 1);
    assert!(answers.iter().all(|(_, id)| *id == answers[0].1), "{answers:?}");
    let (rows,): (i64,) = sqlx::query_as("SELECT count(*) FROM metric").fetch_one(&mut *conn).await.unwrap();
    assert_eq!(rows, 1);
}
