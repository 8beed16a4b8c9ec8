//! Any JSON document (and any CSV, row by row), read by a mapping that the sender declares.
//!
//! The mapping is a JSON object:
//!
//! ```json
//! {
//!   "each": "$.results[*]",
//!   "name": "$.name",
//!   "kind": "micro",
//!   "parameters": {"threads": "$.config.threads", "mode": "fast"},
//!   "measures": {
//!     "latency": {"value": "$.p99", "unit": "ms", "better": "lower"},
//!     "throughput": "$.rate",
//!     "$key": {"each": "$.counters.*", "value": "$"}
//!   },
//!   "commit": "$.git.sha", "date": "$.at", "branch": "$$.branch", "testbed": "runner-1"
//! }
//! ```
//!
//! `each` selects the items, one benchmark's reading an item; without it the document is the item, or each of its items when
//! it is a list. Everything else is a path when it begins with `$`, and stands for itself otherwise. `commit`, `date`, `branch`
//! and `testbed` are optional; with `commit` the document is a history. A measure is an object, or the path of its value
//! alone; its own `each` selects further, from the item. A measure's value may select several numbers or lists of
//! numbers: they are its observations. An item in which a measure's value is missing or null does not have that measure.
//!
//! A path is `$` (the item; in `each` the document), `$$` (the document), `$key` (the name of the member by which `.*`
//! came to the item) or `$index` (its place in its list), followed by steps: `.member`, `["any member"]`, `[0]`, `[*]`
//! (all items of a list) and `.*` (all members of an object).

mod path;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use model::{Better, Kind};
use rustc_hash::FxHashMap;

use crate::error::{At, Kind as ErrorKind, ParseError};
use crate::json::{Field, Json, parse};
use crate::limits::Limits;
use crate::read::{Content, Input, Parsed, Point, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::report::history;
use crate::warnings::Warnings;

use path::{Budget, Node, Path};

pub(super) const READER: Reader = Reader {
    name: "json-mapping",
    about: "any JSON, by a mapping that says where the benchmarks stand",
    sniff: |_| Sniff::No,
    read: |input| {
        let Some(mapping) = &input.hints.mapping else {
            let text =
                "the format json-mapping needs a mapping, such as {\"each\": \"$.results[*]\", …}".to_owned();
            return Err(ParseError::new("json-mapping", At::File, ErrorKind::Invalid(text)));
        };
        let Input { bytes, limits, .. } = input;
        let json = parse("json-mapping", bytes, limits)?;
        read("json-mapping", mapping, &json, limits, Warnings::new(limits))
    },
};

const MEMBERS: [&str; 9] =
    ["each", "name", "kind", "parameters", "measures", "commit", "date", "branch", "testbed"];
const MEASURE_MEMBERS: [&str; 4] = ["each", "value", "unit", "better"];

/// A path, or a text that stands for itself.
#[derive(Debug)]
enum Value {
    Path(Path),
    Text(String),
}

#[derive(Debug)]
struct MeasureRule {
    name: Value,
    each: Option<Path>,
    value: Path,
    unit: Option<Value>,
    better: Option<Better>,
}

#[derive(Debug, Default)]
struct Mapping {
    each: Option<Path>,
    name: Option<Value>,
    kind: Option<Kind>,
    parameters: Vec<(String, Value)>,
    measures: Vec<MeasureRule>,
    commit: Option<Value>,
    date: Option<Value>,
    branch: Option<Value>,
    testbed: Option<Value>,
}

fn path(field: &Field<'_>) -> Result<Path, ParseError> {
    Path::parse(field.text()?).map_err(|why| in_mapping(&field.invalid(why)))
}

fn value(field: &Field<'_>) -> Result<Value, ParseError> {
    let text = field.scalar().map_err(|error| in_mapping(&error))?;
    if text.starts_with('$') { path(field).map(Value::Path) } else { Ok(Value::Text(text)) }
}

/// Errors about the mapping say so, because the file has fields of its own.
fn in_mapping(error: &ParseError) -> ParseError {
    let at = match &error.at {
        At::File => "mapping".to_owned(),
        at => format!("mapping {at}"),
    };
    ParseError::new(error.format, At::Field(at), error.kind.clone())
}

impl Mapping {
    fn parse(format: &'static str, text: &str, limits: &Limits) -> Result<Self, ParseError> {
        let json = parse(format, text.as_bytes(), limits).map_err(|error| in_mapping(&error))?;
        let root = Field::root(format, &json);
        let mut mapping = Self::default();
        for (member, field) in root.members().map_err(|error| in_mapping(&error))? {
            match member {
                "each" => mapping.each = Some(path(&field)?),
                "name" => mapping.name = Some(value(&field)?),
                "commit" => mapping.commit = Some(value(&field)?),
                "date" => mapping.date = Some(value(&field)?),
                "branch" => mapping.branch = Some(value(&field)?),
                "testbed" => mapping.testbed = Some(value(&field)?),
                "kind" => mapping.kind = Some(kind(&field)?),
                "parameters" => {
                    for (name, field) in field.members().map_err(|error| in_mapping(&error))? {
                        mapping.parameters.push((name.to_owned(), value(&field)?));
                    }
                }
                "measures" => {
                    for (name, field) in field.members().map_err(|error| in_mapping(&error))? {
                        mapping.measures.push(measure(name, &field)?);
                    }
                }
                _ => return Err(in_mapping(&field.unknown(&MEMBERS))),
            }
        }
        if mapping.measures.is_empty() {
            return Err(in_mapping(&root.invalid("it has no measures")));
        }
        Ok(mapping)
    }
}

fn kind(field: &Field<'_>) -> Result<Kind, ParseError> {
    match field.text()? {
        "micro" => Ok(Kind::Micro),
        "end-to-end" => Ok(Kind::EndToEnd),
        other => Err(in_mapping(&field.invalid(format!("{other:?} is neither micro nor end-to-end")))),
    }
}

fn measure(name: &str, field: &Field<'_>) -> Result<MeasureRule, ParseError> {
    let name = if name.starts_with('$') {
        Value::Path(Path::parse(name).map_err(|why| in_mapping(&field.invalid(why)))?)
    } else {
        Value::Text(name.to_owned())
    };
    if let Json::Text(_) = field.json {
        return Ok(MeasureRule { name, each: None, value: path(field)?, unit: None, better: None });
    }
    let (mut each, mut of, mut unit, mut better) = (None, None, None, None);
    for (member, field) in field.members().map_err(|error| in_mapping(&error))? {
        match member {
            "each" => each = Some(path(&field)?),
            "value" => of = Some(path(&field)?),
            "unit" => unit = Some(value(&field)?),
            "better" => {
                better = Some(match field.text()? {
                    "higher" => Better::Higher,
                    "lower" => Better::Lower,
                    "neither" => Better::Neither,
                    other => {
                        let text = format!("{other:?} is none of higher, lower and neither");
                        return Err(in_mapping(&field.invalid(text)));
                    }
                });
            }
            _ => return Err(in_mapping(&field.unknown(&MEASURE_MEMBERS))),
        }
    }
    let of = of.ok_or_else(|| in_mapping(&field.invalid("the field \"value\" is missing")))?;
    Ok(MeasureRule { name, each, value: of, unit, better })
}

/// Applies mappings to one document.
struct Document<'j, 'l> {
    format: &'static str,
    root: Node<'j>,
    limits: &'l Limits,
    budget: Budget,
}

impl<'j> Document<'j, '_> {
    fn select(&self, path: &Path, item: &Node<'j>) -> Result<Vec<Node<'j>>, ParseError> {
        path.select(item, &self.root, &self.budget)
            .map_err(|kind| ParseError::new(self.format, At::Field(item.place()), kind))
    }

    /// The one text that a value means; `None` where its path leads nowhere.
    fn text(&self, value: &Value, item: &Node<'j>) -> Result<Option<String>, ParseError> {
        let path = match value {
            Value::Text(text) => return Ok(Some(text.clone())),
            Value::Path(path) => path,
        };
        let Some(node) = self.select(path, item)?.into_iter().next() else { return Ok(None) };
        match node.json() {
            Json::Null => Ok(None),
            Json::Text(text) => Ok(Some(text.to_string())),
            Json::Number(_) | Json::Bool(_) => Ok(Some(node.json().to_value().to_string())),
            Json::List(_) | Json::Object(_) => {
                let (expected, found) = ("a text, a number or a truth value", path.to_string());
                let kind = ErrorKind::Expected { expected, found };
                Err(ParseError::new(self.format, At::Field(node.place()), kind))
            }
        }
    }

    fn numbers(&self, path: &Path, item: &Node<'j>) -> Result<Vec<f64>, ParseError> {
        let mut numbers = Vec::new();
        for node in self.select(path, item)? {
            let items = match node.json() {
                Json::List(items) => items.as_ref(),
                single => std::slice::from_ref(single),
            };
            for json in items {
                match json {
                    Json::Number(value) => numbers.push(*value),
                    // Writers that put numbers in quotes are many.
                    Json::Text(text) if number_in(text).is_some() => numbers.extend(number_in(text)),
                    Json::Null => {}
                    _ => {
                        let kind = ErrorKind::Expected { expected: "a number", found: path.to_string() };
                        return Err(ParseError::new(self.format, At::Field(node.place()), kind));
                    }
                }
            }
        }
        Ok(numbers)
    }

    fn item(&self, builder: &mut Builder<'_>, mapping: &Mapping, item: &Node<'j>) -> Result<(), ParseError> {
        let at = At::Field(item.place());
        let name = match &mapping.name {
            Some(name) => self.text(name, item)?,
            None => item.key().map(str::to_owned).or_else(|| Some("run".to_owned())),
        };
        let Some(name) = name else {
            builder.warn(at, "has no name and is skipped");
            return Ok(());
        };
        let mut parameters = BTreeMap::new();
        for (name, value) in &mapping.parameters {
            if let Some(value) = self.text(value, item)? {
                parameters.insert(name.clone(), value);
            }
        }
        let Some(mut entry) = Entry::new(builder, at, &name, parameters, mapping.kind) else { return Ok(()) };
        for rule in &mapping.measures {
            let places = match &rule.each {
                Some(each) => self.select(each, item)?,
                None => vec![item.clone()],
            };
            for place in &places {
                let Some(measure) = self.text(&rule.name, place)? else { continue };
                let unit = rule.unit.as_ref().map(|unit| self.text(unit, place)).transpose()?.flatten();
                let unit = unit.unwrap_or_default();
                let summarised = false;
                for value in self.numbers(&rule.value, place)? {
                    let reading =
                        Reading { measure: &measure, unit: &unit, value, better: rule.better, summarised };
                    entry.observe(reading)?;
                }
            }
        }
        Ok(())
    }
}

fn number_in(text: &str) -> Option<f64> {
    crate::number::number(text, crate::number::Marks::Point)
}

/// Reads a document by a mapping.
pub(super) fn read(
    format: &'static str,
    mapping: &str,
    json: &Json,
    limits: &Limits,
    mut warnings: Warnings,
) -> Result<Parsed, ParseError> {
    let mapping = Mapping::parse(format, mapping, limits)?;
    let root = Node::root(json);
    let reading = Document { format, root: root.clone(), limits, budget: Budget::new(limits) };
    let items = match &mapping.each {
        Some(each) => reading.select(each, &root)?,
        None if matches!(json, Json::List(_)) => reading.select(&Path::items(), &root)?,
        None => vec![root],
    };
    if items.is_empty() {
        let text = "the mapping's \"each\" selects nothing".to_owned();
        return Err(ParseError::new(format, At::File, ErrorKind::Invalid(text)));
    }
    let Some(commit) = &mapping.commit else {
        let mut builder = Builder::new(format, limits);
        for warning in warnings.into_kept() {
            builder.warn(warning.at, warning.text);
        }
        for item in &items {
            reading.item(&mut builder, &mapping, item)?;
        }
        return builder.finish(None);
    };
    let mut places: FxHashMap<[Option<String>; 3], usize> = FxHashMap::default();
    let mut found: Vec<(Point, Builder<'_>)> = Vec::new();
    for item in &items {
        let of = |value: &Option<Value>| value.as_ref().map(|value| reading.text(value, item)).transpose();
        let commit = reading.text(commit, item)?;
        let (branch, testbed) = (of(&mapping.branch)?.flatten(), of(&mapping.testbed)?.flatten());
        let at = of(&mapping.date)?.flatten().and_then(|date| history::instant(&date));
        let place = *places.entry([commit.clone(), branch.clone(), testbed.clone()]).or_insert_with(|| {
            let point = Point { commit, at, branch, testbed, ..Point::default() };
            found.push((point, Builder::new(format, reading.limits)));
            found.len() - 1
        });
        if let Some((_, builder)) = found.get_mut(place) {
            reading.item(builder, &mapping, item)?;
        }
    }
    let mut points = Vec::with_capacity(found.len());
    for (point, builder) in found {
        points.extend(history::report(builder, &mut warnings).map(|report| Point { report, ..point }));
    }
    if points.is_empty() {
        return Err(ParseError::new(format, At::File, ErrorKind::Empty));
    }
    Ok(warnings.parsed(format, Content::History(points)))
}
