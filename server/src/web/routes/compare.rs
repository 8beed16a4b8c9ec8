//! The comparison page.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model::ProjectSlug;
use serde::Deserialize;
use store::projects::Project;
use store::runs::{self, RunFilter};

use super::html;
use super::run::{BodyInput, facts, profile_lists, verdict_body};
use crate::analysis::{self, Compared};
use crate::http::extract::{Path, Query};
use crate::http::{AppError, lookup};
use crate::state::{AppState, blocking};
use crate::web::link;
use crate::web::pages::compare::{ComparePage, ComparedRuns, shell};
use crate::web::pages::run as view;

/// Runs whose names are offered while typing.
const OFFERED: i64 = 30;

/// What the address says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct Parameters {
    base: String,
    head: String,
}

/// Two fields, and the verdict once both name a run.
pub(in crate::web) async fn page(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    Query(typed): Query<Parameters>,
) -> Result<Response, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let recent = runs::list(&mut conn, project.id, &RunFilter::default(), OFFERED).await?;
    drop(conn);
    let mut page = ComparePage {
        shell: shell(slug.as_str(), None),
        base: typed.base.trim().to_owned(),
        head: typed.head.trim().to_owned(),
        problem: None,
        compared: None,
        suggestions: suggestions(&recent),
    };
    if page.base.is_empty() || page.head.is_empty() {
        return html(&page);
    }
    match analysis::compare(&state, project.id, &page.base, &page.head).await {
        Ok(compared) => {
            page.shell = shell(slug.as_str(), Some(&compared.verdict.sentence));
            page.compared = Some(show(&state, &project, compared).await?);
            html(&page)
        }
        // The form stays, so that a slip of the fingers is put right where it was made.
        Err(AppError::NotFound(what)) => {
            page.problem = Some(format!("There is no {what}."));
            let mut response = html(&page)?.into_response();
            *response.status_mut() = StatusCode::NOT_FOUND;
            Ok(response)
        }
        Err(error) => Err(error),
    }
}

/// Branches first, then short commits, each once.
fn suggestions(recent: &[runs::RunOverview]) -> Vec<String> {
    let branches = recent.iter().map(|overview| overview.run.branch.to_string());
    let commits = recent.iter().map(|overview| overview.run.commit.to_string());
    let mut seen = std::collections::HashSet::new();
    branches.chain(commits).filter(|name| seen.insert(name.clone())).collect()
}

async fn show(state: &AppState, project: &Project, compared: Compared) -> Result<ComparedRuns, AppError> {
    let Compared { base, head, verdict } = compared;
    let slug = project.slug.as_str();
    let mut conn = store::acquire(&state.pool).await?;
    let base_data = runs::load(&mut conn, project.id, base.id).await?;
    let head_data = runs::load(&mut conn, project.id, head.id).await?;
    let profiles = profile_lists(&mut conn, project, Some(base.id), head.id).await?;
    drop(conn);
    let (base_id, head_id) = (base.id.to_string(), head.id.to_string());
    let json_href = link::api_compare(slug, &base_id, &head_id);
    let base_head = view::head(slug, &facts(&base, &base_data), state.now());
    let head_head = view::head(slug, &facts(&head, &head_data), state.now());
    let command = view::compare_command(&state.config.public_url, slug, base.id, head.id);
    let input = BodyInput {
        project: slug.to_owned(),
        head,
        stored: false,
        verdict,
        base_data: Some(base_data),
        head_data,
        profiles,
    };
    Ok(ComparedRuns {
        base: base_head,
        head: head_head,
        body: blocking(state, move || verdict_body(input)).await?,
        swap_href: link::compare(slug, &head_id, &base_id),
        command,
        markdown_href: format!("{json_href}&format=markdown"),
        json_href,
    })
}
