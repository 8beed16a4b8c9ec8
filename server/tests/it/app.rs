//! A perfblame in process: the whole router over a fresh database, a clock that stands still.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use chrono::{DateTime, Utc};
use perfblame::clock::Clock;
use perfblame::config::{Config, LimitOptions};
use perfblame::state::AppState;
use tower::ServiceExt as _;

/// A clock that stands still.
#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_764_583_200, 0).unwrap()
    }
}

/// A perfblame under test.
pub(crate) struct TestApp {
    pub(crate) state: AppState,
    router: axum::Router,
}

/// An answer with its body read.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// One file of a multipart upload: field, file name, bytes.
pub(crate) type FilePart<'a> = (&'a str, &'a str, &'a [u8]);

impl TestApp {
    pub(crate) fn new(pool: sqlx::PgPool) -> Self {
        Self::with_limits(pool, LimitOptions::default())
    }

    pub(crate) fn with_limits(pool: sqlx::PgPool, limits: LimitOptions) -> Self {
        let config = Config { public_url: "http://perfblame.test".to_owned(), limits, debug_pprof: true };
        let state = AppState::new(pool, config, Arc::new(Still));
        Self { router: perfblame::router(state.clone()), state }
    }

    pub(crate) async fn call(&self, request: Request<Body>) -> Answer {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, bytes }
    }

    pub(crate) async fn get(&self, uri: &str) -> Answer {
        self.call(Request::get(uri).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        uri: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.call(request.body(body.into()).unwrap()).await
    }

    pub(crate) async fn post(&self, uri: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        self.send(Method::POST, uri, headers, body).await
    }

    /// Posts `meta` and files as multipart.
    pub(crate) async fn upload(&self, uri: &str, meta: &serde_json::Value, files: &[FilePart<'_>]) -> Answer {
        let body = multipart(meta, files);
        self.post(uri, &[("content-type", "multipart/form-data; boundary=BOUNDARY")], body).await
    }

    /// How many rows a table has: what was refused must leave nothing.
    pub(crate) async fn count(&self, table: &str) -> i64 {
        let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        sqlx::query_scalar(query).fetch_one(&self.state.pool).await.unwrap()
    }
}

fn multipart(meta: &serde_json::Value, files: &[FilePart<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    if !meta.is_null() {
        body.extend(
            format!("--BOUNDARY\r\ncontent-disposition: form-data; name=\"meta\"\r\n\r\n{meta}\r\n")
                .into_bytes(),
        );
    }
    for (field, name, bytes) in files {
        let head = format!(
            "--BOUNDARY\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend(head.into_bytes());
        body.extend_from_slice(bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--BOUNDARY--\r\n");
    body
}

/// The minimal text of a folded profile.
pub(crate) const FOLDED: &[u8] = b"main;handle;parse 600\nmain;handle;log 400\nmain;idle 100\n";

/// A tar archive of files.
pub(crate) fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, *bytes).unwrap();
    }
    archive.into_inner().unwrap()
}
