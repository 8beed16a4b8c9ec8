//! The heading of a hand-written tree: which frame, how much of what.

/// `Heap / BoundedByteString(LiteralByteString).writeTo — 0.7% of total CPU:`
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heading<'a> {
    /// The classes that the frame may belong to: the declared one and, in parentheses, those that implement it.
    /// Empty when the heading names a plain function.
    pub(super) classes: Vec<&'a str>,
    /// The function.
    pub(super) method: &'a str,
    /// The frame as written, for messages.
    pub(super) frame: &'a str,
    /// The share, 1 being everything.
    pub(super) share: f64,
    /// Of what, in lower case: `cpu`.
    pub(super) event: String,
}

/// Reads a heading; `None` when the line is something else.
pub(super) fn parse(line: &str) -> Option<Heading<'_>> {
    let line = line.trim().trim_start_matches(['#', '*', ' ']).trim_end_matches(['*', ':', ' ']);
    let (before, of) = line.rsplit_once("% of total ")?;
    let (subject, percent) = before.rsplit_once(' ')?;
    let share = percent.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent))? / 100.0;
    let subject = subject.trim_end_matches([' ', '-', '\u{2013}', '\u{2014}', ':']);
    let frame = subject.rsplit_once(" / ").map_or(subject, |(_, frame)| frame).trim();
    let event = of.trim().to_ascii_lowercase();
    let (owner, method) = match frame.rsplit_once('.') {
        Some((owner, method)) => (Some(owner), method),
        None => (None, frame),
    };
    if method.is_empty() || method.contains(char::is_whitespace) || event.is_empty() || event.contains(' ') {
        return None;
    }
    let classes = owner.into_iter().flat_map(|owner| owner.split(['(', ')', ',', '|', ' ']));
    let classes = classes.filter(|class| !class.is_empty()).collect();
    Some(Heading { classes, method, frame, share, event })
}

impl Heading<'_> {
    /// Whether a frame of the tree is the one that the heading names. Packages may be left out on either side.
    pub(super) fn names(&self, frame: &str) -> bool {
        let is_end = |text: &str, end: &str| {
            text.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', '/', '$']))
        };
        match frame.rsplit_once('.') {
            Some((class, method)) if !self.classes.is_empty() => {
                method == self.method
                    && self.classes.iter().any(|named| is_end(class, named) || is_end(named, class))
            }
            Some((_, method)) => method == self.method,
            None => frame == self.method && self.classes.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_a_frame_and_a_share() {
        let heading = parse("Direct / NioByteString.writeTo \u{2014} 15.7% of total CPU:").unwrap();
        assert_eq!((heading.frame, heading.event.as_str()), ("NioByteString.writeTo", "cpu"));
        assert!((heading.share - 0.157).abs() < 1e-12);
        assert!(heading.names("NioByteString.writeTo") && heading.names("com.google.NioByteString.writeTo"));
        assert!(!heading.names("XNioByteString.writeTo") && !heading.names("NioByteString.write"));
    }

    #[test]
    fn the_implementing_class_counts_as_well() {
        let heading =
            parse("Heap / BoundedByteString(LiteralByteString).writeTo - 0.7% of total CPU").unwrap();
        assert_eq!(heading.classes, ["BoundedByteString", "LiteralByteString"]);
        assert!(heading.names("LiteralByteString.writeTo") && !heading.names("ByteString.writeTo"));
    }

    #[test]
    fn other_lines_are_no_headings() {
        for line in [
            "",
            "a 5",
            "5% of total CPU",
            "a \u{2014} 120% of total CPU:",
            "a \u{2014} x% of total CPU",
            "it took 5% of total time we had",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
