//! The keys in the head of a document, by which readers know their own.

/// What the head of a document shows, found without reading the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The first character that is not blank.
    pub(crate) opens: Option<char>,
    /// Keys by the number of objects and lists around them, with the keys on the way: `["benchmarks", "[]", "name"]`.
    pub(crate) paths: Vec<Vec<String>>,
    /// A value on the way that a reader may want: the first character of each path's value.
    pub(crate) values: Vec<char>,
}

/// Levels that an outline looks into.
const OUTLINE_LEVELS: usize = 4;
/// Keys that it keeps.
const OUTLINE_KEYS: usize = 2_000;

/// Scans the head of a document. Tolerant: it never fails, and stops where the bytes are no JSON.
pub(crate) fn outline(head: &[u8]) -> Outline {
    let text = String::from_utf8_lossy(head);
    let mut outline = Outline::default();
    let mut around: Vec<(bool, String)> = Vec::new();
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    let mut word: Option<String> = None;
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        if outline.opens.is_none() {
            outline.opens = Some(c);
            if !matches!(c, '{' | '[') {
                break;
            }
        }
        match c {
            '{' | '[' => {
                depth += 1;
                if depth <= OUTLINE_LEVELS {
                    around.push((c == '{', if c == '[' { "[]".to_owned() } else { String::new() }));
                }
            }
            '}' | ']' => {
                if depth <= OUTLINE_LEVELS {
                    around.pop();
                }
                depth = depth.saturating_sub(1);
            }
            '"' => word = quoted(&mut chars),
            ':' if depth <= OUTLINE_LEVELS && outline.paths.len() < OUTLINE_KEYS => {
                let key = word.take().unwrap_or_default();
                if let Some((true, current)) = around.last_mut() {
                    *current = key;
                    while chars.next_if(|c| c.is_whitespace()).is_some() {}
                    outline.paths.push(around.iter().map(|(_, key)| key.clone()).collect());
                    outline.values.push(chars.peek().copied().unwrap_or(' '));
                }
            }
            _ => {}
        }
    }
    outline
}

/// The rest of a string, unescaped as far as keys need it; `None` when the head ends inside.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(chars.next()?),
            c => text.push(c),
        }
    }
}

impl Outline {
    /// Every path of this many steps with the first character of its value.
    pub(crate) fn at_depth(&self, depth: usize) -> impl Iterator<Item = (&[String], char)> {
        self.paths
            .iter()
            .zip(&self.values)
            .filter(move |(path, _)| path.len() == depth)
            .map(|(p, v)| (p.as_slice(), *v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_shows_the_keys_of_a_cut_document() {
        let outline = outline(br#"{"benchmarks": [{"name": "a:b", "x": {"y": 1}}, {"na"#);
        let paths: Vec<String> = outline.paths.iter().map(|path| path.join("/")).collect();
        assert_eq!(paths, ["benchmarks", "benchmarks/[]/name", "benchmarks/[]/x", "benchmarks/[]/x/y"]);
        assert_eq!(outline.values, ['[', '"', '{', '1']);
    }
}
