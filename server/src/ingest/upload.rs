//! A request's body to files with hints, whichever of the three body kinds it is.

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};
use formats::Limits;

use super::meta::{FileHints, Meta, MetaQuery};
use crate::http::AppError;
use crate::state::AppState;

/// What a file part was sent as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// Benchmark output.
    Benchmark,
    /// A profile.
    Profile,
}

/// One file of an upload.
#[derive(Debug, Clone)]
pub struct UploadFile {
    /// Its name, where there is one.
    pub name: Option<String>,
    /// What it was sent as; either where the sender did not say.
    pub role: Option<FileRole>,
    /// The bytes as sent.
    pub bytes: Bytes,
    /// What was said about it.
    pub hints: FileHints,
}

/// One upload.
#[derive(Debug, Clone, Default)]
pub struct Upload {
    /// What was said about the run.
    pub meta: Meta,
    /// Its files.
    pub files: Vec<UploadFile>,
}

/// Reads the body of a request into an upload.
///
/// # Errors
///
/// A body that is too large, in an unknown coding, or not what its type says.
pub async fn receive(state: &AppState, query: &MetaQuery, request: Request) -> Result<Upload, AppError> {
    let headers = request.headers().clone();
    let from_query = query.meta().map_err(|error| AppError::bad_request("parents", error))?;
    let media = media_type(&headers);
    let mut upload = if media == "multipart/form-data" {
        multipart(state, query, request).await?
    } else {
        let bytes = body(state, request).await?;
        let bytes = decode(state, &headers, bytes).await?;
        let file = UploadFile { name: query.file_name(), role: None, bytes, hints: query.hints() };
        Upload { meta: Meta::default(), files: vec![file] }
    };
    upload.meta = upload.meta.or(from_query);
    if let Some(key) = headers.get("idempotency-key") {
        let key =
            key.to_str().map_err(|_| AppError::bad_request("Idempotency-Key", "it must be visible ASCII"))?;
        upload.meta.idempotency_key = Some(key.to_owned());
    }
    match &upload.meta.idempotency_key {
        Some(key) if key.is_empty() || key.len() > 255 => {
            Err(AppError::bad_request("Idempotency-Key", "it must have 1 to 255 characters"))
        }
        _ => Ok(upload),
    }
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The whole body, within the configured bound.
async fn body(state: &AppState, request: Request) -> Result<Bytes, AppError> {
    let limit = state.config.limits.max_body_bytes;
    axum::body::to_bytes(request.into_body(), limit).await.map_err(|error| {
        let too_long =
            std::error::Error::source(&error).is_some_and(|cause| cause.to_string().contains("limit"));
        if too_long { too_large(state) } else { AppError::bad_request("body", "the connection ended early") }
    })
}

fn too_large(state: &AppState) -> AppError {
    AppError::TooLarge {
        what: "the request body".to_owned(),
        limit: state.config.limits.max_body_bytes as u64,
        setting: "max_body_bytes",
    }
}

/// Takes off the coding that the headers name. The readers take off gzip and zstd of the file itself.
async fn decode(state: &AppState, headers: &HeaderMap, bytes: Bytes) -> Result<Bytes, AppError> {
    let coding =
        headers.get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("identity");
    match coding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(bytes),
        "gzip" | "x-gzip" | "zstd" => {
            let limits: Limits = state.config.limits.formats();
            let plain = crate::state::blocking(state, move || {
                formats::decompress(&bytes, &limits).map(std::borrow::Cow::into_owned)
            });
            let plain = plain.await?;
            plain.map(Bytes::from).map_err(|why| AppError::Unreadable { file: "the body".to_owned(), why })
        }
        other => Err(AppError::UnsupportedMedia(format!(
            "Content-Encoding {other:?} is not understood; send gzip, zstd or none"
        ))),
    }
}

async fn multipart(state: &AppState, query: &MetaQuery, request: Request) -> Result<Upload, AppError> {
    let broken = |error: axum::extract::multipart::MultipartError| {
        if error.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
            too_large(state)
        } else {
            AppError::bad_request("multipart body", error.body_text())
        }
    };
    let mut parts = Multipart::from_request(request, state)
        .await
        .map_err(|error| AppError::bad_request("multipart body", error.body_text()))?;
    let mut upload = Upload::default();
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let field = part.name().unwrap_or_default().to_owned();
        let name = part.file_name().map(str::to_owned);
        let headers = part.headers().clone();
        let bytes = part.bytes().await.map_err(broken)?;
        match field.as_str() {
            "meta" => upload.meta = meta_part(&bytes)?,
            "benchmark" | "profile" => {
                let role = if field == "profile" { FileRole::Profile } else { FileRole::Benchmark };
                let bytes = decode(state, &headers, bytes).await?;
                upload.files.push(UploadFile { name, role: Some(role), bytes, hints: FileHints::default() });
            }
            other => {
                let known = "known parts are meta, benchmark and profile";
                return Err(AppError::bad_request(format!("part {other:?}"), known));
            }
        }
        let limit = state.config.limits.max_files;
        if upload.files.len() > limit {
            return Err(AppError::TooLarge {
                what: "the number of files".to_owned(),
                limit: limit as u64,
                setting: "max_files",
            });
        }
    }
    let from_query = query.hints();
    for file in &mut upload.files {
        let said =
            file.name.as_ref().and_then(|name| upload.meta.files.get(name)).cloned().unwrap_or_default();
        file.hints = said.or(&from_query);
    }
    Ok(upload)
}

fn meta_part(bytes: &[u8]) -> Result<Meta, AppError> {
    serde_json::from_slice(bytes).map_err(|error| AppError::bad_request("part meta", error))
}
