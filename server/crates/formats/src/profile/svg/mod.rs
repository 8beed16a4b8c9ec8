//! Flame graphs as pictures: what `flamegraph.pl`, inferno and the tools built on it (py-spy, cargo-flamegraph) draw.
//!
//! A picture is a lossy copy: frames narrower than a minimum are not drawn, so the profile is partial and stays out of
//! the statistics. Each box has a title, `name (1,234 samples, 5.67%)`, and a place; the tree is rebuilt from the
//! places. Scripts inside are neither run nor kept. Sources of the form: <https://github.com/brendangregg/FlameGraph>,
//! <https://github.com/jonhoo/inferno>.

mod boxes;
mod title;
mod tree;

use model::{Event, Profile};

use super::folded;
use crate::error::{At, Kind, ParseError};
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::text;
use crate::warnings::Warnings;
use crate::xml::outermost;

const NAME: &str = "flamegraph-svg";

/// Flame graphs as SVG.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "flame graphs as SVG (flamegraph.pl, inferno, py-spy)", sniff, read };

/// An SVG with titled boxes; the first title may stand behind a long script, so an SVG alone may be one.
fn sniff(head: &[u8]) -> Sniff {
    let Some((name, _)) = outermost(head) else { return Sniff::No };
    if !name.eq_ignore_ascii_case("svg") {
        return Sniff::No;
    }
    let text = String::from_utf8_lossy(head);
    let is_drawn = ["<title>", "id=\"frames\"", "flamegraph", "Flame Graph", "onmouseover=\"s('"]
        .iter()
        .any(|mark| text.contains(mark));
    if is_drawn { Sniff::Yes } else { Sniff::Maybe }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let picture = boxes::read(&text, &input, &mut warnings)?;
    if picture.boxes.is_empty() {
        let text =
            "there is no box of a flame graph in it: none has a title such as `main (10 samples, 100%)`";
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text.to_owned())));
    }
    let callers = tree::callers(&picture);
    let own = tree::own(&picture, &callers);
    let header = folded::Header::from_picture(picture.counted.as_deref()).overridden_by(input.hints);
    let weights: Vec<f64> = own.iter().copied().filter(|own| *own > 0.0).collect();
    let meaning = folded::decide(&weights, &header);
    let tree = tree::build(&picture, &callers, &own, input.limits, &mut warnings, &meaning)?;
    let name = header.event.clone().unwrap_or_else(|| "samples".to_owned());
    let mut profile = Profile::new(Event { name, unit: meaning.unit }, tree);
    profile.partial = true;
    warnings.add(
        At::File,
        "a picture is a lossy copy: narrow frames are missing, so it is shown and never tested",
    );
    if picture.has_script {
        warnings.add(At::File, "the script inside is left out");
    }
    if picture.is_difference {
        warnings
            .add(At::File, "the picture compares two profiles; the widths, which are read, are those of one");
    }
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}
