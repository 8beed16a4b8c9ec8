//! stress-ng's metrics: the file of `--yaml` and the table that `--metrics` prints.
//!
//! Written from stress-ng 0.09 to 0.18 (<https://github.com/ColinIanKing/stress-ng>). Bogo operations a second of real
//! time are what people compare; their number depends on how long it ran.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::text;

pub(super) const YAML: Reader =
    Reader { name: "stress-ng", about: "stress-ng --yaml", sniff: sniff_yaml, read: read_yaml };
pub(super) const TEXT: Reader = Reader {
    name: "stress-ng-text",
    about: "the table of stress-ng --metrics",
    sniff: sniff_text,
    read: read_text,
};

const KIND: Option<Kind> = Some(Kind::EndToEnd);

/// Unit and direction of a metric by its name in YAML.
fn nature(name: &str) -> (&'static str, Better) {
    match name {
        "bogo-ops" => ("count", Better::Neither),
        _ if name.contains("per-second") => ("1/s", Better::Higher),
        "wall-clock-time" => ("s", Better::Neither),
        "user-time" | "system-time" => ("s", Better::Lower),
        "max-rss" => ("KiB", Better::Lower),
        _ if name.starts_with("cpu-usage") => ("%", Better::Neither),
        _ => ("", Better::Neither),
    }
}

fn sniff_yaml(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.contains("stressor: ") && head.contains("bogo-ops") { Sniff::Yes } else { Sniff::No }
}

fn read_yaml(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(YAML.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut section = String::new();
    let mut key: Option<BenchmarkKey> = None;
    for (at, line) in lines(&text) {
        let Some((name, value)) = line.trim().trim_start_matches("- ").split_once(':') else { continue };
        let value = value.trim().trim_matches('\'');
        if !line.starts_with([' ', '-']) {
            name.clone_into(&mut section);
            key = None;
        } else if name == "stressor" {
            key = builder.key(At::Line(at), value, BTreeMap::new());
        } else if section == "system-info" {
            builder.fact(name, value);
        } else if let (Some(key), "metrics") = (&key, section.as_str()) {
            let Some(number) = number(value, Marks::Point) else {
                builder.unknown_line(at, line);
                continue;
            };
            let (unit, better) = nature(name);
            let reading = Reading::raw(name, unit, number).towards(better);
            builder.observe(At::Line(at), key, KIND, reading)?;
        }
    }
    builder.finish(None)
}

/// The cells of a metrics line, behind `stress-ng: info:  [12] `.
fn cells(line: &str) -> Option<Vec<&str>> {
    let (_, rest) = line.split_once("stress-ng: ")?;
    let (_, rest) = rest.split_once(']')?;
    Some(rest.split_whitespace().collect())
}

fn is_heading(cells: &[&str]) -> bool {
    cells.starts_with(&["stressor", "bogo", "ops", "real", "time", "usr", "time"])
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    if head.lines().filter_map(cells).any(|cells| is_heading(&cells)) { Sniff::Yes } else { Sniff::No }
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    const COLUMNS: [&str; 8] = [
        "bogo-ops",
        "wall-clock-time",
        "user-time",
        "system-time",
        "bogo-ops-per-second-real-time",
        "bogo-ops-per-second-usr-sys-time",
        "cpu-usage-per-instance",
        "max-rss",
    ];
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut in_table = false;
    for (at, line) in lines(&text) {
        let Some(cells) = cells(line) else { continue };
        if is_heading(&cells) {
            in_table = true;
            continue;
        }
        let [name, values @ ..] = cells.as_slice() else { continue };
        let values: Option<Vec<f64>> = values.iter().map(|value| number(value, Marks::Point)).collect();
        // The heading's second line has words where rows have numbers; other lines are stress-ng's talk.
        let Some(values) = values.filter(|values| in_table && values.len() >= 6) else {
            if line.contains(" fail:") || line.contains("unsuccessful run") {
                builder.unknown_line(at, line);
            }
            continue;
        };
        let Some(key) = builder.key(At::Line(at), name, BTreeMap::new()) else { continue };
        for (measure, value) in COLUMNS.into_iter().zip(values) {
            let (unit, better) = nature(measure);
            let reading = Reading::raw(measure, unit, value).towards(better);
            builder.observe(At::Line(at), &key, KIND, reading)?;
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn the_printed_table_gives_the_measures_of_the_file() {
        let text = "stress-ng: info:  [1] dispatching hogs: 2 cpu\n\
            stress-ng: metrc: [1] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n\
            stress-ng: metrc: [1]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)\n\
            stress-ng: metrc: [1] cpu                200      0.52      0.12      0.00       382.96        1637.09\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = parsed.content else { panic!("a report") };
        let rate =
            report.benchmarks[0].measurements.iter().find(|m| m.measure.name.as_str().ends_with("real-time"));
        assert_eq!(rate.unwrap().observations, [382.96]);
    }
}
