//! Pictures of a run for other places: comments, mails, wikis.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::{ProjectSlug, RunId};
use render::{Sketch, chart_svg};
use store::verdicts;

use crate::http::AppError;
use crate::http::extract::Path;
use crate::report::charts;
use crate::state::AppState;
use crate::web::link;

/// A picture stands alone: it may hold its own two-theme style and nothing else.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The comparison of a run with its baseline.
pub(in crate::web) async fn comparison(
    State(state): State<AppState>,
    Path((slug, id)): Path<(ProjectSlug, RunId)>,
) -> Result<Response, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let project = super::project(&mut conn, &slug).await?;
    let missing = || AppError::NotFound(format!("a comparison of run {id}"));
    let stored = verdicts::find(&mut conn, project.id, id).await?.ok_or_else(missing)?;
    let origin = &state.config.public_url;
    let href = |n: usize| Some(format!("{origin}{}", link::finding(slug.as_str(), id, n)));
    let chart = charts::comparison(&stored.verdict, href).ok_or_else(missing)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PICTURE_POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    Ok((headers, chart_svg(&chart, Sketch::IMAGE)).into_response())
}
