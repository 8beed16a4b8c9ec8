//! The words of perfblame, in our own words.

use askama::Template;

use crate::web::shell::Shell;

/// The glossary.
#[derive(Debug, Template)]
#[template(path = "pages/glossary.html")]
pub(crate) struct GlossaryPage {
    /// The frame.
    pub(crate) shell: Shell,
}

/// Builds the glossary.
pub(crate) fn page() -> GlossaryPage {
    GlossaryPage { shell: Shell::new("Glossary").here("glossary") }
}
