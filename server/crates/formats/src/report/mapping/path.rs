//! The path language of mappings.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use crate::error::Kind;
use crate::json::Json;
use crate::limits::Limits;

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Item,
    Document,
    Key,
    Index,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Index(usize),
    Items,
    Members,
}

/// A parsed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    start: Start,
    steps: Vec<Step>,
    text: String,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Where a path went wrong, for people.
fn wrong(text: &str, rest: &str, expected: &str) -> String {
    format!("the path {text:?} is wrong at byte {}: {expected} is expected", text.len() - rest.len())
}

impl Path {
    /// `$[*]`.
    pub(super) fn items() -> Self {
        Self { start: Start::Item, steps: vec![Step::Items], text: "$[*]".to_owned() }
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (start, mut rest) = if let Some(rest) = text.strip_prefix("$$") {
            (Start::Document, rest)
        } else if text == "$key" {
            (Start::Key, "")
        } else if text == "$index" {
            (Start::Index, "")
        } else if let Some(rest) = text.strip_prefix('$') {
            (Start::Item, rest)
        } else {
            return Err(wrong(text, text, "$"));
        };
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, behind) = step(text, rest)?;
            steps.push(step);
            rest = behind;
        }
        Ok(Self { start, steps, text: text.to_owned() })
    }
}

/// One step and what follows it.
fn step<'t>(text: &str, rest: &'t str) -> Result<(Step, &'t str), String> {
    if let Some(behind) = rest.strip_prefix(".*") {
        return Ok((Step::Members, behind));
    }
    if let Some(name) = rest.strip_prefix('.') {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        return match name.split_at_checked(end) {
            Some((name, behind)) if !name.is_empty() => Ok((Step::Member(name.to_owned()), behind)),
            _ => Err(wrong(text, name, "a member's name")),
        };
    }
    let Some(inner) = rest.strip_prefix('[') else { return Err(wrong(text, rest, "`.` or `[`")) };
    let (step, behind) = if let Some(behind) = inner.strip_prefix('*') {
        (Step::Items, behind)
    } else if inner.starts_with('"') {
        let mut stream = serde_json::Deserializer::from_str(inner).into_iter::<String>();
        let name = stream.next().and_then(Result::ok).ok_or_else(|| wrong(text, inner, "a quoted name"))?;
        (Step::Member(name), inner.get(stream.byte_offset()..).unwrap_or_default())
    } else {
        let end = inner.find(|c: char| !c.is_ascii_digit()).unwrap_or(inner.len());
        let (digits, behind) = inner.split_at_checked(end).unwrap_or_default();
        let index = digits.parse().map_err(|_| wrong(text, inner, "`*`, a number or a quoted name"))?;
        (Step::Index(index), behind)
    };
    let behind = behind.strip_prefix(']').ok_or_else(|| wrong(text, behind, "`]`"))?;
    Ok((step, behind))
}

/// How much may still be looked at: a mapping may lead to the same values again and again.
#[derive(Debug)]
pub(super) struct Budget {
    left: Cell<usize>,
    limit: usize,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { left: Cell::new(limits.json_values), limit: limits.json_values }
    }

    fn take(&self, n: usize) -> Result<(), Kind> {
        let left = self.left.get().checked_sub(n).ok_or(Kind::Limit {
            what: "values that the mapping leads to",
            limit: self.limit as u64,
            setting: "max_json_values",
        })?;
        self.left.set(left);
        Ok(())
    }
}

/// The way to a value, shared by those below it.
#[derive(Debug)]
struct Way {
    step: Step,
    before: Option<Rc<Way>>,
}

/// A value and how it was found.
#[derive(Debug, Clone)]
pub(super) struct Node<'j> {
    json: Found<'j>,
    way: Option<Rc<Way>>,
}

#[derive(Debug, Clone)]
enum Found<'j> {
    There(&'j Json),
    /// A key or an index, which stands in no document.
    Said(Rc<Json>),
}

impl<'j> Node<'j> {
    pub(super) fn root(json: &'j Json) -> Self {
        Self { json: Found::There(json), way: None }
    }

    pub(super) fn json(&self) -> &Json {
        match &self.json {
            Found::There(json) => json,
            Found::Said(json) => json,
        }
    }

    fn child(&self, json: &'j Json, step: Step) -> Self {
        let way = Way { step, before: self.way.clone() };
        Self { json: Found::There(json), way: Some(Rc::new(way)) }
    }

    /// The last member's name on the way.
    pub(super) fn key(&self) -> Option<&str> {
        let mut way = self.way.as_deref();
        while let Some(here) = way {
            if let Step::Member(name) = &here.step {
                return Some(name);
            }
            way = here.before.as_deref();
        }
        None
    }

    fn index(&self) -> Option<usize> {
        let mut way = self.way.as_deref();
        while let Some(here) = way {
            if let Step::Index(index) = here.step {
                return Some(index);
            }
            way = here.before.as_deref();
        }
        None
    }

    /// `results[3].p99`; `$` for the document.
    pub(super) fn place(&self) -> String {
        let mut steps = Vec::new();
        let mut way = self.way.as_deref();
        while let Some(here) = way {
            steps.push(match &here.step {
                Step::Member(name) => format!(".{}", crate::text::excerpt(name)),
                Step::Index(index) => format!("[{index}]"),
                Step::Items | Step::Members => String::new(),
            });
            way = here.before.as_deref();
        }
        steps.push("$".to_owned());
        steps.reverse();
        steps.concat()
    }
}

impl Path {
    /// The values that the path leads to from an item. What is not there is no error.
    pub(super) fn select<'j>(
        &self,
        item: &Node<'j>,
        document: &Node<'j>,
        budget: &Budget,
    ) -> Result<Vec<Node<'j>>, Kind> {
        let said = |json: Option<Json>| {
            json.map(|json| Node { json: Found::Said(Rc::new(json)), way: item.way.clone() })
                .into_iter()
                .collect()
        };
        let mut nodes: Vec<Node<'j>> = match self.start {
            Start::Item => vec![item.clone()],
            Start::Document => vec![document.clone()],
            Start::Key => return Ok(said(item.key().map(|key| Json::Text(key.into())))),
            Start::Index => return Ok(said(item.index().map(|index| Json::Number(index as f64)))),
        };
        for step in &self.steps {
            let mut next = Vec::new();
            for node in &nodes {
                let Found::There(json) = node.json else { continue };
                match (step, json) {
                    (Step::Member(name), Json::Object(members)) => {
                        budget.take(1 + members.len() / 16)?;
                        let found = members.iter().find(|(known, _)| known.as_ref() == name);
                        next.extend(found.map(|(_, json)| node.child(json, step.clone())));
                    }
                    (Step::Index(index), Json::List(items)) => {
                        next.extend(items.get(*index).map(|json| node.child(json, step.clone())));
                    }
                    (Step::Items, Json::List(items)) => {
                        budget.take(items.len())?;
                        let indexed = items.iter().enumerate();
                        next.extend(indexed.map(|(index, json)| node.child(json, Step::Index(index))));
                    }
                    (Step::Members, Json::Object(members)) => {
                        budget.take(members.len())?;
                        next.extend(
                            members
                                .iter()
                                .map(|(name, json)| node.child(json, Step::Member(name.to_string()))),
                        );
                    }
                    _ => {}
                }
            }
            nodes = next;
        }
        budget.take(
            nodes.iter().map(|node| if let Json::List(items) = node.json() { items.len() } else { 1 }).sum(),
        )?;
        Ok(nodes)
    }
}
