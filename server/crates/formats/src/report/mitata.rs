//! mitata: the JSON of `run({ format: 'json' })` and the table on the terminal.
//!
//! See <https://github.com/evanwashere/mitata>. Times are nanoseconds in the JSON, in the unit of each cell in the text.
//! Version 0 has the statistics beside the name, version 1 a list of runs with their arguments.

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::json::{Field, Json, outline, parse};
use crate::number::{Marks, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::{text, without_colours};

pub(super) const JSON: Reader =
    Reader { name: "mitata", about: "mitata's JSON", sniff: sniff_json, read: read_json };
pub(super) const TEXT: Reader =
    Reader { name: "mitata-text", about: "mitata's table", sniff: sniff_text, read: read_text };

const KIND: Option<Kind> = Some(Kind::Micro);
const AVERAGE: &str = "avg";

fn sniff_json(head: &[u8]) -> Sniff {
    let outline = outline(head);
    let has = |path: &str| outline.paths.iter().any(|known| known.join("/") == path);
    let new = has("benchmarks/[]/runs") && (has("layout") || has("benchmarks/[]/alias"));
    let old = has("benchmarks/[]/stats/avg") && has("benchmarks/[]/name");
    if outline.opens == Some('{') && (new || old) { Sniff::Yes } else { Sniff::No }
}

fn read_json(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(JSON.name, input.limits);
    let json = parse(JSON.name, input.bytes, input.limits)?;
    let root = Field::root(JSON.name, &json);
    context(&mut builder, &root);
    let layout = root.get("layout");
    let groups: Vec<Option<String>> = match &layout {
        Some(layout) => layout.items()?.map(|group| group.get("name")?.scalar().ok()).collect(),
        None => Vec::new(),
    };
    for benchmark in root.need("benchmarks")?.items()? {
        let group = benchmark.get("group").and_then(|group| match group.json {
            Json::Text(name) => Some(name.as_ref()),
            _ => usize::try_from(group.count().ok()?).ok().and_then(|at| groups.get(at)?.as_deref()),
        });
        match benchmark.get("runs") {
            Some(runs) => {
                for run in runs.items()? {
                    read_run(&mut builder, &benchmark, &run, group)?;
                }
            }
            None => read_run(&mut builder, &benchmark, &benchmark, group)?,
        }
    }
    builder.finish(None)
}

fn context(builder: &mut Builder<'_>, root: &Field<'_>) {
    let context = root.get("context");
    let context = context.as_ref().unwrap_or(root);
    for name in ["arch", "runtime", "version"] {
        if let Some(value) = context.get(name).and_then(|field| field.scalar().ok()) {
            builder.fact(name, &value);
        }
    }
    if let Some(cpu) = context.get("cpu")
        && let Some(name) = cpu.scalar().ok().or_else(|| cpu.get("name")?.scalar().ok())
    {
        builder.fact("cpu", &name);
    }
}

fn read_run(
    builder: &mut Builder<'_>,
    benchmark: &Field<'_>,
    run: &Field<'_>,
    group: Option<&str>,
) -> Result<(), ParseError> {
    let named = run.get("name").or_else(|| benchmark.get("alias")).or_else(|| benchmark.get("name"));
    let name = named.ok_or_else(|| run.invalid("the field \"name\" is missing"))?;
    let mut parameters = BTreeMap::new();
    if let Some(group) = group {
        parameters.insert("group".to_owned(), group.to_owned());
    }
    if let Some(args) = run.get("args") {
        for (name, value) in args.members()? {
            parameters.insert(
                name.to_owned(),
                value.scalar().unwrap_or_else(|_| value.json.to_value().to_string()),
            );
        }
    }
    let Some(mut entry) = Entry::new(builder, run.at(), name.text()?, parameters, KIND) else {
        return Ok(());
    };
    if let Some(stats) = run.get("stats") {
        statistics(&mut entry, &stats)?;
    }
    match run.get("error") {
        Some(error) => {
            let message = error.scalar().ok().or_else(|| error.get("message")?.scalar().ok());
            entry.fail(message.as_deref().unwrap_or("error"))
        }
        None if run.get("stats").is_none() => entry.fail("it has no result"),
        None => Ok(()),
    }
}

fn statistics(entry: &mut Entry<'_, '_>, stats: &Field<'_>) -> Result<(), ParseError> {
    let average = stats.need(AVERAGE)?.number()?;
    match stats.get("samples").filter(|samples| matches!(samples.json, Json::List(list) if !list.is_empty()))
    {
        Some(samples) => {
            for sample in samples.items()? {
                let reading = Reading::raw(AVERAGE, "ns", sample.number()?).towards(Better::Lower);
                entry.builder.observe(sample.at(), &entry.key, entry.kind, reading)?;
            }
            entry.figure(AVERAGE, AVERAGE, "ns", average);
        }
        None => entry.observe(Reading::summary(AVERAGE, "ns", average).towards(Better::Lower))?,
    }
    for (member, field) in stats.members()? {
        match (member, field.json) {
            ("min" | "max", Json::Number(value)) => entry.figure(AVERAGE, member, "ns", *value),
            (_, Json::Number(value)) if member.starts_with('p') => {
                entry.observe(Reading::summary(member, "ns", *value).towards(Better::Lower))?;
            }
            ("heap" | "gc", Json::Object(_)) => {
                let unit = if member == "heap" { "B" } else { "ns" };
                if let Some(average) = field.get(AVERAGE) {
                    entry
                        .observe(Reading::summary(member, unit, average.number()?).towards(Better::Lower))?;
                    for bound in ["min", "max"] {
                        if let Some(value) = field.get(bound) {
                            entry.figure(member, &format!("{member} {bound}"), unit, value.number()?);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The head of the table, in both versions.
fn is_head(line: &str) -> bool {
    (line.starts_with("benchmark ") || line.starts_with("\u{2022} "))
        && ((line.contains("avg (min \u{2026} max)") && line.contains("p75"))
            || (line.contains("time (avg)") && line.contains("(min \u{2026} max)")))
}

fn sniff_text(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut headed = false;
    for line in head.lines() {
        let line = without_colours(line);
        headed |= is_head(line.trim());
    }
    if headed { Sniff::Yes } else { Sniff::No }
}

/// A name, then `1.23 µs/iter` and what stands behind.
fn result(line: &str) -> Option<(&str, f64, &str, &str)> {
    let (before, after) = line.split_once("/iter")?;
    let (before, unit) = before.trim_end().rsplit_once(' ')?;
    let (name, value) = before.trim_end().rsplit_once(' ')?;
    Some((name.trim(), number(value, Marks::ThousandsComma)?, unit, after))
}

/// `1.25 µs` at the beginning of a text, and the rest.
fn time(text: &str) -> Option<(f64, &str, &str)> {
    let (value, rest) = text.trim_start().split_once(' ')?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphabetic() && c != '\u{b5}').unwrap_or(rest.len());
    let (unit, rest) = rest.split_at_checked(end)?;
    let known = matches!(model::Unit::parse(unit).0, model::Unit::Nanoseconds);
    Some((number(value, Marks::ThousandsComma).filter(|_| known)?, unit, rest))
}

/// `(1.20 µs … 1.40 µs)` and what stands behind.
fn bounds(text: &str) -> Option<([(f64, &str); 2], &str)> {
    let (min, min_unit, rest) = time(text.trim_start().strip_prefix('(')?)?;
    let (max, max_unit, rest) = time(rest.trim_start().strip_prefix('\u{2026}')?)?;
    Some(([(min, min_unit), (max, max_unit)], rest.trim_start().strip_prefix(')')?))
}

fn read_text(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(TEXT.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut group: Option<String> = None;
    // The benchmark whose second line, with its bounds, is still to come.
    let mut open: Option<String> = None;
    for (at, line) in lines(&text) {
        let line = without_colours(line);
        let bare = line.trim();
        if let Some((name, value, unit, rest)) = result(bare) {
            open = Some(name.to_owned());
            let Some(mut entry) = text_entry(&mut builder, at, name, group.as_deref()) else { continue };
            entry.observe(Reading::summary(AVERAGE, unit, value).towards(Better::Lower))?;
            if let Some((both, rest)) = bounds(rest) {
                say_bounds(&mut entry, both);
                percentiles(&mut entry, &["p75", "p99", "p999"], rest)?;
                open = None;
            } else {
                percentiles(&mut entry, &["p75"], rest)?;
            }
        } else if let Some((both, rest)) = bounds(bare) {
            let Some(name) = open.take() else { continue };
            let Some(mut entry) = text_entry(&mut builder, at, &name, group.as_deref()) else { continue };
            say_bounds(&mut entry, both);
            percentiles(&mut entry, &["p99"], rest)?;
        } else if let Some((name, reason)) =
            bare.split_once("error: ").filter(|(name, _)| !name.trim().is_empty())
        {
            let Some(mut entry) = text_entry(&mut builder, at, name, group.as_deref()) else { continue };
            entry.fail(reason)?;
        } else if let Some(name) = bare.strip_prefix("\u{2022} ").filter(|_| !is_head(bare)) {
            group = Some(name.trim().to_owned());
        } else if !is_known(&mut builder, bare) {
            builder.unknown_line(at, &line);
        }
    }
    builder.finish(None)
}

fn text_entry<'b, 'a>(
    builder: &'b mut Builder<'a>,
    at: usize,
    name: &str,
    group: Option<&str>,
) -> Option<Entry<'b, 'a>> {
    let parameters = group.map(|group| ("group".to_owned(), group.to_owned())).into_iter().collect();
    Entry::new(builder, At::Line(at), name, parameters, KIND)
}

fn say_bounds(entry: &mut Entry<'_, '_>, both: [(f64, &str); 2]) {
    for (name, (value, unit)) in ["min", "max"].iter().zip(both) {
        entry.figure(AVERAGE, name, unit, value);
    }
}

fn percentiles(entry: &mut Entry<'_, '_>, names: &[&str], mut rest: &str) -> Result<(), ParseError> {
    for name in names {
        let Some((value, unit, behind)) = time(rest.trim()) else {
            break;
        };
        entry.observe(Reading::summary(name, unit, value).towards(Better::Lower))?;
        rest = behind;
    }
    Ok(())
}

fn is_known(builder: &mut Builder<'_>, line: &str) -> bool {
    for fact in ["clk", "cpu", "runtime"] {
        if let Some(value) = line.strip_prefix(fact).and_then(|rest| rest.strip_prefix(": ")) {
            builder.fact(fact, value.trim());
            return true;
        }
    }
    let drawing = |c: char| c.is_whitespace() || c == '-' || ('\u{2500}'..='\u{259f}').contains(&c);
    line.chars().all(drawing)
        || is_head(line)
        || line == "summary"
        || line.contains("x faster than ")
        || line.contains("x slower than ")
        || (line.starts_with("gc(") || line.contains(" ipc (") || line.contains(" gc("))
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints, Report};
    use crate::{Limits, read as read_any};

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    fn values(report: &Report, index: usize) -> Vec<(String, f64)> {
        let of = &report.benchmarks[index].measurements;
        of.iter().map(|m| (m.measure.name.to_string(), m.observations[0])).collect()
    }

    #[test]
    fn the_table_of_version_one_has_two_lines_a_benchmark() {
        let report = report(
            "clk: ~3.05 GHz\ncpu: Apple M1\nruntime: bun 1.1.34 (arm64-darwin)\n\n\
             benchmark                   avg (min \u{2026} max) p75 / p99    (min \u{2026} top 1%)\n\
             ------------------------------------------- -------------------------------\n\
             \u{2022} json\nfib(10)                       1.23 \u{b5}s/iter   1.25 \u{b5}s   \u{2588}\n\
             \x20                    (1.20 \u{b5}s \u{2026} 1.40 \u{b5}s)   1.31 \u{b5}s  \u{2582}\u{2588}\u{2583}\n\
             throws                error: boom\n\nsummary\n  fib(10)\n   2x faster than b\n",
        );
        assert_eq!(
            values(&report, 0),
            [("avg".to_owned(), 1230.0), ("p75".to_owned(), 1250.0), ("p99".to_owned(), 1310.0)]
        );
        assert_eq!(report.benchmarks[0].measurements[0].figures.len(), 2);
        assert_eq!(report.benchmarks[0].key.parameters["group"], "json");
        assert!(matches!(report.benchmarks[1].status, model::Status::Failed(_)));
    }

    #[test]
    fn the_table_of_version_zero_has_one() {
        let report = report(
            "cpu: x\nruntime: node v18\n\nbenchmark      time (avg)             (min \u{2026} max)       p75       p99      p995\n\
             ------------------------------------------------- -----------------------------\n\
             noop        86.85 ps/iter    (81.39 ps \u{2026} 1.2 ns)  88.25 ps  100.1 ps  120 ps\n",
        );
        assert_eq!(report.benchmarks[0].measurements.len(), 4);
        assert!((values(&report, 0)[0].1 - 0.08685).abs() < 1e-9);
    }

    #[test]
    fn json_of_both_versions_is_read() {
        let old = report(
            r#"{"cpu": "x", "runtime": "node", "benchmarks": [{"name": "a", "group": null, "stats": {"min": 1, "max": 3, "p50": 2, "avg": 2.5}}]}"#,
        );
        assert_eq!(values(&old, 0), [("avg".to_owned(), 2.5), ("p50".to_owned(), 2.0)]);
        let new = report(
            r#"{"layout": [{"name": "g"}], "benchmarks": [{"alias": "f $n", "group": 0, "runs": [
                {"name": "f 1", "args": {"n": 1}, "stats": {"samples": [1, 2], "avg": 1.5, "min": 1}},
                {"name": "f 2", "args": {"n": 2}, "error": {"message": "boom"}}]}]}"#,
        );
        assert_eq!(new.benchmarks[0].measurements[0].observations, [1.0, 2.0]);
        assert_eq!(new.benchmarks[0].key.to_string(), "f 1 [group=g, n=1]");
        assert!(matches!(new.benchmarks[1].status, model::Status::Failed(_)));
    }
}
