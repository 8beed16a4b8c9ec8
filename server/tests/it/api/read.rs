//! Reading back: lists, one run, comparisons, the documents about the API.

use axum::http::StatusCode;
use serde_json::json;

use crate::app::TestApp;

const RUNS: &str = "/api/v1/projects/kv/runs";

fn lines(values: &[f64]) -> String {
    values.iter().map(|value| format!("benchmark=read ops_per_s={value}\n")).collect()
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn lists_are_paged_by_key_and_filtered(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    for i in 0..5 {
        let branch = if i % 2 == 0 { "main" } else { "topic" };
        let answer =
            app.post(&format!("{RUNS}?commit=c{i}&branch={branch}"), &[], lines(&[100.0, 101.0])).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    }
    let mut seen = Vec::new();
    let mut next = Some(format!("{RUNS}?limit=2"));
    while let Some(uri) = next {
        let page = app.get(&uri).await.json();
        seen.extend(
            page["items"].as_array().unwrap().iter().map(|run| run["commit"].as_str().unwrap().to_owned()),
        );
        next = page["next"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, ["c4", "c3", "c2", "c1", "c0"]);
    let topic = app.get(&format!("{RUNS}?branch=topic")).await.json();
    assert_eq!(topic["items"].as_array().unwrap().len(), 2);
    assert_eq!(app.get(&format!("{RUNS}?limit=0")).await.status, StatusCode::BAD_REQUEST);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn any_two_runs_compare_by_commit_and_branch(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    app.post(&format!("{RUNS}?commit=old&branch=main"), &[], lines(&[100.0, 101.0, 99.0, 100.5, 100.0]))
        .await;
    app.post(&format!("{RUNS}?commit=new&branch=topic"), &[], lines(&[50.0, 51.0, 49.0, 50.5, 50.0])).await;
    for (base, head) in [("old", "new"), ("main", "topic")] {
        let answer = app.get(&format!("/api/v1/projects/kv/compare?base={base}&head={head}")).await;
        assert_eq!(answer.json()["outcome"], "regressed", "{}", answer.text());
    }
    let missing = app.get("/api/v1/projects/kv/compare?base=old&head=nowhere").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    let files = [
        ("base", "a.txt", lines(&[100.0; 3]).into_bytes()),
        ("head", "b.txt", lines(&[50.0; 3]).into_bytes()),
    ];
    let files: Vec<_> = files.iter().map(|(field, name, bytes)| (*field, *name, &bytes[..])).collect();
    let posted = app.upload("/api/v1/projects/elsewhere/compare", &json!(null), &files).await;
    assert_eq!(posted.json()["outcome"], "regressed", "{}", posted.text());
    assert_eq!(app.count("project").await, 1, "a posted comparison stores nothing");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn what_is_not_there_is_a_404_problem(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    for uri in [
        "/api/v1/projects/nobody",
        "/api/v1/projects/nobody/runs",
        "/api/v1/projects/nobody/runs/0190b5a0-0000-7000-8000-000000000000",
        "/api/v1/projects/nobody/runs/not-an-id",
        "/api/v2/whatever",
    ] {
        let answer = app.get(uri).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{uri}");
        assert_eq!(answer.headers["content-type"], "application/problem+json", "{uri}");
    }
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn the_openapi_document_names_every_route(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let document = app.get("/api/v1/openapi.json").await.json();
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert!(paths.iter().any(|path| path.ends_with("/runs/{run}/profiles")), "{paths:?}");
    assert_eq!(paths.len(), 9, "{paths:?}");
    assert_eq!(app.get("/readyz").await.json()["status"], "ready");
}
