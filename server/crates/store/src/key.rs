//! Fixed-size keys of names that may be longer than an index entry.
//!
//! A key is the SHA-256 of canonical JSON: parameters come from a sorted map, and JSON's quoting keeps
//! `["a", "b"]` apart from `["a, b"]`.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Measure};
use sha2::{Digest, Sha256};

use crate::text::storable;

/// A key, as the `key_hash` columns hold it.
pub(crate) type Key = [u8; 32];

fn digest(canonical: &serde_json::Value) -> Key {
    Sha256::digest(canonical.to_string().as_bytes()).into()
}

/// The parameters as they are stored.
pub(crate) fn stored_parameters(key: &BenchmarkKey) -> BTreeMap<String, String> {
    let stored = |text: &String| storable(text).into_owned();
    key.parameters.iter().map(|(name, value)| (stored(name), stored(value))).collect()
}

/// The key of a benchmark.
pub(crate) fn benchmark_key(key: &BenchmarkKey) -> Key {
    digest(&serde_json::json!([key.name.as_str(), stored_parameters(key)]))
}

/// The key of a measure. The direction is not part of it: a corrected direction keeps the history.
pub(crate) fn measure_key(measure: &Measure) -> Key {
    digest(&serde_json::json!([measure.name.as_str(), storable(&measure.unit.to_string())]))
}

/// The key of a frame's canonical name, U+0000 already replaced.
pub(crate) fn frame_key(name: &str) -> Key {
    digest(&serde_json::Value::from(name))
}
