//! The boxes of the picture, from the markup alone.

use super::NAME;
use super::title;
use crate::error::{At, Kind, ParseError};
use crate::read::Input;
use crate::warnings::Warnings;
use crate::xml::{Element, Event, Xml};

/// A box with its place. Widths are in pixels or percent of the picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) total: f64,
    pub(super) left: f64,
    pub(super) width: f64,
    pub(super) top: f64,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub(super) boxes: Vec<Drawn>,
    /// What the titles count, as the first says it.
    pub(super) counted: Option<String>,
    pub(super) has_script: bool,
    pub(super) is_difference: bool,
}

/// The group that is open: its title, and its place once the rectangle came.
#[derive(Debug, Default)]
struct Group {
    title: Option<String>,
    place: Option<(usize, [f64; 3])>,
}

/// A length: `1180.3`, `10.6996%`.
fn length(element: &Element, name: &str) -> Option<f64> {
    let text = element.get(name)?;
    let text = text.trim().trim_end_matches("px").trim_end_matches('%');
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Left, width and top. inferno tells place and width in samples as well, which are exact.
fn place(element: &Element) -> Option<[f64; 3]> {
    // Namespaces are taken off, so `fg:x` is a second `x`.
    let last = |name: &str| {
        let found = element.attributes.iter().rev().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.parse::<f64>().ok()).filter(|value| value.is_finite())
    };
    let top = length(element, "y").unwrap_or(0.0);
    match (last("w"), last("x")) {
        (Some(width), Some(left)) => Some([left, width, top]),
        _ => Some([length(element, "x").unwrap_or(0.0), length(element, "width")?, top]),
    }
}

/// The title of pictures before 2014: `onmouseover="s('main (10 samples, 100%)')"`.
fn old_title(element: &Element) -> Option<String> {
    let call = element.get("onmouseover")?.trim();
    let inside = call.strip_prefix("s('").or_else(|| call.strip_prefix("s(\""))?;
    let text = inside.rsplit_once("')").or_else(|| inside.rsplit_once("\")"))?.0;
    Some(text.replace("\\'", "'"))
}

/// Reads the picture.
pub(super) fn read(text: &str, input: &Input<'_>, warnings: &mut Warnings) -> Result<Picture, ParseError> {
    let mut xml = Xml::new(NAME, text);
    let mut picture = Picture::default();
    let mut group = Group::default();
    let (mut in_title, mut in_script) = (false, false);
    loop {
        match xml.next()? {
            Event::Open(element) => match element.name.as_str() {
                "g" | "a" => group = Group { title: old_title(&element), place: None },
                "title" => {
                    in_title = true;
                    group.title = Some(String::new());
                }
                "script" => {
                    in_script = true;
                    picture.has_script = true;
                }
                "rect" => {
                    group.place = place(&element).map(|place| (element.line, place));
                    // The oldest pictures have neither groups nor titles.
                    if let Some(title) = old_title(&element) {
                        group.title = Some(title);
                        take(&mut group, &mut picture, input)?;
                    }
                }
                _ => {}
            },
            Event::Text(text) if in_title && !in_script => {
                if let Some(title) = &mut group.title {
                    title.push_str(&text);
                }
            }
            Event::Text(_) => {}
            Event::Close(name) => match name.as_str() {
                "title" => in_title = false,
                "script" => in_script = false,
                "g" | "a" => take(&mut group, &mut picture, input)?,
                _ => {}
            },
            Event::End { open } => {
                if open > 0 {
                    warnings.add(At::File, "the picture has no end: the file is cut off");
                }
                return Ok(picture);
            }
        }
    }
}

/// Takes the group's box if it has both a title and a place.
fn take(group: &mut Group, picture: &mut Picture, input: &Input<'_>) -> Result<(), ParseError> {
    let group = std::mem::take(group);
    let Some(title) = group.title.as_deref().and_then(title::parse) else { return Ok(()) };
    let Some((line, [left, width, top])) = group.place else { return Ok(()) };
    if picture.boxes.len() >= input.limits.nodes {
        let limit = input.limits.nodes as u64;
        let kind = Kind::Limit { what: "nodes of the call tree", limit, setting: "max_nodes" };
        return Err(ParseError::new(NAME, At::Line(line), kind));
    }
    picture.counted.get_or_insert_with(|| title.counted.to_owned());
    picture.is_difference |= title.is_difference;
    let (name, total) = (title.name.to_owned(), title.total);
    picture.boxes.push(Drawn { line, name, total, left, width, top });
    Ok(())
}
