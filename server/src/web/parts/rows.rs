//! Rows of lists that more than one page shows: runs and open regressions.

use model::{Outcome, RunId};

use crate::web::link;
use crate::web::words::{self, ChangeText, Chip, When};

/// A run in a list.
#[derive(Debug, Clone)]
pub(crate) struct RunRow {
    /// Its page.
    pub(crate) href: String,
    /// Its verdict.
    pub(crate) chip: Chip,
    /// The verdict's sentence, or what stands for it.
    pub(crate) sentence: String,
    /// The branch.
    pub(crate) branch: String,
    /// The commit, short.
    pub(crate) commit: String,
    /// The commit, whole.
    pub(crate) commit_full: String,
    /// The testbed.
    pub(crate) testbed: String,
    /// When it started.
    pub(crate) when: When,
    /// `12 benchmarks, 1 profile`.
    pub(crate) contents: String,
    /// The pull request's number.
    pub(crate) pull_request: Option<i32>,
    /// What the run was made for, unless it was simply measured.
    pub(crate) role: Option<&'static str>,
}

/// What a row of a run is made from.
#[derive(Debug, Clone)]
pub(crate) struct RunRowFacts<'a> {
    /// The run.
    pub(crate) id: RunId,
    /// Its verdict's outcome, once judged.
    pub(crate) outcome: Option<Outcome>,
    /// Its verdict's sentence, once judged.
    pub(crate) sentence: Option<&'a str>,
    /// The branch.
    pub(crate) branch: &'a str,
    /// The commit.
    pub(crate) commit: &'a str,
    /// The testbed.
    pub(crate) testbed: &'a str,
    /// When it started.
    pub(crate) started_at: chrono::DateTime<chrono::Utc>,
    /// How many benchmarks it holds.
    pub(crate) n_benchmarks: usize,
    /// How many profiles it holds.
    pub(crate) n_profiles: usize,
    /// The pull request's number.
    pub(crate) pull_request: Option<i32>,
    /// What it was made for.
    pub(crate) role: model::Role,
}

/// Builds the row of a run.
pub(crate) fn run_row(project: &str, facts: &RunRowFacts<'_>, now: chrono::DateTime<chrono::Utc>) -> RunRow {
    RunRow {
        href: link::run(project, facts.id),
        chip: words::outcome_chip(facts.outcome),
        sentence: facts.sentence.unwrap_or("This run has no verdict yet.").to_owned(),
        branch: facts.branch.to_owned(),
        commit: short_commit(facts.commit).to_owned(),
        commit_full: facts.commit.to_owned(),
        testbed: facts.testbed.to_owned(),
        when: words::when(facts.started_at, now),
        contents: contents(facts.n_benchmarks, facts.n_profiles),
        pull_request: facts.pull_request,
        role: role_name(facts.role),
    }
}

/// `12 benchmarks, 1 profile`.
pub(crate) fn contents(n_benchmarks: usize, n_profiles: usize) -> String {
    format!("{}, {}", words::counted(n_benchmarks, "benchmark"), words::counted(n_profiles, "profile"))
}

/// The name of a role worth a mention.
pub(crate) fn role_name(role: model::Role) -> Option<&'static str> {
    match role {
        model::Role::Measured => None,
        model::Role::Profiled => Some("profiled"),
        model::Role::Confirming => Some("confirming"),
    }
}

pub(crate) use model::name::short_commit;

/// An open regression.
#[derive(Debug, Clone)]
pub(crate) struct AlertRow {
    /// Where to look.
    pub(crate) href: String,
    /// The benchmark with its parameters.
    pub(crate) benchmark: String,
    /// The measure.
    pub(crate) measure: String,
    /// The change, where one number says it.
    pub(crate) change: Option<ChangeText>,
    /// How sure that is.
    pub(crate) confidence: Option<Chip>,
    /// `main on ci-large`.
    pub(crate) place: String,
    /// Since when.
    pub(crate) since: When,
    /// The frame that explains it.
    pub(crate) suspect: Option<AlertSuspect>,
}

/// The frame that explains an open regression.
#[derive(Debug, Clone)]
pub(crate) struct AlertSuspect {
    /// Canonical name.
    pub(crate) frame: String,
    /// The category's name.
    pub(crate) category: String,
    /// Suffix of the category's class.
    pub(crate) category_class: String,
    /// `94 %`.
    pub(crate) explained: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_cut_between_characters() {
        assert_eq!(short_commit("6995e2d0123456789"), "6995e2d012");
        assert_eq!(short_commit(&"é".repeat(30)), "é".repeat(24));
        assert_eq!(short_commit("v1"), "v1");
    }
}
