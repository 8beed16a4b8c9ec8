//! Rust, C++ and C: demangled, without hashes, arguments, template parameters and return types.
//!
//! One reducer serves both languages, because a demangled name does not say which one it is from. It is one pass
//! with a cursor: no recursion, and no part of a name is looked at more than a fixed number of times.

use super::demangle::demangle;

/// The canonical form of a native symbol.
pub(super) fn reduce(name: &str) -> String {
    let text = demangle(name).unwrap_or_else(|| unescape_legacy_rust(name));
    let text = text.as_str();
    // An internal alias of the C library for the function after it.
    let text = text.strip_prefix("__GI_").filter(|rest| !rest.is_empty()).unwrap_or(text);
    // Programs of BPF carry the hash of their code: `bpf_prog_2b956549c660136a_filter`.
    let without_tag = text.strip_prefix("bpf_prog_").and_then(|rest| {
        let (tag, name) = rest.split_once('_')?;
        (tag.len() == 16 && tag.bytes().all(|b| b.is_ascii_hexdigit())).then(|| format!("bpf_prog_{name}"))
    });
    let text = without_tag.as_deref().unwrap_or(text);
    let text = ["non-virtual thunk to ", "virtual thunk to "]
        .iter()
        .find_map(|p| text.strip_prefix(p))
        .unwrap_or(text);
    let mut reducer =
        Reducer { text, at: 0, out: String::with_capacity(text.len()), dropped: false, unbalanced: false };
    reducer.run();
    let dropped = reducer.dropped;
    let out = without_rust_hash(reducer.out);
    let out = if dropped { without_return_type(out) } else { out };
    plain_self_type(out)
}

/// perf's C++ demangler half-reads Rust's legacy names and leaves its escapes: `_$LT$T$u20$as$u20$U$GT$::f`.
fn unescape_legacy_rust(name: &str) -> String {
    const ESCAPES: [(&str, &str); 15] = [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$u20$", " "),
        ("$RF$", "&"),
        ("$BP$", "*"),
        ("$LP$", "("),
        ("$RP$", ")"),
        ("$C$", ","),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("$u5b$", "["),
        ("$u5d$", "]"),
        ("$u27$", "'"),
        ("$SP$", "@"),
        ("..", "::"),
    ];
    if !name.contains("$LT$") && !name.contains("$u") && !name.contains("$RF$") {
        return name.to_owned();
    }
    ESCAPES.iter().fold(name.to_owned(), |text, (from, to)| text.replace(from, to))
}

struct Reducer<'a> {
    text: &'a str,
    at: usize,
    out: String,
    /// Arguments or parameters were dropped, so a return type may stand in front.
    dropped: bool,
    /// A bracket without an end was met: later ones are copied as they are.
    unbalanced: bool,
}

impl<'a> Reducer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            match c {
                'o' if self.at_word_start() && self.rest().starts_with("operator") => self.operator(),
                '<' => self.angle(),
                '(' => self.parenthesis(),
                '{' => self.brace(),
                '[' => self.bracket(),
                '\'' => self.quoted_lambda(),
                '_' if self.at_word_start() && self.rest().starts_with("_<") => self.at += 1,
                '-' if self.rest().starts_with("->") => self.copy(2),
                _ => self.copy(c.len_utf8()),
            }
        }
    }

    fn copy(&mut self, n_bytes: usize) {
        let end = (self.at + n_bytes).min(self.text.len());
        self.out.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    fn at_word_start(&self) -> bool {
        !self.out.ends_with(is_word)
    }

    /// `operator<<`, `operator()`, `operator->`: symbols that must not be read as brackets.
    fn operator(&mut self) {
        self.copy("operator".len());
        let rest = self.rest();
        let symbols = if rest.starts_with("()") {
            2
        } else {
            rest.bytes().take_while(|b| b"<>=!+-*/%&|^~,[]".contains(b)).count()
        };
        self.copy(symbols);
        if symbols == 0 && (rest.starts_with(" new") || rest.starts_with(" delete")) {
            self.copy(rest.find(['(', '<']).unwrap_or(rest.len()));
        }
        // A space separates `operator<` from the parameters after it.
        if self.rest().starts_with(" <") {
            self.at += 1;
        }
    }

    fn angle(&mut self) {
        let after_path = self.out.ends_with("::");
        if !after_path
            && !self.out.ends_with(|c| is_word(c) || matches!(c, '>' | '}' | ']'))
            && !self.out_ends_in_operator()
        {
            return self.copy(1);
        }
        let Some(end) = self.matching('<', '>') else {
            self.unbalanced = true;
            return self.copy(1);
        };
        let inside = &self.text[self.at + 1..end];
        if after_path && (inside.starts_with("impl ") || inside.contains(" as ")) {
            return self.copy(1);
        }
        if after_path {
            self.out.truncate(self.out.len() - 2);
        }
        self.dropped = true;
        self.at = end + 1;
    }

    fn out_ends_in_operator(&self) -> bool {
        self.out.rsplit("operator").next().is_some_and(|tail| {
            tail.len() < self.out.len()
                && tail.len() <= 3
                && !tail.is_empty()
                && tail.bytes().all(|b| b"<>=!+-*/%&|^~,[]()".contains(&b))
        })
    }

    fn parenthesis(&mut self) {
        const ANONYMOUS: &str = "(anonymous namespace)";
        if self.rest().starts_with(ANONYMOUS) {
            return self.copy(ANONYMOUS.len());
        }
        let is_arguments =
            self.out.ends_with(|c| is_word(c) || matches!(c, '>' | '}' | ']')) || self.out_ends_in_operator();
        if !is_arguments {
            return self.copy(1);
        }
        let Some(end) = self.matching('(', ')') else {
            self.unbalanced = true;
            return self.copy(1);
        };
        self.dropped = true;
        self.at = end + 1;
        while let Some(qualifier) =
            [" const", " volatile", " &&", " &", " noexcept"].iter().find(|q| self.rest().starts_with(**q))
        {
            self.at += qualifier.len();
        }
    }

    /// `{closure#0}` to `{{closure}}`, `{lambda(int)#2}` to `{lambda}`.
    fn brace(&mut self) {
        if self.rest().starts_with("{{") {
            return match self.rest().find("}}") {
                Some(end) => self.copy(end + 2),
                None => self.copy(2),
            };
        }
        let Some(end) = self.matching('{', '}') else {
            self.unbalanced = true;
            return self.copy(1);
        };
        let inside = &self.text[self.at + 1..end];
        let word = inside.split(['#', ':', '(', '<', '{', '}']).next().unwrap_or(inside);
        let is_rust = matches!(word, "closure" | "closure_env" | "shim" | "impl" | "constant");
        let (open, close) = if is_rust { ("{{", "}}") } else { ("{", "}") };
        for part in [open, word, close] {
            self.out.push_str(part);
        }
        self.at = end + 1;
    }

    /// `[abi:cxx11]` and Rust's crate hashes go, slices stay.
    fn bracket(&mut self) {
        let inside = self.rest()[1..].split(']').next().unwrap_or_default();
        let closed = self.rest().len() > inside.len() + 1;
        let hash = inside.len() >= 8 && inside.bytes().all(|b| b.is_ascii_hexdigit());
        if closed && (inside.starts_with("abi:") || (hash && self.out.ends_with(is_word))) {
            self.at += inside.len() + 2;
        } else {
            self.copy(1);
        }
    }

    /// Clang's `'lambda0'(int)`.
    fn quoted_lambda(&mut self) {
        match self.rest()[1..].split_once('\'') {
            Some((inside, _)) if inside.starts_with("lambda") => {
                self.out.push_str("{lambda}");
                self.at += inside.len() + 2;
            }
            _ => self.copy(1),
        }
    }

    /// The end of the bracket at the cursor. Arrows are no brackets, and inside parentheses `<` may be a comparison.
    fn matching(&self, open: char, close: char) -> Option<usize> {
        if self.unbalanced {
            return None;
        }
        let bytes = self.text.as_bytes();
        let (mut depth, mut round) = (0_usize, 0_usize);
        for i in self.at..bytes.len() {
            let c = bytes[i] as char;
            if open == '<' {
                match c {
                    '(' => round += 1,
                    ')' => round = round.saturating_sub(1),
                    _ => {}
                }
                if round > 0 || (c == '>' && bytes[i - 1] == b'-') {
                    continue;
                }
            }
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
        }
        None
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '~')
}

/// Drops `::h` and sixteen hexadecimal digits from the end.
fn without_rust_hash(mut name: String) -> String {
    if let Some((before, hash)) = name.rsplit_once("::h")
        && hash.len() == 16
        && hash.bytes().all(|b| b.is_ascii_hexdigit())
    {
        name.truncate(before.len());
    }
    name
}

/// Drops what stands before the last blank outside brackets: `void f` is `f`. Conversion operators and `operator
/// new` keep theirs, and so do names that are prose (`I2C/C2I adapters`).
fn without_return_type(name: String) -> String {
    let head = name.find("operator").unwrap_or(name.len());
    let mut depth = 0_usize;
    let mut start = 0;
    for (i, c) in name[..head].char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => start = i + 1,
            _ => {}
        }
    }
    let kept = name[start..].trim_start_matches(['*', '&', ' ']);
    if kept.is_empty() || name[..start].contains('/') { name } else { kept.to_owned() }
}

/// `<copytwice::Frame>::len`, as v0 writes inherent methods, to `copytwice::Frame::len`.
fn plain_self_type(name: String) -> String {
    match name.strip_prefix('<').and_then(|rest| rest.split_once(">::")) {
        Some((owner, method)) if !owner.is_empty() && owner.chars().all(|c| is_word(c) || c == ':') => {
            format!("{owner}::{method}")
        }
        _ => name,
    }
}
