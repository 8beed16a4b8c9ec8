//! Files to the values of one run. No database and no request: `compare` and the server call the same function.

use std::collections::BTreeMap;

use formats::{Content, Hints, Limits, Parsed};
use frames::Rules;
use model::{Benchmark, Profile, RunData, Status};

use super::meta::{FileHints, Meta};
use super::native;
use super::upload::{FileRole, UploadFile};
use crate::http::AppError;

/// What one file turned out to be.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct FileRead {
    /// Its name, or `the body`.
    pub file: String,
    /// The reader that read it.
    pub format: &'static str,
    /// Benchmarks found.
    pub benchmarks: usize,
    /// Profiles found.
    pub profiles: usize,
    /// Oddities, each with its place.
    pub warnings: Vec<String>,
    /// How many there were: lines skipped, values left out. More than `warnings` holds where that was cut short.
    pub remarks: usize,
    /// The columns of a file with several sides, the chosen one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

/// Everything read.
#[derive(Debug, Default)]
pub struct ReadRun {
    /// Benchmarks and profiles, canonical and categorised.
    pub run: RunData,
    /// What native JSON said under `run`.
    pub meta: Meta,
    /// Facts about the machine found in the files.
    pub environment: BTreeMap<String, String>,
    /// What each file was.
    pub files: Vec<FileRead>,
}

/// Reads all files of an upload. One that cannot be read fails the whole.
///
/// # Errors
///
/// [`AppError::Unreadable`] with the file, the place and the limit; `too large` when files together hold too much.
pub fn read_files(files: &[UploadFile], rules: &Rules, limits: &Limits) -> Result<ReadRun, AppError> {
    let mut out = ReadRun::default();
    for file in files {
        let name = file.name.clone().unwrap_or_else(|| "the body".to_owned());
        let unreadable = |source| AppError::Unreadable { file: name.clone(), source };
        let plain = formats::decompress(&file.bytes, limits).map_err(unreadable)?;
        if file.role != Some(FileRole::Profile) && file.hints.format.is_none() && native::is_native(&plain) {
            let read = native::read(&plain, &file.hints, rules, limits).map_err(unreadable)?;
            out.meta = read.meta.or(std::mem::take(&mut out.meta));
            absorb(&mut out, read.run, limits)?;
            out.files.push(FileRead { file: name, ..read.file });
            continue;
        }
        let hints = Hints {
            format: file.hints.format.clone(),
            file_name: file.name.clone(),
            column: file.hints.column.clone(),
            event: file.hints.event.clone(),
            unit: file.hints.unit.clone(),
            period: file.hints.period,
            mapping: file.hints.mapping.clone(),
        };
        let parsed = formats::read(&plain, &hints, limits).map_err(unreadable)?;
        if let Content::History(points) = &parsed.content {
            return Err(AppError::bad_request(
                &name,
                format!(
                    "it holds {} past runs and not one run: `perfblame import` brings them in",
                    points.len()
                ),
            ));
        }
        let (run, read) = one_file(parsed, &file.hints, name, rules, &mut out.environment);
        absorb(&mut out, run, limits)?;
        out.files.push(read);
    }
    Ok(out)
}

fn one_file(
    parsed: Parsed,
    hints: &FileHints,
    name: String,
    rules: &Rules,
    environment: &mut BTreeMap<String, String>,
) -> (RunData, FileRead) {
    let mut warnings: Vec<String> = parsed.warnings.iter().map(|w| format!("{}: {}", w.at, w.text)).collect();
    let remarks = parsed.warnings.len() + parsed.warnings_dropped;
    if parsed.warnings_dropped > 0 {
        warnings.push(format!("{} more warnings", parsed.warnings_dropped));
    }
    let mut read = FileRead {
        file: name,
        format: parsed.format,
        benchmarks: 0,
        profiles: 0,
        warnings,
        remarks,
        columns: Vec::new(),
    };
    let mut run = RunData::default();
    match parsed.content {
        Content::Report(report) => {
            if let Some(taken) = report.column.and_then(|i| report.columns.get(i)) {
                read.columns.push(taken.clone());
                read.columns.extend(report.columns.iter().filter(|column| *column != taken).cloned());
            }
            environment.extend(report.environment);
            run.benchmarks = report.benchmarks;
            for benchmark in &mut run.benchmarks {
                benchmark.kind = hints.kind.or(benchmark.kind);
            }
            // A file with a single benchmark takes the name that the sender gave it.
            if let ([only], Some(name)) = (&mut run.benchmarks[..], &hints.benchmark) {
                match name.parse() {
                    Ok(name) => only.key.name = name,
                    Err(error) => read.warnings.push(error.to_string()),
                }
            }
        }
        // Refused before it comes here.
        Content::History(_) => {}
        Content::Profiles(profiles) => {
            run.profiles =
                profiles.into_iter().map(|profile| finish_profile(profile, hints, rules)).collect();
        }
    }
    (read.benchmarks, read.profiles) = (run.benchmarks.len(), run.profiles.len());
    (run, read)
}

/// What the sender said goes onto the profile; names become canonical and get their categories.
pub(super) fn finish_profile(profile: Profile, hints: &FileHints, rules: &Rules) -> Profile {
    let mut profile = frames::normalise(profile, rules);
    profile.benchmark = hints.benchmark.clone().or(profile.benchmark);
    profile.operations = hints.operations.filter(|n| n.is_finite() && *n > 0.0).or(profile.operations);
    profile
}

/// Adds one file's values. A benchmark that several files hold has been repeated: its observations are appended.
fn absorb(out: &mut ReadRun, more: RunData, limits: &Limits) -> Result<(), AppError> {
    let mut known: BTreeMap<model::BenchmarkKey, usize> =
        out.run.benchmarks.iter().enumerate().map(|(i, benchmark)| (benchmark.key.clone(), i)).collect();
    for benchmark in more.benchmarks {
        if let Some(&i) = known.get(&benchmark.key) {
            repeat(&mut out.run.benchmarks[i], benchmark);
        } else {
            known.insert(benchmark.key.clone(), out.run.benchmarks.len());
            out.run.benchmarks.push(benchmark);
        }
    }
    out.run.profiles.extend(more.profiles);
    if out.run.benchmarks.len() > limits.benchmarks {
        return Err(AppError::TooLarge {
            what: "the number of benchmarks of the run".to_owned(),
            limit: limits.benchmarks as u64,
            setting: "max_benchmarks",
        });
    }
    Ok(())
}

fn repeat(known: &mut Benchmark, again: Benchmark) {
    if matches!(again.status, Status::Failed(_)) {
        known.status = again.status;
    }
    for measurement in again.measurements {
        match known.measurements.iter_mut().find(|m| m.measure == measurement.measure) {
            Some(m) => {
                m.observations.extend(measurement.observations);
                m.summarised &= measurement.summarised;
                // What one file says of its own readings says nothing of all.
                m.figures.clear();
            }
            None => known.measurements.push(measurement),
        }
    }
}
