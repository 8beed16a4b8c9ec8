//! JSON read strictly: a key twice is an error, values are counted, and every error says in which field it is.
//!
//! `serde_json` alone would keep the last of two equal keys in silence and report a byte position where people
//! look for a field. Its limit of 128 levels stands, except in [`Pull`].

mod field;
mod outline;
mod pull;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::text::excerpt;

pub(crate) use field::Field;
pub(crate) use outline::{Outline, outline};
pub(crate) use pull::{Nested, Pull};

/// A JSON value with its members in the order of the document. Lists and objects have no spare room and keys are shared,
/// because a document of a thousand records says each key a thousand times.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// Always finite; a whole number up to 2⁵³ is exact.
    Number(f64),
    Text(Box<str>),
    List(Box<[Json]>),
    Object(Box<[(Rc<str>, Json)]>),
}

impl Json {
    fn kind(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(value) => value.to_string(),
            Self::Text(text) => format!("the text {}", excerpt(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }

    /// The value as `serde_json` holds it, for facts that are passed on as they are.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Number(value) if value.fract() == 0.0 && value.abs() < 9e15 => (*value as i64).into(),
            Self::Number(value) => (*value).into(),
            Self::Text(text) => text.as_ref().into(),
            Self::List(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => {
                members.iter().map(|(name, value)| (name.to_string(), value.to_value())).collect()
            }
        }
    }
}

/// Begins the message of an error about a limit, by which it is recognised again behind `serde_json`.
const TOO_MANY: &str = "too many JSON values";

/// What all values of a document share.
struct Document {
    /// Values that may still come.
    left: Cell<usize>,
    keys: RefCell<FxHashSet<Rc<str>>>,
}

impl Document {
    fn key(&self, name: &str) -> Rc<str> {
        let mut keys = self.keys.borrow_mut();
        if let Some(known) = keys.get(name) {
            return Rc::clone(known);
        }
        let key: Rc<str> = name.into();
        keys.insert(Rc::clone(&key));
        key
    }
}

#[derive(Clone, Copy)]
struct Seed<'c>(&'c Document);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let left = self.0.left.get().checked_sub(1).ok_or_else(|| D::Error::custom(TOO_MANY))?;
        self.0.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Json::List(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object: Vec<(Rc<str>, Json)> = Vec::new();
        // Of large objects; a few keys are found faster by looking.
        let mut names: FxHashSet<Rc<str>> = FxHashSet::default();
        while let Some(name) = members.next_key_seed(Key(self.0))? {
            if object.len() == FEW {
                names.extend(object.iter().map(|(name, _)| Rc::clone(name)));
            }
            let is_known = if object.len() < FEW {
                object.iter().any(|(known, _)| Rc::ptr_eq(known, &name))
            } else {
                !names.insert(Rc::clone(&name))
            };
            if is_known {
                return Err(A::Error::custom(format!(
                    "the key {:?} stands twice in one object",
                    excerpt(&name)
                )));
            }
            let value = members.next_value_seed(self)?;
            object.push((name, value));
        }
        Ok(Json::Object(object.into()))
    }
}

/// Keys that are looked through one by one.
const FEW: usize = 16;

struct Key<'c>(&'c Document);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Rc<str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Rc<str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Rc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, name: &str) -> Result<Rc<str>, E> {
        Ok(self.0.key(name))
    }
}

/// Parses one document with nothing behind it.
pub(crate) fn parse(format: &'static str, bytes: &[u8], limits: &Limits) -> Result<Json, ParseError> {
    let document = Document { left: Cell::new(limits.json_values), keys: RefCell::default() };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = Seed(&document).deserialize(&mut deserializer).and_then(|json| {
        deserializer.end()?;
        Ok(json)
    });
    parsed.map_err(|error| {
        if error.to_string().starts_with(TOO_MANY) {
            let at = if error.line() == 0 { At::File } else { At::Line(error.line()) };
            let limit = limits.json_values as u64;
            let kind = Kind::Limit { what: "JSON values", limit, setting: "max_json_values" };
            return ParseError::new(format, at, kind);
        }
        located(format, &error)
    })
}

/// Documents among other lines: each begins a line with `{` or `[` and may go on over several. Comes with the number of
/// the line on which it begins. One that is no JSON is given as its first line alone, so that parsing it tells why; one
/// that is cut off is the rest of the text.
pub(crate) fn documents(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    let mut line = 1;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let first = rest.split_inclusive('\n').next().unwrap_or_default();
            let (begun, length) = if first.starts_with(['{', '[']) {
                (true, document_length(rest).unwrap_or(first.len()))
            } else {
                (false, first.len())
            };
            let (document, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            let at = line;
            line += document.bytes().filter(|byte| *byte == b'\n').count();
            rest = behind;
            if begun {
                return Some((at, document.trim_end()));
            }
        }
    })
}

/// The length of the document at the beginning of a text; all of it when it is cut off, `None` when it is no JSON.
fn document_length(text: &str) -> Option<usize> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    match stream.next()? {
        Ok(_) => Some(stream.byte_offset()),
        Err(error) if error.is_eof() => Some(text.len()),
        Err(_) => None,
    }
}

/// Where a document of [`documents`] went wrong, as a line of the whole file.
pub(crate) fn at_line(error: ParseError, begin: usize) -> ParseError {
    let at = match error.at {
        At::Line(line) => At::Line(begin + line - 1),
        At::File => At::Line(begin),
        At::Field(field) => At::Field(format!("line {begin}, {field}")),
        at @ At::Offset(_) => at,
    };
    ParseError { at, ..error }
}

/// Bytes in which Python's words for what JSON has no number for (`NaN`, `Infinity`, `-Infinity`) are texts, for readers
/// of tools that write them. What stands inside texts is left alone.
pub(crate) fn with_python_words(bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    const WORDS: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];
    if !WORDS.iter().any(|word| bytes.windows(word.len()).any(|window| window == *word)) {
        return bytes.into();
    }
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let (mut at, mut in_text) = (0, false);
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let word = WORDS.iter().find(|word| !in_text && rest.starts_with(word));
        if let Some(word) = word {
            out.push(b'"');
            out.extend_from_slice(word);
            out.push(b'"');
            at += word.len();
            continue;
        }
        out.push(*byte);
        at += 1;
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                out.extend(bytes.get(at));
                at += 1;
            }
            _ => {}
        }
    }
    out.into()
}

/// An error of `serde_json` with its line.
pub(crate) fn located(format: &'static str, error: &serde_json::Error) -> ParseError {
    let at = if error.line() == 0 { At::File } else { At::Line(error.line()) };
    let kind = if error.is_eof() {
        Kind::Truncated("the JSON document is cut off")
    } else {
        // The line is in `at`; what is left of serde_json's suffix is the column.
        Kind::Invalid(error.to_string().replace(&format!(" at line {} column", error.line()), " at column"))
    };
    ParseError::new(format, at, kind)
}

/// Parses one document straight into a type, for files too large to hold as values. Members that the type does not
/// know are skipped; one that stands twice is an error.
pub(crate) fn typed<'de, T: serde::Deserialize<'de>>(
    format: &'static str,
    bytes: &'de [u8],
) -> Result<T, ParseError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = T::deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    parsed.map_err(|error| located(format, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Json, ParseError> {
        super::parse("test", text.as_bytes(), &Limits { json_values: 100, ..Limits::default() })
    }

    #[test]
    fn a_key_twice_is_an_error() {
        let error = parse("{\"a\": 1,\n\"a\": 2}").unwrap_err().to_string();
        assert!(error.starts_with("test: line 2: the key \"a\" stands twice"), "{error}");
    }

    #[test]
    fn numbers_beyond_a_double_and_words_for_none_are_refused() {
        for text in ["1e400", "NaN", "[Infinity]", "[1,]", "1 2", "nul"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        let many = format!("[{}1]", "1,".repeat(100));
        assert!(parse(&many).unwrap_err().to_string().contains("max_json_values"));
    }

    #[test]
    fn a_cut_document_is_truncated() {
        assert!(matches!(parse("{\"a\": [1, 2").unwrap_err().kind, Kind::Truncated(_)));
    }

    #[test]
    fn documents_are_found_among_other_lines() {
        let text = "noise\n{\"a\":1}\nmore\n{\n \"b\": [\n1]\n}\n[oops\n{\"cut\": ";
        let found: Vec<_> = documents(text).collect();
        assert_eq!(found, [(2, "{\"a\":1}"), (4, "{\n \"b\": [\n1]\n}"), (8, "[oops"), (9, "{\"cut\":")]);
        let error = at_line(parse(found[3].1).unwrap_err(), found[3].0);
        assert_eq!((error.at, matches!(error.kind, Kind::Truncated(_))), (At::Line(9), true));
    }

    #[test]
    fn words_of_python_become_texts_outside_of_texts() {
        let bytes = br#"{"NaN \" x": [NaN, -Infinity, "NaN", 1]}"#;
        let words = with_python_words(bytes);
        assert_eq!(str::from_utf8(&words).unwrap(), r#"{"NaN \" x": ["NaN", "-Infinity", "NaN", 1]}"#);
        assert!(matches!(with_python_words(b"[1]"), std::borrow::Cow::Borrowed(_)));
    }
}
