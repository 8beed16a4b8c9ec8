//! Reads a picture as a strict XML parser does and checks what holds for all pictures.

use std::collections::BTreeSet;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use render::palette::reserved;

/// Names that break pictures of careless programs.
pub(crate) fn hostile_names() -> Vec<String> {
    vec![
        "<script>alert(1)</script>".to_owned(),
        "\"><image href=x onerror='alert(1)'>".to_owned(),
        "]]> &amp; &#0; %s ${x}".to_owned(),
        "\u{202e}txt.exe\u{202c} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{627}\u{644}".to_owned(),
        "\u{1f469}\u{200d}\u{1f680} \u{1f525}\u{fe0f}".to_owned(),
        "line\nbreak\ttab\r\u{0}\u{7}\u{1b}[31m\u{fffe}\u{ffff}\u{85}\u{2028}".to_owned(),
        "x".repeat(10_240),
        "<".repeat(10_240),
        String::new(),
    ]
}

/// An element with its attributes, unescaped.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    fn read(start: &BytesStart<'_>) -> Self {
        let attribute = |a: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
            let a = a.expect("attributes are well formed");
            let value = quick_xml::escape::unescape(&a.value).expect("entities are known").into_owned();
            (a.key.as_ref().to_owned(), value)
        };
        Self {
            name: start.name().as_ref().to_owned(),
            attributes: start.attributes().map(attribute).collect(),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Parses a picture, panics where it is not well formed, and returns its elements in document order.
pub(crate) fn elements(svg: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(svg);
    reader.config_mut().check_end_names = true;
    let (mut found, mut depth, mut roots) = (Vec::new(), 0, 0);
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Eof => break,
            Event::Start(start) => {
                roots += usize::from(depth == 0);
                depth += 1;
                found.push(Element::read(&start));
            }
            Event::Empty(start) => found.push(Element::read(&start)),
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    assert_eq!((depth, roots), (0, 1), "one element holds all others");
    found
}

/// Checks what holds for every picture that is inlined into a page.
pub(crate) fn check_page_picture(svg: &str) -> Vec<Element> {
    let forbidden =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{fffe}' | '\u{ffff}');
    assert!(!svg.contains(forbidden), "control characters are not printed");
    let found = elements(svg);
    let root = &found[0];
    assert_eq!(root.name, "svg");
    assert!(root.get("viewBox").is_some() && root.get("width").is_none() && root.get("height").is_none());
    assert_eq!((found[1].name.as_str(), found[2].name.as_str()), ("title", "desc"));
    let has_links = found.iter().any(|e| e.name == "a");
    assert_eq!(root.get("role"), Some(if has_links { "group" } else { "img" }));

    let colours: BTreeSet<String> = reserved().into_iter().map(|r| r.light.to_string()).collect();
    let known = ["svg", "title", "desc", "g", "a", "rect", "circle", "line", "polyline", "polygon", "text"]
        .map(str::to_owned);
    for element in &found {
        assert!(known.contains(&element.name), "unexpected <{}>", element.name);
        for (name, value) in &element.attributes {
            assert!(name != "style" && !name.starts_with("on"), "{name} would break a strict policy");
            if name == "fill" || name == "stroke" {
                let is_known = colours.contains(value) || ["none", "#000"].contains(&value.as_str());
                assert!(is_known, "{value} is no reserved colour");
            }
            if name == "font-size" {
                assert!(
                    value.parse::<f64>().is_ok_and(|size| size >= 10.99),
                    "letters of {value} px are too small"
                );
            }
        }
    }
    found
}
