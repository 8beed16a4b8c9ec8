//! iai and gungraun (formerly iai-callgrind) as text: a benchmark's name, and below it indented `Event: new|old (change)`.
//!
//! Written from the output of iai 0.1 and of gungraun 0.10 to 0.20 (<https://gungraun.github.io/gungraun/>). Left of `|`
//! is this run, right of it the run before, which is kept as a figure. Colours and foreign lines come between.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, FigureReading, Reading};
use crate::text::{text, without_colours};

pub(super) const READER: Reader = Reader {
    name: "iai",
    about: "the text of iai, iai-callgrind and gungraun: counted instructions and memory accesses",
    sniff,
    read,
};

/// Events that begin the block of a benchmark.
const FIRST: [&str; 3] = ["Instructions", "Total bytes", "Ir"];

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut before = String::new();
    for line in head.lines() {
        let line = without_colours(line).into_owned();
        let begins = event(&line).is_some_and(|event| FIRST.contains(&event.name));
        if begins && is_name(&before) {
            return Sniff::Yes;
        }
        before = line;
    }
    Sniff::No
}

/// `  L1 Hits:   2359|2275   (+3.69%) [+1.03560x]`.
struct Event<'a> {
    name: &'a str,
    new: Option<f64>,
    old: Option<f64>,
}

fn event(line: &str) -> Option<Event<'_>> {
    let rest = line.strip_prefix("  ")?;
    let (name, values) = rest.split_once(':')?;
    let named =
        name.trim_start() == name.trim() && name.trim().starts_with(|c: char| c.is_ascii_alphabetic());
    let values = values.trim();
    let (values, _) = values.split_once(" (").unwrap_or((values, ""));
    let values = values.split_whitespace().next()?;
    let (new, old) = values.split_once('|').unwrap_or((values, ""));
    let value = |text: &str| number(text.trim_matches('*'), Marks::Point);
    let (new, old) = (value(new), value(old));
    (named && (new.is_some() || old.is_some())).then_some(Event { name: name.trim(), new, old })
}

/// A line at the margin that can name a benchmark: a path of `::` and what the harness puts behind it, or one word.
fn is_name(line: &str) -> bool {
    let begins = line.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    begins && (line.contains("::") || !line.trim().contains(char::is_whitespace)) && !line.ends_with(':')
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut name = String::new();
    let mut key: Option<BenchmarkKey> = None;
    for (at, raw) in lines(&text) {
        let line = without_colours(raw);
        if let Some(event) = event(&line) {
            if FIRST.contains(&event.name) && !name.is_empty() {
                key = builder.key(At::Line(at), &name, BTreeMap::new());
                name.clear();
            }
            match &key {
                Some(key) => observe(&mut builder, at, key, &event)?,
                None => builder.unknown_line(at, raw),
            }
        } else if is_name(&line) {
            name = line.trim_end().to_owned();
            key = None;
        } else if !name.is_empty() && line.starts_with(|c: char| c.is_whitespace()) && !line.trim().is_empty()
        {
            // Arguments that go over several lines belong to the name.
            name.push(' ');
            name.push_str(line.trim());
        } else if line.trim_start().starts_with("Error:") || line.contains("panicked at") {
            let failed = key.clone().or_else(|| builder.key(At::Line(at), &name, BTreeMap::new()));
            match failed.filter(|_| !name.is_empty()) {
                Some(failed) => builder.fail(&failed, Some(Kind::Micro), line.trim())?,
                None => builder.unknown_line(at, raw),
            }
        }
    }
    builder.finish(None)
}

fn observe(
    builder: &mut Builder<'_>,
    at: usize,
    key: &BenchmarkKey,
    event: &Event<'_>,
) -> Result<(), ParseError> {
    let unit = if event.name.ends_with("Rate") { "%" } else { "count" };
    let Some(new) = event.new else {
        builder.warn(At::Line(at), format!("{} has a value of the run before only, skipped", event.name));
        return Ok(());
    };
    builder.observe(At::Line(at), key, Some(Kind::Micro), Reading::raw(event.name, unit, new))?;
    if let Some(old) = event.old {
        builder.figure(At::Line(at), key, event.name, FigureReading { name: "run before", unit, value: old });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::read::{Content, Hints};

    #[test]
    fn new_stands_left_of_old_and_colours_are_nothing() {
        let text = "running 0 tests\n\n\u{1b}[32mm::g::b\u{1b}[0m short:10\n  Instructions:   \u{1b}[1m1734\u{1b}[0m|1650   (+5.0%) [+1.05x]\n  \
                    L1 Hit Rate:   99.5|N/A  (*****)\n  Gone:   N/A|5   (*****)\nok\nplain\n  Instructions:   7 (No change)\n";
        let parsed = crate::read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        let names: Vec<String> = report.benchmarks.iter().map(|b| b.key.to_string()).collect();
        assert_eq!(names, ["m::g::b short:10", "plain"]);
        let first = &report.benchmarks[0].measurements;
        assert_eq!((first[0].observations[0], first[0].figures[0].value), (1734.0, 1650.0));
        assert!((first[1].observations[0] - 0.995).abs() < 1e-12);
        assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    }
}
