//! Whether bytes look like folded stacks. Conservative: prose and tables end lines with numbers too.

use super::line::{self, Line};
use crate::read::Sniff;

/// Heads of this length may end inside a line.
const HEAD: usize = 65_536;

/// Yes when nearly every line is a stack with a weight and most stacks have a caller (`;`); maybe when most lines
/// are.
pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head_text = String::from_utf8_lossy(head);
    let text = head_text.trim_start();
    if text.contains('\0') || is_markup(text) {
        return Sniff::No;
    }
    let is_cut = head.len() >= HEAD;
    let (lines, rest) = match text.rsplit_once('\n') {
        Some((lines, rest)) if is_cut => (lines, rest),
        _ if is_cut => ("", text),
        _ => (text, ""),
    };
    let (mut stacks, mut called, mut bad) = (0_usize, 0_usize, 0_usize);
    for text in lines.split('\n') {
        match line::parse(text) {
            Line::Blank | Line::Comment(_) => {}
            Line::Bad => bad += 1,
            Line::Stack { path, .. } => {
                stacks += 1;
                called += usize::from(path.contains(';'));
            }
        }
    }
    match (stacks, bad) {
        // One line longer than the head: a very deep stack, or a very long name below a caller.
        (0, 0) if rest.contains(';') => Sniff::Maybe,
        _ if called * 2 < stacks || stacks <= bad => Sniff::No,
        _ if stacks >= bad * 9 => Sniff::Yes,
        _ => Sniff::Maybe,
    }
}

fn is_markup(text: &str) -> bool {
    let starts =
        |prefix: &str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let is_json =
        |rest: &str| rest.trim_start().starts_with(['{', '[', '"', ']', '}']) || rest.trim().is_empty();
    ["<!", "<?xml", "<html", "<svg"].into_iter().any(starts)
        || text.strip_prefix('{').is_some_and(is_json)
        || text.strip_prefix('[').is_some_and(is_json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_claimed_and_other_text_is_not() {
        for (text, answer) in [
            ("main;work 5\nmain;log 3\n", Sniff::Yes),
            ("# austin: 3.3.0\n\nP1;T1;f:1 5", Sniff::Yes),
            ("[worker tid=7];main 5", Sniff::Yes),
            ("<module> (a.py:1);f (a.py:2) 5", Sniff::Yes),
            ("a;b 3\r\na;c 4\r\n", Sniff::Yes),
            ("a;b 1\nwhat is this\na;c 2", Sniff::Maybe),
            ("real 1.5\nuser 0.5\nsys 0.1\n", Sniff::No),
            ("hello world\nthis; is a log 5\nno weights here", Sniff::No),
            ("{\"a;b\": 1}\n{\"c;d\": 2}", Sniff::No),
            ("[\n\"a;b 1", Sniff::No),
            ("<!DOCTYPE html>;b 5", Sniff::No),
            ("app 1234 5.6: 1003009 cpu-clock:\n\tffff f+0x1 (/bin/app)\n", Sniff::No),
            ("BenchmarkSend-2  100  11 ns/op\nPASS\n", Sniff::No),
            ("", Sniff::No),
        ] {
            assert_eq!(sniff(text.as_bytes()), answer, "{text:?}");
        }
    }

    #[test]
    fn a_line_longer_than_the_head_may_be_a_deep_stack() {
        let deep = "frame;".repeat(HEAD / 6 + 1);
        assert_eq!(sniff(&deep.as_bytes()[..HEAD]), Sniff::Maybe);
        assert_eq!(sniff(&vec![b'a'; HEAD]), Sniff::No);
    }
}
