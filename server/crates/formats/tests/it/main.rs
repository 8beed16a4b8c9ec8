//! Formats against real files and hostile ones.
//!
//! The corpus lies outside the repository because of its licences; without it the tests that need it say so and
//! pass, and the inline cases remain.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tests fail by panicking and may talk"
)]

mod adapt;
mod bad;
mod hostile_reports;
mod json_profiles;
mod pprof_message;
mod profile_values;
mod profiles;
mod profiles_hostile;
mod recording;
mod recordings;
mod recordings_made;
mod reports;
mod values;

use std::path::{Path, PathBuf};

/// The corpus folder, where it is there.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: there is no corpus at {}", path.display());
    None
}

/// Every file below a folder that has an expectation beside it, with that expectation, sorted by path.
pub(crate) fn with_expectations(folder: &Path) -> Vec<(PathBuf, serde_json::Value)> {
    files(folder)
        .into_iter()
        .filter_map(|path| {
            let expectation = PathBuf::from(format!("{}.expected.json", path.display()));
            let text = std::fs::read(expectation).ok()?;
            Some((path, serde_json::from_slice(&text).unwrap()))
        })
        .collect()
}

/// Every fixture of a kind (`reports`, `profiles`) that has an expectation in `tests/expected`, with it, sorted by path.
/// Fixtures are inputs only, so their expectations stand with the tests.
pub(crate) fn fixtures_with_expectations(kind: &str) -> Vec<(PathBuf, serde_json::Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let expected = root.join("tests/expected");
    files(&root.join("../../../fixtures").join(kind))
        .into_iter()
        .filter_map(|path| {
            let relative = path.strip_prefix(root.join("../../../fixtures")).unwrap();
            let text = std::fs::read(format!("{}.expected.json", expected.join(relative).display())).ok()?;
            Some((path, serde_json::from_slice(&text).unwrap()))
        })
        .collect()
}

/// Every file below a folder but expectations, sorted by path.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if !path.to_string_lossy().ends_with(".expected.json") {
            files.push(path);
        }
    }
    files.sort();
    files
}
