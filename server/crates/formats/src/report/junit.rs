//! JUnit XML: durations of test cases, as every test runner writes them.
//!
//! There is no one schema; written from what Maven Surefire, Gradle, pytest, Jest, go-junit-report and PHPUnit write
//! (<https://github.com/testmoapp/junitxml>). `time` is seconds; some runners group its thousands with commas.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better};

use crate::error::{At, ParseError};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::text;
use crate::xml::{Element, Event, Xml, outermost};

pub(super) const READER: Reader =
    Reader { name: "junit", about: "durations of test cases in JUnit XML", sniff, read };

fn sniff(head: &[u8]) -> Sniff {
    match outermost(head) {
        Some((name, _)) if name == "testsuites" => Sniff::Yes,
        // Others call their root so too.
        Some((name, tag)) if name == "testsuite" => {
            if tag.contains("tests=") || String::from_utf8_lossy(head).contains("<testcase") {
                Sniff::Yes
            } else {
                Sniff::Maybe
            }
        }
        _ => Sniff::No,
    }
}

/// The case that is being read.
struct Case {
    key: BenchmarkKey,
    line: usize,
    seconds: Option<f64>,
    failure: Option<String>,
    skipped: bool,
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut xml = Xml::new(READER.name, &text);
    let mut case: Option<Case> = None;
    let mut suites = 0;
    loop {
        match xml.next()? {
            Event::Open(element) => match element.name.as_str() {
                "testcase" => case = begin(&mut builder, &element),
                "testsuite" => suites += 1,
                "failure" | "error" | "rerunFailure" => {
                    if let Some(case) = &mut case {
                        let what = element.get("message").or_else(|| element.get("type"));
                        case.failure = Some(what.unwrap_or(element.name.as_str()).to_owned());
                    }
                }
                "skipped" => {
                    if let Some(case) = &mut case {
                        case.skipped = true;
                    }
                }
                _ => {}
            },
            Event::Close(name) if name == "testcase" => {
                if let Some(case) = case.take() {
                    finish(&mut builder, case)?;
                }
            }
            Event::Close(_) | Event::Text(_) => {}
            Event::End { open } => {
                if open > 0 {
                    let line = xml.line();
                    builder.warn(At::Line(line), "the document is cut off; what came before is read");
                }
                break;
            }
        }
    }
    if builder.is_empty() && suites > 0 {
        return Ok(builder.finish_empty(At::File, "the suites ran no test case"));
    }
    builder.finish(None)
}

/// `classname.name`: the name alone is unique in a class only.
fn begin(builder: &mut Builder<'_>, element: &Element) -> Option<Case> {
    let name = element.get("name").unwrap_or_default();
    let full = match element.get("classname").filter(|class| !class.is_empty() && *class != name) {
        Some(class) => format!("{class}.{name}"),
        None => name.to_owned(),
    };
    let key = builder.key(At::Line(element.line), &full, BTreeMap::new())?;
    let marks = Marks::ThousandsComma;
    let seconds = element.get("time").and_then(|time| number(time, marks)).filter(|seconds| *seconds >= 0.0);
    Some(Case { key, line: element.line, seconds, failure: None, skipped: false })
}

fn finish(builder: &mut Builder<'_>, case: Case) -> Result<(), ParseError> {
    let at = At::Line(case.line);
    if case.skipped {
        builder.warn(at, format!("{} was skipped by its runner", case.key));
        return Ok(());
    }
    match case.seconds {
        Some(seconds) => {
            let reading = Reading::raw("duration", "s", seconds).towards(Better::Lower);
            builder.observe(at, &case.key, None, reading)?;
        }
        None if case.failure.is_none() => builder.warn(at, format!("{} has no time, skipped", case.key)),
        None => {}
    }
    case.failure.map_or(Ok(()), |why| builder.fail(&case.key, None, &why))
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, Parsed, read};

    fn parse(text: &str) -> Parsed {
        read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap()
    }

    #[test]
    fn durations_failures_and_skips_are_told_apart() {
        let parsed = parse(
            "<?xml version=\"1.0\"?>\n<testsuites><testsuite name=\"s\" tests=\"3\">\n<testcase classname=\"a.B\" name=\"c\" time=\"1,234.5\"/>\n\
             <testcase name=\"d\" time=\"0.5\"><failure message=\"no &lt;1&gt;\">trace</failure></testcase>\n<testcase name=\"e\"><skipped/></testcase>\n</testsuite></testsuites>",
        );
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].key.to_string(), "a.B.c");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1_234.5e9]);
        assert!(matches!(&report.benchmarks[1].status, Status::Failed(why) if why == "no <1>"));
        assert_eq!((report.benchmarks.len(), parsed.warnings.len()), (2, 1));
    }

    #[test]
    fn suites_without_a_case_are_an_empty_report() {
        let parsed = parse("<testsuites><testsuite tests=\"0\"/></testsuites>");
        assert!(matches!(parsed.content, Content::Report(report) if report.benchmarks.is_empty()));
    }
}
