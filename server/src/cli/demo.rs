//! `demo`: loads the demo data and says where to look.

use std::fmt::Write as _;

use crate::http::AppError;
use crate::state::AppState;

/// Loads the demo and returns the links to print.
pub(super) async fn load(state: &AppState) -> Result<String, AppError> {
    let url = &state.config.public_url;
    let loaded = crate::demo::load(state).await?;
    let mut out = format!("\nperfblame is ready: {url}/\n");
    for case in &loaded {
        let project = &case.case.project;
        let _ = writeln!(out, "\n{} ({url}/p/{project})", case.case.title);
        for pair in &case.case.compares {
            if let Some(head) = case.runs.get(&pair.head) {
                let _ = writeln!(
                    out,
                    "  {} against {}: {url}/p/{project}/compare?base={}&head={}",
                    pair.head, pair.base, pair.base, pair.head
                );
                tracing::debug!(run.id = %head, "loaded a run of the demo");
            }
        }
    }
    out.push_str("\nStop with Ctrl-C.\n");
    Ok(out)
}
