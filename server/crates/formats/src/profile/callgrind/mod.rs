//! Callgrind's profiles, which xdebug, rbspy, kcachegrind's converters and others write as well.
//!
//! The file holds a graph: for each function its own cost and the cost of what it called, added up over all callers.
//! A call tree is made of it by dividing a function among its callers in proportion to what each paid for it, as
//! every viewer of the format does; what a function costs alone, and the sum, stay exact. Each counted event is one
//! profile. Format: <https://valgrind.org/docs/manual/cl-format.html>.

mod graph;
mod lines;
mod read;
mod tree;

use crate::read::{Reader, Sniff};

const NAME: &str = "callgrind";

/// Callgrind's profiles.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "callgrind's output, also of xdebug and rbspy", sniff, read: read::read };

/// Yes for an `events:` line and a function; the comment on the first line is optional.
fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let has = |prefix: &str| text.lines().any(|line| line.starts_with(prefix));
    let has_function = has("fn=") || has("ob=") || has("fl=");
    match (has("# callgrind format"), has("events:") && has_function) {
        (true, _) | (_, true) => Sniff::Yes,
        (false, false) => Sniff::No,
    }
}
