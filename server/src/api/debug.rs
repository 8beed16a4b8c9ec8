//! A CPU profile of perfblame itself, in pprof form, so that perfblame can be judged by perfblame.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use pprof::protos::Message;
use serde::Deserialize;

use crate::http::AppError;
use crate::http::extract::Query;
use crate::state::AppState;

/// How long and how often.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sampling {
    seconds: Option<u64>,
    frequency: Option<i32>,
}

/// Samples this process for `seconds` (10 by default, at most 50) and answers with a pprof profile.
pub(super) async fn profile(
    State(_state): State<AppState>,
    Query(sampling): Query<Sampling>,
) -> Result<Response, AppError> {
    let seconds = sampling.seconds.unwrap_or(10);
    let frequency = sampling.frequency.unwrap_or(99);
    if !(1..=50).contains(&seconds) || !(1..=1000).contains(&frequency) {
        return Err(AppError::bad_request(
            "seconds, frequency",
            "seconds are 1 to 50, frequency is 1 to 1000 Hz",
        ));
    }
    let busy = |error: pprof::Error| AppError::Unavailable(format!("the profiler cannot run now: {error}"));
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(frequency)
        .blocklist(&["libc", "libgcc", "pthread", "vdso"])
        .build()
        .map_err(busy)?;
    tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
    // Symbols are looked up here, which takes a moment of CPU.
    let bytes = tokio::task::spawn_blocking(move || {
        guard.report().build().and_then(|report| report.pprof()).map(|profile| profile.encode_to_vec())
    })
    .await?
    .map_err(busy)?;
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response())
}
