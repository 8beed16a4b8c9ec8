//! VTune's call tree as CSV (`vtune -report top-down -format csv`, or "Export" in its window):
//!
//! ```text
//! Function Stack,CPU Time:Self,Module
//! Total,0.0,[Unknown]
//!  main,0.0,app.exe
//!   work,0.016612,app.exe
//! ```
//!
//! The function is indented by one blank a level; times are in seconds. Description: Intel's user guide, "Top-down
//! Tree". Event counts ("Hardware Event Count:INST_RETIRED.ANY:Self") are read as counts.

use std::borrow::Cow;

use model::{Event, Profile, Unit};

use super::nested::{Cost, Nested, Row};
use super::parts::known;
use crate::csv::Rows;
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, number};
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

const NAME: &str = "vtune";

/// VTune's CSV.
pub(super) const READER: Reader = Reader { name: NAME, about: "VTune's top-down tree as CSV", sniff, read };

/// The separators that VTune offers.
const SEPARATORS: [char; 3] = [',', '\t', ';'];

fn separator(line: &str) -> Option<char> {
    let rest = line.trim_start_matches('\u{feff}').trim_start_matches('"').strip_prefix("Function Stack")?;
    SEPARATORS.into_iter().find(|separator| rest.trim_start_matches('"').starts_with(*separator))
}

fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    if text.lines().take(20).any(|line| separator(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// Where the table's columns are.
struct Columns {
    own: usize,
    module: Option<usize>,
    file: Option<usize>,
    event: Event,
    scale: f64,
}

impl Columns {
    fn of(line: usize, cells: &[String]) -> Result<Self, ParseError> {
        let find = |is: &dyn Fn(&str) -> bool| cells.iter().position(|cell| is(cell.trim()));
        // "CPU Time:Self" where there is one; else the first measure of functions alone.
        let own = find(&|cell| cell == "CPU Time:Self").or_else(|| find(&|cell| cell.ends_with(":Self")));
        let Some(own) = own else {
            let expected = "a column such as `CPU Time:Self`";
            let found = excerpt(&cells.join(",")).into_owned();
            return Err(ParseError::new(NAME, At::Line(line), Kind::Expected { expected, found }));
        };
        let title = cells.get(own).map_or("", |cell| cell.trim()).trim_end_matches(":Self");
        let (name, unit, scale) = if title.contains("Time") {
            let name = if title.starts_with("CPU Time") { "cpu".to_owned() } else { title.to_lowercase() };
            (name.replace(' ', "-"), Unit::Nanoseconds, 1e9)
        } else {
            let name = title.rsplit(':').next().unwrap_or(title).to_owned();
            let unit = match name.as_str() {
                "INST_RETIRED.ANY" => Unit::Instructions,
                "CPU_CLK_UNHALTED.THREAD" | "Clockticks" => Unit::Cycles,
                _ => Unit::Count(String::new()),
            };
            (name, unit, 1.0)
        };
        Ok(Self {
            own,
            module: find(&|cell| cell == "Module"),
            file: find(&|cell| cell == "Source File"),
            event: Event { name, unit },
            scale,
        })
    }
}

/// The cells of one line.
fn cells(line: &str, separator: char) -> Result<Vec<Cow<'_, str>>, ParseError> {
    Ok(Rows::new(NAME, line, separator).next().transpose()?.map(|row| row.cells).unwrap_or_default())
}

fn get<'r>(row: &'r [Cow<'_, str>], column: usize) -> &'r str {
    row.get(column).map_or("", |cell| cell.as_ref())
}

/// A time or a count: `0.016612`, `0,016612` where the cells are separated by something else, `1.5s`, empty.
fn value(cell: &str, separator: char) -> Option<f64> {
    let cell = cell.trim().trim_end_matches('s');
    if cell.is_empty() {
        return Some(0.0);
    }
    let comma = || (separator != ',').then(|| number(cell, Marks::DecimalComma)).flatten();
    number(cell, Marks::Point).or_else(comma).filter(|value| *value >= 0.0)
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    // Warnings of the tool may stand in front of the table.
    let mut rows = crate::number::lines(&text).skip_while(|(_, line)| separator(line).is_none());
    let Some((first, (line, separator))) =
        rows.next().and_then(|(first, line)| Some((first, (line, separator(line)?))))
    else {
        let text = "there is no row of headings that begins with `Function Stack`";
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text.to_owned())));
    };
    let headings = cells(line.trim_start_matches('\u{feff}'), separator)?;
    let headings: Vec<String> = headings.into_iter().map(Cow::into_owned).collect();
    let columns = Columns::of(first, &headings)?;
    let mut nested = Nested::new(NAME, input.limits);
    for (line, text) in rows.filter(|(_, line)| !line.trim().is_empty()) {
        // The indentation stands before the quote of a name in quotes.
        let row = cells(text.trim_start_matches(' '), separator)
            .map_err(|error| ParseError { at: At::Line(line), ..error })?;
        let depth = text.len() - text.trim_start_matches(' ').len();
        let name = row.first().map_or("", |cell| cell.trim());
        let Some(own) = value(get(&row, columns.own), separator).filter(|_| !name.is_empty()) else {
            warnings.add_with(At::Line(line), || {
                format!("this row has no function or no number: {:?}", excerpt(text))
            });
            continue;
        };
        let cell = |column: Option<usize>| column.and_then(|column| known(Some(get(&row, column).trim())));
        let unknown = |text: &&str| *text != "[Unknown]" && *text != "[Unknown source file]";
        // The row above all functions.
        let name = if depth == 0 && name == "Total" { "" } else { name };
        nested.row(Row {
            line,
            depth,
            name,
            module: cell(columns.module).filter(unknown),
            file: cell(columns.file).filter(unknown),
            cost: Cost::Own(own),
        })?;
    }
    if nested.is_empty() {
        return Err(ParseError::new(
            NAME,
            At::File,
            Kind::Invalid("there is no row in the table".to_owned()),
        ));
    }
    // VTune tells no number of samples; a row with time of its own was seen at least once.
    let tree = nested.finish(&mut warnings, |own| (1, own * columns.scale))?;
    Ok(warnings.parsed(NAME, Content::Profiles(vec![Profile::new(columns.event, tree)])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn parse(text: &str) -> Result<Parsed, ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })
    }

    #[test]
    fn rows_become_a_tree_in_nanoseconds() {
        let text = "war:Column filter is ON.\r\nFunction Stack,CPU Time:Self,Module,Source File\r\nTotal,0.0,[Unknown],\r\n main,0.5,a.exe,a.c\r\n  \"f<a, b>\",0.25,a.exe,[Unknown source file]\r\n\r\n";
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let parsed = parse(text).unwrap();
        assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        let tree = &profiles[0].tree;
        assert_eq!((tree.samples(), tree.weight(), profiles[0].event.name.as_str()), (2, 0.75e9, "cpu"));
        let frames: Vec<_> = tree
            .frames
            .iter()
            .map(|frame| (frame.name.as_str(), frame.module.as_deref(), frame.file.as_deref()))
            .collect();
        assert_eq!(frames, [("main", Some("a.exe"), Some("a.c")), ("f<a, b>", Some("a.exe"), None)]);
    }

    #[test]
    fn other_separators_event_counts_and_odd_rows_are_read() {
        let text =
            "Function Stack;Hardware Event Count:INST_RETIRED.ANY:Self;Module\nTotal;0;\n f;1000;m\n g;x;m\n";
        let parsed = parse(text).unwrap();
        assert_eq!((parsed.warnings.len(), &parsed.warnings[0].at), (1, &At::Line(4)));
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        assert_eq!(
            profiles[0].event,
            Event { name: "INST_RETIRED.ANY".to_owned(), unit: Unit::Instructions }
        );
        assert_eq!(value("0,5", ';'), Some(0.5));
        assert!(parse("Function Stack,Module\nmain,a\n").is_err());
    }
}
