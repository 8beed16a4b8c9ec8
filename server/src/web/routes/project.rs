//! A project's page.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use model::{FindingOutcome, Outcome, ProjectSlug, Quantity, RunId, Verdict};
use render::chart::Spark;
use render::{Sketch, chart_svg};
use serde::Deserialize;
use store::alerts::{self, Alert};
use store::projects::Project;
use store::runs::{self, RunOverview};
use store::series::{self, HistoryOf, SeriesFilter, SeriesOverview};
use store::{PgConnection, verdicts};

use super::{count, field, html};
use crate::http::extract::{Path, Query};
use crate::http::{AppError, lookup};
use crate::state::AppState;
use crate::web::link;
use crate::web::pages::project::{ProjectPage, RunFilter, SeriesRow, outcome_choices, shell};
use crate::web::parts::rows::{AlertRow, AlertSuspect, RunRow, RunRowFacts, run_row};
use crate::web::words;

/// Runs on one page.
const RUNS: i64 = 25;
/// Open regressions shown.
const ALERTS: i64 = 20;
/// Series on one page.
const SERIES: i64 = 25;
/// Points of a sparkline.
const SPARK_POINTS: i64 = 40;

/// What the address says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct Parameters {
    branch: Option<String>,
    testbed: Option<String>,
    outcome: Option<String>,
    before: Option<String>,
    series_after: Option<String>,
}

/// Open regressions, runs, series.
pub(in crate::web) async fn page(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    Query(parameters): Query<Parameters>,
) -> Result<Response, AppError> {
    let now = state.now();
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let wanted = run_filter(&parameters)?;
    let found = runs::list(&mut conn, project.id, &wanted, RUNS).await?;
    let filter = RunFilter {
        branch: parameters.branch.clone().unwrap_or_default(),
        testbed: parameters.testbed.clone().unwrap_or_default(),
        outcome: parameters.outcome.clone().unwrap_or_default(),
    };
    let older = (found.len() == count(RUNS))
        .then(|| found.last().map(|last| filter.href(slug.as_str(), &last.run.id.to_string())))
        .flatten();
    let newest = wanted.before.is_some().then(|| filter.href(slug.as_str(), ""));
    // Whoever pages through runs has seen what is open.
    let alerts =
        if wanted.before.is_none() { open_alerts(&mut conn, &project, now).await? } else { Vec::new() };
    let after = field("series_after", parameters.series_after.as_deref())?;
    let listed = series_rows(&mut conn, &project, wanted.branch.as_ref(), &wanted, after).await?;
    html(&ProjectPage {
        shell: shell(slug.as_str()),
        origin: state.config.public_url.clone(),
        alerts,
        runs: found.iter().map(|overview| row(slug.as_str(), overview, now)).collect(),
        outcomes: outcome_choices(&filter.outcome),
        filter,
        older,
        newest,
        series: listed.rows,
        more_series: listed.more,
        project: slug.to_string(),
    })
}

fn run_filter(parameters: &Parameters) -> Result<runs::RunFilter, AppError> {
    Ok(runs::RunFilter {
        branch: field("branch", parameters.branch.as_deref())?,
        testbed: field("testbed", parameters.testbed.as_deref())?,
        outcome: parameters.outcome.as_deref().filter(|name| !name.is_empty()).map(outcome).transpose()?,
        before: field("before", parameters.before.as_deref())?,
        ..runs::RunFilter::default()
    })
}

fn outcome(name: &str) -> Result<Outcome, AppError> {
    serde_json::from_value(serde_json::Value::from(name))
        .map_err(|error| AppError::bad_request("outcome", error))
}

fn row(project: &str, overview: &RunOverview, now: DateTime<Utc>) -> RunRow {
    let run = &overview.run;
    let facts = RunRowFacts {
        id: run.id,
        outcome: overview.outcome,
        sentence: overview.sentence.as_deref(),
        branch: run.branch.as_str(),
        commit: run.commit.as_str(),
        testbed: run.testbed.as_str(),
        started_at: run.started_at,
        n_benchmarks: count(overview.n_benchmarks),
        n_profiles: count(overview.n_profiles),
        pull_request: run.pull_request,
        role: run.role,
    };
    run_row(project, &facts, now)
}

/// Open regressions, each with the finding that it is about and the first suspect of that run.
async fn open_alerts(
    conn: &mut PgConnection,
    project: &Project,
    now: DateTime<Utc>,
) -> Result<Vec<AlertRow>, AppError> {
    let open = alerts::list_open(conn, project.id, ALERTS).await?;
    let mut judged: HashMap<RunId, Option<Verdict>> = HashMap::new();
    for alert in &open {
        if let Entry::Vacant(place) = judged.entry(alert.last_run) {
            let stored = verdicts::find(conn, project.id, alert.last_run).await?;
            place.insert(stored.map(|stored| stored.verdict));
        }
    }
    let verdict = |alert: &Alert| judged.get(&alert.last_run).and_then(Option::as_ref);
    Ok(open.iter().map(|alert| alert_row(project.slug.as_str(), alert, verdict(alert), now)).collect())
}

fn alert_row(project: &str, alert: &Alert, verdict: Option<&Verdict>, now: DateTime<Utc>) -> AlertRow {
    let position = verdict.and_then(|verdict| {
        verdict
            .findings
            .iter()
            .position(|f| f.benchmark == alert.benchmark && f.measure.name == alert.measure.name)
    });
    let change = |change| words::change_text(change, alert.measure.better, FindingOutcome::Regressed);
    AlertRow {
        href: match position {
            Some(n) => link::finding(project, alert.last_run, n),
            None => link::run(project, alert.last_run),
        },
        benchmark: alert.benchmark.to_string(),
        measure: alert.measure.name.to_string(),
        change: alert.change.map(change),
        confidence: Some(words::confidence_chip(alert.confidence)),
        place: format!("{} on {}", alert.branch, alert.testbed),
        since: words::when(alert.opened_at, now),
        suspect: verdict.and_then(first_suspect),
    }
}

/// The first suspect that costs more: one that costs less explains no regression.
fn first_suspect(verdict: &Verdict) -> Option<AlertSuspect> {
    let suspect = verdict
        .suspects()
        .find(|suspect| suspect.delta > 0.0 && suspect.explained_share.is_some_and(|share| share > 0.0))?;
    Some(AlertSuspect {
        frame: suspect.frame.clone(),
        category: suspect.category.to_string(),
        category_class: words::category_class(&suspect.category).to_owned(),
        explained: suspect.explained_share.filter(|share| share.is_finite()).map(words::whole_percent),
    })
}

/// A page of series.
struct Listed {
    rows: Vec<SeriesRow>,
    more: Option<String>,
}

async fn series_rows(
    conn: &mut PgConnection,
    project: &Project,
    branch: Option<&model::BranchName>,
    wanted: &runs::RunFilter,
    after: Option<i64>,
) -> Result<Listed, AppError> {
    let filter = SeriesFilter { testbed: wanted.testbed.clone(), after, ..SeriesFilter::default() };
    let found = series::list(conn, project.id, &filter, SERIES).await?;
    let mut rows = Vec::with_capacity(found.len());
    for overview in &found {
        // A series that the branch shown has no part in is shown on its own.
        let branch = branch.or(overview.branch.as_ref());
        let values = match branch {
            Some(branch) => spark_values(conn, project, overview, branch).await?,
            None => Vec::new(),
        };
        rows.push(series_row(project.slug.as_str(), overview, branch.map_or("", |b| b.as_str()), values));
    }
    let more = found.last().filter(|_| found.len() == count(SERIES)).map(|last| {
        let after = last.series_id.to_string();
        let (branch, testbed) = (wanted.branch.as_ref(), wanted.testbed.as_ref());
        let pairs = [
            ("branch", branch.map_or("", |name| name.as_str())),
            ("testbed", testbed.map_or("", |name| name.as_str())),
            ("series_after", &after),
        ];
        format!("{}{}#series", link::project(project.slug.as_str()), link::query(pairs))
    });
    Ok(Listed { rows, more })
}

async fn spark_values(
    conn: &mut PgConnection,
    project: &Project,
    overview: &SeriesOverview,
    branch: &model::BranchName,
) -> Result<Vec<f64>, AppError> {
    let of = HistoryOf {
        benchmark: &overview.benchmark,
        measure: &overview.measure.name,
        testbed: &overview.testbed,
        branch,
    };
    let points = series::history(conn, project.id, of, SPARK_POINTS).await?;
    Ok(points.into_iter().map(|point| point.median).collect())
}

fn series_row(project: &str, overview: &SeriesOverview, branch: &str, values: Vec<f64>) -> SeriesRow {
    let SeriesOverview { benchmark, measure, testbed, .. } = overview;
    let title = format!("{} of {benchmark}: {}", measure.name, words::counted(values.len(), "run"));
    let latest = values.last().copied().or(overview.latest);
    SeriesRow {
        href: link::series(project, benchmark, measure.name.as_str(), testbed.as_str(), branch),
        benchmark: benchmark.name.to_string(),
        parameters: benchmark.parameters.clone().into_iter().collect(),
        measure: measure.name.to_string(),
        testbed: testbed.to_string(),
        branch: branch.to_owned(),
        latest: latest.map_or_else(String::new, |value| Quantity { value, unit: &measure.unit }.to_string()),
        points: words::counted(count(overview.n_points), "run"),
        spark: (values.len() > 1)
            .then(|| chart_svg(&Spark { title, width: 144, height: 28, values, worse: None }, Sketch::PAGE)),
    }
}
