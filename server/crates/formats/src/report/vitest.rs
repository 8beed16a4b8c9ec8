//! `vitest bench`: the file of `--outputJson` and the table on the terminal.
//!
//! See <https://vitest.dev/guide/features#benchmarking>. Times are milliseconds. Up to version 1 the JSON holds
//! `testResults` by group; later `files` with `groups`.

use std::collections::{BTreeMap, HashSet};

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::json::{Field, outline, parse};
use crate::number::{Marks, is_not_a_number, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::report::js_statistics::{Block, block};
use crate::text::{excerpt, text, without_colours};

pub(super) const JSON: Reader =
    Reader { name: "vitest-bench", about: "vitest bench --outputJson", sniff: sniff_json, read: read_json };
pub(super) const TEXT: Reader =
    Reader { name: "vitest-bench-text", about: "vitest bench's tables", sniff: sniff_text, read: read_text };

const KIND: Option<Kind> = Some(Kind::Micro);

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let new = outline.at_depth(3).any(|(path, _)| path.join("/") == "files/[]/groups")
        || (outline.at_depth(4).any(|(path, _)| path.join("/").starts_with("files/[]/groups/")));
    let old = outline.at_depth(4).any(|(path, _)| {
        path.first().is_some_and(|key| key == "testResults")
            && path.last().is_some_and(|key| key == "hz" || key == "rme")
    });
    if outline.opens == Some('{') && (new || old) { Sniff::Yes } else { Sniff::No }
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    if let Some(groups) = root.get("testResults") {
        for (name, tasks) in groups.members()? {
            tasks_of(&mut builder, name, &tasks)?;
        }
    }
    if let Some(files) = root.get("files") {
        for file in files.items()? {
            for group in file.need("groups")?.items()? {
                let name = group.need("fullName")?;
                tasks_of(&mut builder, name.text()?, &group.need("benchmarks")?)?;
            }
        }
    }
    builder.finish(None)
}

fn tasks_of(builder: &mut Builder<'_>, group: &str, tasks: &Field<'_>) -> Result<(), ParseError> {
    for task in tasks.items()? {
        let name = format!("{group} > {}", task.need("name")?.text()?);
        let Some(mut entry) = Entry::new(builder, task.at(), &name, BTreeMap::new(), KIND) else { continue };
        let latency = Block { prefix: "", unit: "ms", better: Better::Lower, percentiles: true };
        block(&mut entry, &task, &latency)?;
        match task.get("hz") {
            Some(hz) => {
                entry.observe(Reading::summary("hz", "ops/s", hz.number()?).towards(Better::Higher))?;
            }
            None if task.get("mean").is_none() => entry.fail("it has no result")?,
            None => {}
        }
    }
    Ok(())
}

/// The head of a table: `name  hz  min  max  mean  p75  p99  p995  p999  rme  samples`.
fn heads(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_head = words.first() == Some(&"name") && words.get(1) == Some(&"hz") && words.contains(&"rme");
    is_head.then_some(words)
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| heads(&without_colours(line)).is_some()) { Sniff::Yes } else { Sniff::No }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut group = String::new();
    let mut columns: Vec<String> = Vec::new();
    // Where the output is no terminal, a table is printed again with each later one of its file.
    let mut seen = HashSet::new();
    let mut summary = false;
    for (at, line) in lines(&text) {
        let line = without_colours(line);
        let bare = line.trim();
        if summary {
            slower(&mut builder, at, bare, &mut group)?;
        } else if let Some(heads) = heads(bare) {
            columns = heads.iter().skip(1).map(|&head| head.to_owned()).collect();
        } else if let Some(row) = bare.strip_prefix(['\u{b7}', '\u{2022}']).filter(|_| !columns.is_empty()) {
            if seen.insert(format!("{group} {row}")) {
                table_row(&mut builder, at, row.trim(), &group, &columns)?;
            }
        } else if bare.ends_with("(baseline)") {
            builder.warn(At::Line(at), "a row of the stored run is skipped; those of now are read");
        } else if let Some(name) = bare.strip_prefix('\u{2193}') {
            let name = excerpt(name.trim().trim_end_matches("[skipped]"));
            builder.warn(At::Line(at), format!("{name} was not run"));
        } else if let Some(name) = bare.strip_prefix(['\u{2713}', '\u{276f}', '\u{d7}']) {
            columns.clear();
            group = group_of(name.trim());
        } else if bare.starts_with("BENCH ") {
            (summary, group) = (true, String::new());
        } else if !is_known(bare) {
            builder.unknown_line(at, &line);
        }
    }
    builder.finish(None)
}

/// A line of the summary, which says again which benchmark of a group was fastest: `name - group`, then
/// `1.23x faster than other`, with `NaNx` where the other one threw. Only that is new.
fn slower(builder: &mut Builder<'_>, at: usize, line: &str, group: &mut String) -> Result<(), ParseError> {
    if let Some((factor, name)) = line.split_once(" faster than ") {
        let name = format!("{group} > {}", name.trim());
        if factor.trim() == "NaNx"
            && let Some(mut entry) = Entry::new(builder, At::Line(at), &name, BTreeMap::new(), KIND)
        {
            entry.fail("it has no result")?;
        }
    } else if let Some((_, of)) = line.rsplit_once(" - ") {
        of.trim_end_matches([' ', '>']).clone_into(group);
    } else if !is_known(line) {
        builder.unknown_line(at, line);
    }
    Ok(())
}

/// `json.bench.js > stringify 1234ms` without the time and the count of tests.
fn group_of(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    while let Some(last) = words.last() {
        let time = last.trim_end_matches("ms").trim_end_matches('s');
        let counted = last.starts_with('(') || last.ends_with(')');
        if words.len() > 1
            && (counted || last.is_empty() || (time != *last && number(time, Marks::Point).is_some()))
        {
            words.pop();
        } else {
            break;
        }
    }
    words.join(" ")
}

fn is_known(line: &str) -> bool {
    let heads = [
        "Benchmarking is an experimental",
        "Breaking changes might",
        "DEV ",
        "RUN ",
        "BENCH ",
        "Please pin Vitest",
        "Benchmark report written to",
    ];
    line.is_empty() || heads.iter().any(|head| line.starts_with(head))
}

fn table_row(
    builder: &mut Builder<'_>,
    at: usize,
    row: &str,
    group: &str,
    columns: &[String],
) -> Result<(), ParseError> {
    let mut words: Vec<&str> = row.split_whitespace().collect();
    // Behind the numbers may stand `fastest`, `[1.03x] ⇑` or `(baseline)`.
    let is_cell = |word: &str| {
        let bare = word.trim_start_matches('\u{b1}').trim_end_matches('%');
        number(bare, Marks::ThousandsComma).is_some() || is_not_a_number(bare)
    };
    while words.len() > columns.len() && words.last().is_some_and(|word| !is_cell(word)) {
        words.pop();
    }
    let split = words.len().saturating_sub(columns.len());
    let (name, cells) = words.split_at_checked(split).unwrap_or_default();
    if name.is_empty() || !cells.iter().all(|cell| is_cell(cell)) {
        builder.unknown_line(at, row);
        return Ok(());
    }
    let name = name.join(" ");
    let name = if group.is_empty() { name } else { format!("{group} > {name}") };
    let Some(mut entry) = Entry::new(builder, At::Line(at), &name, BTreeMap::new(), KIND) else {
        return Ok(());
    };
    let mut said = Vec::new();
    for (column, cell) in columns.iter().zip(cells) {
        if column == "samples" && *cell == "0" {
            entry.fail("it has no samples")?;
        }
        let Some(value) =
            number(cell.trim_start_matches('\u{b1}').trim_end_matches('%'), Marks::ThousandsComma)
        else {
            if column == "hz" {
                entry.fail("its rate is not a number")?;
            }
            continue;
        };
        match column.as_str() {
            "hz" => entry.observe(Reading::summary("hz", "ops/s", value).towards(Better::Higher))?,
            "rme" => said.push(("rme", "%", value)),
            "samples" => said.push(("samples", "count", value)),
            "min" | "max" => said.push((column.as_str(), "ms", value)),
            _ => entry.observe(Reading::summary(column, "ms", value).towards(Better::Lower))?,
        }
    }
    if entry.builder.has(&entry.key, "mean") {
        for (name, unit, value) in said {
            entry.figure("mean", name, unit, value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn tables_have_thousands_marks_and_words_behind() {
        let report = report(
            " RUN  v3.0.0 /home/ci\n\n \u{2713} json.bench.js > stringify 1234ms\n\
             \x20    name               hz     min      max    mean     p75     p99    p995    p999      rme  samples\n\
             \x20  \u{b7} small  1,220,790.60  0.0002  24.1770  0.0008  0.0002  0.0006  0.0010  0.0038  \u{b1}68.82%   139143   fastest\n\
             \x20  \u{b7} two words  8,383.34  0.0125  49.4422  0.1193  0.0252  0.0887  4.1617  21.2764  \u{b1}81.62%  1168\n\n\
             \x20BENCH  Summary\n\n  small - json.bench.js > stringify\n    145.62x faster than two words\n",
        );
        let keys: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(keys, ["json.bench.js > stringify > small", "json.bench.js > stringify > two words"]);
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1_220_790.6]);
        assert_eq!(report.benchmarks[1].measurements.len(), 6);
    }

    #[test]
    fn failures_repeats_and_stored_runs_are_told_apart() {
        let table = " \u{2713} a.js > s 823ms\n\
             \x20    name     hz     min     max    mean     p75     p99    p995    p999      rme  samples\n\
             \x20  \u{b7} a  1,505.98  0.0003  4.0585  0.0007  0.0006  0.0011  0.0013  0.0044  \u{b1}16.83%  75300  [2.11x] \u{21d1}\n\
             \x20    a  1,405.98  0.0003  4.0585  0.0007  0.0006  0.0011  0.0013  0.0044  \u{b1}16.83%  75300  (baseline)\n\
             \x20  \u{b7} none  0.0000  0.0000  0.0000  0.0000  0.0000  0.0000  0.0000  0.0000  \u{b1}0.00%  0\n\
             \x20  \u{2193} later [skipped]\n";
        let text = format!("{table}{table}\n BENCH  Summary\n\n  a - a.js > s\n    NaNx faster than threw\n");
        let report = report(&text);
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1505.98]);
        let failed = |at: usize| {
            let benchmark = &report.benchmarks[at];
            (benchmark.key.to_string(), matches!(benchmark.status, model::Status::Failed(_)))
        };
        assert_eq!(failed(1), ("a.js > s > none".to_owned(), true));
        assert_eq!(failed(2), ("a.js > s > threw".to_owned(), true));
        assert_eq!(report.benchmarks.len(), 3);
    }

    #[test]
    fn version_one_has_results_by_group() {
        let report = report(
            r#"{"numTotal": 1, "testResults": {"sort": [{"name": "a", "hz": 5, "mean": 200, "rme": 1, "samples": [199, 201]}]}}"#,
        );
        assert_eq!(report.benchmarks[0].key.to_string(), "sort > a");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [199e6, 201e6]);
    }
}
