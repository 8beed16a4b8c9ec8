//! What `asv compare` and `asv continuous` print: two commits side by side, since 0.6 as a Markdown table.

use std::collections::BTreeMap;

use super::text::{scaled, value};
use super::{COMPARE, KIND};
use crate::error::{At, ParseError};
use crate::number::lines;
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::report::sides::{Cell, Columns, Taking, take};
use crate::text::{excerpt, text, without_colours};

const MEASURE: &str = "value";

/// Cells of `| Change | Before [c0412] <main> | After [79eb] <topic> | Ratio | Benchmark (Parameter) |`.
fn cells(line: &str) -> Option<[&str; 5]> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<&str> = inner.splitn(5, '|').map(str::trim).collect();
    cells.try_into().ok()
}

/// The labels of both sides.
fn heads(line: &str) -> Option<[&str; 2]> {
    let [change, before, after, ratio, benchmark] = cells(line)?;
    let ours = change == "Change"
        && ratio == "Ratio"
        && benchmark.starts_with("Benchmark")
        && before.starts_with("Before")
        && after.starts_with("After");
    ours.then_some([before, after])
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().any(|line| heads(&without_colours(line)).is_some()) { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(COMPARE.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let (mut columns, mut found) = (Columns::default(), Vec::new());
    let mut sides: Option<[usize; 2]> = None;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some([before, after]) = heads(&line) {
            let before = columns.place(&builder, At::Line(at), before)?;
            sides = Some([before, columns.place(&builder, At::Line(at), after)?]);
        } else if let (Some([_, before, after, _, name]), Some(sides)) = (cells(&line), sides) {
            if name.starts_with("---") {
                continue;
            }
            let Some(key) = builder.key(At::Line(at), name, BTreeMap::new()) else { continue };
            for (column, printed) in sides.into_iter().zip([before, after]) {
                let Some((value, _, unit)) = value(printed) else {
                    builder.warn(At::Line(at), format!("{key} is {:?} and skipped", excerpt(printed)));
                    continue;
                };
                let (unit, scale) = scaled(name.split('(').next().unwrap_or(name), &unit);
                let (key, measure) = (key.clone(), MEASURE.to_owned());
                found.push(Cell { column, line: at, key, measure, unit, value: value * scale });
            }
        } else if !is_known(line.trim()) {
            builder.unknown_line(at, &line);
        }
    }
    take(
        builder,
        columns,
        &found,
        Taking { wanted: input.hints.column.as_deref(), kind: KIND, summarised: true },
    )
}

/// Headings over the tables, the progress in front and the verdict below.
fn is_known(line: &str) -> bool {
    line.is_empty()
        || line == "All benchmarks:"
        || line.starts_with("Benchmarks that ")
        || line.starts_with('\u{b7}')
        || line.starts_with('[')
        || line.starts_with("SOME BENCHMARKS HAVE CHANGED")
        || line.starts_with("BENCHMARKS NOT SIGNIFICANTLY CHANGED")
        || line.starts_with("PERFORMANCE ")
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn two_commits_are_two_sides() {
        let text = "All benchmarks:\n\n\
            | Change   | Before [c041268a] <main>   | After [79ebc46b] <topic>   | Ratio   | Benchmark (Parameter)   |\n\
            |----------|----------------------------|----------------------------|---------|-------------------------|\n\
            |          | 24.6M                      | 24.7M                      | 1.00    | b.T.peakmem_l(1, 'a|b') |\n\
            | +        | 4.14\u{b1}0\u{3bc}s                   | 4.83\u{b1}0\u{3bc}s                   | 1.17    | b.T.time_x(1, 'a')      |\n\
            |          | failed                     | failed                     | n/a     | b.time_fail             |\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!((parsed.format, parsed.warnings.len()), ("asv-compare", 2));
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.columns, ["Before [c041268a] <main>", "After [79ebc46b] <topic>"]);
        let values: Vec<(String, f64)> = report
            .benchmarks
            .iter()
            .map(|b| (b.key.to_string(), b.measurements[0].observations[0]))
            .collect();
        assert_eq!(
            values,
            [("b.T.peakmem_l(1, 'a|b')".to_owned(), 24.7e6), ("b.T.time_x(1, 'a')".to_owned(), 4830.0)]
        );
    }
}
