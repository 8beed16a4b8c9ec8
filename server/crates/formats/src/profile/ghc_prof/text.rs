//! GHC's cost centre profile as text:
//!
//! ```text
//!     total time  =        0.80 secs   (798 ticks @ 1000 us, 1 processor)
//!     total alloc = 1,921,672,664 bytes  (excludes profiling overheads)
//! …
//! COST CENTRE  MODULE  SRC          no.  entries  %time %alloc   %time %alloc  ticks     bytes
//! MAIN         MAIN    <built-in>   119        0    0.0    0.0   100.0  100.0      0       176
//!  main        Main    a.hs:3:1-9   239        1   50.0   99.0    50.0   99.0    399  19000000
//! ```
//!
//! Cost centres are indented by one blank a level. `ticks` and `bytes` are there with `-P` only; without them the
//! shares of the totals are taken, which are rounded to 0.1 %.

use model::{Event, Profile, Unit};

use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, lines, number};
use crate::profile::nested::{Cost, Nested, Row};
use crate::profile::parts::time;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

pub(super) const NAME: &str = "ghc-prof-text";

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    if text.lines().take(20).any(|line| line.contains("Time and Allocation Profiling Report")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

/// The totals above the tables.
#[derive(Debug, Default)]
struct Totals {
    seconds: f64,
    ticks: f64,
    /// Nanoseconds a tick.
    interval: f64,
    bytes: f64,
}

impl Totals {
    fn read(&mut self, line: &str) {
        let Some((key, value)) = line.trim().split_once('=') else { return };
        let first = value.split_whitespace().next().and_then(|word| number(word, Marks::ThousandsComma));
        match (key.trim(), first) {
            ("total time", Some(seconds)) => {
                self.seconds = seconds;
                let inside = value.split_once('(').map_or("", |(_, rest)| rest);
                let mut words = inside.split_whitespace();
                self.ticks = words.next().and_then(|word| number(word, Marks::Point)).unwrap_or(0.0);
                let every = inside.split_once("@ ").map_or("", |(_, rest)| rest);
                let mut words = every.split([' ', ',']);
                let value = words.next().and_then(|word| number(word, Marks::Point)).unwrap_or(0.0);
                let (_, scale) = Unit::parse(words.next().unwrap_or("us"));
                self.interval = value * scale;
            }
            ("total alloc", Some(bytes)) => self.bytes = bytes,
            _ => {}
        }
    }
}

/// A row of the tree.
#[derive(Debug, PartialEq)]
struct Centre<'t> {
    depth: usize,
    name: &'t str,
    module: &'t str,
    file: Option<&'t str>,
    /// Individual shares, 1 being everything.
    time: f64,
    alloc: f64,
    /// Ticks and bytes, where they are there.
    exact: Option<(f64, f64)>,
}

/// Takes a row apart from both ends: a source place may hold blanks (`<no location info>`).
fn centre(line: &str, has_exact: bool) -> Option<Centre<'_>> {
    let depth = line.len() - line.trim_start_matches(' ').len();
    let words: Vec<&str> = line.split_whitespace().collect();
    let behind = if has_exact { 8 } else { 6 };
    let middle = words.len().checked_sub(behind).filter(|middle| *middle >= 2)?;
    let numbers: Vec<f64> =
        words.get(middle..)?.iter().map(|word| number(word, Marks::ThousandsComma)).collect::<Option<_>>()?;
    let [_, _, time, alloc, _, _, exact @ ..] = numbers.as_slice() else { return None };
    let exact = if let [ticks, bytes] = exact { Some((*ticks, *bytes)) } else { None };
    // Profiles before GHC 8 have no source.
    let source = words.get(2..middle)?.first().copied().filter(|source| !source.starts_with('<'));
    let file = source.map(|source| source.split(':').next().unwrap_or(source));
    let (name, module) = (words.first()?, words.get(1)?);
    Some(Centre { depth, name, module, file, time: time / 100.0, alloc: alloc / 100.0, exact })
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut totals = Totals::default();
    let (mut in_tree, mut has_exact) = (false, false);
    let (mut by_time, mut by_bytes) = (Nested::new(NAME, input.limits), Nested::new(NAME, input.limits));
    for (line, text) in lines(&text) {
        let mut words = text.split_whitespace();
        if words.clone().take(3).eq(["COST", "CENTRE", "MODULE"]) {
            // The first table lists the heaviest cost centres; the second is the tree.
            in_tree = words.clone().any(|word| word == "entries");
            has_exact = words.any(|word| word == "ticks");
        } else if !in_tree {
            totals.read(text);
        } else if !text.trim().is_empty() {
            let Some(centre) = centre(text, has_exact) else {
                warnings
                    .add_with(At::Line(line), || format!("this is no row of the tree: {:?}", excerpt(text)));
                continue;
            };
            let (ticks, bytes) =
                centre.exact.unwrap_or((centre.time * totals.ticks, centre.alloc * totals.bytes));
            let row = |cost| Row {
                line,
                depth: centre.depth,
                name: centre.name,
                module: Some(centre.module),
                file: centre.file,
                cost: Cost::Own(cost),
            };
            by_time.row(row(ticks))?;
            by_bytes.row(row(bytes))?;
        }
    }
    if by_time.is_empty() {
        let text = "there is no tree of cost centres in it: the file is cut off".to_owned();
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    }
    let interval = totals.interval;
    let ticks = by_time.finish(&mut warnings, |ticks| (ticks.round() as u64, ticks * interval))?;
    let mut cpu = Profile::new(time("cpu"), ticks);
    cpu.period = Some(interval).filter(|interval| *interval > 0.0);
    cpu.duration_ns = Some(totals.seconds * 1e9).filter(|ns| *ns > 0.0);
    let bytes = by_bytes.finish(&mut warnings, |bytes| (1, bytes))?;
    let alloc = Profile::new(Event { name: "alloc_space".to_owned(), unit: Unit::Bytes }, bytes);
    let mut profiles = vec![cpu, alloc];
    if !has_exact {
        warnings.add(At::File, "costs are shares rounded to 0.1 %; -P or -pj give them exactly");
        for profile in &mut profiles {
            profile.partial = true;
        }
    }
    profiles.retain(|profile| !profile.tree.nodes.is_empty());
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    const HEAD: &str = "\tThu Oct 25 10:51 2018 Time and Allocation Profiling Report  (Final)\n\n\t   a +RTS -p -RTS\n\n\
        \ttotal time  =        0.80 secs   (800 ticks @ 1000 us, 1 processor)\n\ttotal alloc = 1,000,000 bytes  (excludes profiling overheads)\n\n\
        COST CENTRE MODULE SRC %time %alloc\n\nmain Main a.hs:3:1-9 50.0 99.0\n\n\
                                 individual      inherited\n";

    fn parse(rest: &str) -> Parsed {
        let text = format!("{HEAD}{rest}");
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits }).unwrap()
    }

    fn profiles(parsed: Parsed) -> Vec<Profile> {
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        profiles
    }

    #[test]
    fn shares_of_the_totals_make_two_partial_profiles() {
        let parsed = parse(
            "COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc\n\n\
             MAIN   MAIN   <no location info>  119 0  50.0 1.0  100.0 100.0\n \
             main  Main   a.hs:(3,1)-(9,2)  239 1  25.0 99.0  50.0 99.0\n  \
             f    Main   a.hs:8:1-9  240 1  25.0 0.0  25.0 0.0\n",
        );
        assert_eq!(parsed.warnings.len(), 1);
        let profiles = profiles(parsed);
        assert_eq!((profiles[0].tree.samples(), profiles[0].tree.weight()), (800, 800e6));
        assert_eq!((profiles[1].tree.weight(), profiles[1].partial), (1e6, true));
        assert_eq!(profiles[0].tree.nodes[2].parent, 1);
        assert_eq!(profiles[0].tree.frames[1].file.as_deref(), Some("a.hs"));
    }

    #[test]
    fn exact_columns_are_preferred() {
        let parsed = parse(
            "COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc ticks bytes\n\n\
             MAIN MAIN <built-in> 119 0 0.0 0.0 100.0 100.0 3 176\nwhat\n",
        );
        assert_eq!(parsed.warnings[0].text, "this is no row of the tree: \"what\"");
        let profiles = profiles(parsed);
        assert_eq!(
            (profiles[0].tree.samples(), profiles[1].tree.weight(), profiles[0].partial),
            (3, 176.0, false)
        );
    }
}
