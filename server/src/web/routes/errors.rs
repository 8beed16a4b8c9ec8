//! Whatever goes wrong on the way to a page becomes a page that says so.

use askama::Template;
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use crate::http::{AppError, Problem, REQUEST_ID};
use crate::web::pages;

/// The page of an error, with links that lead on.
pub fn error_page(status: u16, title: &str, detail: &str, request_id: Option<&str>) -> Html<String> {
    let page = pages::error::page(status, title, detail, request_id);
    // The plain sentence is what remains if the page itself cannot be made.
    Html(page.render().unwrap_or_else(|_| "perfblame could not answer this request.".to_owned()))
}

/// No page has this address.
pub(in crate::web) async fn missing(uri: axum::http::Uri) -> AppError {
    AppError::NotFound(format!("the page {}", uri.path()))
}

/// Turns problem documents into pages. They are made in one place for programs and people, extractors' refusals
/// included, so that both say the same.
pub(in crate::web) async fn as_pages(request: Request, next: Next) -> Response {
    let id = request.headers().get(&REQUEST_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let mut response = next.run(request).await;
    let Some(problem) = response.extensions_mut().remove::<Problem>() else { return response };
    let page = error_page(problem.status, problem.title, &problem.detail, id.as_deref());
    let mut answer = (response.status(), page).into_response();
    if let Some(wait) = response.headers().get(header::RETRY_AFTER) {
        answer.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    answer
}
