//! The frame around every SVG document: size, role, title, description, ground.

use std::fmt::Write as _;

use crate::palette::{Role, Theme, dark_css};
use crate::text::{FONTS, escape_into};

/// Whether a picture says its size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sizing {
    /// `viewBox` only: as wide as the page lets it be.
    Fluid,
    /// `width` and `height` too: for files and images.
    Fixed,
}

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// Its colours.
    pub theme: Theme,
    /// Its size.
    pub sizing: Sizing,
}

impl Sketch {
    /// For inlining into a page with a stylesheet that knows [`crate::palette::reserved`].
    pub const PAGE: Self = Self { theme: Theme::Page, sizing: Sizing::Fluid };
    /// For a file or an image that stands alone and follows the reader's preference.
    pub const IMAGE: Self = Self { theme: Theme::Auto, sizing: Sizing::Fixed };
}

/// What a document says about itself.
pub(crate) struct Head<'a> {
    /// Class beside `pf`: the kind of picture.
    pub(crate) class: &'a str,
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Pictures with links are groups: what is inside an image cannot be reached by assistive technology.
    pub(crate) has_links: bool,
}

/// Opens a document. Close it with `</svg>`.
pub(crate) fn open(out: &mut String, head: &Head<'_>, sketch: Sketch) {
    let (width, height) = (head.width, head.height);
    let role = if head.has_links { "group" } else { "img" };
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pf {}\" viewBox=\"0 0 {width} {height}\" role=\"{role}\" font-family=\"{FONTS}\"",
        head.class
    );
    if sketch.sizing == Sizing::Fixed {
        let _ = write!(out, " width=\"{width}\" height=\"{height}\"");
    }
    out.push_str("><title>");
    escape_into(out, head.title);
    out.push_str("</title><desc>");
    escape_into(out, head.description);
    out.push_str("</desc>");
    if sketch.theme == Theme::Auto {
        let _ = write!(out, "<style>@media (prefers-color-scheme:dark){{{}}}</style>", dark_css("svg.pf"));
    }
    if sketch.theme != Theme::Page {
        let ground = sketch.theme.colour(&Role::Ground);
        let _ = write!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>");
    }
    out.push('\n');
}
