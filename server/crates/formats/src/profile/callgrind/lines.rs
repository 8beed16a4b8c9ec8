//! One line of a callgrind file.

/// Which name a `key=` line sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// `ob=`: the object file of the code that follows.
    Object,
    /// `fl=`, `fi=`, `fe=`: the source file of what follows. A function belongs to the file that is set where it
    /// begins; inlined lines of other files are its own all the same.
    File,
    /// `fn=`: the function.
    Function,
    /// `cob=`: the object file of the function called.
    CalledObject,
    /// `cfi=`, `cfl=`: the source file of the function called.
    CalledFile,
    /// `cfn=`: the function called.
    CalledFunction,
    /// `jfi=`: the source file that a jump goes to. Of no use, but it may be what names a file first.
    JumpFile,
    /// `jfn=`: the function that a jump goes to.
    JumpFunction,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Line<'t> {
    /// Nothing to read: blank, a comment, a jump.
    Nothing,
    /// `key: value`.
    Header(&'t str, &'t str),
    /// A name, perhaps compressed: `(3) main`, `(3)`, `main`.
    Name(Names, Option<u64>, &'t str),
    /// `calls=3 20`: the next line has the cost of the calls.
    Calls,
    /// Positions and costs.
    Costs(&'t str),
    /// Anything else.
    Bad,
}

pub(super) fn parse(line: &str) -> Line<'_> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Line::Nothing;
    }
    if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
        return Line::Costs(line);
    }
    let names = |prefix: &str| {
        Some(match prefix {
            "ob" => Names::Object,
            "fl" | "fi" | "fe" => Names::File,
            "fn" => Names::Function,
            "cob" => Names::CalledObject,
            "cfi" | "cfl" => Names::CalledFile,
            "cfn" => Names::CalledFunction,
            "jfi" => Names::JumpFile,
            "jfn" => Names::JumpFunction,
            _ => return None,
        })
    };
    let key_end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
    let (key, rest) = line.split_at_checked(key_end).unwrap_or((line, ""));
    let rest = rest.trim_start();
    match (key, rest.strip_prefix('='), rest.strip_prefix(':')) {
        ("calls", Some(_), _) => Line::Calls,
        // A jump is followed by a line with its position, which has no cost.
        ("jump" | "jcnd", Some(_), _) => Line::Nothing,
        (_, Some(value), _) => match names(key) {
            Some(names) => {
                let (id, name) = name(value.trim());
                Line::Name(names, id, name)
            }
            None => Line::Bad,
        },
        (_, None, Some(value)) if !key.is_empty() => Line::Header(key, value.trim()),
        _ => Line::Bad,
    }
}

/// `(3) main` is 3 and `main`, `(3)` is 3 and nothing.
fn name(value: &str) -> (Option<u64>, &str) {
    let compressed = value.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match compressed.and_then(|(id, name)| Some((id.parse().ok()?, name))) {
        Some((id, name)) => (Some(id), name.trim()),
        None => (None, value),
    }
}

/// The costs behind `positions` words of position; absent costs are zero. `None` where something is no number.
pub(super) fn costs(line: &str, positions: usize, costs: &mut Vec<f64>) -> Option<()> {
    costs.clear();
    let mut words = line.split_ascii_whitespace();
    for _ in 0..positions {
        let word = words.next()?.trim_start_matches(['+', '-', '*']);
        let is_hex =
            word.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if !is_hex && !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
    }
    for word in words {
        let cost = match word.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok()? as f64,
            None => word.parse().ok().filter(|cost: &f64| cost.is_finite())?,
        };
        costs.push(cost);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (text, line) in [
            ("", Line::Nothing),
            ("# callgrind format", Line::Nothing),
            ("events: Ir Dr", Line::Header("events", "Ir Dr")),
            ("desc: D1 cache: 8", Line::Header("desc", "D1 cache: 8")),
            ("fn=(3) f(int)", Line::Name(Names::Function, Some(3), "f(int)")),
            ("cfi=(3)", Line::Name(Names::CalledFile, Some(3), "")),
            ("fn=(below main)", Line::Name(Names::Function, None, "(below main)")),
            ("calls=3 +20", Line::Calls),
            ("jcnd=1/2 0x30 0", Line::Nothing),
            ("jfi=(18) a.h", Line::Name(Names::JumpFile, Some(18), "a.h")),
            ("+3 20", Line::Costs("+3 20")),
            ("0x3b 1 20", Line::Costs("0x3b 1 20")),
            ("what is this", Line::Bad),
        ] {
            assert_eq!(parse(text), line, "{text}");
        }
    }

    #[test]
    fn costs_stand_behind_the_positions() {
        let mut found = Vec::new();
        assert_eq!(costs("0x3b0d +4 20 0x10", 2, &mut found), Some(()));
        assert_eq!(found, [20.0, 16.0]);
        assert_eq!(costs("* ", 1, &mut found), Some(()));
        assert!(found.is_empty());
        for text in ["", "a 20", "16 x"] {
            assert_eq!(costs(text, 1, &mut found), None, "{text}");
        }
    }
}
