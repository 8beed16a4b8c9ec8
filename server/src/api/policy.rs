//! A project's policy.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use model::{Policy, ProjectSlug};

use crate::http::extract::Path;
use crate::http::{AppError, lookup};
use crate::state::AppState;

/// The policy; the default where none was saved.
#[utoipa::path(get, path = "/api/v1/projects/{project}/policy", tag = "projects",
    params(("project" = String, Path, description = "The project's slug")),
    responses((status = 200, description = "The policy", body = Object), (status = 404, body = crate::http::Problem)))]
pub(super) async fn show(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
) -> Result<Json<Policy>, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    Ok(Json(store::policies::find(&mut conn, project.id).await?.unwrap_or_default()))
}

/// Replaces the policy; the project is created on first use. Holds for runs that arrive from then on.
#[utoipa::path(put, path = "/api/v1/projects/{project}/policy", tag = "projects",
    params(("project" = String, Path, description = "The project's slug")),
    request_body(content = Object, description = "floors, directions, kinds, budgets and categories"),
    responses((status = 200, description = "The policy as saved", body = Object),
        (status = 400, body = crate::http::Problem)))]
pub(super) async fn save(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    body: Bytes,
) -> Result<Json<Policy>, AppError> {
    let policy: Policy =
        serde_json::from_slice(&body).map_err(|error| AppError::bad_request("policy", error))?;
    check(&policy)?;
    let mut tx = store::begin(&state.pool).await?;
    let project = store::projects::upsert(&mut tx, state.new_project_id(), &slug, state.now()).await?;
    store::policies::save(&mut tx, project.id, &policy, state.now()).await?;
    store::commit(tx).await?;
    Ok(Json(policy))
}

/// Shares are between 0 and 1, floors are positive: a typo of `5` for 5 % would silence everything.
fn check(policy: &Policy) -> Result<(), AppError> {
    for (i, floor) in policy.floors.iter().enumerate() {
        if !(floor.relative > 0.0 && floor.relative <= 10.0) {
            return Err(AppError::bad_request(
                format!("floors[{i}].relative"),
                "it must be above 0 and at most 10 (0.05 is 5 %)",
            ));
        }
    }
    for (i, budget) in policy.budgets.iter().enumerate() {
        if !(0.0..=1.0).contains(&budget.max_share) {
            return Err(AppError::bad_request(
                format!("budgets[{i}].max_share"),
                "it must be between 0 and 1 (0.03 is 3 %)",
            ));
        }
    }
    Ok(())
}
