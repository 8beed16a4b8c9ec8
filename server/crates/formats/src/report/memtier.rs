//! memtier_benchmark: the table on standard output and the file of `--json-out-file`.
//!
//! See <https://github.com/RedisLabs/memtier_benchmark>. Latencies are milliseconds; its `KB/sec` divides by 1024. With
//! several runs (`-x`) there are sections for the best, the worst and the average run; runs printed one by one
//! (`--print-all-runs`) are repetitions. An operation that was never made (`Waits`) has a row of zeros.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::json::{Field, Json, outline, parse};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::{text, without_colours};

pub(super) const TEXT: Reader =
    Reader { name: "memtier-text", about: "memtier_benchmark's table", sniff: sniff_text, read: read_text };
pub(super) const JSON: Reader = Reader {
    name: "memtier",
    about: "memtier_benchmark --json-out-file",
    sniff: sniff_json,
    read: read_json,
};

const KIND: Option<Kind> = Some(Kind::EndToEnd);

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let table = |line: &str| line.starts_with("Type ") && line.contains("Ops/sec") && line.contains("KB/sec");
    if head.lines().any(table) { Sniff::Yes } else { Sniff::No }
}

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |key: &str| outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|known| known == key));
    let results = outline.at_depth(1).any(|(path, _)| path.first().is_some_and(|key| is_results(key)));
    if results || (has("configuration") && has("run information")) { Sniff::Yes } else { Sniff::No }
}

fn is_results(title: &str) -> bool {
    title == "ALL STATS" || title.ends_with(" RESULTS") || title.starts_with("AGGREGATED AVERAGE RESULTS")
}

/// Which of several runs a section is about; nothing where it is the only one or one of equals.
fn which(title: &str) -> BTreeMap<String, String> {
    let of = title.split(" RESULTS").next().unwrap_or_default();
    let single = title == "ALL STATS" || of.starts_with("RUN #");
    if single { BTreeMap::new() } else { BTreeMap::from([("result".to_owned(), of.to_ascii_lowercase())]) }
}

/// The unit and the direction of a column or member.
fn meaning(name: &str) -> (&'static str, Better) {
    match name {
        "Ops/sec" => ("1/s", Better::Higher),
        "Hits/sec" | "Misses/sec" | "MOVED/sec" | "ASK/sec" => ("1/s", Better::Neither),
        "Count" => ("count", Better::Neither),
        "Connection Errors/sec" => ("1/s", Better::Lower),
        "Connection Errors" => ("count", Better::Lower),
        _ if name.starts_with("KB/sec") => ("KiB/s", Better::Higher),
        _ if name.contains("Latency") || name.starts_with('p') => ("ms", Better::Lower),
        _ => ("count", Better::Neither),
    }
}

/// The columns of a head line: names stand at least two blanks apart.
fn columns(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|name| !name.is_empty()).collect()
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut title = String::from("ALL STATS");
    let mut table: Option<Vec<&str>> = None;
    let mut distribution = false;
    for (at, line) in lines(&text) {
        let trimmed = line.trim();
        if is_results(trimmed) {
            title = trimmed.to_owned();
            table = None;
        } else if line.starts_with("Type ") {
            distribution = line.contains("<= msec");
            table = (!distribution && line.contains("Ops/sec")).then(|| columns(line));
        } else if distribution && is_distribution(trimmed) {
        } else if let Some(columns) = table.as_ref().filter(|_| !trimmed.is_empty() && !is_rule(trimmed)) {
            row(&mut builder, at, trimmed, columns, &title)?;
        } else if trimmed.is_empty() {
            table = None;
        } else if !is_known(&mut builder, trimmed) {
            // Progress is overwritten with carriage returns and coloured.
            builder.unknown_line(at, &without_colours(line));
        }
    }
    builder.finish(None)
}

fn is_rule(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'=' | b'-'))
}

/// `SET       0.100        12.00` under the head of the distribution.
fn is_distribution(line: &str) -> bool {
    let mut words = line.split_whitespace();
    is_rule(line)
        || (words.next().is_some()
            && words.clone().count() == 2
            && words.all(|w| number(w, Marks::Point).is_some()))
}

fn is_known(builder: &mut Builder<'_>, line: &str) -> bool {
    for setting in
        ["Threads", "Connections per thread", "Requests per client", "Seconds", "Requests per thread"]
    {
        let value = line.strip_suffix(setting).map(str::trim);
        if let Some(value) = value.filter(|value| number(value, Marks::Point).is_some()) {
            builder.fact(&setting.to_ascii_lowercase(), value);
            return true;
        }
    }
    let known =
        ["[RUN #", "Json file ", "Saving ", "Writing results", "Request Latency Distribution", "Writing "];
    is_rule(line) || known.iter().any(|head| line.trim_start_matches('\r').starts_with(head))
}

fn row(
    builder: &mut Builder<'_>,
    at: usize,
    line: &str,
    columns: &[&str],
    title: &str,
) -> Result<(), ParseError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // A command may be several words; the numbers are counted from the end.
    let numbers = columns.len().saturating_sub(1);
    let split = words.len().saturating_sub(numbers);
    let (name, cells) = words.split_at_checked(split).unwrap_or_default();
    let is_row = !name.is_empty() && cells.iter().all(|cell| is_cell(cell));
    if !is_row {
        builder.unknown_line(at, line);
        return Ok(());
    }
    let name = name.join(" ");
    let rate = columns.iter().skip(1).zip(cells).find(|(column, _)| **column == "Ops/sec");
    if rate.is_some_and(|(_, cell)| number(cell, Marks::Point) == Some(0.0)) {
        builder.warn(At::Line(at), format!("{name}: no such operation was made, the row is skipped"));
        return Ok(());
    }
    let Some(mut entry) = Entry::new(builder, At::Line(at), &name, which(title), KIND) else { return Ok(()) };
    for (column, cell) in columns.iter().skip(1).zip(cells) {
        let (unit, better) = meaning(column);
        match number(cell, Marks::Point) {
            Some(value) => entry.observe(Reading::summary(column, unit, value).towards(better))?,
            None if *cell == "---" => {}
            None => {
                entry.builder.warn(At::Line(at), format!("{column} is {cell:?}, not a number, and skipped"));
            }
        }
    }
    Ok(())
}

fn is_cell(cell: &str) -> bool {
    cell == "---" || number(cell, Marks::Point).is_some() || crate::number::is_not_a_number(cell)
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    for (title, section) in root.members()? {
        match title {
            "configuration" => {
                facts(&mut builder, &section, &["server", "protocol", "ratio", "pipeline", "data_size"]);
            }
            "run information" => {
                facts(&mut builder, &section, &["Threads", "Connections per thread", "Requests per client"]);
            }
            _ if is_results(title) => {
                for (name, operation) in section.members()? {
                    if name == "Runtime" {
                        runtime(&mut builder, title, &operation)?;
                    } else if matches!(operation.json, Json::Object(_)) {
                        read_operation(&mut builder, title, name, &operation)?;
                    }
                }
            }
            _ => builder.warn(section.at(), "not known and skipped"),
        }
    }
    builder.finish(None)
}

fn facts(builder: &mut Builder<'_>, section: &Field<'_>, names: &[&'static str]) {
    for name in names {
        if let Some(value) = section.get(name).and_then(|field| field.scalar().ok()) {
            builder.fact(&name.to_ascii_lowercase(), &value);
        }
    }
}

fn runtime(builder: &mut Builder<'_>, title: &str, section: &Field<'_>) -> Result<(), ParseError> {
    if let Some(Json::Text(text)) = section.get("Interrupted").map(|field| field.json)
        && text.as_ref() == "true"
        && let Some(mut entry) = Entry::new(builder, section.at(), "Totals", which(title), KIND)
    {
        entry.fail("the run was interrupted")?;
    }
    Ok(())
}

fn read_operation(
    builder: &mut Builder<'_>,
    title: &str,
    name: &str,
    operation: &Field<'_>,
) -> Result<(), ParseError> {
    let of = |member| operation.get(member).and_then(|field| field.number().ok());
    if of("Count") == Some(0.0) {
        builder.warn(operation.at(), format!("{name}: no such operation was made, it is skipped"));
        return Ok(());
    }
    let Some(mut entry) = Entry::new(builder, operation.at(), name, which(title), KIND) else {
        return Ok(());
    };
    let average = if of("Average Latency").is_some() { "Average Latency" } else { "Latency" };
    for (member, field) in operation.members()? {
        entry.at = field.at();
        match (member, field.json) {
            // The sum of the latencies, one of two names of the mean, and of the sum of both directions.
            ("Accumulated Latency" | "KB/sec RX/TX" | "Time-Serie" | "Time-Series", _) => {}
            ("Latency" | "Min Latency" | "Max Latency", _) if member != average => {}
            ("Percentile Latencies", _) => {
                for (name, value) in field.members()? {
                    if matches!(value.json, Json::Number(_)) {
                        entry
                            .observe(Reading::summary(name, "ms", value.number()?).towards(Better::Lower))?;
                    }
                }
            }
            (_, Json::Number(value)) => {
                let (unit, better) = meaning(member);
                entry.observe(Reading::summary(member, unit, *value).towards(better))?;
            }
            (_, Json::Null) => {}
            _ => entry.builder.warn(field.at(), "not known and skipped"),
        }
    }
    for bound in ["Min Latency", "Max Latency"] {
        if let Some(value) = of(bound) {
            entry.figure(average, bound, "ms", value);
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
    fn sections_of_several_runs_are_told_apart() {
        let table = |rate: &str| {
            format!(
                "========\nType        Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec \n--------\n\
                 Sets      {rate}          ---          ---      0.50000         7.00 \n\
                 Totals    {rate}         1.00         2.00      0.50000         7.00 \n\n\n"
            )
        };
        let text = format!(
            "4         Threads\r\n\nBEST RUN RESULTS\n{}WORST RUN RESULTS\n{}AGGREGATED AVERAGE RESULTS (3 runs)\n{}\
             Request Latency Distribution\nType     <= msec         Percent\n--------\nSET       0.100        12.00\n---\n",
            table("9.0"),
            table("5.0"),
            table("7.0")
        );
        let report = report(&text);
        let keys: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(keys.len(), 6);
        assert_eq!(keys[0], "Sets [result=best run]");
        assert_eq!(keys[4], "Sets [result=aggregated average]");
        assert_eq!(report.benchmarks[0].measurements.len(), 3, "what does not apply is no value");
    }

    #[test]
    fn an_interrupted_run_failed() {
        let report = report(
            r#"{"configuration": {"server": "x"}, "run information": {"Threads": 2},
                "ALL STATS": {"Runtime": {"Interrupted": "true"},
                "Totals": {"Count": 2, "Ops/sec": 5.5, "Latency": 1.5, "Min Latency": 1, "KB/sec": 2}}}"#,
        );
        assert!(matches!(report.benchmarks[0].status, model::Status::Failed(_)));
        assert_eq!(report.benchmarks[0].measurements[2].figures[0].value, 1e6);
    }
}
