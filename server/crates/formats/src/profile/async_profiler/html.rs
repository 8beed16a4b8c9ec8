//! A flame graph's page, read line by line.

use model::{Event, Profile, Unit};

use super::graph::{Box, Making};
use super::script::{self, Argument, Names, Palette};
use super::{event, leaf_is_class, tree, unit};
use crate::error::{At, Kind, ParseError};
use crate::read::{Content, Input, Parsed, Sniff};
use crate::text::text;
use crate::warnings::Warnings;

/// The name of the format in hints and errors.
pub(super) const NAME: &str = "async-profiler-html";

/// Yes for the two kinds of pages that async-profiler writes.
pub(super) fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start().get(..14).unwrap_or_default().to_ascii_lowercase();
    if !start.starts_with("<!doctype html") && !start.starts_with("<html") {
        return Sniff::No;
    }
    let is_graph = text.contains("async-profiler") && text.contains("levels[");
    if is_graph || tree::is_tree(&text) { Sniff::Yes } else { Sniff::No }
}

/// A place in the graph that the next call may be relative to.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    level: i64,
    left: i64,
    width: i64,
}

/// A box before its name is known.
#[derive(Debug, Clone)]
struct Call {
    line: usize,
    place: Place,
    kind: i64,
    name: Name,
}

#[derive(Debug, Clone)]
enum Name {
    Number(usize),
    Is(String),
}

/// The profile of a page.
pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let whole = text(&input, &mut warnings);
    if tree::is_tree(&whole) {
        return tree::read(&whole, input, warnings);
    }
    let page = Page::read(&whole, input)?;
    let title = page.title.as_deref().and_then(event);
    let name = input.hints.event.clone().or(title).unwrap_or_else(|| "samples".to_owned());
    let (unit, scale) = unit(page.units.as_deref().unwrap_or_default());
    let making = Making {
        format: NAME,
        limits: input.limits,
        scale,
        in_samples: unit == Unit::Count("samples".to_owned()),
        leaf_is_class: leaf_is_class(&name),
    };
    let mut boxes = Vec::with_capacity(page.calls.len());
    for call in &page.calls {
        let at = |kind| ParseError::new(NAME, At::Line(call.line), kind);
        let name = match &call.name {
            Name::Is(name) => name.as_str(),
            Name::Number(number) => page
                .names
                .names
                .get(*number)
                .ok_or_else(|| at(Kind::Dangling { what: "name", id: *number as u64 }))?,
        };
        boxes.push(Box {
            line: call.line,
            level: usize::try_from(call.place.level)
                .map_err(|_| at(Kind::Invalid("a negative level".to_owned())))?,
            left: call.place.left,
            width: call.place.width,
            name,
            inlined: call.kind == page.palette.inlined,
            kernel: call.kind == page.palette.kernel,
        });
    }
    let tree = making.tree(&boxes, &mut warnings)?;
    if tree.nodes.is_empty() {
        return Err(ParseError::new(NAME, At::File, Kind::Empty));
    }
    let mut profile = Profile::new(Event { name, unit }, tree);
    // The page ends with a call of its own; without it frames are missing.
    if !page.is_whole {
        warnings.add(At::File, "the page ends early: frames are missing");
        profile.partial = true;
    }
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

#[derive(Debug, Default)]
struct Page {
    title: Option<String>,
    units: Option<String>,
    palette: Palette,
    names: Names,
    calls: Vec<Call>,
    is_whole: bool,
}

impl Page {
    fn read(text: &str, input: Input<'_>) -> Result<Self, ParseError> {
        let mut page = Self::default();
        let mut place = Place::default();
        let (mut in_names, mut in_palette) = (false, false);
        for (line, text) in (1..).zip(text.lines()) {
            let fail = |kind| ParseError::new(NAME, At::Line(line), kind);
            let trimmed = text.trim();
            if in_names {
                in_names = !trimmed.ends_with(']') && !trimmed.ends_with("];");
                if !page.names.line(trimmed, input.limits) {
                    return Err(fail(too_many(
                        "bytes of names",
                        input.limits.decompressed_bytes,
                        "max_decompressed_bytes",
                    )));
                }
            } else if in_palette {
                in_palette = page.palette.line(trimmed);
            } else if let Some((function, arguments)) = script::call(trimmed) {
                let called = place.call(function, &arguments);
                let (kind, name) = called.ok_or_else(|| {
                    fail(Kind::Invalid(format!("a call that cannot be understood: {trimmed}")))
                })?;
                if page.calls.len() >= input.limits.nodes {
                    return Err(fail(too_many("nodes of the call tree", input.limits.nodes, "max_nodes")));
                }
                page.calls.push(Call { line, place, kind, name });
            } else if let Some(rest) =
                trimmed.strip_prefix("const cpool = [").or_else(|| trimmed.strip_prefix("var cpool = ["))
            {
                in_names = !rest.contains(']');
                page.names.line(rest, input.limits);
            } else if trimmed.starts_with("const palette = [") || trimmed.starts_with("var palette = [") {
                in_palette = true;
            } else if trimmed.starts_with("unpack(cpool)") {
                if !page.names.unpack(input.limits) {
                    return Err(fail(too_many(
                        "bytes of names",
                        input.limits.decompressed_bytes,
                        "max_decompressed_bytes",
                    )));
                }
            } else if let Some(units) = script::constant(trimmed, "units") {
                page.units = Some(units);
            } else if let Some(title) =
                trimmed.strip_prefix("<h1>").and_then(|rest| rest.strip_suffix("</h1>"))
            {
                page.title = Some(title.to_owned());
            } else if script::number(trimmed, "maxdiff").is_some_and(|most| most >= 0) {
                let text = "a difference of two profiles: send the two".to_owned();
                return Err(fail(Kind::Invalid(text)));
            } else if matches!(
                trimmed,
                "var reverse = true;" | "let reverse = true;" | "const reverse = true;"
            ) {
                let text = "a graph with its stacks reversed: send it without --reverse".to_owned();
                return Err(fail(Kind::Invalid(text)));
            } else if trimmed.starts_with("search(") && !page.calls.is_empty()
                || trimmed.starts_with("</script></body>")
            {
                page.is_whole = true;
            }
        }
        Ok(page)
    }
}

impl Place {
    /// Moves to the box that a call draws; its type and name. Numbers are kept from overflowing, not from nonsense.
    fn call(&mut self, function: u8, arguments: &[Argument]) -> Option<(i64, Name)> {
        let number = |at: usize| arguments.get(at).map(Argument::number).unwrap_or_default();
        let or_same = |width: Option<i64>, same: i64| width.filter(|width| *width != 0).unwrap_or(same);
        // Before version 3: `f(level, left, width, type, 'name')`, from the left edge.
        if let Some(Argument::Text(name)) = arguments.get(4) {
            *self = Self { level: number(0)?, left: number(1)?, width: number(2)? };
            return Some((number(3)?, Name::Is(name.clone())));
        }
        let key = number(0)?;
        let (level, left, width) = match function {
            b'f' => (number(1)?, number(2)?, number(3)),
            b'u' => (self.level.saturating_add(1), 0, number(1)),
            _ => (self.level, self.width, number(1)),
        };
        *self = Self { level, left: self.left.saturating_add(left), width: or_same(width, self.width) };
        Some((key & 7, Name::Number(usize::try_from(key >> 3).ok()?)))
    }
}

fn too_many(what: &'static str, limit: usize, setting: &'static str) -> Kind {
    Kind::Limit { what, limit: limit as u64, setting }
}

#[cfg(test)]
mod tests {
    use model::Node;

    use super::*;
    use crate::limits::Limits;
    use crate::read::Hints;

    fn page(script: &str) -> Result<Vec<Profile>, ParseError> {
        let text = format!(
            "<!DOCTYPE html>\n<h1>CPU profile</h1>\nProduced by <a href='https://github.com/async-profiler/async-profiler'>\n<script>\nlevels[h] = [];\n{script}\nsearch();\n</script></body></html>\n"
        );
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits }).map(|parsed| {
            match parsed.content {
                Content::Profiles(profiles) => profiles,
                _ => unreachable!("this reader makes profiles"),
            }
        })
    }

    fn nodes(profile: &Profile) -> Vec<(&str, u32, bool, u64)> {
        let name = |node: &Node| profile.tree.frames[node.frame as usize].name.as_str();
        profile
            .tree
            .nodes
            .iter()
            .map(|node| (name(node), node.parent, node.inlined, node.self_samples))
            .collect()
    }

    #[test]
    fn boxes_of_old_and_new_pages_are_the_same() {
        let new = "const units = 'samples';\nconst cpool = [\n'all',\n' main',\n'$work',\n' read'\n];\nunpack(cpool);\n\nn(3,10)\nu(9,7)\nu(18,4)\nf(29,1,7,3)";
        let old = "const palette = [\n[0x50e150, 30, 30, 30],\n[0x50bebe, 30, 30, 30],\n[0xe17d00, 30, 30, 0],\n];\nf(0,0,10,4,'all')\nf(1,0,7,0,'main')\nf(2,3,4,1,'mainwork')\nf(1,7,3,2,'read')";
        let expected =
            [("main", Node::ROOT, false, 3), ("mainwork", 0, true, 4), ("read", Node::ROOT, false, 3)];
        for script in [new, old] {
            let profiles = page(script).unwrap();
            assert_eq!(nodes(&profiles[0]), expected);
            assert_eq!(profiles[0].event.name, "cpu");
            assert_eq!(profiles[0].tree.frames[2].module.as_deref(), Some("[kernel]"));
            assert!(!profiles[0].partial);
        }
    }

    #[test]
    fn units_scale_and_what_is_missing_is_told() {
        let script = "const units = 'ns';\nconst cpool = [\n'all', ' f'\n];\nunpack(cpool);\nn(3,10)\nu(9,7)";
        let profiles = page(script).unwrap();
        assert_eq!(nodes(&profiles[0]), [("[no frames]", Node::ROOT, false, 1), ("f", Node::ROOT, false, 1)]);
        assert_eq!((profiles[0].tree.weight(), &profiles[0].event.unit), (10.0, &Unit::Nanoseconds));
    }

    #[test]
    fn nonsense_is_located() {
        for script in [
            "n(3,10)\nu(80,1)",
            "n(3,10)\nf(3,5,1)",
            "const maxdiff = /*maxdiff:*/4;\nn(3,1)",
            "u()",
            "var reverse = true;",
        ] {
            assert!(matches!(page(script).unwrap_err().at, At::Line(_)), "{script}");
        }
    }
}
