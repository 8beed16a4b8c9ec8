//! The page of one finding.

use axum::extract::State;
use axum::response::Response;
use model::{Finding, ProfileComparison, ProjectSlug, RunData, RunId, Verdict};
use render::{Sketch, chart_svg};
use store::{runs, verdicts};

use super::html;
use super::run::facts;
use crate::http::extract::Path;
use crate::http::{AppError, lookup};
use crate::report::charts;
use crate::state::AppState;
use crate::web::link;
use crate::web::pages::finding::{FindingPage, shell};
use crate::web::pages::run as view;
use crate::web::parts::drawings::{WIDTH, categories};
use crate::web::parts::findings::{Place, row, scale_end};
use crate::web::parts::suspects::{ProfileDrawings, ProfileSection, section};
use crate::web::parts::verdict::{Figure, baseline_text};

/// What moved, why it was flagged, and which frames explain it.
pub(in crate::web) async fn page(
    State(state): State<AppState>,
    Path((slug, id, n)): Path<(ProjectSlug, RunId, usize)>,
) -> Result<Response, AppError> {
    let project_name = slug.as_str();
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let run = lookup::run(&mut conn, &project, id).await?;
    let missing = || AppError::NotFound(format!("finding {n} of run {id}"));
    let stored = verdicts::find(&mut conn, project.id, id).await?.ok_or_else(missing)?;
    let finding = stored.verdict.findings.get(n).ok_or_else(missing)?;
    let head_data = runs::load(&mut conn, project.id, id).await?;
    let base_data = match stored.base_run {
        Some(base) => runs::load(&mut conn, project.id, base).await?,
        None => RunData::default(),
    };
    drop(conn);

    let place = Place {
        project: project_name,
        run: Some(id),
        testbed: run.testbed.as_str(),
        branch: run.branch.as_str(),
    };
    let head = view::head(project_name, &facts(&run, &head_data), state.now());
    let row = row(place, n, finding, scale_end(&stored.verdict.findings));
    let mut chart = charts::distribution(finding, &base_data, &head_data);
    chart.width = WIDTH;
    let has_points = !chart.base.points.is_empty() || !chart.head.points.is_empty();
    let figure = Figure { svg: chart_svg(&chart, Sketch::PAGE), caption: None };
    let n_findings = stored.verdict.findings.len();
    html(&FindingPage {
        shell: shell(project_name, &head, &row),
        run: head,
        baseline: baseline_text(&stored.verdict),
        figures: has_points.then_some(figure).into_iter().collect(),
        profiles: explaining(&stored.verdict, finding),
        previous: n.checked_sub(1).map(|n| link::finding(project_name, id, n)),
        next: (n + 1 < n_findings).then(|| link::finding(project_name, id, n + 1)),
        position: format!("{} of {n_findings}", n + 1),
        finding: row,
    })
}

/// Profiles that may explain the finding: those of its benchmark, and those of the whole run.
fn explaining(verdict: &Verdict, finding: &Finding) -> Vec<ProfileSection> {
    let benchmark = finding.benchmark.to_string();
    let may_explain =
        |comparison: &&ProfileComparison| comparison.benchmark.as_ref().is_none_or(|name| *name == benchmark);
    let comparisons = verdict.profiles.iter().filter(may_explain);
    comparisons
        .map(|comparison| {
            section(comparison, ProfileDrawings { categories: categories(comparison), flame: None })
        })
        .collect()
}
