//! What Instruments puts on the clipboard with "Deep Copy":
//!
//! ```text
//! Weight<tab>Self Weight<tab>Symbol Names
//! 4.93 s  100.0%<tab>0 s<tab>   start
//! 4.93 s  99.9%<tab>0 s<tab>    main
//! ```
//!
//! Symbols are indented by one blank a level. Older versions name the columns "Running Time", "Self (ms)", "Symbol
//! Name"; other instruments count bytes. Self weights are taken where there are any, since totals are rounded.

use model::{Event, Profile, Unit};

use super::nested::{Cost, Nested, Row};
use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

const NAME: &str = "instruments";

/// Deep copies of Instruments.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "a deep copy of a call tree in Instruments", sniff, read };

fn is_heading(line: &str) -> bool {
    let mut cells = line.split('\t').map(str::trim);
    cells.clone().count() >= 2
        && cells.clone().next().is_some_and(|cell| {
            ["Weight", "Running Time", "Bytes Used", "Total"].iter().any(|word| cell.starts_with(word))
        })
        && cells.any(|cell| cell.starts_with("Symbol Name"))
}

fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let first = text.lines().find(|line| !line.trim().is_empty());
    if first.is_some_and(is_heading) { Sniff::Yes } else { Sniff::No }
}

/// A number with its unit in base units; `unit` where the cell has none.
fn amount(cell: &str, unit: &str) -> Option<(f64, Unit)> {
    // Behind the amount stands its share of the whole: `4.93 s  99.9%`.
    let cell = cell.trim();
    let cell = cell.split("  ").next().unwrap_or(cell).trim();
    let (value, of) = split_unit(cell, Marks::Point).or_else(|| split_unit(cell, Marks::ThousandsComma))?;
    let of = of.split_whitespace().next().unwrap_or(unit);
    let (unit, scale) = match of {
        "" | "samples" => (Unit::Count("samples".to_owned()), 1.0),
        // Instruments counts bytes by 1024 as macOS's tools do.
        "Bytes" | "bytes" | "B" => (Unit::Bytes, 1.0),
        "KB" => (Unit::Bytes, 1024.0),
        "MB" => (Unit::Bytes, 1_048_576.0),
        "GB" => (Unit::Bytes, 1_073_741_824.0),
        "Gc" => (Unit::Cycles, 1e9),
        "Mc" => (Unit::Cycles, 1e6),
        "kc" | "Kc" => (Unit::Cycles, 1e3),
        "c" => (Unit::Cycles, 1.0),
        other => Unit::parse(other),
    };
    (value >= 0.0).then_some((value * scale, unit))
}

/// The unit in a heading: `Self (ms)`.
fn heading_unit(heading: &str) -> &str {
    heading.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(unit, _)| unit)
}

fn event(unit: &Unit) -> String {
    match unit {
        Unit::Nanoseconds => "cpu".to_owned(),
        Unit::Bytes => "alloc_space".to_owned(),
        Unit::Cycles => "cycles".to_owned(),
        _ => "samples".to_owned(),
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut rows = lines(&text).filter(|(_, line)| !line.trim().is_empty());
    let headings: Vec<&str> = match rows.next() {
        Some((_, line)) if is_heading(line) => line.split('\t').map(str::trim).collect(),
        first => {
            let expected = "headings: a weight, perhaps a self weight, and `Symbol Names`";
            let found = first.map(|(_, line)| excerpt(line)).unwrap_or_default().into_owned();
            return Err(ParseError::new(NAME, At::Line(1), Kind::Expected { expected, found }));
        }
    };
    let own = headings.iter().position(|heading| heading.starts_with("Self"));
    let unit = headings.get(own.unwrap_or(0)).copied().map(heading_unit).unwrap_or_default();
    let mut nested = Nested::new(NAME, input.limits);
    let mut of: Option<Unit> = None;
    for (line, text) in rows {
        // An empty column may stand before the symbols, so the last cell is theirs.
        let cells: Vec<&str> = text.split('\t').collect();
        let symbol = cells.last().copied().unwrap_or_default();
        let cost = cells.get(own.unwrap_or(0)).and_then(|cell| amount(cell, unit));
        let Some((value, in_unit)) = cost.filter(|_| cells.len() > 1 && !symbol.trim().is_empty()) else {
            warnings.add_with(At::Line(line), || {
                format!("this row has no weight or no symbol: {:?}", excerpt(text))
            });
            continue;
        };
        if let Some(known) = of.as_ref().filter(|known| **known != in_unit && value > 0.0) {
            let text = format!("this row is in {in_unit}, the rows before are in {known}");
            return Err(ParseError::new(NAME, At::Line(line), Kind::Invalid(text)));
        }
        of = of.or((value > 0.0).then_some(in_unit));
        let cost = if own.is_some() { Cost::Own(value) } else { Cost::Total(value) };
        let depth = symbol.len() - symbol.trim_start().len();
        nested.row(Row { line, depth, name: symbol.trim(), module: None, file: None, cost })?;
    }
    if nested.is_empty() {
        return Err(ParseError::new(
            NAME,
            At::File,
            Kind::Invalid("there is no row below the headings".to_owned()),
        ));
    }
    let unit = of.unwrap_or(Unit::Nanoseconds);
    let is_ticks = matches!(&unit, Unit::Count(_));
    let samples = |own: f64| if is_ticks { own as u64 } else { 1 };
    let tree = nested.finish(&mut warnings, |own| (samples(own), own))?;
    let mut profile = Profile::new(Event { name: event(&unit), unit }, tree);
    // The amounts are rounded to two decimals and small rows may be folded away.
    profile.partial = own.is_none();
    Ok(warnings.parsed(NAME, Content::Profiles(vec![profile])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn parse(text: &str) -> Result<Parsed, ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })
    }

    fn one(text: &str) -> Profile {
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let parsed = parse(text).unwrap();
        assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
        let Content::Profiles(mut profiles) = parsed.content else { panic!("not profiles") };
        profiles.remove(0)
    }

    #[test]
    fn new_and_old_columns_are_read() {
        let new = one(
            "Weight\tSelf Weight\tSymbol Names\n2.50 s  100.0%\t0 s\t   start\n2.50 s  99.9%\t846.00 ms\t    delta()\n9.00 \u{b5}s   0.0%\t9.00 \u{b5}s\t     f\n",
        );
        assert_eq!((new.tree.weight(), new.event.unit.clone()), (846_009_000.0, Unit::Nanoseconds));
        let old = one(
            "Running Time\tSelf (ms)\t\tSymbol Name\n2,450.0ms  100.0%\t50.0\t \tstart\n2400.0ms   98.0%\t2400.0\t \t main\n",
        );
        assert_eq!(old.tree.weight(), 2450e6);
        assert_eq!(old.tree.nodes[1].parent, 0);
        let bytes = one("Bytes Used\tCount\tSymbol Name\n3.00 KB 100.0%\t2\t main\n1.00 KB 33.0%\t1\t  f\n");
        assert_eq!((bytes.tree.weight(), bytes.event.unit, bytes.partial), (3072.0, Unit::Bytes, true));
    }

    #[test]
    fn odd_rows_are_told_and_mixed_units_refused() {
        let parsed = parse("Weight\tSelf Weight\tSymbol Names\n1 s\t1 s\ta\nnoise\n").unwrap();
        assert_eq!(parsed.warnings[0].at, At::Line(3));
        assert!(parse("Weight\tSelf Weight\tSymbol Names\n1 s\t1 s\ta\n1 KB\t1 KB\tb\n").is_err());
        assert_eq!(sniff(b"Weight,Self\n1,2\n"), Sniff::No);
    }
}
