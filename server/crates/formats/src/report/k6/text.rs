//! k6's end-of-test text.

use super::{Contains, TEXT, metric};
use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number, split_unit};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::report::vegeta::go_duration;
use crate::text::{text, without_colours};

/// `http_reqs......: rest`, also with the mark of a threshold in front and a submetric's braces around.
fn row(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches(['\u{2713}', '\u{2717}']).trim_start();
    let at = line.find(".: ")?;
    let (name, rest) = line.split_at_checked(at)?;
    let name = name.trim_end_matches('.').trim_end();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '{');
    (is_name && !name.is_empty()).then(|| (name, rest.trim_start_matches(['.', ':']).trim()))
}

/// Metrics that every summary prints.
const KNOWN: [&str; 5] = ["iterations", "http_reqs", "vus", "data_received", "iteration_duration"];

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let rows = head
        .lines()
        .filter(|line| row(&without_colours(line)).is_some_and(|(name, _)| KNOWN.contains(&name)));
    if rows.count() >= 2 { Sniff::Yes } else { Sniff::No }
}

type Value = (String, f64, Option<&'static str>);

/// What stands behind a metric's name, and what it contains.
fn values(rest: &str) -> (Contains, Vec<Value>) {
    // A trend: `avg=397.93µs min=… p(99.9)=9.09ms`, of plain numbers where it is no time.
    let named: Vec<(&str, &str)> = rest.split_whitespace().filter_map(|word| word.split_once('=')).collect();
    let words: Vec<&str> = rest.split_whitespace().collect();
    if rest.starts_with("avg=")
        || rest.starts_with("med=")
        || rest.starts_with("p(")
        || rest.starts_with("min=")
    {
        let is_time = named.iter().any(|(_, value)| value.ends_with('s'));
        let value = |text: &str| if is_time { go_duration(text) } else { number(text, Marks::Point) };
        let unit = is_time.then_some("ns");
        let contains = if is_time { Contains::Time } else { Contains::Other };
        let list = named.iter().filter_map(|(name, text)| Some(((*name).to_owned(), value(text)?, unit)));
        return (contains, list.collect());
    }
    let row = |name: &str, value: f64, unit: Option<&'static str>| (name.to_owned(), value, unit);
    match words.as_slice() {
        // A rate: `5.00%  40 out of 800`, in 0.x `5.00% ✓ 40 ✗ 760`.
        [percent, rest @ ..] if percent.ends_with('%') => {
            let rate = number(percent.trim_end_matches('%'), Marks::Point);
            let mut list: Vec<Value> = rate.map(|rate| row("rate", rate, Some("%"))).into_iter().collect();
            let counts: Vec<f64> = rest.iter().filter_map(|word| number(word, Marks::Point)).collect();
            if let [passes, second] = counts.as_slice() {
                let fails = if rest.contains(&"of") { second - passes } else { *second };
                list.extend([row("passes", *passes, None), row("fails", fails, None)]);
            }
            (Contains::Other, list)
        }
        // Data: `99 kB 1.3 MB/s`.
        [count, unit, rate, rate_unit] if unit.ends_with('B') && rate_unit.ends_with("B/s") => {
            let scaled = |value: &str, unit: &str| {
                let (_, scale) = model::Unit::parse(unit);
                number(value, Marks::Point).map(|value| value * scale)
            };
            let list = [("count", scaled(count, unit)), ("rate", scaled(rate, rate_unit))];
            let list = list.into_iter().filter_map(|(name, value)| Some(row(name, value?, None)));
            (Contains::Data, list.collect())
        }
        // A counter: `800    10417.926042/s`.
        [count, rate] if rate.ends_with("/s") => {
            let rate = split_unit(rate, Marks::Point).map(|(rate, _)| rate);
            let list = [("count", number(count, Marks::Point), None), ("rate", rate, Some("1/s"))];
            (
                Contains::Other,
                list.into_iter().filter_map(|(name, value, unit)| Some(row(name, value?, unit))).collect(),
            )
        }
        // A gauge: `5  min=5 max=5`.
        [value, ..] => {
            let mut list: Vec<Value> =
                number(value, Marks::Point).map(|value| row("value", value, None)).into_iter().collect();
            list.extend(
                named.iter().filter_map(|(name, text)| Some(row(name, number(text, Marks::Point)?, None))),
            );
            (Contains::Other, list)
        }
        [] => (Contains::Other, Vec::new()),
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut last = String::new();
    let mut subject = String::new();
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        let Some((name, rest)) = row(&line) else {
            let trimmed = line.trim();
            if let Some(threshold) = trimmed.strip_prefix("\u{2717} '") {
                let condition = threshold.split('\'').next().unwrap_or_default();
                builder.warn(At::Line(at), format!("the threshold {condition:?} on {subject} failed"));
                builder.fact(&format!("threshold {subject} {condition}"), "failed");
            } else if !trimmed.is_empty() && !trimmed.contains(' ') {
                // Thresholds stand below the name of their metric.
                trimmed.clone_into(&mut subject);
            }
            continue;
        };
        // `{ expected_response:true }` belongs to the metric above.
        let full = if name.starts_with('{') { format!("{last}{name}") } else { name.to_owned() };
        if !name.starts_with('{') {
            name.clone_into(&mut last);
        }
        if line.trim_start().starts_with('\u{2717}') {
            builder.warn(At::Line(at), format!("a threshold on {full} failed"));
        }
        let (contains, values) = values(rest);
        if values.is_empty() {
            builder.unknown_line(at, raw);
        } else {
            metric(&mut builder, &At::Line(at), &full, contains, &values)?;
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn the_older_layout_is_read() {
        let text = "     data_received..............: 1.5 MB 50 kB/s\n     \u{2713} http_req_duration..........: avg=1m2s     min=1\u{b5}s p(95)=2.5ms\n       { expected_response:true }...: avg=5ms\n   \
                    \u{2717} http_req_failed............: 5.00%  \u{2713} 40       \u{2717} 760\n     iterations.................: 400 52.5/s\n     vus........................: 5   min=5 max=6\n";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let shown: Vec<String> = report
            .benchmarks
            .iter()
            .flat_map(|b| {
                b.measurements
                    .iter()
                    .map(move |m| format!("{} {} {}", b.key, m.measure.name, m.observations[0]))
            })
            .collect();
        assert_eq!(
            shown,
            [
                "data_received count 1500000",
                "data_received rate 50000",
                "http_req_duration avg 62000000000",
                "http_req_duration p(95) 2500000",
                "http_req_duration{ expected_response:true } avg 5000000",
                "http_req_failed rate 0.05",
                "http_req_failed passes 40",
                "http_req_failed fails 760",
                "iterations count 400",
                "iterations rate 52.5",
                "vus value 5",
                "vus min 5",
                "vus max 6"
            ]
        );
        assert_eq!(parsed.warnings.len(), 1);
    }
}
