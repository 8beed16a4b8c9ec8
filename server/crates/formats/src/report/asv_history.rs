//! asv's results folder as a tar or zip archive: `benchmarks.json`, and for each machine `machine.json` and a file a commit
//! and environment.
//!
//! See <https://asv.readthedocs.io/en/stable/dev.html#json-file-formats>. Each result file is a point: its commit, the time
//! of the commit, its machine. Environments of one commit on one machine are one point; where there are several
//! environments, the environment is a parameter.

use std::collections::BTreeSet;

use model::BenchmarkKey;
use rustc_hash::{FxHashMap, FxHashSet};

use super::asv::{Declared, declared, results};
use crate::archive::{Entry, is_archive, unpack};
use crate::error::{At, Kind, ParseError};
use crate::json::{Field, parse, with_python_words};
use crate::limits::Limits;
use crate::read::{Content, Input, Parsed, Point, Reader, Report, Sniff};
use crate::report::builder::Builder;
use crate::report::history;
use crate::warnings::Warnings;

pub(super) const READER: Reader =
    Reader { name: "asv-history", about: "asv's results folder as a tar or zip archive", sniff, read };

/// The names of an archive's members stand at their begin in a tar, and at its end in a zip.
fn sniff(head: &[u8]) -> Sniff {
    let holds = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    if is_archive(head) && holds(b"benchmarks.json") && (holds(b"machine.json") || holds(b"results/")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let keep = |path: &str| path.rsplit_once('.').is_some_and(|(_, extension)| extension == "json");
    let files = unpack(READER.name, input.bytes, input.limits, keep).unwrap_or_else(|| {
        let (expected, found) = ("a tar or zip archive", "something else".to_owned());
        Err(ParseError::new(READER.name, At::File, Kind::Expected { expected, found }))
    })?;
    let mut warnings = Warnings::new(input.limits);
    let known = known(&files, input.limits, &mut warnings);
    let mut found: Vec<(String, Point)> = Vec::new();
    for file in files.iter().filter(|file| !is_about(&file.path)) {
        match point(file, &known, input.limits, &mut warnings) {
            Ok(Some(point)) => found.push(point),
            Ok(None) => {}
            Err(error) if matches!(error.kind, Kind::Limit { .. }) => return Err(error),
            Err(error) => {
                let at = At::Field(file.path.clone());
                warnings.add(at, format!("skipped, because {}: {}", error.at, error.kind));
            }
        }
    }
    if found.is_empty() {
        let text = "the archive holds no result of asv".to_owned();
        return Err(ParseError::new(READER.name, At::File, Kind::Invalid(text)));
    }
    Ok(warnings.parsed(READER.name, Content::History(joined(found))))
}

/// Files that describe and hold no result.
fn is_about(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("benchmarks.json" | "machine.json"))
}

fn known(files: &[Entry], limits: &Limits, warnings: &mut Warnings) -> Declared {
    let Some(file) = files.iter().find(|file| file.path.rsplit('/').next() == Some("benchmarks.json")) else {
        return Declared::new();
    };
    let read =
        parse(READER.name, &file.bytes, limits).and_then(|json| declared(&Field::root(READER.name, &json)));
    read.unwrap_or_else(|error| {
        warnings.add(At::Field(file.path.clone()), format!("not used, because {}", error.kind));
        Declared::new()
    })
}

/// The environment and the point of one result file; `None` where it is none.
fn point(
    file: &Entry,
    known: &Declared,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Option<(String, Point)>, ParseError> {
    let bytes = with_python_words(&file.bytes);
    let json = parse(READER.name, &bytes, limits)?;
    let root = Field::root(READER.name, &json);
    let Some(commit) = root.get("commit_hash") else { return Ok(None) };
    let of = |name: &'static str| root.get(name).and_then(|field| field.scalar().ok());
    let machine = root.get("params").and_then(|params| params.get("machine")?.scalar().ok());
    let folder = || file.path.rsplit('/').nth(1).map(str::to_owned);
    let mut builder = Builder::new(READER.name, limits);
    results(&mut builder, &root, known)?;
    let Some(report) = history::report(builder, warnings) else { return Ok(None) };
    let point = Point {
        commit: Some(commit.scalar()?),
        at: of("date").and_then(|date| history::instant(&date)),
        branch: None,
        testbed: machine.or_else(folder),
        report,
    };
    let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".json");
    let environment =
        of("env_name").unwrap_or_else(|| stem.split_once('-').map_or(stem, |(_, env)| env).to_owned());
    Ok(Some((environment, point)))
}

/// One point a commit and machine, in order of time.
fn joined(mut found: Vec<(String, Point)>) -> Vec<Point> {
    let environments: BTreeSet<&str> = found.iter().map(|(environment, _)| environment.as_str()).collect();
    if environments.len() > 1 {
        for (environment, point) in &mut found {
            for benchmark in &mut point.report.benchmarks {
                benchmark.key.parameters.insert("environment".to_owned(), environment.clone());
            }
        }
    }
    let mut points: Vec<Point> = Vec::new();
    let mut keys: Vec<FxHashSet<BenchmarkKey>> = Vec::new();
    let mut places = FxHashMap::default();
    for (_, mut point) in found {
        let key = (point.commit.clone(), point.testbed.clone());
        let place = *places.entry(key).or_insert(points.len());
        if place == points.len() {
            points.push(Point { report: Report::default(), ..point.clone() });
            keys.push(FxHashSet::default());
        }
        let (Some(into), Some(keys)) = (points.get_mut(place), keys.get_mut(place)) else { continue };
        into.report.environment.append(&mut point.report.environment);
        // A benchmark twice is the same result kept in two files.
        let benchmarks = point.report.benchmarks.into_iter();
        into.report.benchmarks.extend(benchmarks.filter(|benchmark| keys.insert(benchmark.key.clone())));
    }
    points.sort_by_key(|point| point.at);
    points
}

#[cfg(test)]
mod tests {
    use crate::archive::tests::{tar, zip};
    use crate::read::{Content, Hints};
    use crate::{Limits, read as read_any};

    const BENCHMARKS: &str = r#"{"version": 2, "a.time_x": {"code": "c", "name": "a.time_x", "param_names": [],
        "params": [], "type": "time", "unit": "seconds", "version": "1"}}"#;

    fn result(commit: &str, date: u64, value: &str) -> String {
        format!(
            r#"{{"commit_hash": "{commit}", "env_name": "virtualenv-py3.11", "date": {date}, "params": {{"machine": "m1"}},
            "python": "3.11", "requirements": {{}}, "version": 2, "result_columns": ["result", "params", "version"],
            "results": {{"a.time_x": [[{value}], [], "1"]}}}}"#
        )
    }

    #[test]
    fn result_files_are_points_in_order_of_time() {
        let (new, old) = (result("c2", 1_767_312_000_000, "0.002"), result("c1", 1_767_225_600_000, "0.001"));
        let files: [(&str, &[u8]); 5] = [
            ("results/benchmarks.json", BENCHMARKS.as_bytes()),
            ("results/m1/machine.json", b"{\"machine\": \"m1\", \"version\": 1}"),
            ("results/m1/c2-virtualenv-py3.11.json", new.as_bytes()),
            ("results/m1/c1-virtualenv-py3.11.json", old.as_bytes()),
            ("results/m1/broken.json", b"{"),
        ];
        for bytes in [tar(&files), zip(&files)] {
            let parsed = read_any(&bytes, &Hints::default(), &Limits::default()).unwrap();
            assert_eq!((parsed.format, parsed.warnings.len()), ("asv-history", 1), "{:?}", parsed.warnings);
            let Content::History(points) = parsed.content else { panic!("a history") };
            let commits: Vec<_> = points.iter().map(|point| point.commit.as_deref().unwrap()).collect();
            assert_eq!(commits, ["c1", "c2"]);
            assert_eq!(points[0].testbed.as_deref(), Some("m1"));
            assert_eq!(points[1].report.benchmarks[0].measurements[0].observations, [2e6]);
        }
    }
}
