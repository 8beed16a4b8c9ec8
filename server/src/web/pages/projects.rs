//! The front page: every project with the state it is in.

use askama::Template;

use crate::web::link;
use crate::web::shell::Shell;
use crate::web::words::{self, Chip, When};

/// The front page.
#[derive(Debug, Template)]
#[template(path = "pages/projects.html")]
pub(crate) struct ProjectsPage {
    /// The frame.
    pub(crate) shell: Shell,
    /// Projects, those with open regressions first.
    pub(crate) projects: Vec<ProjectCard>,
    /// Where this server is reached, for the command of the empty state.
    pub(crate) origin: String,
}

/// A project.
#[derive(Debug)]
pub(crate) struct ProjectCard {
    /// Its page.
    pub(crate) href: String,
    /// Its name.
    pub(crate) name: String,
    /// The last run's verdict.
    pub(crate) chip: Option<Chip>,
    /// The last run's sentence.
    pub(crate) sentence: Option<String>,
    /// When it was.
    pub(crate) last_run: Option<When>,
    /// `12 runs`.
    pub(crate) runs: String,
    /// Open regressions.
    pub(crate) n_open: usize,
}

impl ProjectsPage {
    fn first_command(&self) -> String {
        first_command(&self.origin, "my-project")
    }

    fn profile_command(&self) -> String {
        format!(
            "curl -F benchmark=@bench.txt -F profile=@cpu.pb.gz \\\n  \"{}{}\"",
            self.origin,
            runs_path("my-project")
        )
    }
}

impl ProjectCard {
    fn open_text(&self) -> String {
        words::counted(self.n_open, "open regression")
    }
}

/// The command that posts a run, ready to be pasted into a clone.
pub(crate) fn first_command(origin: &str, project: &str) -> String {
    format!("curl --data-binary @bench.txt \\\n  \"{origin}{}\"", runs_path(project))
}

/// The shell fills the commit in.
fn runs_path(project: &str) -> String {
    format!("/api/v1/projects/{}/runs?branch=main&commit=$(git rev-parse HEAD)", link::encode(project))
}

/// The frame of the front page.
pub(crate) fn shell() -> Shell {
    Shell::new("Projects")
}
