//! Catch2's XML reporter: always nanoseconds.

use super::{Estimate, KIND, MEAN, XML, estimate, key};
use crate::error::{At, ParseError};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::{Builder, FigureReading};
use crate::text::text;
use crate::xml::{Element, Event, Xml, outermost};

pub(super) fn sniff(head: &[u8]) -> Sniff {
    match outermost(head) {
        Some((name, _)) if matches!(name.as_str(), "Catch" | "Catch2TestRun") => Sniff::Yes,
        _ => Sniff::No,
    }
}

/// Where the reader is.
#[derive(Default)]
struct Place {
    test_case: String,
    benchmark: Option<model::BenchmarkKey>,
    /// The text of the expression that failed.
    original: Option<String>,
    in_original: bool,
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(XML.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut xml = Xml::new(XML.name, &text);
    let mut place = Place::default();
    loop {
        match xml.next()? {
            Event::Open(element) => open(&mut builder, &mut place, &element)?,
            Event::Text(text) if place.in_original => {
                place.original.get_or_insert_default().push_str(text.trim());
            }
            Event::Close(name) => match name.as_str() {
                "BenchmarkResults" => place.benchmark = None,
                "Original" => place.in_original = false,
                _ => {}
            },
            Event::Text(_) => {}
            Event::End { open } => {
                if open > 0 {
                    let line = xml.line();
                    builder.warn(At::Line(line), "the document is cut off; what came before is read");
                }
                break;
            }
        }
    }
    builder.finish(None)
}

fn open(builder: &mut Builder<'_>, place: &mut Place, element: &Element) -> Result<(), ParseError> {
    let attribute = |name: &str| element.get(name).unwrap_or_default();
    match element.name.as_str() {
        "TestCase" => {
            *place = Place { test_case: attribute("name").to_owned(), ..Place::default() };
        }
        "Original" => place.in_original = true,
        "BenchmarkResults" => place.benchmark = key(builder, element.line, attribute("name")),
        "mean" | "standardDeviation" => {
            let Some(key) = &place.benchmark else { return Ok(()) };
            let value = |name: &str| number(attribute(name), Marks::Point).map(|value| (value, "ns"));
            let values: Estimate<'_> = [value("value"), value("lowerBound"), value("upperBound")];
            let what = if element.name == "mean" { MEAN } else { "std dev" };
            estimate(builder, element.line, key, what, values)?;
        }
        "outliers" => {
            let Some(key) = &place.benchmark else { return Ok(()) };
            if let Some(value) = number(attribute("variance"), Marks::Point) {
                let figure = FigureReading { name: "outlier variance", unit: "ratio", value };
                builder.figure(At::Line(element.line), key, MEAN, figure);
            }
        }
        "failed" => {
            if let Some(key) = &place.benchmark {
                builder.fail(key, KIND, attribute("message"))?;
            }
        }
        "OverallResult" if attribute("success") == "false" => {
            if let Some(key) = key(builder, element.line, &place.test_case) {
                let why = place.original.take().unwrap_or_else(|| "failed".to_owned());
                builder.fail(&key, KIND, &why)?;
            }
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, read};

    #[test]
    fn failures_and_a_cut_document_are_told() {
        let text = "<Catch2TestRun name=\"x\"><TestCase name=\"T\"><BenchmarkResults name=\"b\"><mean value=\"5\" lowerBound=\"4\" upperBound=\"6\"/>\
                    </BenchmarkResults><Expression success=\"false\"><Original>\n 1 == 2\n</Original></Expression><OverallResult success=\"false\"/></TestCase>";
        let parsed = read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
        let Content::Report(report) = &parsed.content else { panic!("a report") };
        assert_eq!(report.benchmarks[0].measurements[0].observations, [5.0]);
        assert!(matches!(&report.benchmarks[1].status, Status::Failed(why) if why == "1 == 2"));
        assert_eq!(parsed.warnings.len(), 1);
    }
}
