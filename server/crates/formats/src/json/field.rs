//! A value of a document that knows where it stands.

use std::fmt;

use super::Json;
use crate::error::{At, Kind, ParseError};
use crate::text::excerpt;

/// A value together with the way to it, so that whoever finds it wrong can say where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'j> {
    format: &'static str,
    /// The value.
    pub(crate) json: &'j Json,
    step: Step<'j>,
    parent: Option<&'j Field<'j>>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'j> {
    Root,
    Member(&'j str),
    Item(usize),
}

impl<'j> Field<'j> {
    pub(crate) fn root(format: &'static str, json: &'j Json) -> Self {
        Self { format, json, step: Step::Root, parent: None }
    }

    /// `benchmarks[3].measures.throughput.unit`.
    pub(crate) fn path(&self) -> String {
        let mut path = self.parent.map(Self::path).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Item(index) => path.extend(["[", &index.to_string(), "]"]),
            Step::Member(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&excerpt(name));
            }
        }
        path
    }

    pub(crate) fn at(&self) -> At {
        let path = self.path();
        if path.is_empty() { At::File } else { At::Field(path) }
    }

    pub(crate) fn error(&self, kind: Kind) -> ParseError {
        ParseError::new(self.format, self.at(), kind)
    }

    /// An error in words.
    pub(crate) fn invalid(&self, text: impl Into<String>) -> ParseError {
        self.error(Kind::Invalid(text.into()))
    }

    fn expected(&self, expected: &'static str) -> ParseError {
        self.error(Kind::Expected { expected, found: self.json.kind() })
    }

    pub(crate) fn members(&'j self) -> Result<impl Iterator<Item = (&'j str, Field<'j>)>, ParseError> {
        let Json::Object(members) = self.json else { return Err(self.expected("an object")) };
        Ok(members.iter().map(move |(name, json)| {
            let step = Step::Member(name);
            (name.as_ref(), Field { format: self.format, json, step, parent: Some(self) })
        }))
    }

    pub(crate) fn items(&'j self) -> Result<impl ExactSizeIterator<Item = Field<'j>>, ParseError> {
        let Json::List(items) = self.json else { return Err(self.expected("a list")) };
        Ok(items.iter().enumerate().map(move |(index, json)| Field {
            format: self.format,
            json,
            step: Step::Item(index),
            parent: Some(self),
        }))
    }

    pub(crate) fn text(&self) -> Result<&'j str, ParseError> {
        match self.json {
            Json::Text(text) => Ok(text),
            _ => Err(self.expected("a text")),
        }
    }

    pub(crate) fn number(&self) -> Result<f64, ParseError> {
        match self.json {
            Json::Number(value) => Ok(*value),
            _ => Err(self.expected("a number")),
        }
    }

    /// Every number of a list.
    pub(crate) fn numbers(&'j self) -> Result<Vec<f64>, ParseError> {
        self.items()?.map(|item| item.number()).collect()
    }

    /// A whole number from 0 to 2⁵³, up to which every one is exact.
    pub(crate) fn count(&self) -> Result<u64, ParseError> {
        match self.json {
            Json::Number(value)
                if value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(value) =>
            {
                Ok(*value as u64)
            }
            _ => Err(self.expected("a whole number from 0")),
        }
    }

    /// The member of an object by name; `None` where there is none, where it is null, and where this is no object.
    pub(crate) fn get(&'j self, name: &'j str) -> Option<Field<'j>> {
        let Json::Object(members) = self.json else { return None };
        let (known, json) = members.iter().find(|(known, _)| known.as_ref() == name)?;
        let step = Step::Member(known);
        (*json != Json::Null).then_some(Field { format: self.format, json, step, parent: Some(self) })
    }

    /// The member of an object by name.
    pub(crate) fn need(&'j self, name: &'j str) -> Result<Field<'j>, ParseError> {
        self.get(name).ok_or_else(|| self.invalid(format!("the field {name:?} is missing")))
    }

    /// A text, a number or a truth value as text, as parameters are written.
    pub(crate) fn scalar(&self) -> Result<String, ParseError> {
        match self.json {
            Json::Text(text) => Ok(text.to_string()),
            Json::Number(_) | Json::Bool(_) => Ok(self.json.to_value().to_string()),
            _ => Err(self.expected("a text, a number or a truth value")),
        }
    }

    /// A value of a type that reads itself from text.
    pub(crate) fn parsed<T: std::str::FromStr<Err: fmt::Display>>(&self) -> Result<T, ParseError> {
        self.text()?.parse().map_err(|error: T::Err| self.invalid(error.to_string()))
    }

    /// The error for a member that this object does not have.
    pub(crate) fn unknown(&self, known: &[&str]) -> ParseError {
        self.invalid(format!("there is no such field; known are {}", known.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn fields_know_their_path() {
        let json = super::super::parse("test", br#"{"a": [{"b": 5}]}"#, &Limits::default()).unwrap();
        let root = Field::root("test", &json);
        let (_, a) = root.members().unwrap().next().unwrap();
        let item = a.items().unwrap().next().unwrap();
        let (_, b) = item.members().unwrap().next().unwrap();
        assert_eq!(b.text().unwrap_err().to_string(), "test: a[0].b: expected a text, found \"5\"");
    }
}
