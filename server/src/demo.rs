//! The demo: the cases that perfblame was born from, embedded in the binary and loaded as CI would send them.

use std::collections::BTreeMap;

use axum::body::Bytes;
use model::{Policy, ProjectSlug, RunId};
use rust_embed::RustEmbed;
use serde::Deserialize;

use crate::http::AppError;
use crate::ingest::{self, FileHints, Meta, Upload, UploadFile};
use crate::state::AppState;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../fixtures/demo"]
struct Files;

/// One case: what happened, the runs that show it, and what should come out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it is about, in a few words.
    pub title: String,
    /// What happened.
    pub happened: String,
    /// Where it was reported.
    pub links: Vec<String>,
    /// The project that it is loaded into.
    pub project: ProjectSlug,
    /// The project's policy.
    pub policy: Policy,
    /// Its runs, in the order in which CI would post them.
    pub runs: Vec<CaseRun>,
    /// Pairs of commits worth comparing.
    pub compares: Vec<Pair>,
}

/// One run of a case.
#[derive(Debug, Clone, Deserialize)]
pub struct CaseRun {
    /// Its files with what is said about each.
    pub files: Vec<CaseFile>,
    /// What is said about the run.
    #[serde(flatten)]
    pub meta: Meta,
}

/// One file of a run.
#[derive(Debug, Clone, Deserialize)]
pub struct CaseFile {
    /// Its path below the demo's folder.
    pub path: String,
    /// What is said about it.
    #[serde(flatten)]
    pub hints: FileHints,
}

/// Two commits of a case and what comparing them should say.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The baseline's commit.
    pub base: String,
    /// The candidate's commit.
    pub head: String,
    /// What should come out, in words; it begins with the outcome.
    pub expected: String,
}

impl CaseRun {
    /// The files as an upload holds them.
    pub fn files(&self) -> Vec<UploadFile> {
        let file = |file: &CaseFile| UploadFile {
            name: file.path.rsplit('/').next().map(str::to_owned),
            role: None,
            bytes: bytes(&file.path),
            hints: file.hints.clone(),
        };
        self.files.iter().map(file).collect()
    }
}

fn bytes(path: &str) -> Bytes {
    Files::get(path).map_or_else(Bytes::new, |file| Bytes::from(file.data.into_owned()))
}

/// Every case, by name.
///
/// # Errors
///
/// A case's description is not what [`Case`] says; a test reads them all.
pub fn cases() -> Result<BTreeMap<String, Case>, serde_json::Error> {
    let mut cases = BTreeMap::new();
    for path in Files::iter() {
        if let Some(name) = path.strip_suffix("/case.json") {
            cases.insert(name.to_owned(), serde_json::from_slice(&bytes(&path))?);
        }
    }
    Ok(cases)
}

/// What was loaded for a case.
#[derive(Debug)]
pub struct Loaded {
    /// The case.
    pub case: Case,
    /// Its runs by commit.
    pub runs: BTreeMap<String, RunId>,
}

/// Loads every case through the same functions as a request. What is there already stays as it is.
///
/// # Errors
///
/// As [`ingest::accept`] and [`crate::analysis::judge`].
pub async fn load(state: &AppState) -> Result<Vec<Loaded>, AppError> {
    let cases = cases().map_err(|error| AppError::bad_request("demo", error))?;
    let mut loaded = Vec::new();
    for (name, case) in cases {
        loaded.push(load_case(state, &name, case).await?);
    }
    Ok(loaded)
}

async fn load_case(state: &AppState, name: &str, case: Case) -> Result<Loaded, AppError> {
    let mut tx = store::begin(&state.pool).await?;
    let project =
        store::projects::upsert(&mut tx, state.new_project_id(), &case.project, state.now()).await?;
    if store::policies::find(&mut tx, project.id).await?.is_none() {
        store::policies::save(&mut tx, project.id, &case.policy, state.now()).await?;
    }
    store::commit(tx).await?;
    let mut runs = BTreeMap::new();
    for run in &case.runs {
        let commit = run.meta.commit.as_ref().map(ToString::to_string).unwrap_or_default();
        let key = Some(format!("demo/{name}/{commit}"));
        let meta = Meta { idempotency_key: key, ..run.meta.clone() };
        let accepted = ingest::accept(state, &case.project, Upload { meta, files: run.files() }).await?;
        if !accepted.existed {
            crate::analysis::judge(state, accepted.project.id, accepted.run_id).await?;
        }
        runs.insert(commit, accepted.run_id);
    }
    Ok(Loaded { case, runs })
}
