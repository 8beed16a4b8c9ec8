//! The types of a chunk, as its metadata event describes them.

use std::collections::HashMap;

use super::chunk::{self, Header};
use super::cursor::{Cursor, Text};
use crate::error::ParseError;

/// How deep elements may nest; a recording's go four deep.
const DEEPEST: usize = 16;
/// How many values one value of a type may hold, types in types counted.
const MOST_VALUES: usize = 4_096;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One byte: `boolean`, `byte`.
    Byte,
    /// `short`, `char`.
    Short,
    Int,
    Long,
    Float,
    Double,
    Text,
    /// A value of the type with this index.
    Class(usize),
}

/// A field of a type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) is_array: bool,
    /// The value is a key into the constants of its type.
    pub(super) is_constant: bool,
    /// Nanoseconds of one unit, for durations that say so; zero for ticks.
    pub(super) nanoseconds: Option<f64>,
}

/// A type: of events, of constants, or of values inside of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Class {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
}

impl Class {
    /// The place of a field among the type's.
    pub(super) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// The types of a chunk.
#[derive(Debug, Default)]
pub(super) struct Types {
    pub(super) classes: Vec<Class>,
    by_id: HashMap<u64, usize>,
}

/// A node of the metadata's tree.
#[derive(Debug, Default)]
struct Element {
    name: usize,
    attributes: Vec<(usize, usize)>,
    children: Vec<Element>,
}

impl Types {
    /// Reads the metadata event of a chunk.
    pub(super) fn read(header: &Header, bytes: &[u8]) -> Result<Self, ParseError> {
        let mut cursor = chunk::event_at(header, bytes, header.metadata, chunk::METADATA)?;
        // Start, duration and number of the metadata.
        for _ in 0..3 {
            cursor.long()?;
        }
        let n = cursor.int()?;
        let mut strings = Vec::new();
        for _ in 0..n {
            strings.push(match cursor.text()? {
                Text::Is(text) => text,
                Text::Null | Text::Constant(_) => String::new(),
            });
        }
        let root = element(&mut cursor, 0)?;
        let mut types = Self::default();
        let mut raw = Vec::new();
        for child in root.children.iter().filter(|child| text(&strings, child.name) == "metadata") {
            raw.extend(child.children.iter().filter(|child| text(&strings, child.name) == "class"));
        }
        for class in &raw {
            let id = attribute(&strings, class, "id").parse().unwrap_or(u64::MAX);
            types.by_id.insert(id, types.classes.len());
            let name = attribute(&strings, class, "name").to_owned();
            types.classes.push(Class { id, name, fields: Vec::new() });
        }
        for (index, class) in raw.iter().enumerate() {
            let fields = class.children.iter().filter(|child| text(&strings, child.name) == "field");
            let fields: Option<Vec<Field>> = fields.map(|element| types.field(&strings, element)).collect();
            let fields = fields
                .ok_or_else(|| cursor.invalid("a field of a type that the metadata does not describe"))?;
            if let Some(class) = types.classes.get_mut(index) {
                class.fields = fields;
            }
        }
        types.check(&cursor)?;
        Ok(types)
    }

    /// The index of a type.
    pub(super) fn index(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    fn field(&self, strings: &[String], element: &Element) -> Option<Field> {
        let class = self.index(attribute(strings, element, "class").parse().ok()?)?;
        let kind = match self.classes.get(class)?.name.as_str() {
            "boolean" | "byte" => Kind::Byte,
            "short" | "char" => Kind::Short,
            "int" => Kind::Int,
            "long" => Kind::Long,
            "float" => Kind::Float,
            "double" => Kind::Double,
            "java.lang.String" => Kind::Text,
            _ => Kind::Class(class),
        };
        let of_time = element.children.iter().find_map(|annotation| {
            Some(match attribute(strings, annotation, "value") {
                "TICKS" => 0.0,
                "NANOSECONDS" => 1.0,
                "MICROSECONDS" => 1e3,
                "MILLISECONDS" => 1e6,
                "SECONDS" => 1e9,
                _ => return None,
            })
        });
        Some(Field {
            name: attribute(strings, element, "name").to_owned(),
            kind,
            is_array: !matches!(attribute(strings, element, "dimension"), "" | "0"),
            is_constant: attribute(strings, element, "constantPool") == "true",
            nanoseconds: of_time,
        })
    }

    /// Refuses types that hold themselves or so many values that one of them could keep a reader busy.
    fn check(&self, cursor: &Cursor<'_>) -> Result<(), ParseError> {
        let mut known = vec![None; self.classes.len()];
        for index in 0..self.classes.len() {
            if self.values(index, 0, &mut known).is_none() {
                let name = self.classes.get(index).map(|class| class.name.as_str()).unwrap_or_default();
                return Err(cursor.invalid(format!("the type {name} holds itself or too many values")));
            }
        }
        Ok(())
    }

    fn values(&self, index: usize, depth: usize, known: &mut Vec<Option<usize>>) -> Option<usize> {
        if let Some(known) = known.get(index).copied().flatten() {
            return Some(known);
        }
        if depth > DEEPEST {
            return None;
        }
        let mut sum = 1_usize;
        for field in &self.classes.get(index)?.fields {
            sum += match field.kind {
                Kind::Class(inner) if !field.is_constant => self.values(inner, depth + 1, known)?,
                _ => 1,
            };
            if sum > MOST_VALUES {
                return None;
            }
        }
        if let Some(slot) = known.get_mut(index) {
            *slot = Some(sum);
        }
        Some(sum)
    }

    /// Passes one value of a type over.
    pub(super) fn skip(&self, cursor: &mut Cursor<'_>, class: usize) -> Result<(), ParseError> {
        for field in self.classes.get(class).map(|class| class.fields.as_slice()).unwrap_or_default() {
            self.skip_field(cursor, field)?;
        }
        Ok(())
    }

    /// Passes a field's value over.
    pub(super) fn skip_field(&self, cursor: &mut Cursor<'_>, field: &Field) -> Result<(), ParseError> {
        let n = if field.is_array { cursor.int()? } else { 1 };
        for _ in 0..n {
            let before = cursor.at();
            self.skip_one(cursor, field)?;
            // Values without bytes could be said to be there any number of times.
            if cursor.at() == before {
                break;
            }
        }
        Ok(())
    }

    #[inline]
    fn skip_one(&self, cursor: &mut Cursor<'_>, field: &Field) -> Result<(), ParseError> {
        if field.is_constant {
            return cursor.long().map(|_| ());
        }
        match field.kind {
            Kind::Byte => cursor.skip(1),
            Kind::Short => cursor.short().map(|_| ()),
            Kind::Int => cursor.int().map(|_| ()),
            Kind::Long => cursor.long().map(|_| ()),
            Kind::Float => cursor.skip(4),
            Kind::Double => cursor.skip(8),
            Kind::Text => cursor.skip_text(),
            Kind::Class(class) => self.skip(cursor, class),
        }
    }
}

fn text(strings: &[String], index: usize) -> &str {
    strings.get(index).map(String::as_str).unwrap_or_default()
}

fn attribute<'s>(strings: &'s [String], element: &Element, key: &str) -> &'s str {
    let found = element.attributes.iter().find(|(name, _)| text(strings, *name) == key);
    found.map(|(_, value)| text(strings, *value)).unwrap_or_default()
}

fn element(cursor: &mut Cursor<'_>, depth: usize) -> Result<Element, ParseError> {
    if depth > DEEPEST {
        return Err(cursor.invalid(format!("elements of the metadata nest deeper than {DEEPEST}")));
    }
    let mut element = Element { name: cursor.int()? as usize, ..Element::default() };
    for _ in 0..cursor.int()? {
        element.attributes.push((cursor.int()? as usize, cursor.int()? as usize));
    }
    for _ in 0..cursor.int()? {
        element.children.push(self::element(cursor, depth + 1)?);
    }
    Ok(element)
}
