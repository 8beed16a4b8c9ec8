//! What JMH prints: the table at the end, and failures in the log before it.

use std::collections::BTreeMap;

use super::{KIND, SCORE, TEXT, better, value};
use crate::error::{At, ParseError};
use crate::number::lines;
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

const MODES: [&str; 4] = ["thrpt", "avgt", "sample", "ss"];

/// `Benchmark  (label)  (size)  Mode  Cnt  Score  Error  Units`: names of parameters with the columns, in characters,
/// at which each ends.
fn heading(line: &str) -> Option<Vec<(String, usize)>> {
    // The log of a build tool may stand in front.
    let at = line.find("Benchmark ")?;
    let words: Vec<&str> = line.get(at..)?.split_whitespace().collect();
    if !(words.contains(&"Mode") && words.contains(&"Score") && words.last() == Some(&"Units")) {
        return None;
    }
    let mut parameters = Vec::new();
    let mut from = at;
    while let Some(open) = line.get(from..)?.find('(') {
        let begin = from + open;
        let close = begin + line.get(begin..)?.find(')')?;
        let name = line.get(begin + 1..close)?.to_owned();
        parameters.push((name, line.get(..=close)?.chars().count()));
        from = close + 1;
    }
    Some(parameters)
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    // The table stands at the end, often behind the first 64 kB; the log's own lines are as telling.
    let logs = head.lines().any(|line| line.contains("# JMH version: "));
    if logs || head.lines().any(|line| heading(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// One row of the table.
struct Row<'a> {
    name: &'a str,
    parameters: Vec<String>,
    mode: &'a str,
    score: f64,
    approximate: bool,
    error: Option<f64>,
    unit: &'a str,
}

fn row<'a>(line: &'a str, parameters: &[(String, usize)]) -> Option<Row<'a>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mode_at = words.iter().rposition(|word| MODES.contains(word)).filter(|at| *at > 0)?;
    let (name, unit) = (*words.first()?, *words.last()?);
    let values = words.get(mode_at + 1..words.len().checked_sub(1)?)?;
    let (scores, error) = match values.iter().position(|word| *word == "\u{b1}") {
        Some(at) => (values.get(..at)?, values.get(at + 1).and_then(|error| value(error))),
        None => (values, None),
    };
    let approximate = scores.contains(&"\u{2248}");
    let printed = scores.last()?;
    let score = value(printed).or_else(|| power(printed))?;
    let between = words.get(1..mode_at)?;
    let parameters = if between.len() == parameters.len() {
        between.iter().map(|word| (*word).to_owned()).collect()
    } else {
        // A value with blanks: columns are aligned to the right.
        aligned(line, name, parameters)
    };
    Some(Row { name, parameters, mode: words.get(mode_at)?, score, approximate, error, unit })
}

fn aligned(line: &str, name: &str, parameters: &[(String, usize)]) -> Vec<String> {
    let mut from = line.find(name).map_or(0, |at| line.get(..at).map_or(0, |before| before.chars().count()))
        + name.chars().count();
    let mut values = Vec::new();
    for (_, end) in parameters {
        let cell: String = line.chars().skip(from).take(end.saturating_sub(from)).collect();
        values.push(cell.trim().to_owned());
        from = from.max(*end);
    }
    values
}

/// `10⁻⁵`.
fn power(text: &str) -> Option<f64> {
    let exponent: Option<String> = text
        .strip_prefix("10")?
        .chars()
        .map(|c| {
            Some(match c {
                '\u{207b}' => '-',
                '\u{2070}' => '0',
                '\u{b9}' => '1',
                '\u{b2}' => '2',
                '\u{b3}' => '3',
                '\u{2074}'..='\u{2079}' => char::from_digit(c as u32 - 0x2070, 10)?,
                _ => return None,
            })
        })
        .collect();
    let exponent: i32 = exponent?.parse().ok()?;
    (-400..400).contains(&exponent).then(|| 10_f64.powi(exponent))
}

/// What the log says of the benchmark that runs: its full name and parameters.
#[derive(Default)]
struct Running {
    name: String,
    parameters: BTreeMap<String, String>,
}

/// `# Parameters: (label = a|b, size = 64)`.
fn log_parameters(text: &str) -> BTreeMap<String, String> {
    let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
    let pairs = inner.split(", ").filter_map(|pair| pair.split_once(" = "));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A mode as the table writes it.
fn log_mode(text: &str) -> Option<&'static str> {
    let modes = [
        ("Throughput", "thrpt"),
        ("Average time", "avgt"),
        ("Sampling time", "sample"),
        ("Single shot", "ss"),
    ];
    modes.iter().find(|(start, _)| text.trim().starts_with(start)).map(|(_, mode)| *mode)
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut table: Option<Vec<(String, usize)>> = None;
    let mut running = Running::default();
    let mut failures: Vec<(usize, String, BTreeMap<String, String>, String)> = Vec::new();
    let (mut full_names, mut cut_names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut failing = false;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(parameters) = heading(&line) {
            table = Some(parameters);
        } else if let Some((_, name)) = line.split_once("# Benchmark: ") {
            running = Running { name: name.trim().to_owned(), ..Running::default() };
            full_names.push(running.name.clone());
        } else if let Some((_, mode)) = line.split_once("# Benchmark mode: ") {
            running.parameters.extend(log_mode(mode).map(|mode| ("mode".to_owned(), mode.to_owned())));
        } else if let Some((_, parameters)) = line.split_once("# Parameters: ") {
            running.parameters.extend(log_parameters(parameters));
        } else if let Some((name, version)) = line.split_once(" version: ").filter(|_| line.starts_with("# "))
        {
            builder.fact(name.trim_start_matches("# "), version);
        } else if line.trim_end().ends_with("<failure>") {
            failing = true;
        } else if failing && !line.trim().is_empty() {
            failing = false;
            failures.push((at, running.name.clone(), running.parameters.clone(), line.trim().to_owned()));
        } else if let Some(parameters) = &table {
            match row(&line, parameters) {
                Some(row) => {
                    cut_names.push(row.name.to_owned());
                    observe(&mut builder, at, &row, parameters)?;
                }
                None if line.trim().is_empty() || line.starts_with("Benchmark result is saved") => {}
                None => builder.unknown_line(at, raw),
            }
        }
    }
    let prefix = common_prefix(&full_names, &cut_names);
    for (at, name, parameters, why) in failures {
        let name = name.strip_prefix(prefix.as_str()).unwrap_or(&name);
        if let Some(key) = builder.key(At::Line(at), name, parameters) {
            builder.fail(&key, KIND, &why)?;
        }
    }
    builder.finish(None)
}

/// What the table cuts off all names, so that a benchmark that failed is called as it is when it does not.
fn common_prefix(full: &[String], cut: &[String]) -> String {
    let prefix = full.iter().find_map(|full| cut.iter().find_map(|cut| full.strip_suffix(cut.as_str())));
    prefix.unwrap_or_default().to_owned()
}

fn observe(
    builder: &mut Builder<'_>,
    at: usize,
    row: &Row<'_>,
    names: &[(String, usize)],
) -> Result<(), ParseError> {
    let mut parameters = BTreeMap::from([("mode".to_owned(), row.mode.to_owned())]);
    let given = names.iter().zip(&row.parameters).filter(|(_, value)| *value != "N/A");
    parameters.extend(given.map(|((name, _), value)| (name.clone(), value.clone())));
    let Some(key) = builder.key(At::Line(at), row.name, parameters) else { return Ok(()) };
    if row.approximate {
        builder.warn(At::Line(at), format!("{} is printed as a power of ten only", row.name));
    }
    let reading = Reading { better: better(row.unit), ..Reading::summary(SCORE, row.unit, row.score) };
    builder.observe(At::Line(at), &key, KIND, reading)?;
    if let Some(error) = row.error {
        builder.figure(
            At::Line(at),
            &key,
            SCORE,
            FigureReading { name: "error", unit: row.unit, value: error },
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read as read_any};

    #[test]
    fn blanks_in_parameters_decimal_commas_and_powers_are_read() {
        let text = "Benchmark     (label)  (n)   Mode  Cnt   Score   Error  Units\n\
                    B.m         two words   64  thrpt    3  79,965 \u{b1} 3,1  ops/us\n\
                    B.m:p0.50          one  N/A  sample      \u{2248} 10\u{207b}\u{2075}            s/op\n";
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let [first, second] = &report.benchmarks[..] else { panic!("{report:?}") };
        assert_eq!(first.key.to_string(), "B.m [label=two words, mode=thrpt, n=64]");
        assert_eq!(first.measurements[0].observations, [79_965_000.0]);
        assert_eq!(second.key.to_string(), "B.m:p0.50 [label=one, mode=sample]");
        assert!((second.measurements[0].observations[0] / 1e4 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_benchmark_that_threw_is_a_failure_with_the_tables_name() {
        let text = "# JMH version: 1.37\n# Benchmark mode: Throughput, ops/time\n# Benchmark: p.q.B.ok\nIteration 1: 5 ops/s\n\
                    # Benchmark: p.q.B.bad\n# Parameters: (n = 1)\nIteration   1: <failure>\n\njava.lang.IllegalStateException: boom\n\tat x\n\n\
                    Benchmark  Mode  Cnt  Score  Error  Units\nB.ok      thrpt    2  5.000         ops/s\n";
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[1].key.to_string(), "B.bad [n=1]");
        assert!(matches!(&report.benchmarks[1].status, Status::Failed(why) if why.ends_with("boom")));
    }
}
