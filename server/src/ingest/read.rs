//! Files to the values of one run. No database and no request: `compare` and the server call the same function.

use std::collections::BTreeMap;

use formats::{Content, Hints, Limits, Parsed, Point};
use frames::Rules;
use model::{Benchmark, Profile, RunData, Status};

use super::meta::{FileHints, Meta};
use super::upload::{FileRole, UploadFile};
use super::{archive, native};
use crate::http::AppError;

/// What a file without a name is called.
const BODY: &str = "the body";

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

impl FileRead {
    /// A file before anything in it has been read.
    pub(super) fn of(file: String, format: &'static str) -> Self {
        let (warnings, columns) = (Vec::new(), Vec::new());
        Self { file, format, benchmarks: 0, profiles: 0, warnings, remarks: 0, columns }
    }

    fn warn(&mut self, text: String, limits: &Limits) {
        self.remarks += 1;
        if self.warnings.len() < limits.warnings {
            self.warnings.push(text);
        }
    }
}

/// Everything read.
#[derive(Debug, Default)]
pub struct ReadRun {
    /// Benchmarks and profiles, canonical and categorised.
    pub run: RunData,
    /// What native JSON said under `run`.
    pub meta: Meta,
    /// Past runs, where a file holds many.
    pub history: Vec<Point>,
    /// Facts about the machine found in the files.
    pub environment: BTreeMap<String, String>,
    /// What each file was.
    pub files: Vec<FileRead>,
}

/// Reads all files of an upload as one run. One that cannot be read fails the whole; of an archive that no reader knows
/// as a whole each member is a file, and those that cannot be read are its warnings.
///
/// # Errors
///
/// [`AppError::Unreadable`] with the file, the place and the limit; `too large` when files together hold too much; a
/// file with a history, which is no run.
pub fn read_files(files: &[UploadFile], rules: &Rules, limits: &Limits) -> Result<ReadRun, AppError> {
    let read = read_runs(files, rules, limits)?;
    if !read.history.is_empty() {
        let name = read.files.first().map_or(BODY, |read| &read.file);
        let text = format!(
            "it holds {} past runs and not one run: `perfblame import` brings them in",
            read.history.len()
        );
        return Err(AppError::bad_request(name, text));
    }
    Ok(read)
}

/// As [`read_files`], with the points of histories.
///
/// # Errors
///
/// As [`read_files`].
pub(crate) fn read_runs(files: &[UploadFile], rules: &Rules, limits: &Limits) -> Result<ReadRun, AppError> {
    let mut reading = Reading { rules, limits, out: ReadRun::default() };
    for file in files {
        reading.upload(file)?;
    }
    Ok(reading.out)
}

struct Reading<'a> {
    rules: &'a Rules,
    limits: &'a Limits,
    out: ReadRun,
}

impl Reading<'_> {
    /// A file, or the members of an archive.
    fn upload(&mut self, file: &UploadFile) -> Result<(), AppError> {
        let name = file.name.clone().unwrap_or_else(|| BODY.to_owned());
        let unreadable = |why| AppError::Unreadable { file: name.clone(), why };
        let plain = formats::decompress(&file.bytes, self.limits).map_err(unreadable)?;
        let Some(members) = archive::members(&plain, &file.hints, self.limits) else {
            return self.file(&name, &plain, file.role, &file.hints);
        };
        let members = members.map_err(unreadable)?;
        let place = self.out.files.len();
        let mut whole = FileRead::of(name.clone(), archive::FORMAT);
        for member in &members {
            let path = format!("{name}/{}", member.path);
            match self.member(&path, &member.bytes, file) {
                Ok(()) => {}
                // What all members together exceed is no fault of this one.
                Err(error @ AppError::TooLarge { .. }) => return Err(error),
                Err(error) => whole.warn(error.to_string(), self.limits),
            }
        }
        let found = self.out.files.len() - place;
        if found == 0 {
            let why = whole
                .warnings
                .first()
                .map_or("it is empty".to_owned(), |first| format!("the first: {first}"));
            return Err(AppError::bad_request(name, format!("no file of the archive can be read; {why}")));
        }
        self.out.files.insert(place, whole);
        Ok(())
    }

    fn member(&mut self, path: &str, bytes: &[u8], archive: &UploadFile) -> Result<(), AppError> {
        let plain = formats::decompress(bytes, self.limits)
            .map_err(|why| AppError::Unreadable { file: path.to_owned(), why })?;
        self.file(path, &plain, archive.role, &archive.hints)
    }

    /// One file, whatever it is.
    fn file(
        &mut self,
        name: &str,
        plain: &[u8],
        role: Option<FileRole>,
        said: &FileHints,
    ) -> Result<(), AppError> {
        let unreadable = |why| AppError::Unreadable { file: name.to_owned(), why };
        if role != Some(FileRole::Profile) && said.format.is_none() && native::is_native(plain) {
            let read = native::read(plain, said, self.rules, self.limits).map_err(unreadable)?;
            self.out.meta = read.meta.or(std::mem::take(&mut self.out.meta));
            absorb(&mut self.out, read.run, self.limits)?;
            self.out.files.push(FileRead { file: name.to_owned(), ..read.file });
            return Ok(());
        }
        let hints = Hints {
            format: said.format.clone(),
            file_name: (name != BODY).then(|| name.rsplit('/').next().unwrap_or(name).to_owned()),
            column: said.column.clone(),
            event: said.event.clone(),
            unit: said.unit.clone(),
            period: said.period,
            mapping: said.mapping.clone(),
        };
        let parsed = formats::read(plain, &hints, self.limits).map_err(unreadable)?;
        let (run, read) = one_file(parsed, said, name.to_owned(), self.rules, &mut self.out);
        absorb(&mut self.out, run, self.limits)?;
        self.out.files.push(read);
        Ok(())
    }
}

fn one_file(
    parsed: Parsed,
    hints: &FileHints,
    name: String,
    rules: &Rules,
    out: &mut ReadRun,
) -> (RunData, FileRead) {
    let mut warnings: Vec<String> = parsed.warnings.iter().map(|w| format!("{}: {}", w.at, w.text)).collect();
    let remarks = parsed.warnings.len() + parsed.warnings_dropped;
    if parsed.warnings_dropped > 0 {
        warnings.push(format!("{} more warnings", parsed.warnings_dropped));
    }
    let mut read = FileRead { warnings, remarks, ..FileRead::of(name, parsed.format) };
    let mut run = RunData::default();
    match parsed.content {
        Content::Report(report) => {
            if let Some(taken) = report.column.and_then(|i| report.columns.get(i)) {
                read.columns.push(taken.clone());
                read.columns.extend(report.columns.iter().filter(|column| *column != taken).cloned());
            }
            out.environment.extend(report.environment);
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
        Content::History(points) => out.history.extend(points),
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
