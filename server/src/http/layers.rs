//! Middleware, in one place and order.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;

use super::AppError;
use crate::config::LimitOptions;

/// The header that carries a request's id in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// No script but our own files, no style but our own, nothing framed, forms only to ourselves.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Wraps the router. The first layer here is the outermost.
pub fn apply(router: Router, limits: &LimitOptions) -> Router {
    let fixed = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    let layers = ServiceBuilder::new()
        // Every request has an id before anything is logged, and the answer carries it.
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(TraceLayer::new_for_http().make_span_with(span).on_request(()).on_response(log_answer))
        // A panic is a fault of ours: 500 for this request, the process lives on.
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| panicked()))
        .layer(fixed(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
        .layer(fixed(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed(header::REFERRER_POLICY, "same-origin"))
        .layer(CompressionLayer::new())
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            Duration::from_secs(limits.request_timeout_seconds),
        ))
        .layer(DefaultBodyLimit::max(limits.max_body_bytes));
    router.layer(layers)
}

fn span(request: &Request) -> tracing::Span {
    let id = request.headers().get(&REQUEST_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    // The path only: a query may hold what should not be logged, and Debug escapes control characters.
    tracing::info_span!("request", request.id = id, http.method = %request.method(), http.path = ?request.uri().path())
}

fn log_answer<B>(response: &axum::http::Response<B>, latency: Duration, _span: &tracing::Span) {
    tracing::info!(
        http.status = response.status().as_u16(),
        duration_ms = latency.as_secs_f64() * 1e3,
        "answered a request"
    );
}

fn panicked() -> Response {
    tracing::error!("a handler panicked");
    AppError::Unavailable("this request hit a fault of perfblame; its id is in the log".to_owned())
        .into_response()
}
