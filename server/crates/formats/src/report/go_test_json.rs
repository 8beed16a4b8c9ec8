//! `go test -json -bench`: the events of test2json, whose output is what `go test -bench` prints.
//!
//! See <https://pkg.go.dev/cmd/test2json>. Packages run side by side, so each one's output is joined by itself; a
//! benchmark's name and its values come in separate events.

use rustc_hash::FxHashMap;

use crate::error::{At, ParseError};
use crate::json::{Field, Json, parse};
use crate::number::lines;
use crate::read::{Input, Parsed, Reader, Sniff, Warning};
use crate::report::builder::Builder;
use crate::report::go_bench;
use crate::text::text;

pub(super) const READER: Reader =
    Reader { name: "go-test-json", about: "go test -json with benchmarks", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let event = |line: &str| {
        line.starts_with('{') && line.contains("\"Action\":\"") && line.contains("\"Package\":\"")
    };
    if head.lines().any(event) { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut outputs: Vec<(String, String)> = Vec::new();
    for (at, line) in lines(&text).filter(|(_, line)| !line.trim().is_empty()) {
        let json = match parse(READER.name, line.as_bytes(), input.limits) {
            Ok(json @ Json::Object(_)) => json,
            Ok(_) => {
                builder.unknown_line(at, line);
                continue;
            }
            Err(error) => {
                builder.warn(At::Line(at), format!("skipped, because {}", error.kind));
                continue;
            }
        };
        let event = Field::root(READER.name, &json);
        let Some(output) = event.get("Output") else { continue };
        let package = event.get("Package").map(|package| package.scalar()).transpose()?.unwrap_or_default();
        let place = *places.entry(package.clone()).or_insert_with(|| {
            outputs.push((package, String::new()));
            outputs.len() - 1
        });
        if let Some((_, joined)) = outputs.get_mut(place) {
            joined.push_str(output.text()?);
        }
    }
    let mut joined = String::new();
    for (package, output) in &outputs {
        // `pkg:` is printed before the first benchmark, but not by every version of the tool.
        if !package.is_empty() && !output.lines().any(|line| line.starts_with("pkg: ")) {
            joined.extend(["pkg: ", package, "\n"]);
        }
        joined.extend([output.trim_end_matches('\n'), "\n"]);
    }
    let mut parsed = (go_bench::READER.read)(Input { bytes: joined.as_bytes(), ..input })
        .map_err(|error| ParseError { format: READER.name, at: At::File, ..error })?;
    parsed.format = READER.name;
    // Their lines are lines of the joined output.
    for warning in &mut parsed.warnings {
        warning.at = At::File;
    }
    let mut warnings: Vec<Warning> = builder.warnings.into_kept();
    warnings.append(&mut parsed.warnings);
    parsed.warnings_dropped += warnings.len().saturating_sub(input.limits.warnings);
    warnings.truncate(input.limits.warnings);
    parsed.warnings = warnings;
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use crate::read::{Content, Hints};
    use crate::{Limits, read as read_any};

    #[test]
    fn packages_that_run_side_by_side_are_put_in_order() {
        let text = r#"{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"a.b/c"}
{"Action":"output","Package":"a.b/c","Output":"goos: linux\n"}
{"Action":"output","Package":"a.b/d","Output":"pkg: a.b/d\n"}
{"Action":"output","Package":"a.b/c","Test":"BenchmarkX","Output":"BenchmarkX-8   \t"}
{"Action":"output","Package":"a.b/d","Test":"BenchmarkX","Output":"BenchmarkX-8   \t     100\t        40 ns/op\n"}
{"Action":"output","Package":"a.b/c","Test":"BenchmarkX","Output":"     100\t        12.5 ns/op\t  5 B/op\n"}
{"Action":"output","Package":"a.b/c","Output":"PASS\n"}
{"Action":"pass","Package":"a.b/c","Elapsed":1.2}
"#;
        let parsed = read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        assert_eq!(parsed.format, "go-test-json");
        let Content::Report(report) = parsed.content else { panic!("a report") };
        let values: Vec<_> = report
            .benchmarks
            .iter()
            .map(|b| (b.key.parameters["pkg"].as_str(), b.measurements[0].observations[0]))
            .collect();
        assert_eq!(values, [("a.b/c", 12.5), ("a.b/d", 40.0)]);
    }
}
