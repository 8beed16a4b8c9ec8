//! What the API shows of stored things.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use model::{Outcome, Verdict};
use serde::Serialize;
use store::runs::{Run, RunOverview};

use crate::http::accept::Form;
use crate::ingest::FileRead;
use crate::report;
use crate::state::AppState;

/// Where to go from a run.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct LinksView {
    /// The run's page.
    pub(super) page: String,
    /// The run in the API.
    pub(super) api: String,
    /// The comparison with its baseline as a picture.
    pub(super) chart: String,
}

/// A run as the API shows it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct RunView {
    /// The run's id.
    pub(super) id: String,
    /// The project's slug.
    pub(super) project: String,
    /// The commit's hash.
    pub(super) commit: String,
    /// The branch.
    pub(super) branch: String,
    /// The testbed.
    pub(super) testbed: String,
    /// `measured`, `profiled` or `confirming`.
    #[schema(value_type = String)]
    pub(super) role: model::Role,
    /// When the benchmarks started.
    pub(super) started_at: DateTime<Utc>,
    /// The pull request, where the sender said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pull_request: Option<i32>,
    /// The verdict; `null` while it is pending.
    #[schema(value_type = Option<Object>)]
    pub(super) verdict: Option<Verdict>,
    /// What each file was read as; in the answer to an upload only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub(super) files: Vec<FileRead>,
    /// Where to go from here.
    pub(super) links: LinksView,
}

/// A run in a list: the verdict is its outcome and sentence.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct RunSummary {
    /// The run's id.
    id: String,
    /// The commit's hash.
    commit: String,
    /// The branch.
    branch: String,
    /// The testbed.
    testbed: String,
    /// When the benchmarks started.
    started_at: DateTime<Utc>,
    /// What the verdict comes to; `null` while it is pending.
    #[schema(value_type = Option<String>)]
    verdict: Option<Outcome>,
    /// The verdict in one sentence.
    sentence: Option<String>,
    /// Where to go from here.
    links: LinksView,
}

/// A page of a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Page<T> {
    /// The entries, newest first.
    pub(super) items: Vec<T>,
    /// The address of the next page, or `null` at the end.
    pub(super) next: Option<String>,
}

pub(super) fn links(state: &AppState, project: &str, run: model::RunId) -> LinksView {
    let url = &state.config.public_url;
    LinksView {
        page: format!("{url}/p/{project}/runs/{run}"),
        api: format!("{url}/api/v1/projects/{project}/runs/{run}"),
        chart: format!("{url}/p/{project}/runs/{run}/comparison.svg"),
    }
}

impl RunView {
    pub(super) fn new(state: &AppState, project: &str, run: &Run, verdict: Option<Verdict>) -> Self {
        Self {
            id: run.id.to_string(),
            project: project.to_owned(),
            commit: run.commit.to_string(),
            branch: run.branch.to_string(),
            testbed: run.testbed.to_string(),
            role: run.role,
            started_at: run.started_at,
            pull_request: run.pull_request,
            verdict,
            files: Vec::new(),
            links: links(state, project, run.id),
        }
    }

    /// The answer in the form asked for.
    pub(super) fn respond(self, status: StatusCode, form: Form) -> Response {
        let place = HeaderValue::from_str(&self.links.api).ok();
        let links = report::Links {
            run: Some(self.links.page.clone()),
            reproduce: Some(format!("curl -H 'Accept: text/markdown' '{}'", self.links.api)),
        };
        let mut response = match (&self.verdict, form) {
            (Some(verdict), Form::Markdown | Form::Text) => verdict_text(verdict, &links, form),
            _ => Json(&self).into_response(),
        };
        *response.status_mut() = status;
        if let Some(place) = place {
            response.headers_mut().insert(header::LOCATION, place);
        }
        response
    }
}

/// A verdict as text of one form.
pub(super) fn verdict_text(verdict: &Verdict, links: &report::Links, form: Form) -> Response {
    let (kind, text) = match form {
        Form::Markdown => ("text/markdown; charset=utf-8", report::markdown::render(verdict, links)),
        Form::Text => ("text/plain; charset=utf-8", report::text::render(verdict, links)),
        Form::Json => return Json(verdict).into_response(),
    };
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

impl RunSummary {
    pub(super) fn new(state: &AppState, project: &str, overview: RunOverview) -> Self {
        let run = overview.run;
        Self {
            links: links(state, project, run.id),
            id: run.id.to_string(),
            commit: run.commit.to_string(),
            branch: run.branch.to_string(),
            testbed: run.testbed.to_string(),
            started_at: run.started_at,
            verdict: overview.outcome,
            sentence: overview.sentence,
        }
    }
}
