//! What a run costs from the first byte of the request to the verdict in the answer, next to a bare commit of the
//! same PostgreSQL in the same run: the difference is ours.
//!
//! The database is a durable private cluster in a temporary folder. Each run has 50 benchmarks of five observations
//! and one folded profile of about 1 MB, and is judged against the run before.
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking; criterion makes the items")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use criterion::{Criterion, criterion_group, criterion_main};
use perfblame::clock::SystemClock;
use perfblame::cluster::{Cluster, ClusterOptions};
use perfblame::config::Config;
use perfblame::state::AppState;
use tower::ServiceExt as _;

/// A small linear generator: the same bytes in every run of the bench.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn benchmarks(seed: &mut u64) -> String {
    let mut text = String::from("pkg: example.test/kv\n");
    for benchmark in 0..50 {
        for _ in 0..5 {
            let ns = 1000 + 10 * benchmark + next(seed) % 20;
            let _ =
                writeln!(text, "BenchmarkGet{benchmark}-2 \t 1000 \t {ns} ns/op \t {} B/op", 64 * benchmark);
        }
    }
    text + "PASS\n"
}

/// About 1 MB of stacks, 30 frames deep, over 2,000 names.
fn profile(seed: &mut u64) -> String {
    let mut text = String::new();
    while text.len() < 1_000_000 {
        text.push_str("main");
        for level in 0..30 {
            let name = next(seed) % (4 + level * 4);
            let _ = write!(text, ";example.test/kv/level{level}.call{name}");
        }
        let _ = writeln!(text, " {}", 1 + next(seed) % 50);
    }
    text
}

fn body(seed: &mut u64, n: u64) -> Vec<u8> {
    let meta = format!("{{\"commit\": \"c{n}\", \"parents\": [\"c{}\"]}}", n.saturating_sub(1));
    let mut body = format!("--B\r\ncontent-disposition: form-data; name=\"meta\"\r\n\r\n{meta}\r\n");
    for (field, name, text) in
        [("benchmark", "bench.txt", benchmarks(seed)), ("profile", "p.folded", profile(seed))]
    {
        let head =
            format!("--B\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n");
        body.push_str(&head);
        body.push_str(&text);
        body.push_str("\r\n");
    }
    (body + "--B--\r\n").into_bytes()
}

fn ingest(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::Builder::new().prefix("perfblame-bench").tempdir_in("/tmp").unwrap();
    let options =
        ClusterOptions { data_dir: folder.path().join("data"), postgres_user: "postgres".to_owned() };
    // PostgreSQL runs as another user when this runs as root, and must be able to enter.
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let cluster = runtime.block_on(Cluster::start(&options)).unwrap();
    let (pool, router) = runtime.block_on(async {
        let options = store::PoolOptions { max_connections: 4, acquire_timeout: Duration::from_secs(5) };
        let pool = store::connect(&cluster.url(), &options).await.unwrap();
        store::migrate(&pool).await.unwrap();
        sqlx::query("CREATE TABLE bare (n BIGINT PRIMARY KEY)").execute(&pool).await.unwrap();
        let state = AppState::new(pool.clone(), Config::default(), Arc::new(SystemClock));
        (pool, perfblame::router(state))
    });
    let (count, mut seed) = (AtomicU64::new(1), 42);
    let mut group = criterion.benchmark_group("run of 50 benchmarks and a 1 MB profile");
    group.sample_size(30);
    group.bench_function("bare commit", |bencher| {
        bencher.iter(|| {
            let n = count.fetch_add(1, Ordering::Relaxed).cast_signed();
            runtime.block_on(sqlx::query("INSERT INTO bare VALUES ($1)").bind(n).execute(&pool)).unwrap();
        });
    });
    group.bench_function("posted, stored and judged", |bencher| {
        bencher.iter_batched(
            || body(&mut seed, count.fetch_add(1, Ordering::Relaxed)),
            |body| {
                let request = Request::post("/api/v1/projects/bench/runs")
                    .header("content-type", "multipart/form-data; boundary=B")
                    .body(Body::from(body))
                    .unwrap();
                let answer = runtime.block_on(router.clone().oneshot(request)).unwrap();
                assert_eq!(answer.status(), StatusCode::CREATED);
            },
            criterion::BatchSize::PerIteration,
        );
    });
    group.finish();
    runtime.block_on(async {
        pool.close().await;
        cluster.stop().await.unwrap();
    });
}

criterion_group!(benches, ingest);
criterion_main!(benches);
