//! Comma-separated rows with their line numbers: RFC 4180 quotes, any single-byte separator.

use std::borrow::Cow;

use crate::error::{At, Kind, ParseError};

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'a> {
    /// The line on which it begins, from 1; a quoted cell may hold line breaks.
    pub(crate) line: usize,
    /// Its cells, unquoted.
    pub(crate) cells: Vec<Cow<'a, str>>,
}

impl Row<'_> {
    /// The cell in a column, empty where the row is short.
    pub(crate) fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell.as_ref())
    }
}

/// Rows of a text in order; blank lines are passed over.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    format: &'static str,
    rest: &'a str,
    line: usize,
    separator: char,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(format: &'static str, text: &'a str, separator: char) -> Self {
        Self { format, rest: text, line: 1, separator }
    }

    /// Takes one cell; says whether the row goes on behind it.
    fn cell(&mut self) -> Result<(Cow<'a, str>, bool), ParseError> {
        if let Some(quoted) = self.rest.strip_prefix('"') {
            return self.quoted(quoted);
        }
        let end = self.rest.find([self.separator, '\n']).unwrap_or(self.rest.len());
        let (cell, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        let goes_on = self.step();
        Ok((Cow::Borrowed(if goes_on { cell } else { cell.trim_end_matches('\r') }), goes_on))
    }

    /// A cell whose opening quote has been taken. A quote twice stands for one; what follows the closing quote up
    /// to the separator belongs to the cell, as spreadsheets read it.
    fn quoted(&mut self, mut rest: &'a str) -> Result<(Cow<'a, str>, bool), ParseError> {
        let opened = self.line;
        let mut cell = Cow::Borrowed("");
        loop {
            let Some((inside, behind)) = rest.split_once('"') else {
                let text = "a quote is opened and never closed".to_owned();
                return Err(ParseError::new(self.format, At::Line(opened), Kind::Invalid(text)));
            };
            self.line += inside.bytes().filter(|byte| *byte == b'\n').count();
            cell = join(cell, inside);
            if let Some(next) = behind.strip_prefix('"') {
                cell = join(cell, "\"");
                rest = next;
            } else {
                rest = behind;
                break;
            }
        }
        let end = rest.find([self.separator, '\n']).unwrap_or(rest.len());
        let (tail, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.rest = rest;
        Ok((join(cell, tail.trim_end_matches('\r')), self.step()))
    }

    /// Takes the separator or the line's end.
    fn step(&mut self) -> bool {
        if let Some(rest) = self.rest.strip_prefix(self.separator) {
            self.rest = rest;
            return true;
        }
        if let Some(rest) = self.rest.strip_prefix('\n') {
            self.rest = rest;
            self.line += 1;
        }
        false
    }
}

fn join<'a>(before: Cow<'a, str>, more: &'a str) -> Cow<'a, str> {
    match (before.is_empty(), more.is_empty()) {
        (true, _) => Cow::Borrowed(more),
        (false, true) => before,
        (false, false) => Cow::Owned(before.into_owned() + more),
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Result<Row<'a>, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let line = self.line;
            let mut cells = Vec::new();
            loop {
                match self.cell() {
                    Ok((cell, goes_on)) => {
                        cells.push(cell);
                        if !goes_on {
                            break;
                        }
                    }
                    Err(error) => {
                        self.rest = "";
                        return Some(Err(error));
                    }
                }
            }
            if !matches!(cells.as_slice(), [only] if only.trim().is_empty()) {
                return Some(Ok(Row { line, cells }));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, ParseError> {
        let own = |row: Row<'_>| (row.line, row.cells.into_iter().map(Cow::into_owned).collect());
        Rows::new("test", text, ',').map(|row| row.map(own)).collect()
    }

    #[test]
    fn quotes_separators_and_line_breaks_inside_cells_are_kept() {
        let text = "a,b\r\n\n\"x, \"\"y\"\"\nz\",2\n,\nlast,\"q\"";
        let row = |line, cells: [&str; 2]| (line, cells.map(str::to_owned).to_vec());
        let wanted =
            [row(1, ["a", "b"]), row(3, ["x, \"y\"\nz", "2"]), row(5, ["", ""]), row(6, ["last", "q"])];
        assert_eq!(rows(text).unwrap(), wanted);
    }

    #[test]
    fn a_quote_that_never_closes_is_an_error_at_its_line() {
        assert_eq!(rows("a,b\n1,\"x\n\n").unwrap_err().at, At::Line(2));
    }

    proptest! {
        #[test]
        fn written_rows_read_back(table in proptest::collection::vec(proptest::collection::vec("[ -~\n]{1,6}", 2..4), 1..5)) {
            let line = |row: &Vec<String>| {
                row.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect::<Vec<_>>().join(",")
            };
            let text = table.iter().map(line).collect::<Vec<_>>().join("\n");
            let read: Vec<Vec<String>> = rows(&text).unwrap().into_iter().map(|(_, cells)| cells).collect();
            prop_assert_eq!(read, table);
        }

        #[test]
        fn no_text_panics(text in "[\",\n\r a]{0,40}") {
            let _ = rows(&text);
        }
    }
}
