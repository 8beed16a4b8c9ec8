//! One finding: what moved, why it was flagged, and which frames explain it.

use askama::Template;

use super::run::RunHead;
use crate::web::link;
use crate::web::parts::findings::FindingRow;
use crate::web::parts::suspects::ProfileSection;
use crate::web::parts::verdict::Figure;
use crate::web::shell::Shell;

/// The page of a finding.
#[derive(Debug, Template)]
#[template(path = "pages/finding.html")]
pub(crate) struct FindingPage {
    /// The frame.
    pub(crate) shell: Shell,
    /// The run.
    pub(crate) run: RunHead,
    /// What the run was compared with.
    pub(crate) baseline: String,
    /// The finding.
    pub(crate) finding: FindingRow,
    /// Both sides drawn.
    pub(crate) figures: Vec<Figure>,
    /// Profiles that may explain it.
    pub(crate) profiles: Vec<ProfileSection>,
    /// The finding before.
    pub(crate) previous: Option<String>,
    /// The finding after.
    pub(crate) next: Option<String>,
    /// `3 of 44`.
    pub(crate) position: String,
}

/// The frame of a finding's page.
pub(crate) fn shell(project: &str, run: &RunHead, finding: &FindingRow) -> Shell {
    Shell::new(format!("{} {} · {project}", finding.benchmark, finding.measure))
        .under(project, link::project(project))
        .under(format!("run {}", run.commit), run.href.clone())
        .here("finding")
}
