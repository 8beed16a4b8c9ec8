//! What every page shares: title, breadcrumb, footer.

/// A step of the breadcrumb. The last one has no address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crumb {
    /// Its text.
    pub(crate) label: String,
    /// Where it leads; `None` for the page itself.
    pub(crate) href: Option<String>,
}

/// The frame around a page.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// The page's title, without the product's name.
    pub(crate) title: String,
    /// From the front page down to this one.
    pub(crate) crumbs: Vec<Crumb>,
    /// The version in the footer.
    pub(crate) version: &'static str,
}

impl Shell {
    /// A page of its own, below the front page.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), crumbs: Vec::new(), version: env!("CARGO_PKG_VERSION") }
    }

    /// Adds a step that leads somewhere.
    #[must_use]
    pub(crate) fn under(mut self, label: impl Into<String>, href: impl Into<String>) -> Self {
        self.crumbs.push(Crumb { label: label.into(), href: Some(href.into()) });
        self
    }

    /// Adds the page itself as the last step.
    #[must_use]
    pub(crate) fn here(mut self, label: impl Into<String>) -> Self {
        self.crumbs.push(Crumb { label: label.into(), href: None });
        self
    }
}
