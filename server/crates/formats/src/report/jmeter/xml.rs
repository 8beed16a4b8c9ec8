//! JMeter's results as XML. A test that runs still, or was killed, leaves the document open.

use super::{Labels, XML};
use crate::error::{At, ParseError};
use crate::number::{Marks, number};
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::text;
use crate::xml::{Event, Xml, outermost};

pub(super) fn sniff(head: &[u8]) -> Sniff {
    match outermost(head) {
        Some((name, _)) if name == "testResults" => Sniff::Yes,
        _ => Sniff::No,
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(XML.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut xml = Xml::new(XML.name, &text);
    let mut labels = Labels::default();
    // The root is at depth 1, its samples at 2; those below are parts of them.
    let mut depth = 0_usize;
    loop {
        match xml.next() {
            Ok(Event::Open(element)) => {
                depth += 1;
                let (Some(elapsed), 2) = (element.get("t"), depth) else { continue };
                let Some(elapsed) = number(elapsed, Marks::Point).filter(|elapsed| *elapsed >= 0.0) else {
                    builder.warn(
                        At::Line(element.line),
                        format!("the elapsed time {elapsed:?} is none, skipped"),
                    );
                    continue;
                };
                let begin = element.get("ts").and_then(|begin| number(begin, Marks::Point));
                let failed = element.get("s") == Some("false");
                labels.push(element.get("lb").unwrap_or_default(), elapsed, failed, begin);
            }
            Ok(Event::Close(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Text(_)) => {}
            Ok(Event::End { open }) => {
                if open > 0 {
                    let line = xml.line();
                    builder.warn(At::Line(line), "the document is not closed; what came before is read");
                }
                break;
            }
            // Cut inside a tag: the samples before it are whole.
            Err(error) if !labels.names.is_empty() && is_end(&text, &error) => {
                builder.warn(error.at, "the document is cut off inside a tag; what came before is read");
                break;
            }
            Err(error) => return Err(error),
        }
    }
    labels.report(&mut builder)?;
    builder.finish(None)
}

/// Whether an error stands in the last line, where a cut would be.
fn is_end(text: &str, error: &ParseError) -> bool {
    let last = text.lines().count();
    matches!(error.at, At::Line(line) if line + 1 >= last)
}
