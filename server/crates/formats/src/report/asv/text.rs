//! What `asv run` prints.

use std::collections::BTreeMap;

use super::{KIND, TEXT, unit};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

const MEASURE: &str = "value";

/// `[30.00%] ··· name   2.42k`: what follows the dots.
fn progress(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start().strip_prefix('[')?;
    let (percent, rest) = rest.split_once("%]")?;
    percent.trim().parse::<f64>().ok()?;
    let rest = rest.trim_start();
    let dots = rest.chars().take_while(|c| *c == '\u{b7}').count();
    let rest = rest.trim_start_matches('\u{b7}').trim_start();
    (dots > 0).then_some((dots, rest))
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let ours = head.lines().any(|line| progress(&without_colours(line)).is_some_and(|(dots, _)| dots >= 2));
    // `asv continuous` ends with the table that tells its two commits apart.
    match (ours, super::compare::sniff(head.as_bytes())) {
        (true, Sniff::Yes) => Sniff::Maybe,
        (true, _) => Sniff::Yes,
        _ => Sniff::No,
    }
}

/// A value as asv prints it: `11.1±0.01μs`, `2.42k`, `390`, `1.5s`.
pub(super) fn value(text: &str) -> Option<(f64, Option<f64>, String)> {
    let (middle, spread) = match text.split_once('\u{b1}') {
        Some((middle, spread)) => (middle, Some(spread)),
        None => (text, None),
    };
    let (value, own) = split_unit(middle, Marks::Point)?;
    let (spread, unit) = match spread.and_then(|spread| split_unit(spread, Marks::Point)) {
        Some((spread, unit)) => (Some(spread), unit),
        None => (None, own),
    };
    (!unit.contains(char::is_whitespace)).then(|| (value, spread, unit.to_owned()))
}

/// Sizes have decimal prefixes without a unit behind.
pub(super) fn scaled(name: &str, printed: &str) -> (String, f64) {
    let size = match printed {
        "k" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        _ => None,
    };
    match (size, unit(name)) {
        (Some(scale), own) => (own.unwrap_or("").to_owned(), scale),
        (None, Some("B")) if printed.is_empty() => ("B".to_owned(), 1.0),
        (None, _) => (printed.to_owned(), 1.0),
    }
}

/// A table of results over parameters that is being read.
struct Table {
    name: String,
    /// Names of the parameters in rows, and the one that columns vary.
    rows: Vec<String>,
    across: Option<String>,
    /// Values of the parameter in columns.
    columns: Vec<String>,
    /// Where the columns begin and end, in characters; values may hold blanks.
    spans: Vec<(usize, usize)>,
}

impl Table {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), rows: vec![], across: None, columns: vec![], spans: vec![] }
    }

    /// Takes the columns from a rule (`==== ========`) that stands so many characters into its line.
    fn ruled(&mut self, offset: usize, rule: &str) {
        let mut before = ' ';
        self.spans.clear();
        for (at, c) in rule.chars().enumerate().map(|(at, c)| (offset + at, c)) {
            match (c, self.spans.last_mut()) {
                ('=', Some(span)) if before == '=' => span.1 = at + 1,
                ('=', _) => self.spans.push((at, at + 1)),
                _ => {}
            }
            before = c;
        }
    }

    /// The cells of a line. The last one goes on to its end.
    fn cells(&self, line: &str) -> Vec<String> {
        let last = self.spans.len().saturating_sub(1);
        let cell = |(index, (from, to)): (usize, &(usize, usize))| {
            let length = if index == last { usize::MAX } else { to - from };
            line.chars().skip(*from).take(length).collect::<String>().trim().to_owned()
        };
        self.spans.iter().enumerate().map(cell).collect()
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let environments = text.lines().filter(|line| line.contains("\u{b7}\u{b7} Benchmarking ")).count();
    let mut environment: Option<String> = None;
    let mut table: Option<Table> = None;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        let Some((dots, rest)) = progress(&line) else {
            if let Some(table) = &mut table {
                table_line(&mut builder, at, table, environment.as_deref(), &line)?;
            }
            continue;
        };
        if let Some(name) = rest.strip_prefix("Benchmarking ") {
            environment = (environments > 1).then(|| name.trim().to_owned());
        }
        // Four dots tell why: `asv: skipped`, `For parameters`, a stack.
        let continues = table.is_some() && is_rule(rest);
        if dots > 3 && !continues {
            table = None;
            continue;
        }
        if dots < 3 || rest.starts_with("Running (") || rest.starts_with("Setting up ") {
            continue;
        }
        // A table may begin on the line that names the benchmark again.
        if let (Some(table), true) = (&mut table, continues) {
            table.columns.clear();
            table.ruled(line.get(..line.len() - rest.len()).map_or(0, |prefix| prefix.chars().count()), rest);
            continue;
        }
        table = None;
        let Some((name, result)) = rest.trim_end().rsplit_once(char::is_whitespace) else { continue };
        let name = name.trim();
        // `1/4 failed`: some parameters did, the table says which.
        let partly = name.rsplit_once(' ').filter(|(_, share)| result == "failed" && is_share(share));
        match (result, partly) {
            ("ok", _) => table = Some(Table::new(name)),
            (_, Some((name, _))) => table = Some(Table::new(name.trim())),
            _ => cell(&mut builder, at, name, environment.as_deref(), BTreeMap::new(), result)?,
        }
    }
    builder.finish(None)
}

/// `1/4`.
fn is_share(text: &str) -> bool {
    text.split_once('/').is_some_and(|(a, b)| a.parse::<u32>().is_ok() && b.parse::<u32>().is_ok())
}

fn is_rule(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '=' | ' '))
}

fn table_line(
    builder: &mut Builder<'_>,
    at: usize,
    table: &mut Table,
    environment: Option<&str>,
    line: &str,
) -> Result<(), ParseError> {
    let bare = line.trim();
    if is_rule(bare) {
        table.ruled(line.chars().take_while(|c| c.is_whitespace()).count(), bare);
        return Ok(());
    }
    if bare.is_empty() || bare.chars().all(|c| matches!(c, '-' | ' ')) {
        return Ok(());
    }
    // `--   kind` names the parameter that varies across the columns.
    if let Some(name) = bare.strip_prefix("-- ") {
        table.across = Some(name.trim().to_owned());
        return Ok(());
    }
    let words = table.cells(line);
    if table.rows.is_empty() {
        // The heading: names of the row parameters, then values of the column parameter. A table over one parameter
        // has one name and nothing across.
        let n_rows = if table.across.is_some() { 1 } else { words.len().saturating_sub(1).max(1) };
        table.rows = words.iter().take(n_rows).cloned().collect();
        table.columns = words.iter().skip(n_rows).cloned().collect();
        return Ok(());
    }
    let (given, values) = words.split_at_checked(table.rows.len()).unwrap_or((&words, &[]));
    for (i, value) in values.iter().enumerate() {
        let mut parameters: BTreeMap<String, String> =
            table.rows.iter().cloned().zip(given.iter().cloned()).collect();
        if let (Some(across), Some(column)) = (&table.across, table.columns.get(i)) {
            parameters.insert(across.clone(), column.clone());
        }
        cell(builder, at, &table.name, environment, parameters, value)?;
    }
    Ok(())
}

fn cell(
    builder: &mut Builder<'_>,
    at: usize,
    name: &str,
    environment: Option<&str>,
    mut parameters: BTreeMap<String, String>,
    printed: &str,
) -> Result<(), ParseError> {
    parameters.extend(environment.map(|name| ("env".to_owned(), name.to_owned())));
    let Some(key) = builder.key(At::Line(at), name, parameters) else { return Ok(()) };
    if printed == "failed" {
        return builder.fail(&key, KIND, "it failed");
    }
    if printed == "n/a" || printed == "skipped" {
        builder.warn(At::Line(at), format!("{key} was skipped by its setup"));
        return Ok(());
    }
    let Some((value, spread, unit)) = value(printed) else {
        builder.warn(At::Line(at), format!("not understood and skipped: {printed:?} for {key}"));
        return Ok(());
    };
    let (unit, scale) = scaled(name, &unit);
    builder.observe(At::Line(at), &key, KIND, Reading::summary(MEASURE, &unit, value * scale))?;
    if let Some(spread) = spread {
        let figure = FigureReading { name: "plus or minus", unit: &unit, value: spread * scale };
        builder.figure(At::Line(at), &key, MEASURE, figure);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn values_hold_blanks_some_fail_and_stacks_are_no_benchmarks() {
        let text = "[50.00%] \u{b7}\u{b7}\u{b7} b.time_x                                              1/4 failed\n\
            [50.00%] \u{b7}\u{b7}\u{b7} ==== ========== ========\n\
            \x20            --             k\n\
            \x20            ---- -------------------\n\
            \x20             n      a b        c\n\
            \x20            ==== ========== ========\n\
            \x20             1    4.14\u{b1}0\u{3bc}s   failed\n\
            \x20             10   25.2\u{b1}0\u{3bc}s   20.9\u{b1}0\u{3bc}s\n\
            \x20            ==== ========== ========\n\
            [50.00%] \u{b7}\u{b7}\u{b7}\u{b7} Traceback (most recent call last):\n              ValueError: x\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let keys: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(
            keys,
            [
                "b.time_x [k=a b, n=1]",
                "b.time_x [k=c, n=1]",
                "b.time_x [k=a b, n=10]",
                "b.time_x [k=c, n=10]"
            ]
        );
        assert!(matches!(report.benchmarks[1].status, model::Status::Failed(_)));
        assert_eq!(
            (report.benchmarks[3].measurements[0].observations[0], parsed.warnings.len()),
            (20_900.0, 0)
        );
    }
}
