//! The pattern language of category rules, compiled into one trie per family of names.
//!
//! A pattern is the beginning of a canonical name: `java.util.logging` matches that package and everything in it,
//! but not `java.util.loggings`, because a match ends at the end of a word. A `*` at the end lifts that
//! (`runtime.convT*`). A `*` at the beginning stands for any owner (`*.hashCode`, `*::to_vec`): the pattern is then
//! the name's last word. `{a,b}` lists alternatives. `.`, `/` and `::` are one separator. There is nothing else; in
//! particular no pattern matches inside a word or in the middle of a path (`kafka.log.UnifiedLog` is not logging).
//!
//! The longest match wins, and the first of equals. A pattern from the beginning wins over one for any owner.

use rustc_hash::FxHashMap;

/// Which rule matched, as the number given to [`Matcher::insert`].
pub(crate) type RuleIndex = u32;

/// What a pattern means where it ends in the trie.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    /// A rule that matches when a word ends here.
    at_word_end: Option<RuleIndex>,
    /// A rule that matches whatever follows.
    anywhere: Option<RuleIndex>,
}

#[derive(Debug, Clone, Default)]
struct TrieNode {
    /// Few children each, so a scan beats a table.
    children: Vec<(u8, u32)>,
    ends: Ends,
}

/// A set of patterns that finds the longest one matching a name in one walk over it.
#[derive(Debug, Clone)]
pub(crate) struct Matcher {
    /// Children of the root by byte, 0 for none: the root has many.
    first: [u32; 256],
    nodes: Vec<TrieNode>,
    last_words: FxHashMap<Box<str>, RuleIndex>,
}

impl Default for Matcher {
    fn default() -> Self {
        Self { first: [0; 256], nodes: vec![TrieNode::default()], last_words: FxHashMap::default() }
    }
}

/// A match: the rule, and how many bytes of the name it explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) rule: RuleIndex,
    pub(crate) length: usize,
}

impl Matcher {
    /// Adds a pattern in the language above. An empty pattern, or a bare `*`, matches nothing.
    pub(crate) fn insert(&mut self, pattern: &str, rule: RuleIndex) {
        for alternative in alternatives(pattern) {
            self.insert_one(&alternative, rule);
        }
    }

    /// Adds a literal prefix that ends at a word's end: what people write in policies.
    pub(crate) fn insert_prefix(&mut self, prefix: &str, rule: RuleIndex) {
        let prefix = prefix.trim().trim_end_matches(['.', '/', ':']);
        let at = self.path(prefix);
        if at != 0 {
            self.nodes[at].ends.at_word_end.get_or_insert(rule);
        }
    }

    fn insert_one(&mut self, pattern: &str, rule: RuleIndex) {
        if let Some(word) = pattern.strip_prefix('*') {
            let word = word.trim_start_matches(['.', ':']);
            if !word.is_empty() {
                self.last_words.entry(word.into()).or_insert(rule);
            }
            return;
        }
        let literal = pattern.strip_suffix('*').unwrap_or(pattern);
        let at = self.path(literal);
        if at == 0 {
            return;
        }
        let ends = &mut self.nodes[at].ends;
        let slot = if literal.len() < pattern.len() { &mut ends.anywhere } else { &mut ends.at_word_end };
        slot.get_or_insert(rule);
    }

    /// The node at the end of `literal`, made on the way; 0 for an empty literal.
    fn path(&mut self, literal: &str) -> usize {
        let mut at = 0_usize;
        for byte in Bytes::new(literal) {
            let known = self.child(at, byte);
            at = match known {
                0 => {
                    let fresh = self.nodes.len() as u32;
                    self.nodes.push(TrieNode::default());
                    if at == 0 {
                        self.first[byte as usize] = fresh;
                    } else {
                        self.nodes[at].children.push((byte, fresh));
                    }
                    fresh as usize
                }
                known => known as usize,
            };
        }
        at
    }

    fn child(&self, at: usize, byte: u8) -> u32 {
        if at == 0 {
            return self.first[byte as usize];
        }
        self.nodes[at].children.iter().find(|(b, _)| *b == byte).map_or(0, |(_, to)| *to)
    }

    /// The longest pattern that `name` begins with.
    pub(crate) fn find_prefix(&self, name: &str) -> Option<Match> {
        let mut found = None;
        let mut at = 0_usize;
        let mut bytes = Bytes::new(name);
        loop {
            let ends = self.nodes[at].ends;
            if let Some(rule) = ends.anywhere {
                found = Some(Match { rule, length: bytes.at });
            }
            let next = bytes.next();
            if let Some(rule) = ends.at_word_end
                && next.is_none_or(|byte| !continues_word(byte))
            {
                found = Some(Match { rule, length: name.len().min(bytes.at) });
            }
            at = match next.map(|byte| self.child(at, byte)) {
                None | Some(0) => return found,
                Some(to) => to as usize,
            };
        }
    }

    /// The rule for the last word of `name` under any owner.
    pub(crate) fn find_last_word(&self, name: &str) -> Option<RuleIndex> {
        if self.last_words.is_empty() {
            return None;
        }
        let start = name.rfind(['.', ':', '/'])? + 1;
        self.last_words.get(&name[start..]).copied()
    }
}

/// Whether a byte continues the word before it.
fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The bytes of a name with every separator written as `.`.
struct Bytes<'a> {
    text: &'a [u8],
    /// Bytes of the text consumed so far.
    at: usize,
}

impl<'a> Bytes<'a> {
    fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }
}

impl Iterator for Bytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        match byte {
            b'/' => Some(b'.'),
            b':' if self.text.get(self.at) == Some(&b':') => {
                self.at += 1;
                Some(b'.')
            }
            byte => Some(byte),
        }
    }
}

/// Every reading of a pattern's `{a,b}` lists. Lists do not nest.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut readings = vec![String::new()];
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((list, tail)) = after.split_once('}') else { break };
        readings = readings
            .iter()
            .flat_map(|reading| list.split(',').map(move |choice| format!("{reading}{before}{choice}")))
            .collect();
        rest = tail;
    }
    for reading in &mut readings {
        reading.push_str(rest);
    }
    readings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(patterns: &[&str]) -> Matcher {
        let mut matcher = Matcher::default();
        for (rule, pattern) in patterns.iter().enumerate() {
            matcher.insert(pattern, rule as u32);
        }
        matcher
    }

    fn find(matcher: &Matcher, name: &str) -> Option<u32> {
        matcher.find_prefix(name).map(|found| found.rule).or_else(|| matcher.find_last_word(name))
    }

    #[test]
    fn a_match_begins_at_the_start_and_ends_at_a_words_end() {
        let rules = matcher(&["log", "java.util.logging", "malloc", "runtime.convT*"]);
        for (name, rule) in [
            ("log.(*Logger).Output", Some(0)),
            ("log/slog.Info", Some(0)),
            ("log::__private_api", Some(0)),
            ("logs.write", None),
            ("kafka.log.UnifiedLog.append", None),
            ("java.util.logging.Logger.log", Some(1)),
            ("java.util.loggings.X", None),
            ("malloc", Some(2)),
            ("malloc_consolidate", None),
            ("runtime.convT64", Some(3)),
            ("runtime.convT", Some(3)),
            ("runtime.conv", None),
            ("", None),
        ] {
            assert_eq!(find(&rules, name), rule, "{name}");
        }
    }

    #[test]
    fn the_longest_match_wins_and_any_owner_comes_last() {
        let rules =
            matcher(&["std::panicking", "std::panicking::try", "*.hashCode", "java.util.{Arrays,Objects}"]);
        assert_eq!(find(&rules, "std::panicking::begin_panic"), Some(0));
        assert_eq!(find(&rules, "std::panicking::try::do_call"), Some(1));
        assert_eq!(find(&rules, "com.x.Key.hashCode"), Some(2));
        assert_eq!(find(&rules, "java.util.Objects.hashCode"), Some(3));
        assert_eq!(find(&rules, "com.x.Key.hashCodes"), None);
    }

    #[test]
    fn patterns_of_nothing_match_nothing() {
        let rules = matcher(&["", "*", "{}", "*."]);
        assert_eq!(find(&rules, ""), None);
        assert_eq!(find(&rules, "a.b"), None);
    }
}
