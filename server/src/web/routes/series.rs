//! The history of a series.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use model::{
    BenchmarkKey, BenchmarkName, BranchName, FindingOutcome, Measure, MeasureName, ProjectSlug, TestbedName,
};
use render::chart::{HistoryChart, HistoryPoint, Mark};
use render::{Sketch, chart_svg};
use store::PgConnection;
use store::projects::Project;
use store::runs::{self, RunFilter};
use store::series::{self, HistoryOf, Point};

use super::html;
use crate::http::extract::{Path, Query};
use crate::http::{AppError, lookup};
use crate::state::AppState;
use crate::web::link;
use crate::web::pages::series::{PointFacts, SeriesPage, points, shell};
use crate::web::parts::drawings::WIDTH;
use crate::web::words;

/// Points drawn and listed.
const POINTS: i64 = 1_000;

/// Branches tried when the address names none.
const USUAL_BRANCHES: [&str; 3] = ["main", "master", "trunk"];

/// Which series the address names.
struct Wanted {
    benchmark: BenchmarkKey,
    measure: MeasureName,
    testbed: Option<TestbedName>,
    branch: Option<BranchName>,
}

/// The chart, and its points as a table.
pub(in crate::web) async fn page(
    State(state): State<AppState>,
    Path(slug): Path<ProjectSlug>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response, AppError> {
    let wanted = wanted(&pairs)?;
    let mut conn = store::acquire(&state.pool).await?;
    let project = lookup::project(&mut conn, &slug).await?;
    let found = find_series(&mut conn, &project, &wanted).await?;
    let missing = || AppError::NotFound(format!("a series {} of {}", wanted.measure, wanted.benchmark));
    let (measure, testbed) = found.ok_or_else(missing)?;
    let (branch, history) = history(&mut conn, &project, &wanted, &testbed).await?;
    drop(conn);
    let facts: Vec<PointFacts<'_>> = history.iter().map(facts).collect();
    let fields = pairs.iter().filter(|(name, _)| name != "branch").cloned().collect();
    html(&SeriesPage {
        shell: shell(slug.as_str(), &wanted.benchmark, measure.name.as_str()),
        benchmark: wanted.benchmark.name.to_string(),
        parameters: wanted.benchmark.parameters.clone().into_iter().collect(),
        measure: measure.name.to_string(),
        better: words::better_words(measure.better),
        testbed: testbed.to_string(),
        branch: branch.map_or_else(String::new, |branch| branch.to_string()),
        chart: (!history.is_empty()).then(|| chart(slug.as_str(), &wanted.benchmark, &measure, &history)),
        points: points(slug.as_str(), &measure, &facts, state.now()),
        is_cut: history.len() == super::count(POINTS),
        fields,
    })
}

fn wanted(pairs: &[(String, String)]) -> Result<Wanted, AppError> {
    let value = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let needed = |name: &str| value(name).ok_or_else(|| AppError::bad_request(name, "it is missing"));
    let mut parameters = BTreeMap::new();
    for (_, text) in pairs.iter().filter(|(key, _)| key == "param") {
        let (name, value) = link::split_parameter(text)
            .ok_or_else(|| AppError::bad_request("param", format!("{text:?} has no \"=\"")))?;
        parameters.insert(name, value.to_owned());
    }
    let name = BenchmarkName::parse(needed("benchmark")?)
        .map_err(|error| AppError::bad_request("benchmark", error))?;
    Ok(Wanted {
        benchmark: BenchmarkKey { name, parameters },
        measure: MeasureName::parse(needed("measure")?)
            .map_err(|error| AppError::bad_request("measure", error))?,
        testbed: super::field("testbed", value("testbed"))?,
        branch: super::field("branch", value("branch"))?,
    })
}

/// The measure with its unit and the testbed, from the list of series.
async fn find_series(
    conn: &mut PgConnection,
    project: &Project,
    wanted: &Wanted,
) -> Result<Option<(Measure, TestbedName)>, AppError> {
    let mut filter = series::SeriesFilter {
        prefix: Some(wanted.benchmark.name.to_string()),
        testbed: wanted.testbed.clone(),
        after: None,
    };
    loop {
        let page = series::list(conn, project.id, &filter, POINTS).await?;
        let matching = |series: &&series::SeriesOverview| {
            series.benchmark == wanted.benchmark && series.measure.name == wanted.measure
        };
        if let Some(found) = page.iter().find(matching) {
            return Ok(Some((found.measure.clone(), found.testbed.clone())));
        }
        match page.last() {
            Some(last) if page.len() == super::count(POINTS) => filter.after = Some(last.series_id),
            _ => return Ok(None),
        }
    }
}

/// The history on the branch asked for; without one, on the first usual branch that has any.
async fn history(
    conn: &mut PgConnection,
    project: &Project,
    wanted: &Wanted,
    testbed: &TestbedName,
) -> Result<(Option<BranchName>, Vec<Point>), AppError> {
    let branches = match &wanted.branch {
        Some(branch) => vec![branch.clone()],
        None => usual_branches(conn, project, testbed).await?,
    };
    for branch in &branches {
        let of = HistoryOf { benchmark: &wanted.benchmark, measure: &wanted.measure, testbed, branch };
        let points = series::history(conn, project.id, of, POINTS).await?;
        if !points.is_empty() {
            return Ok((Some(branch.clone()), points));
        }
    }
    Ok((branches.into_iter().next(), Vec::new()))
}

async fn usual_branches(
    conn: &mut PgConnection,
    project: &Project,
    testbed: &TestbedName,
) -> Result<Vec<BranchName>, AppError> {
    let filter = RunFilter { testbed: Some(testbed.clone()), ..RunFilter::default() };
    let newest = runs::list(conn, project.id, &filter, 1).await?;
    let usual = USUAL_BRANCHES.iter().filter_map(|name| BranchName::parse(name).ok());
    Ok(usual.chain(newest.into_iter().map(|overview| overview.run.branch)).collect())
}

fn facts(point: &Point) -> PointFacts<'_> {
    PointFacts {
        run: point.run_id,
        commit: point.commit.as_str(),
        at: point.started_at,
        median: point.median,
        interval: (point.lo, point.hi),
        n: point.n,
        outcome: point.outcome,
    }
}

fn chart(project: &str, benchmark: &BenchmarkKey, measure: &Measure, history: &[Point]) -> String {
    let points = history.iter().map(|point| HistoryPoint {
        label: point.commit.short().to_owned(),
        value: point.median,
        interval: (point.n > 1).then_some((point.lo, point.hi)),
        href: Some(link::run(project, point.run_id)),
        mark: match point.outcome {
            Some(FindingOutcome::Regressed) => Mark::Regression,
            Some(FindingOutcome::Improved) => Mark::Improvement,
            _ => Mark::None,
        },
        note: note(point),
    });
    let chart = HistoryChart {
        title: format!("{} of {benchmark}", measure.name),
        width: WIDTH,
        height: 340,
        unit: measure.unit.clone(),
        points: points.collect(),
        levels: Vec::new(),
    };
    chart_svg(&chart, Sketch::PAGE)
}

fn note(point: &Point) -> String {
    let at = point.started_at.format("%Y-%m-%d %H:%M UTC");
    match point.outcome {
        Some(outcome) => format!("{at}, {}", words::finding_chip(outcome).label),
        None => at.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn parameters_are_collected_and_may_hold_an_equals_sign() {
        let given =
            pairs(&[("benchmark", "Send"), ("param", "size=64"), ("param", "opt=a=b"), ("measure", "ns/op")]);
        let wanted = wanted(&given).unwrap();
        assert_eq!(wanted.benchmark.parameters["opt"], "a=b");
        assert_eq!((wanted.benchmark.parameters.len(), wanted.branch), (2, None));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = wanted(&pairs(&[("benchmark", "Send")])).err().unwrap();
        assert!(error.to_string().contains("measure"), "{error}");
    }
}
