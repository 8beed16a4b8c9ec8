//! The tables that Locust prints without its web page (`--headless`, `--only-summary`).
//!
//! Written from Locust 0.14 to 2.47 (<https://docs.locust.io/en/stable/running-without-web-ui.html>). Times are
//! milliseconds, rounded. The table of requests is printed again and again while the load runs; the last one is about the
//! whole run. Measures are called as in the CSV files.

use std::collections::BTreeMap;

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::Builder;
use crate::report::load::{Is, Load};
use crate::text::{excerpt, text, without_colours};

pub(super) const READER: Reader =
    Reader { name: "locust-text", about: "the tables that Locust prints", sniff, read };

const AVERAGE: &str = "Average Response Time";

/// The heads of the columns behind the name: `# reqs`, `Avg`, `50%`; and whether the method has a column of its own.
fn heads(line: &str) -> Option<(bool, Vec<String>)> {
    let mut words = line.split_whitespace().filter(|word| *word != "|");
    let mut first = words.next()?;
    let typed = first == "Type";
    if typed {
        first = words.next()?;
    }
    let mut heads = Vec::new();
    while let Some(word) = words.next() {
        heads.push(if word == "#" { format!("# {}", words.next()?) } else { word.to_owned() });
    }
    let is_head = |head: &str| heads.iter().any(|known| known == head);
    (first == "Name" && is_head("# reqs") && (is_head("# fails") || is_head("50%"))).then_some((typed, heads))
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let requests = |line: &str| heads(line).is_some_and(|(_, heads)| heads.iter().any(|h| h == "# fails"));
    if head.lines().any(|line| requests(&without_colours(line))) { Sniff::Yes } else { Sniff::No }
}

/// A row: the line it stands in, its benchmark, its cells by their heads.
struct Row {
    at: usize,
    name: String,
    cells: Vec<(String, String)>,
}

/// Cells are taken from the end, because a name may hold blanks and bars.
fn row(at: usize, line: &str, typed: bool, heads: &[String]) -> Option<Row> {
    let mut rest = line.trim_end();
    let mut cells = Vec::with_capacity(heads.len());
    for head in heads.iter().rev() {
        let mut cell = "|";
        while cell == "|" {
            (rest, cell) = rest.rsplit_once(char::is_whitespace)?;
            rest = rest.trim_end();
        }
        number(cell.split('(').next()?, Marks::Point).or((cell == "N/A").then_some(0.0))?;
        cells.push((head.clone(), cell.to_owned()));
    }
    let rest = rest.trim_end_matches('|').trim_end();
    let name = match rest.split_once(char::is_whitespace) {
        Some((method, name)) if typed && !method.is_empty() => format!("{method} {}", name.trim()),
        _ => rest.trim().to_owned(),
    };
    (!name.is_empty()).then_some(Row { at, name, cells })
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let (mut requests, mut percentiles): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
    let mut table: Option<(bool, Vec<String>)> = None;
    let mut errors = false;
    for (at, line) in lines(&text) {
        let line = without_colours(line);
        let bare = line.trim();
        if let Some(found) = heads(&line) {
            let is_requests = found.1.iter().any(|head| head == "# fails");
            if is_requests { &mut requests } else { &mut percentiles }.clear();
            table = Some(found);
            errors = false;
        } else if let Some(row) = table.as_ref().and_then(|(typed, heads)| row(at, &line, *typed, heads)) {
            let is_requests = row.cells.iter().any(|(head, _)| head == "# fails");
            if is_requests { &mut requests } else { &mut percentiles }.push(row);
        } else if bare == "Error report" {
            (table, errors) = (None, true);
        } else if let Some((count, what)) = bare.split_once(' ').filter(|_| errors)
            && number(count, Marks::Point).is_some()
        {
            builder.warn(At::Line(at), format!("failed {count} times: {}", excerpt(what)));
        } else if !is_known(bare) {
            builder.unknown_line(at, &line);
        }
    }
    for row in requests.iter().chain(&percentiles) {
        values(&mut builder, row)?;
    }
    builder.finish(None)
}

/// Rules, headings, and lines of the log (`[2026-01-02 03:04:05,678] host/INFO/locust.main: …`).
fn is_known(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("---")
        || line.starts_with("Response time percentiles")
        || line.starts_with("# occurrences")
        || (line.starts_with('[') && line.contains("] ") && line.contains("/locust."))
}

fn values(builder: &mut Builder<'_>, row: &Row) -> Result<(), ParseError> {
    let at = || At::Line(row.at);
    let Some(key) = builder.key(at(), &row.name, BTreeMap::new()) else { return Ok(()) };
    let mut load = Load { builder, key };
    let mut bounds = Vec::new();
    let is_percentiles = !row.cells.iter().any(|(head, _)| head == "# fails");
    if row.cells.iter().any(|(head, cell)| head == "# reqs" && cell == "0") {
        load.builder.warn(at(), format!("{} had no request and is skipped", excerpt(&row.name)));
        return Ok(());
    }
    for (head, cell) in row.cells.iter().rev() {
        let Some(value) = cell.split('(').next().and_then(|cell| number(cell, Marks::Point)) else {
            continue;
        };
        let (is, measure, unit) = match head.as_str() {
            "# reqs" if is_percentiles => continue,
            "# reqs" => (Is::Amount, "Request Count", "count"),
            "# fails" => (Is::Failure, "Failure Count", "count"),
            "Avg" => (Is::Latency, AVERAGE, "ms"),
            "Med" | "Median" => (Is::Latency, "Median Response Time", "ms"),
            "req/s" => (Is::Rate, "Requests/s", "1/s"),
            "failures/s" => (Is::Failure, "Failures/s", "1/s"),
            "Min" | "Max" => {
                bounds.push((format!("{head} Response Time"), value));
                continue;
            }
            percent if percent.ends_with('%') => (Is::Latency, percent, "ms"),
            other => {
                load.builder.warn(at(), format!("the column {:?} is not known", excerpt(other)));
                continue;
            }
        };
        load.value(at(), is, measure, unit, value)?;
    }
    for (name, value) in bounds {
        load.figure(at(), AVERAGE, &name, "ms", value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn the_last_table_is_about_the_whole_run() {
        let text = "[2026-01-02 03:04:05,678] h/INFO/locust.main: Starting Locust 2.47.0\n\
            Type     Name          # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n\
            --------|-------------|-------|-------------|-------|-------|-------|-------|--------|-----------\n\
            GET      bad, [x]          60   26(43.33%) |      4       2      57      4 |    0.00        0.00\n\n\
            Type     Name          # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n\
            GET      bad, [x]          76  33(43.42%) |      4       2      57      3 |   30.38       13.19\n\
            \x20        Aggregated        76   33(43.42%) |      4       2      57      3 |   30.38       13.19\n\n\
            Response time percentiles (approximated)\n\
            Type     Name          50%    66%   100% # reqs\n\
            GET      bad, [x]        4      5     57     76\n\n\
            Error report\n# occurrences      Error\n33                 GET bad, [x]: HTTPError('500')\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!((parsed.format, parsed.warnings.len()), ("locust-text", 1));
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let bad = &report.benchmarks[0];
        assert_eq!((bad.key.to_string(), report.benchmarks.len()), ("GET bad, [x]".to_owned(), 2));
        let values: Vec<(&str, f64)> =
            bad.measurements.iter().map(|m| (m.measure.name.as_str(), m.observations[0])).collect();
        assert_eq!(values[0], ("Request Count", 76.0));
        assert_eq!(values[1], ("Failure Count", 33.0));
        assert_eq!(values[4], ("Requests/s", 30.38));
        assert_eq!(values[8], ("100%", 57e6));
        assert_eq!(bad.measurements[2].figures.len(), 2);
    }

    #[test]
    fn older_tables_have_the_method_in_the_name() {
        let text = " Name             # reqs      # fails     Avg     Min     Max  |  Median   req/s failures/s\n\
            ------------------------------\n GET /a b             10     0(0.00%)      5       3       8  |       4    1.20    0.00\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].key.to_string(), "GET /a b");
        assert_eq!(report.benchmarks[0].measurements[3].observations, [4e6]);
    }
}
