//! Metrics as Prometheus and OpenMetrics expose them: `requests_total{code="200"} 1423 1395066363000`.
//!
//! See <https://prometheus.io/docs/instrumenting/exposition_formats/> and
//! <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>. Each series is a benchmark: its name
//! and its labels as parameters. Buckets and quantiles are series like any other; nothing is computed from them.
//! Times of creation are kept and never judged. Units are read from the names, as both documents prescribe.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::Better;
use rustc_hash::FxHashMap;

use crate::error::{At, ParseError};
use crate::number::{Marks, is_not_a_number, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::text;

pub(super) const READER: Reader =
    Reader { name: "prometheus", about: "Prometheus and OpenMetrics text", sniff, read };

/// The measure's name: a series is one value and has no other.
const MEASURE: &str = "value";
const TYPES: [&str; 9] =
    ["counter", "gauge", "histogram", "summary", "untyped", "unknown", "info", "stateset", "gaugehistogram"];

struct Sample<'t> {
    name: Cow<'t, str>,
    labels: BTreeMap<String, String>,
    value: &'t str,
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | ':')
}

/// A quoted text with its escapes undone, and what follows the closing quote.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, text.get(at + 2..)?)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                c @ ('\\' | '"') => value.push(c),
                c => value.extend(['\\', c]),
            },
            c => value.push(c),
        }
    }
    None
}

/// Labels up to the closing brace, the metric's name where it is quoted among them, and what follows.
fn labels(mut rest: &str) -> Option<(Option<String>, BTreeMap<String, String>, &str)> {
    let (mut name, mut labels) = (None, BTreeMap::new());
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((name, labels, behind));
        }
        let (label, behind) = if rest.starts_with('"') {
            quoted(rest)?
        } else {
            let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let (label, behind) = rest.split_at_checked(end)?;
            (label.to_owned(), behind)
        };
        let Some(value) = behind.trim_start().strip_prefix('=') else {
            // A name alone is the metric's own.
            if !rest.starts_with('"') {
                return None;
            }
            name = Some(label);
            rest = behind;
            continue;
        };
        let (value, behind) = quoted(value.trim_start())?;
        if label.is_empty() {
            return None;
        }
        labels.insert(label, value);
        rest = behind;
    }
}

fn sample(line: &str) -> Option<Sample<'_>> {
    let line = line.trim();
    let end = line.find(|c: char| !is_name(c)).unwrap_or(line.len());
    let (name, rest) = line.split_at_checked(end)?;
    let rest = rest.trim_start();
    let (quoted, labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (None, BTreeMap::new(), rest),
    };
    let name = quoted.map_or(Cow::Borrowed(name), Cow::Owned);
    // Behind the value may stand a time and, behind `#`, an exemplar.
    let mut words = rest.split('#').next().unwrap_or_default().split_whitespace();
    let value = words.next()?;
    let time_is_number = words.next().is_none_or(|time| number(time, Marks::Point).is_some());
    let known = number(value, Marks::Point).is_some() || is_not_a_number(value);
    let named = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
    (named && known && time_is_number && words.next().is_none()).then_some(Sample { name, labels, value })
}

/// `# TYPE name counter`.
fn type_line(line: &str) -> Option<(&str, &str)> {
    let (name, kind) = line.trim().strip_prefix("# TYPE ")?.trim().rsplit_once(' ')?;
    TYPES.contains(&kind).then_some((name.trim(), kind))
}

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let (mut samples, mut braced, mut others) = (0, 0, 0);
    for line in head.lines() {
        if type_line(line).is_some() {
            return Sniff::Yes;
        }
        match sample(line) {
            Some(sample) => {
                samples += 1;
                braced += usize::from(!sample.labels.is_empty());
            }
            None if line.trim().is_empty() || line.starts_with('#') => {}
            None => others += 1,
        }
    }
    // Without the types only labels tell a metric from any other word before a number.
    if braced > 0 && others * 4 <= samples { Sniff::Maybe } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut types: FxHashMap<&str, &str> = FxHashMap::default();
    let (mut n_samples, mut first_odd) = (0_usize, None);
    for (at, line) in lines(&text) {
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with('#') {
            if let Some((name, kind)) = type_line(line) {
                types.insert(name.trim_matches('"'), kind);
            }
            if line.trim() == "# EOF" {
                break;
            }
            continue;
        }
        let Some(sample) = sample(line) else {
            builder.unknown_line(at, line);
            continue;
        };
        n_samples += 1;
        let Some(value) = number(sample.value, Marks::Point) else {
            let text = format!("{}{} is {} and skipped", sample.name, shown(&sample.labels), sample.value);
            first_odd.get_or_insert_with(|| (at, text.clone()));
            builder.warn(At::Line(at), text);
            continue;
        };
        let (unit, better) = meaning(&sample.name, &sample.labels, &types);
        let Some(mut entry) = Entry::new(&mut builder, At::Line(at), &sample.name, sample.labels, None)
        else {
            continue;
        };
        entry.observe(Reading { measure: MEASURE, unit, value, better, summarised: false })?;
    }
    if let (true, true, Some((at, text))) = (builder.is_empty(), n_samples > 0, first_odd) {
        return Ok(builder.finish_empty(At::Line(at), &text));
    }
    builder.finish(None)
}

fn shown(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) }
}

/// The family that a series belongs to and the suffix that says what it is of the family.
fn family<'n>(name: &'n str, types: &FxHashMap<&str, &str>) -> (&'n str, &'n str) {
    let suffixes = ["_bucket", "_count", "_sum", "_created", "_total", "_info"];
    let of = suffixes.iter().find_map(|suffix| {
        let family = name.strip_suffix(suffix)?;
        types.contains_key(family).then(|| (family, name.get(family.len()..).unwrap_or_default()))
    });
    of.unwrap_or((name, ""))
}

/// The unit and the direction that a name speaks of. What only grows is information: how much is better depends on
/// what was asked for.
fn meaning(
    name: &str,
    labels: &BTreeMap<String, String>,
    types: &FxHashMap<&str, &str>,
) -> (&'static str, Option<Better>) {
    let (family, suffix) = family(name, types);
    let kind = types.get(family).or_else(|| types.get(name)).copied().unwrap_or_default();
    if suffix == "_created" || name.ends_with("_created") || name.ends_with("_timestamp_seconds") {
        return ("timestamp", Some(Better::Neither));
    }
    if name.ends_with("_start_time_seconds")
        || name.ends_with("_boot_time_seconds")
        || name == "node_time_seconds"
    {
        return ("timestamp", Some(Better::Neither));
    }
    if matches!(suffix, "_bucket" | "_count") || (suffix.is_empty() && labels.contains_key("le")) {
        return ("count", Some(Better::Neither));
    }
    let unit = unit_of(family.strip_suffix("_total").unwrap_or(family));
    let grows = suffix == "_sum" || kind == "counter" || name.ends_with("_total");
    let told = matches!(kind, "info" | "stateset");
    (unit, (grows || told).then_some(Better::Neither))
}

fn unit_of(family: &str) -> &'static str {
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| family.ends_with(suffix));
    if ends(&["_bytes_per_second"]) {
        "B/s"
    } else if ends(&["_per_second"]) {
        "1/s"
    } else if ends(&["_milliseconds"]) {
        "ms"
    } else if ends(&["_microseconds"]) {
        "us"
    } else if ends(&["_nanoseconds"]) {
        "ns"
    } else if ends(&["_seconds"]) {
        "s"
    } else if ends(&["_bytes"]) {
        "B"
    } else if ends(&["_ratio"]) {
        "ratio"
    } else if ends(&["_percent"]) {
        "%"
    } else {
        "count"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Content, Hints};
    use crate::{Limits, read as read_any};

    fn parsed(text: &str) -> Parsed {
        read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap()
    }

    fn series(parsed: &Parsed) -> Vec<(String, String, f64, Better)> {
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let of = |b: &model::Benchmark| {
            let m = &b.measurements[0];
            (b.key.to_string(), m.measure.unit.to_string(), m.observations[0], m.measure.better)
        };
        report.benchmarks.iter().map(of).collect()
    }

    #[test]
    fn a_dump_of_the_node_exporter_is_read() {
        let parsed = parsed(
            "# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.\r\n# TYPE node_cpu_seconds_total counter\r\n\
             node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 362812.789\r\n\
             # TYPE go_gc_duration_seconds summary\ngo_gc_duration_seconds{quantile=\"0.5\",} 9.5e-05 1395066363000\n\
             go_gc_duration_seconds_sum 0.5\ngo_gc_duration_seconds_count 12\n# TYPE node_load1 gauge\nnode_load1 0.21\n\
             # TYPE temp_seconds gauge\ntemp_seconds NaN\nrate_bytes_per_second 5\nnode_boot_time_seconds 1.6e9\n",
        );
        let read = series(&parsed);
        assert_eq!(read[0].0, "node_cpu_seconds_total [cpu=0, mode=idle]");
        assert_eq!((read[0].1.as_str(), read[0].3), ("ns", Better::Neither));
        assert_eq!((read[1].2, read[1].3), (95_000.0, Better::Lower));
        assert_eq!((read[3].1.as_str(), read[3].2), ("count", 12.0));
        assert_eq!(read[5].3, Better::Higher);
        assert_eq!(read[6].1, "timestamp");
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    }

    #[test]
    fn names_in_quotes_and_escapes_are_undone() {
        let read =
            sample("{\"my.metric\", \"a.b\"=\"x\\\"y\\\\z\\n{}\", c=\"#\"} 5 # {trace=\"1\"} 0.5").unwrap();
        assert_eq!((read.name.as_ref(), read.value), ("my.metric", "5"));
        assert_eq!(read.labels["a.b"], "x\"y\\z\n{}");
        assert_eq!(read.labels["c"], "#");
    }

    #[test]
    fn nothing_but_nan_is_an_empty_report() {
        let parsed = parsed("# TYPE a gauge\na NaN\n");
        assert!(series(&parsed).is_empty());
        assert!(
            sample("a").is_none()
                && sample("a b c").is_none()
                && sample("{} 1").is_none()
                && sample("a{b=\"c} 1").is_none()
        );
    }
}
