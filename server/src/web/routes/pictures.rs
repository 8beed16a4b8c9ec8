//! Pictures of a run for other places: comments, mails, wikis.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::{ProjectSlug, RunId};
use render::chart::ComparisonChart;
use render::{Sketch, Theme, chart_png, chart_svg};
use store::verdicts;

use crate::http::extract::Path;
use crate::http::{AppError, lookup};
use crate::report::charts;
use crate::state::{AppState, blocking};
use crate::web::link;

/// A picture stands alone: it may hold its own two-theme style and nothing else.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The comparison of a run with its baseline, as SVG with links.
pub(in crate::web) async fn comparison_svg(
    State(state): State<AppState>,
    Path((slug, id)): Path<(ProjectSlug, RunId)>,
) -> Result<Response, AppError> {
    let chart = comparison(&state, &slug, id).await?;
    Ok(picture("image/svg+xml", chart_svg(&chart, Sketch::IMAGE)))
}

/// The same as PNG, at twice the size for dense screens, for places that take no SVG.
pub(in crate::web) async fn comparison_png(
    State(state): State<AppState>,
    Path((slug, id)): Path<(ProjectSlug, RunId)>,
) -> Result<Response, AppError> {
    let chart = comparison(&state, &slug, id).await?;
    let bytes = blocking(&state, move || chart_png(&chart, Theme::Light, 2)).await?;
    Ok(picture("image/png", bytes))
}

async fn comparison(state: &AppState, slug: &ProjectSlug, id: RunId) -> Result<ComparisonChart, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, slug).await?;
    let missing = || AppError::NotFound(format!("a comparison of run {id}"));
    let stored = verdicts::find(&mut conn, project.id, id).await?.ok_or_else(missing)?;
    let origin = &state.config.public_url;
    let href = |n: usize| Some(format!("{origin}{}", link::finding(slug.as_str(), id, n)));
    charts::comparison(&stored.verdict, href).ok_or_else(missing)
}

fn picture(content_type: &'static str, body: impl IntoResponse) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PICTURE_POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, body).into_response()
}
