//! `--hint FILE:KEY=VALUE`: what the sender knows about a file that its bytes do not say.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde_json::{Map, Value};

use crate::ingest::FileHints;

/// Hints as JSON by file name, checked as the server would check them; `*` stands for every file.
pub(super) fn by_file(hints: &[String]) -> anyhow::Result<Map<String, Value>> {
    let mut files: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for hint in hints {
        let parts = hint.split_once('=').and_then(|(left, value)| Some((left.rsplit_once(':')?, value)));
        let ((file, key), value) =
            parts.with_context(|| format!("--hint {hint:?} does not read as FILE:KEY=VALUE"))?;
        let number = || value.parse::<f64>().ok().filter(|_| matches!(key, "period" | "operations"));
        let value = number().map_or_else(|| Value::from(value), Value::from);
        files.entry(file.to_owned()).or_default().insert(key.to_owned(), value);
    }
    let mut checked = Map::new();
    for (file, hints) in files {
        let hints = Value::Object(hints);
        serde_json::from_value::<FileHints>(hints.clone())
            .with_context(|| format!("failed to understand the hints for {file:?}"))?;
        checked.insert(file, hints);
    }
    Ok(checked)
}

/// The hints for one file: its own, over those for every file.
pub(super) fn of(all: &Map<String, Value>, name: &str) -> FileHints {
    let read = |key: &str| -> FileHints {
        all.get(key).and_then(|hints| serde_json::from_value(hints.clone()).ok()).unwrap_or_default()
    };
    read(name).or(&read("*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_own_hints_win_over_those_for_all() {
        let hints = ["*:event=cpu", "a:b.folded:event=lock", "a:b.folded:period=1e6", "a:b.folded:unit=ns"]
            .map(str::to_owned);
        let all = by_file(&hints).unwrap();
        let own = of(&all, "a:b.folded");
        assert_eq!(
            (own.event.as_deref(), own.period, own.unit.as_deref()),
            (Some("lock"), Some(1e6), Some("ns"))
        );
        assert_eq!(of(&all, "other").event.as_deref(), Some("cpu"));
    }

    #[test]
    fn what_is_no_hint_is_an_error_that_names_what_may_be_said() {
        for (hint, says) in [("event=cpu", "FILE:KEY=VALUE"), ("a:colour=red", "period")] {
            let error = format!("{:#}", by_file(&[hint.to_owned()]).unwrap_err());
            assert!(error.contains(says), "{error}");
        }
    }
}
