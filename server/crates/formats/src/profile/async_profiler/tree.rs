//! The call tree as nested lists, which async-profiler wrote before version 4.1:
//! `<li><div>[3] 12.50% 1,234 self: 0.25% 25</div><span class="t1"> java/lang/Thread.run</span>`.

use model::profile::PathCursor;
use model::{Event, Node, Profile, Unit};

use super::html::NAME;
use super::{event, leaf_is_class};
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, number};
use crate::profile::intern::KERNEL;
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed};
use crate::text::excerpt;
use crate::warnings::Warnings;

/// Whether a page is such a tree.
pub(super) fn is_tree(text: &str) -> bool {
    text.contains("ul.tree") && !text.contains("levels[")
}

/// One item of the lists.
#[derive(Debug, PartialEq)]
struct Item<'a> {
    level: usize,
    total: f64,
    own: f64,
    class: &'a str,
    name: String,
}

/// The profile of a page.
pub(super) fn read(text: &str, input: Input<'_>, mut warnings: Warnings) -> Result<Parsed, ParseError> {
    let mut sink = Sink::new(NAME, input.limits);
    let title = text.lines().find_map(|line| line.trim().strip_prefix("<h1>")?.strip_suffix("</h1>"));
    let name = input.hints.event.clone().or_else(|| title.and_then(|title| event(title.split(',').next()?)));
    let name = name.unwrap_or_else(|| "samples".to_owned());
    let mut open: Vec<PathCursor> = Vec::new();
    let mut cut = 0;
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        let at = || At::Line(line);
        if text == "<li>..." {
            cut += 1;
            continue;
        }
        let Some(rest) = text.strip_prefix("<li><div>[") else { continue };
        let Some(item) = item(rest) else {
            if rest.contains('%') && !rest.contains("self:") {
                let text = "a tree with its stacks reversed: send it without --reverse".to_owned();
                return Err(ParseError::new(NAME, at(), Kind::Invalid(text)));
            }
            warnings.add_with(at(), || format!("an item that cannot be read, skipped: {:?}", excerpt(text)));
            continue;
        };
        if item.level > open.len() {
            let text = format!("level {} below level {}", item.level, open.len());
            return Err(ParseError::new(NAME, at(), Kind::Invalid(text)));
        }
        open.truncate(item.level);
        let below = open.last().copied().unwrap_or(Node::ROOT);
        let is_class = leaf_is_class(&name) && item.own >= item.total;
        let kernel = !is_class && matches!(item.class, "t5" | "orange");
        let inlined = !is_class && matches!(item.class, "t2" | "aqua") && below != Node::ROOT;
        let frame = sink.frame(at, &item.name, kernel.then_some(KERNEL), None)?;
        let node = sink.child(at, below, frame, inlined)?;
        sink.count_stack(at, item.level + 1)?;
        sink.add(node, item.own as u64, item.own);
        open.push(node);
    }
    let tree = sink.finish(&mut warnings);
    if tree.nodes.is_empty() {
        return Err(ParseError::new(NAME, At::File, Kind::Empty));
    }
    let mut profile = Profile::new(Event { name, unit: Unit::Count("samples".to_owned()) }, tree);
    if cut > 0 {
        warnings.add(At::File, format!("{cut} branches are cut (`...`): frames are missing"));
        profile.partial = true;
    }
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

/// `3] 12.50% 1,234 self: 0.25% 25</div><span class="t1"> name</span>`.
fn item(rest: &str) -> Option<Item<'_>> {
    let (level, rest) = rest.split_once(']')?;
    let (figures, rest) = rest.split_once("</div>")?;
    let (total, own) = figures.split_once("self:")?;
    let last = |text: &str| number(text.trim().rsplit(' ').next()?, Marks::ThousandsComma);
    let rest = rest.strip_prefix("<span class=\"").or_else(|| rest.strip_prefix("<span class='"))?;
    let (class, name) = rest.split_once('>')?;
    let name = name.strip_suffix("</span>").unwrap_or(name).trim();
    Some(Item {
        level: level.trim().parse().ok()?,
        total: last(total)?,
        own: last(own)?,
        class: class.trim_end_matches(['"', '\'']),
        name: name.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::read::Hints;

    const PAGE: &str = "<!DOCTYPE html>\n<style>\nul.tree li > div {display: inline}\n</style>\n<h1>Execution profile</h1>\n<ul class=\"tree\">\n\
        <li><div>[0] 90.00% 1,800 self: 5.00% 100</div><span class=\"t1\"> a/B.main</span>\n<ul>\n\
        <li><div>[1] 85.00% 1,700 self: 85.00% 1,700</div><span class=\"t2\"> List&lt;T&gt;.get</span>\n</ul>\n\
        <li><div>[0] 10.00% 200 self: 10.00% 200</div><span class=\"t5\"> read</span>\n<ul>\n<li>...\n</ul>\n</ul>\n</body></html>";

    fn page(text: &str) -> Result<Parsed, ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        super::super::html::read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })
    }

    #[test]
    fn lists_nest_by_level() {
        assert_eq!(super::super::html::sniff(PAGE.as_bytes()), crate::read::Sniff::Yes);
        let parsed = page(PAGE).unwrap();
        assert_eq!(parsed.warnings.len(), 1);
        let Content::Profiles(profiles) = parsed.content else { unreachable!() };
        let profile = &profiles[0];
        let nodes: Vec<_> = profile
            .tree
            .nodes
            .iter()
            .map(|node| {
                let frame = &profile.tree.frames[node.frame as usize];
                (frame.name.as_str(), frame.module.as_deref(), node.parent, node.inlined, node.self_samples)
            })
            .collect();
        assert_eq!(
            nodes,
            [
                ("a/B.main", None, Node::ROOT, false, 100),
                ("List<T>.get", None, 0, true, 1_700),
                ("read", Some(KERNEL), Node::ROOT, false, 200),
            ]
        );
        assert_eq!((profile.event.name.as_str(), profile.partial), ("cpu", true));
    }

    #[test]
    fn reversed_and_broken_trees_are_refused() {
        let reversed =
            "<!DOCTYPE html>\nul.tree\n<li><div>[0] 90.00% 1,800</div><span class=\"t1\"> a</span>\n";
        assert!(page(reversed).unwrap_err().to_string().contains("--reverse"));
        let jump = "<!DOCTYPE html>\nul.tree\n<li><div>[2] 90.00% 18 self: 0.00% 0</div><span class=\"t1\"> a</span>\n";
        assert_eq!(page(jump).unwrap_err().at, At::Line(3));
    }
}
