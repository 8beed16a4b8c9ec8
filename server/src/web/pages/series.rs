//! The history of one measure of one benchmark.

use askama::Template;
use model::{BenchmarkKey, Better, Change, FindingOutcome, Measure, Quantity, RunId};

use crate::web::link;
use crate::web::parts::rows::short_commit;
use crate::web::shell::Shell;
use crate::web::words::{self, ChangeText, Chip, When};

/// The page of a series.
#[derive(Debug, Template)]
#[template(path = "pages/series.html")]
pub(crate) struct SeriesPage {
    /// The frame.
    pub(crate) shell: Shell,
    /// The benchmark's name.
    pub(crate) benchmark: String,
    /// Its parameters.
    pub(crate) parameters: Vec<(String, String)>,
    /// The measure.
    pub(crate) measure: String,
    /// Which way is better, in words.
    pub(crate) better: &'static str,
    /// The testbed.
    pub(crate) testbed: String,
    /// The branch.
    pub(crate) branch: String,
    /// The chart, as SVG; `None` where there is no point.
    pub(crate) chart: Option<String>,
    /// Points, newest first.
    pub(crate) points: Vec<PointRow>,
    /// Whether older points were left out.
    pub(crate) is_cut: bool,
    /// Fields of the form that changes the branch, beside the branch itself.
    pub(crate) fields: Vec<(String, String)>,
}

/// A point of the history.
#[derive(Debug, Clone)]
pub(crate) struct PointRow {
    /// The run.
    pub(crate) href: String,
    /// The commit, short.
    pub(crate) commit: String,
    /// The commit, whole.
    pub(crate) commit_full: String,
    /// When it ran.
    pub(crate) when: When,
    /// The median.
    pub(crate) value: String,
    /// The interval of the median.
    pub(crate) interval: String,
    /// Observations.
    pub(crate) n: usize,
    /// Against the point before it; said, never judged.
    pub(crate) step: Option<ChangeText>,
    /// What the run's verdict found here, where it found a change.
    pub(crate) chip: Option<Chip>,
}

/// What a point is made from.
#[derive(Debug, Clone)]
pub(crate) struct PointFacts<'a> {
    /// The run.
    pub(crate) run: RunId,
    /// The commit.
    pub(crate) commit: &'a str,
    /// When it ran.
    pub(crate) at: chrono::DateTime<chrono::Utc>,
    /// The median in the base unit.
    pub(crate) median: f64,
    /// The interval of the median.
    pub(crate) interval: (f64, f64),
    /// Observations.
    pub(crate) n: usize,
    /// What the run's verdict found here.
    pub(crate) outcome: Option<FindingOutcome>,
}

/// Rows newest first, from points oldest first.
pub(crate) fn points(
    project: &str,
    measure: &Measure,
    oldest_first: &[PointFacts<'_>],
    now: chrono::DateTime<chrono::Utc>,
) -> Vec<PointRow> {
    let text = |value| Quantity { value, unit: &measure.unit }.to_string();
    let before = std::iter::once(None).chain(oldest_first.iter().map(|point| Some(point.median)));
    let mut rows: Vec<PointRow> = oldest_first
        .iter()
        .zip(before)
        .map(|(point, before)| PointRow {
            href: link::run(project, point.run),
            commit: short_commit(point.commit).to_owned(),
            commit_full: point.commit.to_owned(),
            when: words::when(point.at, now),
            value: text(point.median),
            interval: format!("{} to {}", text(point.interval.0), text(point.interval.1)),
            n: point.n,
            step: before.and_then(|before| step(before, point.median, measure.better)),
            chip: point.outcome.map(words::finding_chip),
        })
        .collect();
    rows.reverse();
    rows
}

/// A step between two neighbours is a fact about two points and no verdict, so it is never coloured.
fn step(before: f64, after: f64, better: Better) -> Option<ChangeText> {
    let change = Change::between(before, after)?;
    Some(words::change_text(change.relative, better, FindingOutcome::Unchanged))
}

/// The frame of a series' page.
pub(crate) fn shell(project: &str, benchmark: &BenchmarkKey, measure: &str) -> Shell {
    Shell::new(format!("{measure} of {benchmark} · {project}"))
        .under(project, link::project(project))
        .here("series")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{MeasureName, Unit};

    #[test]
    fn rows_are_newest_first_and_steps_look_back() {
        let measure = Measure {
            name: MeasureName::parse("ns/op").unwrap(),
            unit: Unit::Nanoseconds,
            better: Better::Lower,
        };
        let at = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let point = |median| PointFacts {
            run: RunId::from_uuid(uuid::Uuid::nil()),
            commit: "abc",
            at,
            median,
            interval: (median, median),
            n: 5,
            outcome: None,
        };
        let rows = points("kv", &measure, &[point(100.0), point(110.0)], at);
        assert_eq!(
            rows[0].step.as_ref().map(|s| (s.number.as_str(), s.word, s.tone)),
            Some(("+10.0 %", "worse", "quiet"))
        );
        assert_eq!((rows[1].step.is_none(), rows[1].value.as_str()), (true, "100.0 ns"));
    }
}
