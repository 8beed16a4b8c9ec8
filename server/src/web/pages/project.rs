//! A project: what is wrong now, what ran lately, and every series.

use askama::Template;

use crate::web::link;
use crate::web::parts::rows::{AlertRow, RunRow};
use crate::web::shell::Shell;

/// A project's page.
#[derive(Debug, Template)]
#[template(path = "pages/project.html")]
pub(crate) struct ProjectPage {
    /// The frame.
    pub(crate) shell: Shell,
    /// The project's name.
    pub(crate) project: String,
    /// Where this server is reached, for the command of the empty state.
    pub(crate) origin: String,
    /// Open regressions, newest first.
    pub(crate) alerts: Vec<AlertRow>,
    /// Runs, newest first.
    pub(crate) runs: Vec<RunRow>,
    /// What the list is narrowed to.
    pub(crate) filter: RunFilter,
    /// Choices of the filter's outcome field.
    pub(crate) outcomes: Vec<Choice>,
    /// Older runs.
    pub(crate) older: Option<String>,
    /// Back to the newest.
    pub(crate) newest: Option<String>,
    /// Series.
    pub(crate) series: Vec<SeriesRow>,
    /// More series.
    pub(crate) more_series: Option<String>,
}

impl ProjectPage {
    fn compare_href(&self) -> String {
        link::compare(&self.project, "", "")
    }

    fn plain_href(&self) -> String {
        link::project(&self.project)
    }

    fn first_command(&self) -> String {
        super::projects::first_command(&self.origin, &self.project)
    }
}

/// What the list of runs is narrowed to; empty fields say nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunFilter {
    /// A branch.
    pub(crate) branch: String,
    /// A testbed.
    pub(crate) testbed: String,
    /// The name of an outcome.
    pub(crate) outcome: String,
}

impl RunFilter {
    /// Whether it narrows anything.
    pub(crate) fn is_active(&self) -> bool {
        *self != Self::default()
    }

    /// The project's page with this filter, below the run `before`.
    pub(crate) fn href(&self, project: &str, before: &str) -> String {
        let pairs = [
            ("branch", self.branch.as_str()),
            ("testbed", &self.testbed),
            ("outcome", &self.outcome),
            ("before", before),
        ];
        format!("{}{}", link::project(project), link::query(pairs))
    }
}

/// An option of a choice field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What the form sends.
    pub(crate) value: &'static str,
    /// What people read.
    pub(crate) label: &'static str,
    /// Whether it is the one chosen.
    pub(crate) selected: bool,
}

/// A series in the list.
#[derive(Debug, Clone)]
pub(crate) struct SeriesRow {
    /// Its page.
    pub(crate) href: String,
    /// The benchmark's name.
    pub(crate) benchmark: String,
    /// Its parameters.
    pub(crate) parameters: Vec<(String, String)>,
    /// The measure.
    pub(crate) measure: String,
    /// The testbed.
    pub(crate) testbed: String,
    /// The branch.
    pub(crate) branch: String,
    /// The last value.
    pub(crate) latest: String,
    /// How many points it has.
    pub(crate) points: String,
    /// A sparkline, as SVG.
    pub(crate) spark: Option<String>,
}

/// The frame of a project's page.
pub(crate) fn shell(project: &str) -> Shell {
    Shell::new(project).here(project)
}

/// The choices of the outcome field, with the one chosen.
pub(crate) fn outcome_choices(chosen: &str) -> Vec<Choice> {
    [
        ("", "any verdict"),
        ("regressed", "regressed"),
        ("improved", "improved"),
        ("mixed", "mixed"),
        ("unchanged", "unchanged"),
        ("unstable", "unstable"),
        ("inconclusive", "inconclusive"),
        ("no-baseline", "no baseline"),
    ]
    .map(|(value, label)| Choice { value, label, selected: value == chosen })
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paging_keeps_the_filter() {
        let filter = RunFilter { branch: "a&b".to_owned(), ..RunFilter::default() };
        assert_eq!(filter.href("kv", "01"), "/p/kv?branch=a%26b&before=01");
        assert_eq!(RunFilter::default().href("kv", ""), "/p/kv");
    }

    #[test]
    fn every_outcome_can_be_chosen_by_its_api_name() {
        use model::Outcome::{Improved, Inconclusive, Mixed, NoBaseline, Regressed, Unchanged, Unstable};
        for outcome in [Regressed, Improved, Mixed, Unchanged, Unstable, Inconclusive, NoBaseline] {
            let choices = outcome_choices(outcome.name());
            assert_eq!(choices.iter().filter(|choice| choice.selected).count(), 1, "{}", outcome.name());
        }
    }
}
