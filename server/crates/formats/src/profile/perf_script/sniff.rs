//! Whether text is `perf script`'s: a sample's header with a stack below it.

use super::frame::{is_bare, is_frame};
use super::header;
use crate::read::Sniff;

/// Lines looked at; a recording's own header (`--header`) can be a hundred lines.
const LINES: usize = 2_000;

/// Yes for a header that is followed by a frame or holds one; maybe for a header or for frames alone.
pub(super) fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let mut after_header = false;
    let mut best = Sniff::No;
    let mut frames = 0;
    let mut others = 0;
    for line in text.lines().take(LINES).filter(|line| !line.starts_with('#')) {
        // A process may be called `dd`, so that its header looks like an address.
        if let Some(header) = header::parse(line) {
            if is_frame(header.rest) && header.time.is_some() {
                return Sniff::Yes;
            }
            after_header = header.time.is_some() || !header.event.is_empty();
            frames += usize::from(is_bare(header.rest));
            if !header.event.is_empty() && header.time.is_some() {
                best = Sniff::Maybe;
            }
        } else if is_frame(line) || is_bare(line) {
            if after_header {
                return Sniff::Yes;
            }
            frames += 1;
        } else if !line.trim().is_empty() {
            after_header = false;
            others += 1;
        }
    }
    // Without headers of the usual form (`-F comm,ip,sym`) most lines are frames all the same.
    if frames > others { best.max(Sniff::Maybe) } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_with_a_stack_is_claimed() {
        for (text, answer) in [
            ("x 1 1.0: 5 cpu-clock: \n\n", Sniff::Maybe),
            ("# ========\n# hostname : x\n\nx 1 1.0: 5 cycles: \n\t ffff f+0x1 (/bin/x)\n", Sniff::Yes),
            ("java 5 cycles:\nffffffff8103d0ca f ([kernel.kallsyms])\n", Sniff::Yes),
            ("  dd 5 [000] 1.0: 1 cycles: ffff8 f ([kernel.kallsyms])\n", Sniff::Yes),
            ("\tffffffff8105bf3a foo ([kernel.kallsyms])\n\t4005d0 main (/usr/bin/x)\n", Sniff::Maybe),
            ("python3 \n\tffffffff8177819a elf_load\n\tffffffff8177882a g\n", Sniff::Maybe),
            ("python3 1 1.0: \n\tffffffff8177819a elf_load\n", Sniff::Yes),
            ("dd 18199  ffffffff81d7d62a read_zero\n", Sniff::Maybe),
            ("a;b 5\na;c 6\n", Sniff::No),
            ("{\"a\": 1}", Sniff::No),
            ("BenchmarkX-2  100  11 ns/op\n", Sniff::No),
            ("real 1.5\nuser 0.5\n", Sniff::No),
        ] {
            assert_eq!(sniff(text.as_bytes()), answer, "{text:?}");
        }
    }
}
