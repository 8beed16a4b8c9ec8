//! Embedded files over HTTP.

use axum::extract::Query;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::http::AppError;
use crate::http::extract::Path;
use crate::web::assets;

/// The version in an address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct Version {
    v: Option<String>,
}

/// A file. With the right version in its address it is kept for ever; without, it is asked for again each time.
pub(in crate::web) async fn file(
    Path(path): Path<String>,
    Query(version): Query<Version>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let asset = assets::find(&path).ok_or_else(|| AppError::NotFound(format!("the file {path}")))?;
    let tag = format!("\"{}\"", asset.version);
    let is_pinned = version.v.as_deref() == Some(asset.version.as_str());
    let keep = if is_pinned { "public, max-age=31536000, immutable" } else { "public, no-cache" };
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|tags| tags.as_bytes() == tag.as_bytes());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type))];
        (content_type, asset.bytes.into_owned()).into_response()
    };
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::CACHE_CONTROL, keep);
    set(header::ETAG, &tag);
    Ok(response)
}
