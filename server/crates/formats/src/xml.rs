//! XML as a stream of elements with line numbers. Nothing is fetched and nothing expands: a document that declares
//! entities is refused, and only the five entities of XML itself and character references are read.

use quick_xml::events::{BytesStart, Event as Raw};
use quick_xml::{Reader, XmlVersion};

use crate::error::{At, Kind, ParseError};

/// Elements inside elements. The deepest real files are JUnit and JMeter with fewer than 20.
const LEVELS: usize = 1_000;
/// Attributes of one element.
const ATTRIBUTES: usize = 1_000;

/// One step through a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// An element begins; an empty element begins and ends.
    Open(Element),
    /// Text between tags, unescaped, with its blanks.
    Text(String),
    /// The element of this name ends.
    Close(String),
    /// The document ends.
    End {
        /// Elements that are still open: the file is cut off, or its writer was killed.
        open: usize,
    },
}

/// An element's name and attributes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Element {
    /// The line on which its tag ends, from 1.
    pub(crate) line: usize,
    /// The name without a namespace prefix.
    pub(crate) name: String,
    /// Attributes in the order of the document, unescaped.
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Walks through a document.
#[derive(Debug)]
pub(crate) struct Xml<'a> {
    format: &'static str,
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The end tag of an empty element, still to be told.
    close: Option<String>,
    open: usize,
    /// Bytes whose line ends are counted in `line`.
    counted: usize,
    line: usize,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(format: &'static str, text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().allow_dangling_amp = true;
        Self { format, text, reader, close: None, open: 0, counted: 0, line: 1 }
    }

    /// The line behind the last event, from 1.
    pub(crate) fn line(&mut self) -> usize {
        let to = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX).min(self.text.len());
        let passed = self.text.as_bytes().get(self.counted..to).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count();
        self.counted = self.counted.max(to);
        self.line
    }

    fn error(&mut self, text: impl Into<String>) -> ParseError {
        let line = self.line();
        ParseError::new(self.format, At::Line(line), Kind::Invalid(text.into()))
    }

    /// The next event.
    ///
    /// # Errors
    ///
    /// What is no XML, declares entities, or nests too deep.
    pub(crate) fn next(&mut self) -> Result<Event, ParseError> {
        if let Some(name) = self.close.take() {
            return Ok(Event::Close(name));
        }
        loop {
            let raw = self.reader.read_event().map_err(|error| self.error(error.to_string()))?;
            return Ok(match raw {
                Raw::Start(start) => {
                    self.open += 1;
                    if self.open > LEVELS {
                        return Err(self.error(format!("elements nest deeper than {LEVELS} levels")));
                    }
                    Event::Open(self.element(&start)?)
                }
                Raw::Empty(start) => {
                    let element = self.element(&start)?;
                    self.close = Some(element.name.clone());
                    Event::Open(element)
                }
                Raw::End(end) => {
                    self.open = self.open.saturating_sub(1);
                    Event::Close(end.local_name().as_ref().to_owned())
                }
                // Blanks around the outermost element.
                Raw::Text(_) if self.open == 0 => continue,
                Raw::Text(text) => Event::Text(text.xml_content(XmlVersion::Implicit1_0).into_owned()),
                Raw::CData(text) => Event::Text(text.xml_content(XmlVersion::Implicit1_0).into_owned()),
                Raw::GeneralRef(reference) => {
                    let name = reference.into_inner();
                    match quick_xml::escape::unescape(&format!("&{name};")) {
                        Ok(text) => Event::Text(text.into_owned()),
                        Err(_) => return Err(self.error("an entity that XML itself does not define")),
                    }
                }
                // A document type may be named, which SVG writers do; a declaration inside it is refused.
                Raw::DocType(text) if text.contains('[') || text.contains("<!") => {
                    return Err(
                        self.error("the document declares entities or elements, which is not allowed")
                    );
                }
                Raw::Eof => Event::End { open: self.open },
                Raw::DocType(_) | Raw::Comment(_) | Raw::Decl(_) | Raw::PI(_) => continue,
            });
        }
    }

    fn element(&mut self, start: &BytesStart<'_>) -> Result<Element, ParseError> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| self.error(error.to_string()))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| self.error(error.to_string()))?.into_owned();
            if attributes.len() >= ATTRIBUTES {
                return Err(self.error(format!("an element has more than {ATTRIBUTES} attributes")));
            }
            attributes.push((attribute.key.local_name().as_ref().to_owned(), value));
        }
        Ok(Element { line: self.line(), name: start.local_name().as_ref().to_owned(), attributes })
    }
}

/// The name of the outermost element, from the head of a document, with the text of its tag; `None` where the head is
/// no XML. Tolerant: it looks no further than that tag.
pub(crate) fn outermost(head: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(head);
    let mut rest = text.trim_start();
    loop {
        rest = rest.strip_prefix('<')?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1.trim_start();
        } else if rest.starts_with(['?', '!']) {
            // A document type with declarations inside ends at `]>`.
            let end = if rest.split('>').next()?.contains('[') { "]>" } else { ">" };
            rest = rest.split_once(end)?.1.trim_start();
        } else {
            let tag = rest.split('>').next()?;
            let name = tag.split(|c: char| c.is_whitespace() || c == '/').next()?;
            let local = name.rsplit(':').next()?;
            return (!local.is_empty()).then(|| (local.to_owned(), tag.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Result<Vec<Event>, ParseError> {
        let mut xml = Xml::new("test", text);
        let mut events = Vec::new();
        loop {
            let event = xml.next()?;
            let end = matches!(event, Event::End { .. });
            events.push(event);
            if end {
                return Ok(events);
            }
        }
    }

    #[test]
    fn elements_attributes_and_text_come_in_order_with_lines() {
        let text = "<?xml version=\"1.0\"?>\n<a:r x=\"1 &lt; 2\">\n t&amp;u<![CDATA[<v>]]><e/></a:r>";
        let events = events(text).unwrap();
        let Event::Open(root) = &events[0] else { panic!("{events:?}") };
        assert_eq!((root.line, root.name.as_str(), root.get("x")), (2, "r", Some("1 < 2")));
        let texts: String = events
            .iter()
            .filter_map(|event| if let Event::Text(text) = event { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(texts.trim(), "t&u<v>");
        let closes: Vec<_> = events.iter().filter(|event| matches!(event, Event::Close(_))).collect();
        assert_eq!(closes, [&Event::Close("e".to_owned()), &Event::Close("r".to_owned())]);
        assert_eq!(events.last(), Some(&Event::End { open: 0 }));
    }

    #[test]
    fn entities_are_refused_and_a_cut_document_is_seen() {
        for text in [
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<!DOCTYPE a SYSTEM \"x\" [<!ENTITY % b SYSTEM \"file:///etc/passwd\">]><a/>",
            "<a>&b;</a>",
            "<a x=\"&b;\"/>",
            "<a></b>",
        ] {
            assert!(events(text).is_err(), "{text}");
        }
        assert!(events("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"u\"><svg/>").is_ok());
        assert_eq!(events("<a><b>").unwrap().last(), Some(&Event::End { open: 2 }));
        assert!(events(&"<a>".repeat(LEVELS + 1)).is_err());
    }

    #[test]
    fn the_outermost_tag_is_found_behind_prologues() {
        let text = b"<?xml version='1.0'?>\n<!-- <x> -->\n<!DOCTYPE a [<!ENTITY b 'c'>]>\n<n:testResults version=\"1.2\">";
        let (name, tag) = outermost(text).unwrap();
        assert_eq!((name.as_str(), tag.as_str()), ("testResults", "n:testResults version=\"1.2\""));
        assert_eq!(outermost(b"{\"a\": 1}"), None);
    }
}
