//! Logs: readable alone, with fields; JSON lines on request.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Sends logs to standard error. `RUST_LOG` chooses what is said; `info` by default.
pub fn init(json: bool) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::NONE);
    let done = if json { builder.json().try_init() } else { builder.with_target(false).try_init() };
    if done.is_err() {
        tracing::debug!("logs were set up before");
    }
}
