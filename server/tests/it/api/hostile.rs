//! Bad input: a 4xx problem document that names the place and the limit, nothing stored, the process alive.

use std::io::Write as _;
use std::path::Path;

use axum::http::StatusCode;
use perfblame::config::LimitOptions;
use serde_json::json;

use crate::app::{Answer, FOLDED, TestApp};

const RUNS: &str = "/api/v1/projects/kv/runs";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// A refusal is a problem document and leaves no run behind.
async fn refused(app: &TestApp, what: &str, answer: &Answer) -> serde_json::Value {
    assert!(answer.status.is_client_error(), "{what}: {} {}", answer.status, answer.text());
    assert_eq!(answer.headers["content-type"], "application/problem+json", "{what}");
    assert_eq!(app.count("run").await, 0, "{what} was stored");
    let problem = answer.json();
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.len() > 10), "{what}: {problem}");
    problem
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn every_kind_of_bad_body_is_a_problem_and_stores_nothing(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let deep: String = (0..30_000).map(|i| format!("f{i};")).collect::<String>() + "leaf 1\n";
    let cases: Vec<(&str, Vec<u8>, StatusCode)> = vec![
        ("empty body", Vec::new(), StatusCode::UNPROCESSABLE_ENTITY),
        ("blanks", b" \n \n".to_vec(), StatusCode::UNPROCESSABLE_ENTITY),
        ("unknown format", b"it was a dark and stormy night\n".to_vec(), StatusCode::UNPROCESSABLE_ENTITY),
        ("truncated gzip", gzip(FOLDED)[..20].to_vec(), StatusCode::UNPROCESSABLE_ENTITY),
        (
            "wrong JSON types",
            br#"{"benchmarks": [{"name": 7, "measures": []}]}"#.to_vec(),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            "NaN",
            br#"{"benchmarks": [{"name": "a", "measures": {"t": {"unit": "s", "observations": [NaN]}}}]}"#
                .to_vec(),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            "too large a number",
            br#"{"benchmarks": [{"name": "a", "measures": {"t": {"unit": "s", "observations": [1e999]}}}]}"#
                .to_vec(),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            "negative time",
            br#"{"benchmarks": [{"name": "a", "measures": {"t": {"unit": "s", "observations": [-4]}}}]}"#
                .to_vec(),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            "nested JSON",
            ["[".repeat(100_000).into_bytes(), b"]".repeat(100_000)].concat(),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        ("a stack of 30,001 frames", deep.into_bytes(), StatusCode::PAYLOAD_TOO_LARGE),
    ];
    for (what, body, status) in cases {
        let answer = app.post(RUNS, &[], body).await;
        refused(&app, what, &answer).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.text());
    }
    assert_eq!(app.get("/healthz").await.status, StatusCode::OK);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_field_at_fault_is_named(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let body =
        json!({"benchmarks": [{"name": "a", "measures": {"t": {"unit": "s", "observations": "fast"}}}]});
    let problem = refused(&app, "text for numbers", &app.post(RUNS, &[], body.to_string()).await).await;
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("observations"), "{problem}");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_bomb_is_refused_at_the_limit(pool: sqlx::PgPool) {
    let limits = LimitOptions { max_decompressed_bytes: 8 << 20, ..LimitOptions::default() };
    let app = TestApp::with_limits(pool, limits);
    let bomb = gzip(&vec![0_u8; 64 << 20]);
    let problem = refused(&app, "bomb", &app.post(RUNS, &[], bomb.clone()).await).await;
    assert_eq!(problem["setting"], "max_decompressed_bytes");
    assert_eq!(problem["limit"], 8 << 20);
    let coded = app.post(RUNS, &[("content-encoding", "gzip")], gzip(&bomb)).await;
    refused(&app, "bomb in a bomb", &coded).await;
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_body_over_the_limit_is_refused(pool: sqlx::PgPool) {
    let limits = LimitOptions { max_body_bytes: 10_000, ..LimitOptions::default() };
    let app = TestApp::with_limits(pool, limits);
    let raw = app.post(RUNS, &[], vec![b'a'; 20_000]).await;
    let problem = refused(&app, "large body", &raw).await;
    assert_eq!((raw.status, &problem["setting"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("max_body_bytes")));
    let parts = app.upload(RUNS, &json!({}), &[("profile", "p", &vec![b'a'; 20_000])]).await;
    refused(&app, "large multipart", &parts).await;
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn wrong_parameters_and_parts_are_named(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    for query in
        ["role=boss", "pull_request=x", "branch=%07", "commit=a%20b", "unknown=1", "started_at=yesterday"]
    {
        let answer = app.post(&format!("{RUNS}?{query}"), &[], FOLDED).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}: {}", answer.text());
        refused(&app, query, &answer).await;
    }
    let part = app.upload(RUNS, &json!({"branch": 7}), &[("profile", "p", FOLDED)]).await;
    assert!(refused(&app, "meta", &part).await["detail"].as_str().unwrap().contains("meta"));
    let part = app.upload(RUNS, &json!({}), &[("attachment", "p", FOLDED)]).await;
    refused(&app, "unknown part", &part).await;
    let project = app.post("/api/v1/projects/a%20b/runs", &[], FOLDED).await;
    assert_eq!(project.status, StatusCode::NOT_FOUND);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn hostile_fixtures_never_cause_a_server_error(pool: sqlx::PgPool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/hostile");
    let mut files = vec![root];
    let app = TestApp::new(pool);
    let mut tried = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let answer = app.post(&format!("{RUNS}?commit=h{tried}"), &[], std::fs::read(&path).unwrap()).await;
        assert!(!answer.status.is_server_error(), "{}: {}", path.display(), answer.text());
        tried += 1;
    }
    assert!(tried >= 20, "only {tried} hostile files");
}
