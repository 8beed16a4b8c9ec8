//! The front page.

use axum::extract::State;
use axum::response::Response;
use store::projects::{self, ProjectOverview};
use store::runs::{self, RunFilter, RunOverview};

use super::{count, html};
use crate::http::AppError;
use crate::state::AppState;
use crate::web::link;
use crate::web::pages::projects::{ProjectCard, ProjectsPage, shell};
use crate::web::words;

/// Projects whose last verdict is shown: each needs a look-up of its own.
const WITH_VERDICT: usize = 60;

/// Every project; those with open regressions first, then by name.
pub(in crate::web) async fn page(State(state): State<AppState>) -> Result<Response, AppError> {
    let mut conn = store::acquire(&state.pool).await?;
    let mut found = projects::list(&mut conn).await?;
    found.sort_by_key(|overview| overview.open_regressions == 0);
    let mut cards = Vec::with_capacity(found.len());
    for (i, overview) in found.iter().enumerate() {
        let last = if i < WITH_VERDICT {
            runs::list(&mut conn, overview.project.id, &RunFilter::default(), 1).await?.pop()
        } else {
            None
        };
        cards.push(card(&state, overview, last));
    }
    html(&ProjectsPage { shell: shell(), projects: cards, origin: state.config.public_url.clone() })
}

fn card(state: &AppState, overview: &ProjectOverview, last: Option<RunOverview>) -> ProjectCard {
    let slug = overview.project.slug.as_str();
    ProjectCard {
        href: link::project(slug),
        name: slug.to_owned(),
        chip: last.as_ref().map(|run| words::outcome_chip(run.outcome)),
        sentence: last.and_then(|run| run.sentence),
        last_run: overview.last_run_at.map(|at| words::when(at, state.now())),
        runs: words::counted(count(overview.n_runs), "run"),
        n_open: count(overview.open_regressions),
    }
}
