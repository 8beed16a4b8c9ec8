//! github-action-benchmark's `data.js`: every run that the action kept, suite by suite.
//!
//! See <https://github.com/benchmark-action/github-action-benchmark>. The file is JSON behind `window.BENCHMARK_DATA = `. The
//! tool of an entry says which way is better. Suites of one commit are one point; where there are several suites, the
//! suite is a parameter.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use model::Better;
use rustc_hash::FxHashMap;

use crate::error::{Kind, ParseError};
use crate::json::{Field, Json, outline, parse};
use crate::read::{Content, Input, Parsed, Point, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::report::history;
use crate::warnings::Warnings;

pub(super) const READER: Reader = Reader {
    name: "github-action-benchmark",
    about: "the history that github-action-benchmark keeps (data.js)",
    sniff,
    read,
};

const OPENING: &[u8] = b"window.BENCHMARK_DATA";
const MEASURE: &str = "value";

fn sniff(head: &[u8]) -> Sniff {
    if head.trim_ascii_start().starts_with(OPENING) {
        return Sniff::Yes;
    }
    let outline = outline(head);
    let has = |key: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|known| known == key));
    if has("entries") && has("lastUpdate") { Sniff::Yes } else { Sniff::No }
}

/// The document without what makes it a script.
fn document(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii();
    let Some(rest) = bytes.strip_prefix(OPENING) else { return bytes };
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"=").unwrap_or(rest).trim_ascii();
    rest.strip_suffix(b";").unwrap_or(rest)
}

/// Which way is better by the tool that the action was told; `go` prints costs and rates.
fn better(tool: &str) -> Option<Better> {
    match tool {
        "benchmarkjs" | "pytest" | "customBiggerIsBetter" => Some(Better::Higher),
        "cargo"
        | "catch2"
        | "googlecpp"
        | "julia"
        | "benchmarkdotnet"
        | "benchmarkluau"
        | "customSmallerIsBetter" => Some(Better::Lower),
        _ => None,
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let json = parse(READER.name, document(input.bytes), input.limits)?;
    let root = Field::root(READER.name, &json);
    let mut warnings = Warnings::new(input.limits);
    let mut builders: Vec<(Option<String>, Option<DateTime<Utc>>, Builder<'_>)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let suites = root.need("entries")?;
    let several = suites.members()?.count() > 1;
    for (suite, entries) in suites.members()? {
        for entry in entries.items()? {
            let (commit, at) = when(&entry)?;
            let key = commit.clone().unwrap_or_else(|| entry.path());
            let place = *places.entry(key).or_insert_with(|| {
                builders.push((commit, at, Builder::new(READER.name, input.limits)));
                builders.len() - 1
            });
            let Some((.., builder)) = builders.get_mut(place) else { continue };
            let tool = entry.get("tool").and_then(|tool| tool.text().ok()).unwrap_or_default();
            let suite = several.then_some(suite);
            for bench in entry.need("benches")?.items()? {
                read_bench(builder, &bench, tool, suite)?;
            }
        }
    }
    let mut points = Vec::with_capacity(builders.len());
    for (commit, at, builder) in builders {
        if let Some(report) = history::report(builder, &mut warnings) {
            points.push(Point { commit, at, report, ..Point::default() });
        }
    }
    // Each suite is in order; together they are by their times.
    points.sort_by_key(|point| point.at);
    if points.is_empty() {
        return Err(ParseError::new(READER.name, crate::error::At::File, Kind::Empty));
    }
    Ok(warnings.parsed(READER.name, Content::History(points)))
}

/// The commit and when it was measured; else when it was made.
fn when(entry: &Field<'_>) -> Result<(Option<String>, Option<DateTime<Utc>>), ParseError> {
    let commit = entry.get("commit");
    let id = commit.as_ref().and_then(|commit| commit.get("id")?.text().ok().map(str::to_owned));
    let measured = match entry.get("date") {
        Some(date) => Some(history::instant(&date.scalar()?).ok_or_else(|| date.invalid("it is no time"))?),
        None => None,
    };
    let made = || {
        let stamp = commit.as_ref()?.get("timestamp")?.scalar().ok()?;
        history::instant(&stamp)
    };
    Ok((id, measured.or_else(made)))
}

fn read_bench(
    builder: &mut Builder<'_>,
    bench: &Field<'_>,
    tool: &str,
    suite: Option<&str>,
) -> Result<(), ParseError> {
    let name = bench.need("name")?;
    let parameters: BTreeMap<String, String> =
        suite.map(|suite| ("suite".to_owned(), suite.to_owned())).into_iter().collect();
    let Some(mut entry) = Entry::new(builder, bench.at(), name.text()?, parameters, None) else {
        return Ok(());
    };
    let Some(value) = bench.get("value") else {
        entry.builder.warn(bench.at(), format!("{} has no value and is skipped", entry.key));
        return Ok(());
    };
    let value = match value.json {
        Json::Text(text) => crate::number::number(text, crate::number::Marks::Point)
            .ok_or_else(|| value.invalid("it is no number"))?,
        _ => value.number()?,
    };
    let unit = bench.get("unit").map(|unit| unit.scalar()).transpose()?.unwrap_or_default();
    let summarised = bench.get("range").is_some();
    entry.observe(Reading { measure: MEASURE, unit: &unit, value, better: better(tool), summarised })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Hints;
    use crate::{Limits, read as read_any};

    #[test]
    fn suites_of_one_commit_are_one_point_in_order_of_time() {
        let text = r#"window.BENCHMARK_DATA = {"lastUpdate": 2, "repoUrl": "x", "entries": {
            "Go": [{"commit": {"id": "b", "timestamp": "2026-01-02T00:00:00Z"}, "date": 1767312000000, "tool": "cargo",
                    "benches": [{"name": "f", "value": 5, "unit": "ns/iter", "range": "± 1"}]}],
            "JS": [{"commit": {"id": "a"}, "date": 1767225600000, "tool": "benchmarkjs",
                    "benches": [{"name": "g", "value": 7, "unit": "ops/sec"}]},
                   {"commit": {"id": "b"}, "date": 1767312000001, "tool": "benchmarkjs",
                    "benches": [{"name": "g", "value": 8, "unit": "ops/sec", "extra": "3 samples"}]}]}};
"#;
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::History(points) = parsed.content else { panic!("a history") };
        let commits: Vec<_> = points.iter().map(|point| point.commit.as_deref().unwrap()).collect();
        assert_eq!(commits, ["a", "b"]);
        let keys: Vec<String> = points[1].report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(keys, ["f [suite=Go]", "g [suite=JS]"]);
        assert_eq!(points[1].report.benchmarks[1].measurements[0].measure.better, Better::Higher);
        assert_eq!(points[0].at.unwrap().to_rfc3339(), "2026-01-01T00:00:00+00:00");
    }
}
