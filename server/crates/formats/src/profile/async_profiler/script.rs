//! The script of a flame graph: its constants and the calls that place frames.

use crate::limits::Limits;

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Argument {
    /// A whole number.
    Number(i64),
    /// A quoted name.
    Text(String),
    /// Left out.
    None,
}

impl Argument {
    /// The number, if it is one.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) | Self::None => None,
        }
    }
}

/// A line that calls one of the functions `f`, `u` and `n`, with its arguments.
pub(super) fn call(line: &str) -> Option<(u8, Vec<Argument>)> {
    let line = line.trim().trim_end_matches(';');
    let (name, rest) = line.split_once('(')?;
    let name = match name.as_bytes() {
        [name @ (b'f' | b'u' | b'n')] => *name,
        _ => return None,
    };
    let mut rest = rest.strip_suffix(')')?;
    let mut arguments = Vec::new();
    loop {
        let (argument, after) = argument(rest.trim_start())?;
        arguments.push(argument);
        match after.trim_start().strip_prefix(',') {
            Some(after) => rest = after,
            None if after.trim().is_empty() => return Some((name, arguments)),
            None => return None,
        }
    }
}

fn argument(text: &str) -> Option<(Argument, &str)> {
    if text.starts_with(['\'', '"']) {
        let (name, rest) = quoted(text)?;
        return Some((Argument::Text(name), rest));
    }
    let end = text.find(',').unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    Some(match word.trim() {
        "" | "U" | "undefined" => (Argument::None, rest),
        number => (Argument::Number(number.parse().ok()?), rest),
    })
}

/// A string in quotes at the beginning of a text, and what follows it.
pub(super) fn quoted(text: &str) -> Option<(String, &str)> {
    let mut chars = text.char_indices();
    let (_, quote) = chars.next().filter(|(_, quote)| matches!(quote, '\'' | '"'))?;
    let mut out = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            c if c == quote => return Some((out, text.get(at + c.len_utf8()..)?)),
            c => out.push(c),
        }
    }
    None
}

/// The value of `const name = 'value'`.
pub(super) fn constant(line: &str, name: &str) -> Option<String> {
    quoted(value(line, name)?).map(|(value, _)| value)
}

/// The value of `const name = 5`.
pub(super) fn number(line: &str, name: &str) -> Option<i64> {
    value(line, name)?.trim_end_matches([';', ' ']).parse().ok()
}

/// What a constant is set to. The agent's template leaves its marks in front (`/*depth:*/49`).
fn value<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let line = line.trim();
    let rest = ["const ", "var ", "let "].iter().find_map(|word| line.strip_prefix(word))?;
    let value = rest.strip_prefix(name)?.trim_start().strip_prefix('=')?.trim_start();
    let mark = value.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
    Some(mark.map_or(value, |(_, value)| value.trim_start()))
}

/// Which frame types a template's palette has. Versions order them differently, but colour them alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Palette {
    /// The number of inlined frames.
    pub(super) inlined: i64,
    /// The number of kernel frames.
    pub(super) kernel: i64,
    n: i64,
}

impl Default for Palette {
    /// As since version 2.9.
    fn default() -> Self {
        Self { inlined: 2, kernel: 5, n: 0 }
    }
}

impl Palette {
    /// Takes a line of the palette into account: `[0x50cccc, 30, 30, 30],`. Whether it was one.
    pub(super) fn line(&mut self, line: &str) -> bool {
        let Some(rest) = line.trim().strip_prefix("[0x") else { return false };
        match rest.get(..6) {
            Some("50cccc" | "50bebe") => self.inlined = self.n,
            Some("e17d00") => self.kernel = self.n,
            _ => {}
        }
        self.n += 1;
        true
    }
}

/// The names that calls refer to by number.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) names: Vec<String>,
    bytes: usize,
}

impl Names {
    /// Adds the strings of one line of `const cpool = [`. False when they grow beyond the limits.
    pub(super) fn line(&mut self, line: &str, limits: &Limits) -> bool {
        let mut rest = line.trim();
        while let Some((name, after)) = quoted(rest) {
            self.bytes += name.len();
            self.names.push(name);
            rest = after.trim_start_matches([',', ' ']);
        }
        self.names.len() <= limits.frames && self.bytes <= limits.decompressed_bytes
    }

    /// Undoes the packing: the first character of a name says how many of its first characters are those of the name
    /// before. False when the names grow beyond the limits.
    pub(super) fn unpack(&mut self, limits: &Limits) -> bool {
        let mut before = String::new();
        let mut bytes = 0_usize;
        for (i, name) in self.names.iter_mut().enumerate() {
            if i > 0 {
                let mut chars = name.chars();
                let shared = chars.next().map_or(0, |first| (first as usize).saturating_sub(32));
                *name = format!("{}{}", first_units(&before, shared), chars.as_str());
            }
            before.clone_from(name);
            bytes += name.len();
            if bytes > limits.decompressed_bytes {
                return false;
            }
        }
        true
    }
}

/// The beginning of a text that has so many UTF-16 units, as JavaScript counts.
fn first_units(text: &str, units: usize) -> &str {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if left < c.len_utf16() {
            return text.get(..at).unwrap_or(text);
        }
        left -= c.len_utf16();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_numbers_and_names() {
        use Argument::{None as Absent, Number, Text};
        assert_eq!(call("u(404)"), Some((b'u', vec![Number(404)])));
        assert_eq!(
            call("f(884,13,1,,2);"),
            Some((b'f', vec![Number(884), Number(13), Number(1), Absent, Number(2)]))
        );
        let old = call("f(0,0,3,4,'a(b, \\'c\\')')").unwrap();
        assert_eq!(old.1.last(), Some(&Text("a(b, 'c')".to_owned())));
        for other in ["search();", "f(key, level)", "function f(key, level) {", "f(1", "u(1) + 2"] {
            assert_eq!(call(other), None, "{other}");
        }
    }

    #[test]
    fn packed_names_share_their_beginnings() {
        let mut names = Names::default();
        let limits = Limits::default();
        assert!(names.line("'all',", &limits) && names.line("' main', '$work', '\"x\\'s'", &limits));
        assert!(names.unpack(&limits));
        assert_eq!(names.names, ["all", "main", "mainwork", "max's"]);
        let tight = Limits { decompressed_bytes: 5, ..Limits::default() };
        assert!(!names.unpack(&tight));
    }

    #[test]
    fn constants_and_palettes() {
        assert_eq!(constant("\tconst units = 'ns';", "units").as_deref(), Some("ns"));
        assert_eq!(number("const maxdiff = /*maxdiff:*/-1;", "maxdiff"), Some(-1));
        let mut palette = Palette::default();
        for line in ["[0x50e150, 30, 30, 30],", "[0x50bebe, 1, 2, 3],", "[0xe17d00, 1],"] {
            assert!(palette.line(line));
        }
        assert_eq!((palette.inlined, palette.kernel), (1, 2));
    }
}
