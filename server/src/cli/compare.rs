//! `compare`: the same verdict offline, no server, no database.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use axum::body::Bytes;
use formats::Limits;
use frames::Rules;
use model::{Policy, Verdict};
use serde_json::{Map, Value};

use super::{Exit, print};
use crate::ingest::{FileHints, ReadRun, UploadFile, read_files};
use crate::report::{self, Links};

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// Files or folders of the baseline: benchmark output and profiles.
    #[arg(long, required = true, num_args = 1..)]
    base: Vec<PathBuf>,
    /// Files or folders of the candidate.
    #[arg(long, required = true, num_args = 1..)]
    head: Vec<PathBuf>,
    /// The baseline's column in files that hold several sides: a label or a number; the first by default.
    #[arg(long, default_value = "1")]
    base_column: String,
    /// The candidate's column; the last by default.
    #[arg(long)]
    head_column: Option<String>,
    /// What is known about a file: FILE:KEY=VALUE with format, column, benchmark, kind, event, unit, period, mapping
    /// or operations; `*` is every file. May be repeated.
    #[arg(long = "hint", value_name = "FILE:KEY=VALUE")]
    hints: Vec<String>,
    /// A policy: JSON with floors, directions, kinds, budgets and categories.
    #[arg(long)]
    policy: Option<PathBuf>,
    /// Print the verdict as JSON.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the comment for a pull request.
    #[arg(long)]
    markdown: bool,
    /// Also write a self-contained HTML report.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> anyhow::Result<Exit> {
    let policy = policy(options.policy.as_deref())?;
    let rules = Rules::new(&policy.categories);
    let base_hints = FileHints { column: Some(options.base_column.clone()), ..FileHints::default() };
    let head_hints = FileHints { column: options.head_column.clone(), ..FileHints::default() };
    let said = super::hints::by_file(&options.hints)?;
    let read = |paths: &[PathBuf], hints: &FileHints| -> anyhow::Result<ReadRun> {
        let mut read = side(paths, hints, &said, &rules)?;
        policy.direct(&mut read.run.benchmarks);
        Ok(read)
    };
    let base = read(&options.base, &base_hints).context("failed to read the baseline")?;
    let head = read(&options.head, &head_hints).context("failed to read the candidate")?;
    let mut verdict = detect::judge(Some(&base.run), &head.run, &policy);
    verdict.baseline = Some(listed(&options.base));
    add_warnings(&mut verdict, &base, "baseline");
    add_warnings(&mut verdict, &head, "candidate");
    if let Some(path) = &options.html {
        let html = crate::web::offline_report(&verdict, &base.run, &head.run)?;
        std::fs::write(path, html).with_context(|| format!("failed to write {}", path.display()))?;
    }
    if options.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&verdict)?));
    } else if options.markdown {
        print(&report::markdown::render(&verdict, &Links::default()));
    } else {
        print(&report::text::render(&verdict, &Links::default()));
    }
    Ok(Exit::of(&verdict))
}

/// A policy file, or the default.
pub(super) fn policy(path: Option<&Path>) -> anyhow::Result<Policy> {
    let Some(path) = path else { return Ok(Policy::default()) };
    let bytes = std::fs::read(path).with_context(|| format!("failed to read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("failed to read the policy {}", path.display()))
}

fn side(
    paths: &[PathBuf],
    hints: &FileHints,
    said: &Map<String, Value>,
    rules: &Rules,
) -> anyhow::Result<ReadRun> {
    let mut files = Vec::new();
    for path in paths {
        for file in expand(path)? {
            let bytes = bytes_of(&file)?;
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
            let hints = super::hints::of(said, name.as_deref().unwrap_or("-")).or(hints);
            files.push(UploadFile { name, role: None, bytes: Bytes::from(bytes), hints });
        }
    }
    Ok(read_files(&files, rules, &Limits::default())?)
}

/// A folder stands for the files in it, sorted; anything else for itself.
fn expand(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).with_context(|| format!("failed to list {}", path.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_file() && !hidden {
            files.push(path);
        }
    }
    files.sort();
    anyhow::ensure!(!files.is_empty(), "the folder {} holds no file", path.display());
    Ok(files)
}

/// A file's bytes; `-` is standard input.
pub(super) fn bytes_of(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("failed to read standard input")?;
        return Ok(bytes);
    }
    std::fs::read(path).with_context(|| format!("failed to read {}", path.display()))
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn add_warnings(verdict: &mut Verdict, side: &ReadRun, name: &str) {
    for file in &side.files {
        for warning in file.warnings.iter().take(5) {
            verdict.notes.push(format!("{name}: {}: {warning}", file.file));
        }
    }
}
