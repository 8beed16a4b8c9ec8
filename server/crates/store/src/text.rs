//! Text that Postgres can hold.
//!
//! A Postgres `text` or `jsonb` cannot hold U+0000, and input that holds one must not turn into a server error. It
//! is replaced by U+FFFD, the sign for what could not be kept.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::StoreError;

const NUL: char = '\0';
const REPLACEMENT: &str = "\u{fffd}";

/// The text without U+0000.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains(NUL) { Cow::Owned(text.replace(NUL, REPLACEMENT)) } else { Cow::Borrowed(text) }
}

/// The same for a text that may be absent, as a query takes it.
pub(crate) fn stored(text: Option<&str>) -> Option<String> {
    text.map(|text| storable(text).into_owned())
}

/// The JSON text of a value without U+0000 in any text or key.
pub(crate) fn storable_json(value: &impl Serialize) -> Result<String, StoreError> {
    let unwritable = |error| StoreError::corrupt("a document", "row", error);
    let text = serde_json::to_string(value).map_err(unwritable)?;
    // An escaped backslash before `u0000` makes this a false alarm, which costs time and changes nothing.
    if !text.contains("\\u0000") {
        return Ok(text);
    }
    let value = serde_json::from_str(&text).map_err(unwritable)?;
    Ok(without_nul(value).to_string())
}

fn without_nul(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(without_nul).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (storable(&name).into_owned(), without_nul(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nul_is_replaced_in_texts_and_keys_at_any_depth() {
        let dirty = json!({"a\0": ["b\0", {"c": "\0"}], "n": 1.5});
        let clean: Value = serde_json::from_str(&storable_json(&dirty).unwrap()).unwrap();
        assert_eq!(clean, json!({"a\u{fffd}": ["b\u{fffd}", {"c": "\u{fffd}"}], "n": 1.5}));
    }

    #[test]
    fn a_written_out_escape_is_left_alone() {
        let value = json!("the text \\u0000");
        let back: Value = serde_json::from_str(&storable_json(&value).unwrap()).unwrap();
        assert_eq!(back, value);
    }
}
