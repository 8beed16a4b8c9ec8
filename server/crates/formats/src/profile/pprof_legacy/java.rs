//! The table of symbols in profiles of Java: ` 0x0000003 com.example.Type.method (Source.java:12)`.

use rustc_hash::FxHashMap;

use super::stacks::Symbol;

/// Reads a table; lines of another form are passed over.
pub(super) fn symbols(text: &str) -> FxHashMap<u64, Symbol> {
    text.lines().filter_map(symbol).collect()
}

fn symbol(line: &str) -> Option<(u64, Symbol)> {
    let (address, rest) = line.trim().strip_prefix("0x")?.split_once(char::is_whitespace)?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let rest = rest.trim();
    let symbol = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((name, place)) => {
            let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
            Symbol { name: name.trim().to_owned(), file: Some(file.to_owned()) }
        }
        None => Symbol { name: rest.to_owned(), file: None },
    };
    (!symbol.name.is_empty()).then_some((address, symbol))
}
