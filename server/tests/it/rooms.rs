//! Which room of the server may use which: the flow stays one-way.

use std::collections::BTreeMap;
use std::path::Path;

/// What each room may use, beside itself and the small modules that everybody sees.
const MAY_USE: [(&str, &[&str]); 7] = [
    ("http", &[]),
    ("ingest", &["http"]),
    ("analysis", &["http"]),
    ("report", &[]),
    ("api", &["http", "ingest", "analysis", "report"]),
    ("web", &["http", "analysis", "report"]),
    ("cli", &["http", "ingest", "analysis", "report", "web", "cluster", "demo", "router"]),
];
/// Modules that every room may use.
const SHARED: [&str; 4] = ["clock", "config", "state", "telemetry"];

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn rooms_use_only_what_the_architecture_allows() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rules: BTreeMap<&str, &[&str]> = MAY_USE.into_iter().collect();
    let mut breaches = Vec::new();
    for (room, allowed) in &rules {
        let mut files = Vec::new();
        sources(&src.join(room), &mut files);
        assert!(!files.is_empty(), "the room {room} is gone: correct this table");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for (i, line) in text.lines().enumerate() {
                for used in line.split("crate::").skip(1) {
                    let used: String =
                        used.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                    let fine =
                        used == *room || SHARED.contains(&used.as_str()) || allowed.contains(&used.as_str());
                    // `use crate::{…}` would hide names from this test, so it is not used.
                    if !fine && !line.trim_start().starts_with("//") {
                        breaches.push(format!("{}:{}: {room} uses {used:?}", file.display(), i + 1));
                    }
                }
            }
        }
    }
    assert!(breaches.is_empty(), "{breaches:#?}");
}

#[test]
fn only_the_store_speaks_sql() {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
    assert!(!dependencies.contains("sqlx"), "sqlx may only be a dev-dependency of the server");
}
