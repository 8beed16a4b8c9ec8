//! github-action-benchmark's custom JSON: `[{"name": "a", "unit": "ns", "value": 1, "range": "± 2", "extra": "…"}]`.
//!
//! The file does not say which way is better, the action's `tool` setting does. So the reader is there three times:
//! sniffed it guesses by the unit, and asked for by the setting's name it knows.

use std::collections::BTreeMap;

use model::Better;
use rustc_hash::FxHashMap;

use crate::error::ParseError;
use crate::json::{Field, Json, outline, parse};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};

pub(super) const READER: Reader = Reader {
    name: "gab-custom",
    about: "github-action-benchmark custom JSON; which way is better is guessed from the unit",
    sniff,
    read: |input| read(input, None),
};
pub(super) const BIGGER: Reader = Reader {
    name: "customBiggerIsBetter",
    about: "github-action-benchmark custom JSON where more is better",
    sniff: |_| Sniff::No,
    read: |input| read(input, Some(Better::Higher)),
};
pub(super) const SMALLER: Reader = Reader {
    name: "customSmallerIsBetter",
    about: "github-action-benchmark custom JSON where less is better",
    sniff: |_| Sniff::No,
    read: |input| read(input, Some(Better::Lower)),
};

/// The measure's name: an entry is one value and has no other.
const MEASURE: &str = "value";
const MEMBERS: [&str; 5] = ["name", "unit", "value", "range", "extra"];

fn sniff(head: &[u8]) -> Sniff {
    let outline = outline(head);
    if outline.opens != Some('[') {
        return Sniff::No;
    }
    let keys: Vec<&str> =
        outline.at_depth(2).filter_map(|(path, _)| path.last()).map(String::as_str).collect();
    let has = |key: &str| keys.contains(&key);
    if has("name") && has("unit") && has("value") && keys.iter().all(|key| MEMBERS.contains(key)) {
        Sniff::Yes
    } else if outline.paths.is_empty() && head.iter().filter(|b| !b.is_ascii_whitespace()).eq(b"[]") {
        // An empty list is nobody's; somebody must say that there is nothing in it.
        Sniff::Maybe
    } else {
        Sniff::No
    }
}

struct Entry<'j> {
    name: &'j str,
    unit: &'j str,
    value: f64,
    summarised: bool,
}

fn entry<'j>(builder: &mut Builder<'_>, item: &'j Field<'j>) -> Result<Entry<'j>, ParseError> {
    let (mut name, mut unit, mut value, mut summarised) = (None, None, None, false);
    for (member, field) in item.members()? {
        match member {
            "name" => name = Some(field.text()?),
            "unit" => unit = Some(field.text()?),
            "value" => value = Some(field.number()?),
            "range" => summarised = !matches!(field.json, Json::Null),
            "extra" => {}
            _ => builder.warn(field.at(), "not known and skipped"),
        }
    }
    let missing = |member: &str| item.invalid(format!("the field {member:?} is missing"));
    Ok(Entry {
        name: name.ok_or_else(|| missing("name"))?,
        unit: unit.ok_or_else(|| missing("unit"))?,
        value: value.ok_or_else(|| missing("value"))?,
        summarised,
    })
}

fn read(input: Input<'_>, better: Option<Better>) -> Result<Parsed, ParseError> {
    let format = match better {
        None => READER.name,
        Some(Better::Higher) => BIGGER.name,
        Some(_) => SMALLER.name,
    };
    let mut builder = Builder::new(format, input.limits);
    let json = parse(format, input.bytes, input.limits)?;
    let root = Field::root(format, &json);
    let items: Vec<Field<'_>> = root.items()?.collect();
    let mut entries = Vec::with_capacity(items.len());
    for item in &items {
        entries.push((item, entry(&mut builder, item)?));
    }
    // One name with two units is two measures, and each must keep its name whatever the order in the file.
    let mut units: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for (_, entry) in &entries {
        let known = units.entry(entry.name).or_default();
        if !known.contains(&entry.unit) {
            known.push(entry.unit);
        }
    }
    for (item, Entry { name, unit, value, summarised }) in &entries {
        let Some(key) = builder.key(item.at(), name, BTreeMap::new()) else { continue };
        let several = units.get(name).is_some_and(|units| units.len() > 1);
        let measure = if several { format!("{MEASURE} ({unit})") } else { MEASURE.to_owned() };
        let reading = Reading { measure: &measure, unit, value: *value, better, summarised: *summarised };
        builder.observe(item.at(), &key, None, reading)?;
    }
    builder.finish(None)
}
