//! Whether the process lives, and whether it can serve.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::http::AppError;
use crate::state::AppState;

/// The process is alive.
#[utoipa::path(get, path = "/healthz", tag = "operations", responses((status = 200, description = "Alive")))]
pub(super) async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
}

/// The process can serve: the database answers.
#[utoipa::path(get, path = "/readyz", tag = "operations",
    responses((status = 200, description = "Ready"), (status = 503, description = "The database does not answer")))]
pub(super) async fn readyz(State(state): State<AppState>) -> Result<Json<Value>, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    store::ping(&mut conn).await?;
    Ok(Json(json!({"status": "ready"})))
}
