//! A document pulled member by member, for those that nest as deep as stacks: `serde_json` recurses and gives up at 128
//! levels.

use rustc_hash::FxHashSet;
use serde::de::DeserializeOwned;

use super::located;
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;
use crate::text::excerpt;

/// Objects that were nested, each with the place of the one around, which comes before it.
pub(crate) type Nested<T> = Vec<(Option<usize>, T)>;

/// Where one is in a document. Every value is either entered or taken whole, and values that are taken whole nest at
/// most 128 levels.
pub(crate) struct Pull<'b> {
    format: &'static str,
    bytes: &'b [u8],
    /// Of the next byte.
    at: usize,
}

impl<'b> Pull<'b> {
    pub(crate) fn new(format: &'static str, bytes: &'b [u8]) -> Self {
        Self { format, bytes, at: 0 }
    }

    /// An error at the place that has been reached.
    pub(crate) fn error(&self, kind: Kind) -> ParseError {
        let passed = self.bytes.get(..self.at).unwrap_or_default();
        ParseError::new(self.format, At::Line(1 + memchr::memchr_iter(b'\n', passed).count()), kind)
    }

    /// The next byte that is not blank.
    fn peek(&mut self) -> Result<u8, ParseError> {
        while self.bytes.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(byte) => Ok(*byte),
            None => Err(self.error(Kind::Truncated("the JSON document is cut off"))),
        }
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), ParseError> {
        let found = self.peek()?;
        if found != byte {
            let found = format!("{:?}", char::from(found));
            return Err(self.error(Kind::Expected { expected: what, found }));
        }
        self.at += 1;
        Ok(())
    }

    /// Enters a list or an object: the byte that opens it is `open`.
    fn enter(&mut self, open: u8) -> Result<(), ParseError> {
        self.expect(open, if open == b'{' { "an object" } else { "a list" })
    }

    /// Whether another item follows in what `close` ends, behind the first or not.
    fn more(&mut self, close: u8, is_first: bool) -> Result<bool, ParseError> {
        if self.peek()? == close {
            self.at += 1;
            return Ok(false);
        }
        if !is_first {
            self.expect(b',', "a comma")?;
        }
        Ok(true)
    }

    /// The next value whole.
    pub(crate) fn value<T: DeserializeOwned>(&mut self) -> Result<T, ParseError> {
        self.peek()?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            // Its line counts from here.
            Some(Err(error)) => {
                let from = self.error(Kind::Empty).at;
                let found = located(self.format, &error);
                let at = match (from, found.at) {
                    (At::Line(from), At::Line(line)) => At::Line(from + line - 1),
                    (from, _) => from,
                };
                Err(ParseError { at, ..found })
            }
            None => Err(self.error(Kind::Truncated("the JSON document is cut off"))),
        }
    }

    /// Passes over the next value, however deep it nests.
    pub(crate) fn skip(&mut self) -> Result<(), ParseError> {
        self.value::<serde::de::IgnoredAny>().map(drop)
    }

    /// The members of the next value, an object. `member` takes each value or skips it.
    pub(crate) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), ParseError>,
    ) -> Result<(), ParseError> {
        self.enter(b'{')?;
        let mut names = Names::default();
        while let Some(name) = self.name(&mut names)? {
            member(self, &name)?;
        }
        Ok(())
    }

    /// The next member's name; `None` at the end of the object.
    fn name(&mut self, known: &mut Names) -> Result<Option<String>, ParseError> {
        if !self.more(b'}', known.0.is_empty())? {
            return Ok(None);
        }
        let name: String = self.value()?;
        if !known.0.insert(name.clone()) {
            let text = format!("the key {:?} stands twice in one object", excerpt(&name));
            return Err(self.error(Kind::Invalid(text)));
        }
        self.expect(b':', "a colon")?;
        Ok(Some(name))
    }

    /// The next value, an object whose member `children` lists such objects, and so on. `member` takes the other members
    /// of one.
    pub(crate) fn nested<T: Default>(
        &mut self,
        limits: &Limits,
        mut member: impl FnMut(&mut Self, &str, &mut T) -> Result<(), ParseError>,
    ) -> Result<Nested<T>, ParseError> {
        let mut found: Nested<T> = vec![(None, T::default())];
        let mut open = vec![Open { place: 0, names: Names::default(), children: None }];
        self.enter(b'{')?;
        while let Some(top) = open.last_mut() {
            // Inside the list of children, whose next one is to be opened.
            if let Some(n) = top.children {
                if self.more(b']', n == 0)? {
                    top.children = Some(n + 1);
                    let place = found.len();
                    found.push((Some(top.place), T::default()));
                    open.push(Open { place, names: Names::default(), children: None });
                    self.bounded(limits, open.len(), found.len())?;
                    self.enter(b'{')?;
                } else {
                    top.children = None;
                }
                continue;
            }
            match self.name(&mut top.names)? {
                Some(name) if name == "children" => {
                    self.enter(b'[')?;
                    top.children = Some(0);
                }
                Some(name) => match found.get_mut(top.place) {
                    Some((_, into)) => member(self, &name, into)?,
                    None => self.skip()?,
                },
                None => {
                    open.pop();
                }
            }
        }
        Ok(found)
    }

    fn bounded(&self, limits: &Limits, depth: usize, n: usize) -> Result<(), ParseError> {
        let limit =
            |what, limit: usize, setting| Err(self.error(Kind::Limit { what, limit: limit as u64, setting }));
        if depth > limits.stack_depth {
            return limit("frames on one stack", limits.stack_depth, "max_stack_depth");
        }
        if n > limits.nodes {
            return limit("nodes of the call tree", limits.nodes, "max_nodes");
        }
        Ok(())
    }

    /// Nothing but blanks stands behind.
    pub(crate) fn end(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Ok(_) => Err(self.error(Kind::Invalid("something stands behind the document".to_owned()))),
            Err(_) => Ok(()),
        }
    }
}

/// Names of one object's members so far.
#[derive(Default)]
struct Names(FxHashSet<String>);

/// An object that has been entered.
struct Open {
    place: usize,
    names: Names,
    /// In its list of children: how many have begun.
    children: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Result<Vec<(Option<usize>, f64)>, String> {
        let mut pull = Pull::new("test", text.as_bytes());
        let found = pull.nested(&Limits::default(), |pull, name, own: &mut f64| match name {
            "size" => {
                *own = pull.value()?;
                Ok(())
            }
            _ => pull.skip(),
        });
        let found = found.map_err(|error| error.to_string())?;
        pull.end().map_err(|error| error.to_string())?;
        Ok(found)
    }

    #[test]
    fn objects_know_the_one_around_in_whatever_order_members_come() {
        let text = r#"{"x": [[{}]], "children": [{"size": 1}, {"children": [ {"size":2 } ], "size": 3}], "size": 4}"#;
        assert_eq!(tree(text).unwrap(), [(None, 4.0), (Some(0), 1.0), (Some(0), 3.0), (Some(2), 2.0)]);
    }

    #[test]
    fn stacks_deeper_than_serde_json_goes_are_read_and_their_depth_is_bounded() {
        let deep = |n: usize| format!("{}{{}}{}", "{\"children\":[".repeat(n), "]}".repeat(n));
        assert_eq!(tree(&deep(5_000)).unwrap().len(), 5_001);
        assert!(tree(&deep(30_000)).unwrap_err().contains("max_stack_depth"));
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_line() {
        for (text, line, word) in [
            ("{\"size\": 1,\n\"size\": 2}", 2, "twice"),
            ("{\"children\": [\n{\n\"size\": x}]}", 3, "expected value"),
            ("{\"children\": [\n{}\n{}]}", 3, "a comma"),
            ("{\"children\": [\n", 2, "cut off"),
            ("{\"children\": [{},]}", 1, "an object"),
            ("{\"children\": [{\"a\" 1}]}", 1, "a colon"),
            ("{} {}", 1, "behind"),
            ("{\"size\": 1,}", 1, ""),
            ("[]", 1, "an object"),
        ] {
            let error = tree(text).unwrap_err();
            assert!(
                error.starts_with(&format!("test: line {line}: ")) && error.contains(word),
                "{text}: {error}"
            );
        }
    }
}
