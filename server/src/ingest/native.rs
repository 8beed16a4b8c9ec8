//! perfblame's own JSON: metadata, benchmarks with samples, and profiles inside one document.

use formats::native::{NativeProfile, NativeRun, RunMeta, parse_native};
use formats::{At, Content, Hints, Limits, ParseError, Sniff};
use frames::Rules;
use model::RunData;

use super::meta::{FileHints, Meta};
use super::read::{FileRead, finish_profile};

/// The name of the format, as its reader gives it.
const FORMAT: &str = "native-json";

/// What a native document held.
pub(super) struct Read {
    pub(super) meta: Meta,
    pub(super) run: RunData,
    pub(super) file: FileRead,
}

/// Whether the bytes are a native document: its reader claims them, and none before it is as sure.
pub(super) fn is_native(bytes: &[u8]) -> bool {
    let answers = formats::sniff(bytes);
    let Some(native) = answers.iter().find(|attempt| attempt.format == FORMAT) else { return false };
    let surest = answers.iter().map(|attempt| attempt.answer).max().unwrap_or(Sniff::No);
    native.answer != Sniff::No && native.answer == surest
}

/// Reads a native document with its profiles.
pub(super) fn read(
    bytes: &[u8],
    hints: &FileHints,
    rules: &Rules,
    limits: &Limits,
) -> Result<Read, ParseError> {
    let (native, warnings) = parse_native(bytes, limits)?;
    let mut warnings: Vec<String> = warnings.iter().map(|w| format!("{}: {}", w.at, w.text)).collect();
    let NativeRun { run: meta, mut benchmarks, profiles } = native;
    for benchmark in &mut benchmarks {
        benchmark.kind = hints.kind.or(benchmark.kind);
    }
    let mut run = RunData { benchmarks, profiles: Vec::new() };
    for (i, profile) in profiles.into_iter().enumerate() {
        run.profiles.extend(folded(i, profile, rules, limits, &mut warnings)?);
    }
    let file = FileRead {
        benchmarks: run.benchmarks.len(),
        profiles: run.profiles.len(),
        remarks: warnings.len(),
        warnings,
        ..FileRead::of(String::new(), FORMAT)
    };
    Ok(Read { meta: from_native(meta)?, run, file })
}

fn folded(
    index: usize,
    native: NativeProfile,
    rules: &Rules,
    limits: &Limits,
    warnings: &mut Vec<String>,
) -> Result<Vec<model::Profile>, ParseError> {
    let hints = Hints {
        format: Some("folded".to_owned()),
        event: native.event,
        unit: native.unit,
        ..Hints::default()
    };
    // The place inside the text is a line; the document's own path goes in front of it.
    let parsed = formats::read(native.folded.as_bytes(), &hints, limits).map_err(|error| ParseError {
        format: FORMAT,
        at: At::Field(format!("profiles[{index}].folded, {}", error.at)),
        kind: error.kind,
    })?;
    warnings
        .extend(parsed.warnings.iter().map(|w| format!("profiles[{index}].folded, {}: {}", w.at, w.text)));
    let Content::Profiles(profiles) = parsed.content else { return Ok(Vec::new()) };
    let said = FileHints {
        benchmark: native.benchmark,
        operations: native.operations.map(|operations| operations as f64),
        ..FileHints::default()
    };
    Ok(profiles.into_iter().map(|profile| finish_profile(profile, &said, rules)).collect())
}

fn from_native(meta: RunMeta) -> Result<Meta, ParseError> {
    let mut labels: std::collections::BTreeMap<String, serde_json::Value> =
        meta.labels.into_iter().map(|(name, value)| (name, value.into())).collect();
    if let Some(run) = meta.confirms {
        labels.insert("confirms".to_owned(), run.to_string().into());
    }
    let pull_request = meta.pull_request.map(i32::try_from).transpose().map_err(|_| ParseError {
        format: FORMAT,
        at: At::Field("run.pull_request".to_owned()),
        kind: formats::ErrorKind::Invalid("a pull request's number is below 2,147,483,648".to_owned()),
    })?;
    Ok(Meta {
        branch: meta.branch,
        commit: meta.commit,
        parents: meta.parents,
        committed_at: None,
        base: meta.base,
        pull_request,
        testbed: meta.testbed,
        role: meta.role,
        started_at: meta.started_at,
        environment: meta.environment,
        labels,
        idempotency_key: meta.idempotency_key,
        files: std::collections::BTreeMap::new(),
    })
}
