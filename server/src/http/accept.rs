//! Which form of an answer the caller wants.

use axum::http::{HeaderMap, header};

/// A form of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The whole value.
    Json,
    /// The comment for a pull request.
    Markdown,
    /// A table for a terminal.
    Text,
}

/// The form asked for by `?format=` in the query, else by the `Accept` header, else JSON.
pub fn form(query: Option<&str>, headers: &HeaderMap) -> Form {
    match query {
        Some("markdown" | "md") => return Form::Markdown,
        Some("text" | "txt") => return Form::Text,
        Some("json") => return Form::Json,
        _ => {}
    }
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = accept.split(',').find_map(|part| match part.split(';').next().unwrap_or_default().trim() {
        "text/markdown" => Some(Form::Markdown),
        "text/plain" => Some(Form::Text),
        "application/json" | "*/*" | "application/*" => Some(Form::Json),
        _ => None,
    });
    first.unwrap_or(Form::Json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_wins_over_the_header() {
        let mut headers = HeaderMap::new();
        assert_eq!(form(None, &headers), Form::Json);
        headers.insert(header::ACCEPT, "text/html, text/markdown;q=0.9".parse().unwrap());
        assert_eq!(form(None, &headers), Form::Markdown);
        assert_eq!(form(Some("text"), &headers), Form::Text);
    }
}
