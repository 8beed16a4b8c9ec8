//! The only type that knows status codes, and its problem document (RFC 9457).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use formats::{At, ErrorKind, ParseError};
use serde::Serialize;
use store::StoreError;

/// Everything that can go wrong while a request is answered.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no such thing here, or the caller may not see it.
    #[error("{0} was not found")]
    NotFound(String),
    /// The request contradicts itself or what is stored.
    #[error("{0}")]
    Conflict(String),
    /// A parameter, header or member of the request is wrong.
    #[error("{at}: {detail}")]
    BadRequest {
        /// Which one.
        at: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A file could not be read.
    #[error("{file}: {why}")]
    Unreadable {
        /// The file's name, or `the body`.
        file: String,
        /// What the reader said; part of the message, so not its source, which would say it again.
        why: ParseError,
    },
    /// A bound was exceeded before any reader saw the bytes.
    #[error("{what} exceeds the limit of {limit} (setting {setting})")]
    TooLarge {
        /// What is too large.
        what: String,
        /// The limit.
        limit: u64,
        /// The configuration that governs it.
        setting: &'static str,
    },
    /// A body in a form that is not understood.
    #[error("{0}")]
    UnsupportedMedia(String),
    /// The database failed.
    #[error("the database did not answer as expected")]
    Store(#[from] StoreError),
    /// A piece of work stopped in the middle.
    #[error("the work stopped in the middle")]
    Work(#[from] tokio::task::JoinError),
    /// A page could not be rendered.
    #[error("the page could not be rendered")]
    Render(#[from] askama::Error),
    /// The service cannot take this now.
    #[error("{0}")]
    Unavailable(String),
}

/// A problem document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Problem {
    /// A name for the kind of problem, stable for programs.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The kind of problem for people.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong, where, which limit, which setting.
    pub detail: String,
    /// The file at fault, in uploads of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The reader that refused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'static str>,
    /// The line at fault, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The byte at fault, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// The member or parameter at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The limit exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The configuration that governs the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<&'static str>,
}

impl AppError {
    /// A wrong parameter or member.
    pub fn bad_request(at: impl Into<String>, detail: impl std::fmt::Display) -> Self {
        Self::BadRequest { at: at.into(), detail: detail.to_string() }
    }

    /// The problem document. What a 5xx says never depends on internals.
    pub fn problem(&self) -> Problem {
        let detail = self.to_string();
        let base = |kind, title, status: StatusCode| Problem {
            kind,
            title,
            status: status.as_u16(),
            detail: detail.clone(),
            ..Problem::default()
        };
        match self {
            Self::NotFound(_) => base("not-found", "Not found", StatusCode::NOT_FOUND),
            Self::BadRequest { at, .. } => Problem {
                field: Some(at.clone()),
                ..base("bad-request", "Bad request", StatusCode::BAD_REQUEST)
            },
            Self::Unreadable { file, why } => unreadable(file, why, base),
            Self::TooLarge { limit, setting, .. } => Problem {
                limit: Some(*limit),
                setting: Some(setting),
                ..base("too-large", "Too large", StatusCode::PAYLOAD_TOO_LARGE)
            },
            Self::UnsupportedMedia(_) => {
                base("unsupported-media", "Unsupported media type", StatusCode::UNSUPPORTED_MEDIA_TYPE)
            }
            Self::Conflict(_) | Self::Store(StoreError::Conflict { .. }) => {
                base("conflict", "Conflict", StatusCode::CONFLICT)
            }
            Self::Store(StoreError::Unavailable { .. }) | Self::Unavailable(_) => {
                base("unavailable", "Temporarily unavailable", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::Store(_) | Self::Work(_) | Self::Render(_) => {
                base("internal", "Internal error", StatusCode::INTERNAL_SERVER_ERROR)
            }
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.problem().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

fn unreadable(
    file: &str,
    source: &ParseError,
    base: impl Fn(&'static str, &'static str, StatusCode) -> Problem,
) -> Problem {
    let mut problem = match source.kind {
        ErrorKind::Limit { .. } => base("too-large", "Too large", StatusCode::PAYLOAD_TOO_LARGE),
        _ => base("unreadable", "The file cannot be read", StatusCode::UNPROCESSABLE_ENTITY),
    };
    problem.file = Some(file.to_owned());
    problem.format = Some(source.format);
    match &source.at {
        At::Line(line) => problem.line = Some(*line),
        At::Offset(offset) => problem.offset = Some(*offset),
        At::Field(field) => problem.field = Some(field.clone()),
        At::File => {}
    }
    if let ErrorKind::Limit { limit, setting, .. } = source.kind {
        problem.limit = Some(limit);
        problem.setting = Some(setting);
    }
    problem
}

/// Logs a server fault once, with its chain; the answer holds the request id only.
pub(crate) fn log_fault(error: &AppError) {
    let status = error.status();
    if status.is_server_error() {
        let chain = anyhow_chain(error);
        tracing::error!(http.status = status.as_u16(), error = %chain, "a request failed");
    }
}

fn anyhow_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        log_fault(&self);
        let problem = self.problem();
        let mut response = (self.status(), Json(&problem)).into_response();
        // For whoever answers people instead of programs: the same problem, to be shown as a page.
        response.extensions_mut().insert(problem);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.status() == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }
}
