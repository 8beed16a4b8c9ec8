//! JMeter's results as CSV, with or without a heading.

use super::{CSV, Labels};
use crate::csv::{Row, Rows};
use crate::error::{At, ParseError};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::text;

/// Separators that `jmeter.save.saveservice.default_delimiter` is set to.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// Where the columns are.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Columns {
    timestamp: usize,
    elapsed: usize,
    label: usize,
    success: Option<usize>,
}

/// The order without a heading.
const DEFAULT: Columns = Columns { timestamp: 0, elapsed: 1, label: 2, success: Some(7) };

fn from_heading(row: &Row<'_>) -> Option<Columns> {
    let at = |name: &str| row.cells.iter().position(|cell| cell.trim() == name);
    Some(Columns {
        timestamp: at("timeStamp")?,
        elapsed: at("elapsed")?,
        label: at("label")?,
        success: at("success"),
    })
}

fn layout(text: &str) -> Option<(char, Option<Columns>)> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    SEPARATORS.into_iter().find_map(|separator| {
        let row = Rows::new(CSV.name, first, separator).next()?.ok()?;
        if let Some(columns) = from_heading(&row) {
            return Some((separator, Some(columns)));
        }
        // Epoch milliseconds, elapsed, label, code, message, thread, type, success.
        let is_epoch = row.cell(0).len() == 13 && row.cell(0).bytes().all(|b| b.is_ascii_digit());
        let fits = row.cells.len() >= 8
            && row.cell(1).parse::<u64>().is_ok()
            && matches!(row.cell(7), "true" | "false");
        (is_epoch && fits).then_some((separator, None))
    })
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    if layout(&String::from_utf8_lossy(head)).is_some() { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(CSV.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let (separator, heading) = layout(&text).unwrap_or((',', None));
    let columns = heading.unwrap_or(DEFAULT);
    let mut labels = Labels::default();
    for row in Rows::new(CSV.name, &text, separator).skip(usize::from(heading.is_some())) {
        let row = row?;
        let success = columns.success.map(|column| row.cell(column).trim());
        let elapsed = number(row.cell(columns.elapsed), Marks::Point).filter(|elapsed| *elapsed >= 0.0);
        let (Some(elapsed), true) =
            (elapsed, success.is_none_or(|success| matches!(success, "true" | "false")))
        else {
            builder.warn(
                At::Line(row.line),
                "not a sample: its elapsed time or its success is missing, skipped",
            );
            continue;
        };
        // Formatted dates are in the zone of whoever wrote them; they give no span worth having.
        let begin = number(row.cell(columns.timestamp), Marks::Point).filter(|begin| *begin > 1e11);
        labels.push(row.cell(columns.label), elapsed, success == Some("false"), begin);
    }
    labels.report(&mut builder)?;
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn short_rows_are_told_and_a_label_that_always_fails_failed() {
        let text = "timeStamp;elapsed;label;responseCode;success\n1393227741000;100;a;200;true\n1393227742000;300;a;200;true\n1;x;a\n1393227741256;5;b;500;false\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let rate =
            report.benchmarks[0].measurements.iter().find(|m| m.measure.name.as_str() == "rate").unwrap();
        assert!((rate.observations[0] - 2.0 / 1.3).abs() < 1e-9);
        assert!(matches!(report.benchmarks[1].status, Status::Failed(_)));
        assert_eq!(parsed.warnings.len(), 1);
    }
}
