//! Any two runs, judged on request.

use askama::Template;

use super::run::RunHead;
use crate::web::link;
use crate::web::parts::verdict::VerdictBody;
use crate::web::shell::Shell;

/// The comparison page.
#[derive(Debug, Template)]
#[template(path = "pages/compare.html")]
pub(crate) struct ComparePage {
    /// The frame.
    pub(crate) shell: Shell,
    /// What was typed as the base.
    pub(crate) base: String,
    /// What was typed as the head.
    pub(crate) head: String,
    /// Why there is no comparison, where something was typed.
    pub(crate) problem: Option<String>,
    /// The two runs and the verdict.
    pub(crate) compared: Option<ComparedRuns>,
    /// Names that can be typed: branches and recent commits.
    pub(crate) suggestions: Vec<String>,
}

/// Two runs, judged.
#[derive(Debug)]
pub(crate) struct ComparedRuns {
    /// The base.
    pub(crate) base: RunHead,
    /// The candidate.
    pub(crate) head: RunHead,
    /// The verdict.
    pub(crate) body: VerdictBody,
    /// The other way round.
    pub(crate) swap_href: String,
    /// The command that asks for the same.
    pub(crate) command: String,
    /// The same verdict as JSON.
    pub(crate) json_href: String,
    /// The same verdict as Markdown.
    pub(crate) markdown_href: String,
}

/// The frame of the comparison page.
pub(crate) fn shell(project: &str, sentence: Option<&str>) -> Shell {
    let title = sentence.map_or_else(|| "Compare".to_owned(), str::to_owned);
    Shell::new(format!("{title} · {project}")).under(project, link::project(project)).here("compare")
}
