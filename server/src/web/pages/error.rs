//! The page for everything that went wrong: what, why, and where to go from here.

use askama::Template;

use crate::web::shell::Shell;

/// The error page.
#[derive(Debug, Template)]
#[template(path = "error.html")]
pub(crate) struct ErrorPage {
    /// The frame.
    pub(crate) shell: Shell,
    /// The HTTP status.
    pub(crate) status: u16,
    /// What happened.
    pub(crate) title: String,
    /// More of it.
    pub(crate) detail: String,
    /// The request's id, for the log.
    pub(crate) request_id: Option<String>,
    /// What to do now.
    pub(crate) advice: &'static str,
}

/// Builds the page of an error.
pub(crate) fn page(status: u16, title: &str, detail: &str, request_id: Option<&str>) -> ErrorPage {
    ErrorPage {
        shell: Shell::new(title).here("error"),
        status,
        title: title.to_owned(),
        detail: detail.to_owned(),
        request_id: request_id.map(str::to_owned),
        advice: match status {
            404 => "It may have been deleted, or the address may have been cut short.",
            400..=499 => "Change the request and try again.",
            503 => "The database cannot be reached right now. Try again in a moment.",
            _ => "The fault is on our side and has been logged.",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_detail_is_escaped_and_recovery_is_offered() {
        let html = page(404, "not found", "<script>alert(1)</script>", Some("r-1")).render().unwrap();
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(html.contains("href=\"/\"") && html.contains("r-1"));
    }
}
