//! From the database to page values: one file a page. Nothing is judged here.

pub(super) mod assets;
pub(super) mod compare;
pub(super) mod errors;
pub(super) mod finding;
pub(super) mod pictures;
pub(super) mod profile;
pub(super) mod project;
pub(super) mod projects;
pub(super) mod run;
pub(super) mod series;

use askama::Template;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};

use crate::http::AppError;
use crate::web::pages;

/// The glossary.
pub(super) async fn glossary() -> Result<Response, AppError> {
    html(&pages::glossary::page())
}

/// A page as an answer. It may have changed by the next look, so it is asked for again each time.
fn html(page: &impl Template) -> Result<Response, AppError> {
    let mut response = Html(page.render()?).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// A field of a form: nothing when it was left empty.
fn field<T: std::str::FromStr>(name: &str, text: Option<&str>) -> Result<Option<T>, AppError>
where
    T::Err: std::fmt::Display,
{
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => text.parse().map(Some).map_err(|error: T::Err| AppError::bad_request(name, error)),
        None => Ok(None),
    }
}

/// A count of the database, which is never negative.
fn count(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}
