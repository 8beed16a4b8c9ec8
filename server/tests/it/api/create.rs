//! CI posts runs in all body kinds.

use axum::http::StatusCode;
use serde_json::json;

use crate::app::{FOLDED, TestApp, tar};

const RUNS: &str = "/api/v1/projects/kv/runs";
const GO: &str =
    "goos: linux\npkg: example.test/kv\nBenchmarkGet-2 \t 1000 \t 500.0 ns/op \t 64 B/op\nPASS\n";

/// A go benchmark's output with `ns` per operation, five times.
fn go(ns: [f64; 5]) -> String {
    let lines: String = ns.iter().map(|ns| format!("BenchmarkGet-2 \t 1000 \t {ns} ns/op\n")).collect();
    format!("pkg: example.test/kv\n{lines}PASS\n")
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_raw_body_creates_what_it_names(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let answer = app.post(&format!("{RUNS}?branch=main&commit=abc1234"), &[], GO).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    let body = answer.json();
    assert_eq!(body["commit"], "abc1234");
    assert_eq!(body["verdict"]["outcome"], "no-baseline");
    assert_eq!(body["files"][0]["benchmarks"], 1);
    let place = answer.headers["location"].to_str().unwrap();
    let again = app.get(place.strip_prefix("http://perfblame.test").unwrap()).await;
    assert_eq!(again.json()["verdict"], body["verdict"]);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn the_second_run_is_judged_against_the_first(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let (slow, fast) = (go([600.0, 605.0, 598.0, 603.0, 601.0]), go([500.0, 501.0, 499.0, 502.0, 500.5]));
    app.post(&format!("{RUNS}?commit=aaa"), &[], fast).await;
    let answer = app
        .post(&format!("{RUNS}?commit=bbb&parents=aaa"), &[("accept", "application/json")], slow.clone())
        .await;
    let verdict = &answer.json()["verdict"];
    assert_eq!(verdict["outcome"], "regressed", "{verdict:#}");
    assert_eq!(verdict["confidence"], "confirmed");
    let text =
        app.post(&format!("{RUNS}?commit=ccc&parents=aaa"), &[("accept", "text/plain")], slow.clone()).await;
    assert!(text.text().starts_with("REGRESSED: "), "{}", text.text());
    let markdown =
        app.post(&format!("{RUNS}?commit=ddd&parents=aaa"), &[("accept", "text/markdown")], slow).await;
    assert!(markdown.text().contains("please look"), "{}", markdown.text());
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn multipart_carries_benchmarks_and_profiles(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let meta = json!({"branch": "main", "commit": "abc", "testbed": "ci-large",
        "environment": {"cpu": "x"}, "files": {"p.folded": {"benchmark": "Get", "event": "cpu"}}});
    let files = [("benchmark", "bench.txt", GO.as_bytes()), ("profile", "p.folded", FOLDED)];
    let answer = app.upload(RUNS, &meta, &files).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    assert_eq!(answer.json()["testbed"], "ci-large");
    assert_eq!((app.count("run").await, app.count("profile").await), (1, 1));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn an_archive_is_a_run_of_the_files_in_it(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let files = [("bench.txt", GO.as_bytes()), ("notes.md", b"nothing".as_slice()), ("p.folded", FOLDED)];
    let answer = app.post(&format!("{RUNS}?commit=abc1234"), &[], tar(&files)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    let read = &answer.json()["files"];
    assert_eq!((&read[0]["format"], read[0]["warnings"].as_array().unwrap().len()), (&json!("archive"), 1));
    assert_eq!((&read[1]["format"], &read[2]["format"]), (&json!("go-bench"), &json!("folded")));
    assert_eq!((app.count("run").await, app.count("profile").await), (1, 1));
    let nothing = app.post(RUNS, &[], tar(&files[1..2])).await;
    assert_eq!(nothing.status, StatusCode::BAD_REQUEST, "{}", nothing.text());
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn native_json_carries_samples_and_profiles(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let body = json!({
        "run": {"branch": "main", "commit": "6995e2d", "testbed": "ci-large", "pull_request": 7,
                "started_at": "2026-12-01T10:00:00Z", "environment": {"cores": 8}},
        "benchmarks": [{"name": "read", "parameters": {"threads": 4}, "kind": "end-to-end",
            "measures": {"throughput": {"unit": "op/s", "better": "higher", "observations": [6681, 6702, 6659]}}}],
        "profiles": [{"benchmark": "read", "event": "cpu", "unit": "samples", "operations": 993_050, "folded": "main;read;log 42\n"}]
    });
    let answer = app.post(RUNS, &[("content-type", "application/json")], body.to_string()).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    let run = answer.json();
    assert_eq!((&run["commit"], &run["pull_request"]), (&json!("6995e2d"), &json!(7)));
    assert_eq!((app.count("metric").await, app.count("profile").await), (1, 1));
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn gzip_and_zstd_bodies_and_parts_are_read(pool: sqlx::PgPool) {
    use std::io::Write as _;
    let app = TestApp::new(pool);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(GO.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(GO.as_bytes(), 3).unwrap();
    for (i, (coding, bytes)) in
        [("gzip", gzip.clone()), ("zstd", zstd.clone()), ("", gzip.clone())].into_iter().enumerate()
    {
        let headers = [("content-encoding", if coding.is_empty() { "identity" } else { coding })];
        let answer = app.post(&format!("{RUNS}?commit=c{i}"), &headers, bytes).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{coding}: {}", answer.text());
    }
    let files = [
        ("benchmark", "bench.txt.gz", &gzip[..]),
        ("profile", "p.zst", &zstd::encode_all(FOLDED, 3).unwrap()[..]),
    ];
    let answer = app.upload(RUNS, &json!({"commit": "parts"}), &files).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    let unknown = app.post(RUNS, &[("content-encoding", "br")], GO).await;
    assert_eq!(unknown.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn the_same_idempotency_key_gives_the_same_run_once(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let headers = [("idempotency-key", "job-17")];
    let first = app.post(RUNS, &headers, GO).await;
    let second = app.post(RUNS, &headers, GO).await;
    assert_eq!((first.status, second.status), (StatusCode::CREATED, StatusCode::OK));
    assert_eq!(first.json()["id"], second.json()["id"]);
    assert_eq!(second.json()["verdict"], first.json()["verdict"]);
    assert_eq!(app.count("run").await, 1);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn without_waiting_the_answer_is_202_and_the_verdict_follows(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let answer = app.post(&format!("{RUNS}?wait=0"), &[], GO).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED);
    assert!(answer.json()["verdict"].is_null());
    app.state.tasks.close();
    app.state.tasks.wait().await;
    let place = answer.headers["location"].to_str().unwrap().replace("http://perfblame.test", "");
    assert_eq!(app.get(&place).await.json()["verdict"]["outcome"], "no-baseline");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_run_whose_process_died_before_the_verdict_is_judged_later(pool: sqlx::PgPool) {
    let app = TestApp::new(pool.clone());
    app.post(RUNS, &[], GO).await;
    sqlx::query("DELETE FROM finding").execute(&pool).await.unwrap();
    sqlx::query("DELETE FROM verdict").execute(&pool).await.unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let sweep = tokio::spawn(perfblame::analysis::sweep(app.state.clone(), stop.clone()));
    while app.count("verdict").await == 0 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    sweep.await.unwrap();
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn profiles_can_follow_their_run(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let run = app.post(RUNS, &[], GO).await.json()["id"].as_str().unwrap().to_owned();
    let answer = app.post(&format!("{RUNS}/{run}/profiles?event=cpu"), &[], FOLDED).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    assert_eq!(app.count("profile").await, 1);
    let refused = app.post(&format!("{RUNS}/{run}/profiles"), &[], GO).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_budget_flags_a_single_profile(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let policy = json!({"budgets": [{"subject": "logging", "max_share": 0.03}]});
    let saved =
        app.send(axum::http::Method::PUT, "/api/v1/projects/kv/policy", &[], policy.to_string()).await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.text());
    let stacks = "main;serve;log::__private_api::log 400\nmain;serve;parse 600\n";
    let answer = app.post(&format!("{RUNS}?event=cpu"), &[], stacks).await;
    let verdict = &answer.json()["verdict"];
    assert_eq!(verdict["outcome"], "no-baseline", "{verdict:#}");
    assert_eq!(verdict["budgets"][0]["subject"], "logging", "{verdict:#}");
    assert!((verdict["budgets"][0]["share"].as_f64().unwrap() - 0.4).abs() < 1e-9);
}
