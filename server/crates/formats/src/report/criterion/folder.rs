//! The folder `target/criterion` as tar (also compressed) or zip: `<benchmark>/new/{benchmark,estimates,sample}.json`.
//!
//! `base` is the run before and `change` compares with it, so both are passed over; `report` holds pictures.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use super::json::{estimates, sample};
use super::{KIND, TIME};
use crate::archive::{Entry, is_archive, unpack};
use crate::error::{At, Kind, ParseError};
use crate::json::{Field, parse};
use crate::limits::Limits;
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};

pub(in crate::report) const READER: Reader =
    Reader { name: "criterion-folder", about: "the folder target/criterion as tar or zip", sniff, read };

/// Files whose names only criterion uses; one of them stands near the beginning of every such archive.
const SIGNS: [&[u8]; 4] =
    [b"/new/estimates.json", b"/new/benchmark.json", b"/new/tukey.json", b"/base/estimates.json"];

fn sniff(head: &[u8]) -> Sniff {
    if !is_archive(head) {
        return Sniff::No;
    }
    let has = |sign: &[u8]| head.windows(sign.len()).any(|window| window == sign);
    if SIGNS.iter().any(|sign| has(sign)) {
        Sniff::Yes
    } else if has(b"criterion/") {
        Sniff::Maybe
    } else {
        Sniff::No
    }
}

/// Files of one benchmark.
#[derive(Default)]
struct Files<'a> {
    benchmark: Option<&'a Entry>,
    estimates: Option<&'a Entry>,
    sample: Option<&'a Entry>,
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let wanted = |path: &str| {
        ["new/benchmark.json", "new/estimates.json", "new/sample.json"].iter().any(|end| path.ends_with(end))
    };
    let entries = if let Some(entries) = unpack(READER.name, input.bytes, input.limits, wanted) {
        entries?
    } else {
        let expected = "a tar or zip archive";
        let found = "other bytes".to_owned();
        return Err(builder.error(At::File, Kind::Expected { expected, found }));
    };
    let mut folders: BTreeMap<&str, Files<'_>> = BTreeMap::new();
    for entry in &entries {
        let Some((folder, file)) = entry.path.rsplit_once("/new/") else { continue };
        let files = folders.entry(folder).or_default();
        match file {
            "benchmark.json" => files.benchmark = Some(entry),
            "estimates.json" => files.estimates = Some(entry),
            _ => files.sample = Some(entry),
        }
    }
    for (folder, files) in folders {
        benchmark(&mut builder, folder, &files, input.limits)?;
    }
    builder.finish(None)
}

/// An error of one file of the archive, with its path in front.
fn inside(entry: &Entry) -> impl Fn(ParseError) -> ParseError + '_ {
    |error| ParseError { at: At::Field(format!("{}: {}", entry.path, error.at)), ..error }
}

fn benchmark(
    builder: &mut Builder<'_>,
    folder: &str,
    files: &Files<'_>,
    limits: &Limits,
) -> Result<(), ParseError> {
    let at = || At::Field(folder.to_owned());
    let named = match files.benchmark {
        Some(entry) => {
            let json = parse(READER.name, &entry.bytes, limits).map_err(inside(entry))?;
            let root = Field::root(READER.name, &json);
            root.need("full_id").and_then(|id| id.text().map(str::to_owned)).map_err(inside(entry))?
        }
        None => folder.rsplit_once("criterion/").map_or(folder, |(_, name)| name).to_owned(),
    };
    let Some(key) = builder.key(at(), &named, BTreeMap::new()) else { return Ok(()) };
    if let Some(entry) = files.sample {
        let json = parse(READER.name, &entry.bytes, limits).map_err(inside(entry))?;
        let root = Field::root(READER.name, &json);
        let mut read = || sample(builder, &key, "ns", &root.need("iters")?, &root.need("times")?);
        read().map_err(inside(entry))?;
    }
    match files.estimates {
        Some(entry) => summarised(builder, &key, entry, limits).map_err(inside(entry)),
        None if files.sample.is_none() => builder.fail(&key, KIND, "it left no estimates"),
        None => Ok(()),
    }
}

/// Estimates beside the samples; on their own where an older criterion kept none.
fn summarised(
    builder: &mut Builder<'_>,
    key: &BenchmarkKey,
    entry: &Entry,
    limits: &Limits,
) -> Result<(), ParseError> {
    let json = parse(READER.name, &entry.bytes, limits)?;
    let root = Field::root(READER.name, &json);
    if !builder.has(key, TIME) {
        let mean = root.need("mean")?;
        let point = mean.need("point_estimate")?;
        let reading = Reading::summary(TIME, "ns", point.number()?).towards(Better::Lower);
        builder.observe(point.at(), key, KIND, reading)?;
        builder.figure(
            point.at(),
            key,
            TIME,
            FigureReading { name: "mean", unit: "ns", value: point.number()? },
        );
    }
    estimates(builder, key, TIME, "ns", &root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::{tar, zip};
    use crate::read::{Content, Hints, read as read_any};

    #[test]
    fn a_folder_joins_names_samples_and_estimates() {
        let files: [(&str, &[u8]); 6] = [
            (
                "target/criterion/a_b/c/new/benchmark.json",
                br#"{"group_id":"a/b","full_id":"a/b/c","directory_name":"a_b/c"}"#,
            ),
            (
                "target/criterion/a_b/c/new/sample.json",
                br#"{"sampling_mode":"Linear","iters":[1.0,2.0],"times":[10.0,30.0]}"#,
            ),
            (
                "target/criterion/a_b/c/new/estimates.json",
                br#"{"mean":{"point_estimate":12.5},"slope":null}"#,
            ),
            ("target/criterion/a_b/c/base/estimates.json", br#"{"mean":{"point_estimate":1.0}}"#),
            ("target/criterion/a_b/c/report/index.html", b"<html>"),
            ("target/criterion/d/new/estimates.json", br#"{"mean":{"point_estimate":7.0}}"#),
        ];
        for bytes in [tar(&files), zip(&files)] {
            let parsed = read_any(&bytes, &Hints::default(), &Limits::default()).unwrap();
            assert_eq!(parsed.format, READER.name);
            let Content::Report(report) = parsed.content else { panic!("a report") };
            let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
            assert_eq!(names, ["a/b/c", "d"]);
            let time = &report.benchmarks[0].measurements[0];
            assert_eq!((&time.observations[..], time.figures[0].value), (&[10.0, 15.0][..], 12.5));
            assert!(report.benchmarks[1].measurements[0].summarised);
        }
    }

    #[test]
    fn an_error_names_the_file_in_the_archive() {
        let bytes = tar(&[("x/new/sample.json", br#"{"iters":[1],"times":[]}"#)]);
        let hints = Hints { format: Some(READER.name.to_owned()), ..Hints::default() };
        let error = read_any(&bytes, &hints, &Limits::default()).unwrap_err().to_string();
        assert!(error.contains("x/new/sample.json: times"), "{error}");
    }
}
