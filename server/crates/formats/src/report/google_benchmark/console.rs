//! What Google Benchmark prints.

use std::collections::BTreeMap;

use super::{CONSOLE, Entry, KIND, counter, finish, is_fit};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, prefix_scale, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::{text, without_colours};

/// `Benchmark   Time   CPU   Iterations UserCounters...`: names of counters in columns, where there are any.
fn heading(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["Benchmark", "Time", "CPU", "Iterations", counters @ ..] => {
            Some(counters.iter().copied().filter(|name| *name != "UserCounters...").collect())
        }
        _ => None,
    }
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| heading(&without_colours(line)).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// `name  60.2 ns  22.1 ns  2972596 counters`: where the first number stands tells where the name ends.
struct Row<'a> {
    name: &'a str,
    times: [(f64, &'a str); 2],
    rest: Vec<&'a str>,
}

fn row(line: &str) -> Option<Row<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_unit = |word: &str| matches!(word, "ns" | "us" | "ms" | "s" | "%");
    let time = |at: usize| -> Option<(f64, &str)> {
        let unit = words.get(at + 1).copied().filter(|unit| is_unit(unit))?;
        Some((number(words.get(at)?, Marks::Point)?, unit))
    };
    let at = (1..words.len()).find(|at| time(*at).is_some() && time(*at + 2).is_some())?;
    // The name may hold blanks; the column behind it is found by counting words from its end.
    let behind: usize = words.get(at..)?.len();
    let mut end = line.trim_end().len();
    for _ in 0..behind {
        end = line.get(..end)?.trim_end().rfind(char::is_whitespace)?;
    }
    let rest = words.get(at + 4..).unwrap_or_default().to_vec();
    Some(Row { name: line.get(..end)?.trim(), times: [time(at)?, time(at + 2)?], rest })
}

/// `22.5409G/s`, `10.40%`, `3`: decimal prefixes; a rate ends in `/s`.
fn printed(text: &str) -> Option<(f64, &'static str, bool)> {
    let (value, unit) = split_unit(text, Marks::Point)?;
    if unit == "%" {
        return Some((value, "%", false));
    }
    let (prefix, is_rate) = unit.strip_suffix("/s").map_or((unit, false), |prefix| (prefix, true));
    Some((value * prefix_scale(prefix)?, "", is_rate))
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CONSOLE.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut columns: Option<Vec<String>> = None;
    let mut entries = Vec::new();
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(counters) = heading(&line) {
            columns = Some(counters.into_iter().map(str::to_owned).collect());
            continue;
        }
        let Some(columns) = &columns else { continue };
        if line.trim().is_empty() || line.trim().bytes().all(|b| b == b'-') {
            continue;
        }
        if let Some((name, why)) = line.split_once("ERROR OCCURRED: ") {
            if let Some(key) = builder.key(At::Line(at), name.trim(), BTreeMap::new()) {
                builder.fail(&key, KIND, why.trim().trim_matches('\''))?;
            }
        } else if let Some((name, why)) = line.split_once("SKIPPED: ") {
            builder.warn(At::Line(at), format!("{} was skipped: {}", name.trim(), why.trim()));
        } else if let Some(name) = line.split_whitespace().next().filter(|name| is_fit(name)) {
            builder.warn(At::Line(at), format!("{name} is a fit of the complexity and no time, skipped"));
        } else if let Some(row) = row(&line) {
            entries.push(entry(at, &row, columns));
        } else {
            builder.unknown_line(at, raw);
        }
    }
    finish(&mut builder, &entries)?;
    builder.finish(None)
}

fn entry(at: usize, row: &Row<'_>, columns: &[String]) -> Entry<'static> {
    let mut entry = Entry::new(At::Line(at), row.name.to_owned().into());
    for (measure, (value, unit)) in ["real_time", "cpu_time"].into_iter().zip(row.times) {
        entry.push(measure, unit.to_owned(), value);
    }
    let mut push = |name: &str, value: &str| {
        if let Some((value, unit, is_rate)) = printed(value) {
            let counted = counter(name, is_rate).0;
            let unit = if unit == "%" { unit.to_owned() } else { counted };
            entry.push(name.to_owned(), unit, value);
        }
    };
    // Behind the iterations: `name=value`, or bare values in the heading's columns. What is neither is a label.
    let behind = row.rest.get(1..).unwrap_or_default();
    for (i, word) in behind.iter().enumerate() {
        match (word.split_once('='), columns.get(i)) {
            (Some((name, value)), _) => push(name, value),
            (None, Some(name)) => push(name, word),
            (None, None) => break,
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn counters_stand_in_columns_or_by_name() {
        let text = "----\nBenchmark       Time    CPU   Iterations  Foo\n----\nBM a/1   60.2 ns   22.1 ns   29725  5k\n\n\
                    Benchmark       Time    CPU   Iterations UserCounters...\nBM_B     1.5 us   1 us   10 rows=8.5G/s a label\nBM_C   SKIPPED: 'no'\nnonsense\nBM_D_BigO  2.50 NlgN   2.40 NlgN\nBM_D_RMS   3 %   3 %\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let [a, b] = &report.benchmarks[..] else { panic!("{report:?}") };
        assert_eq!((a.key.name.as_str(), a.measurements[2].observations[0]), ("BM a/1", 5000.0));
        assert_eq!(
            (b.measurements[2].measure.unit.to_string(), b.measurements[2].observations[0]),
            ("rows/s".to_owned(), 8.5e9)
        );
        assert_eq!((report.benchmarks.len(), parsed.warnings.len()), (2, 4), "{:?}", parsed.warnings);
    }
}
