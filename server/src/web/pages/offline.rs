//! The report of `compare --html`: one file with the verdict, charts and flame graphs, no server behind it.

use askama::Template;
use model::{RunData, Verdict};

use crate::web::assets;
use crate::web::parts::drawings::{Sides, drawings};
use crate::web::parts::findings::Place;
use crate::web::parts::verdict::{VerdictBody, body};

/// The whole file. The style is inside, and no link leads out of it.
#[derive(Debug, Template)]
#[template(path = "pages/offline.html")]
pub(crate) struct OfflinePage {
    title: String,
    /// Our own stylesheet, which holds no `<`.
    css: String,
    version: &'static str,
    body: VerdictBody,
}

/// Renders the report.
///
/// # Errors
///
/// The template fails, which only a fault of ours can cause.
pub fn offline_report(verdict: &Verdict, base: &RunData, head: &RunData) -> Result<String, askama::Error> {
    let sides = Sides { base: Some(base), head };
    let drawn = drawings(Place::OFFLINE, verdict, sides, |_, _| "#".to_owned());
    let css = assets::find("app.css")
        .map_or_else(String::new, |asset| String::from_utf8_lossy(&asset.bytes).into_owned());
    let page = OfflinePage {
        title: verdict.sentence.clone(),
        css,
        version: env!("CARGO_PKG_VERSION"),
        body: body(Place::OFFLINE, verdict, drawn),
    };
    page.render()
}
