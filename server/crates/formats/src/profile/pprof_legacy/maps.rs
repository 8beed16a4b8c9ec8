//! The memory map at the end of a profile: which binary an address lies in.

/// A mapped range of addresses.
#[derive(Debug)]
struct Range {
    from: u64,
    to: u64,
    module: String,
}

/// The ranges of a process, sorted by their begin.
#[derive(Debug, Default)]
pub(super) struct Maps {
    ranges: Vec<Range>,
}

/// Ranges that are read; a process has thousands at most.
const RANGES: usize = 100_000;

impl Maps {
    /// Reads lines as `/proc/self/maps` has them, and gperftools's shorter `from-to: path`; others are passed over.
    pub(super) fn read(text: &str) -> Self {
        let mut ranges: Vec<Range> = text.lines().filter_map(range).take(RANGES).collect();
        ranges.sort_by_key(|range| range.from);
        Self { ranges }
    }

    /// The name of the binary at an address, without its folder.
    pub(super) fn module(&self, address: u64) -> Option<&str> {
        let after = self.ranges.partition_point(|range| range.from <= address);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        (address < range.to).then_some(range.module.as_str())
    }
}

fn range(line: &str) -> Option<Range> {
    let line = line.trim();
    let (addresses, rest) = line.split_once([' ', ':'])?;
    let (from, to) = addresses.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let (from, to) = (hex(from)?, hex(to)?);
    let path =
        rest.split_whitespace().next_back().filter(|path| path.contains('/') || path.starts_with('['))?;
    let module = path.rsplit('/').next().filter(|name| !name.is_empty())?;
    // Only what can be executed is in a stack; the shorter form does not say what can.
    let permissions = rest.split_whitespace().next().unwrap_or_default();
    let executable = permissions.len() != 4 || permissions.as_bytes().get(2) == Some(&b'x');
    (from < to && executable).then(|| Range { from, to, module: module.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_find_their_binary() {
        let maps = Maps::read(
            "build=/x\n00400000-00fcb000 r-xp 00000000 00:00 0   /home/a/bench\n7f00-7f10: /lib/libc.so.6\n00fcb000-00fcc000 rw-p 0 00:00 0 /home/a/bench\n",
        );
        assert_eq!(maps.module(0x40_0001), Some("bench"));
        assert_eq!(maps.module(0x7f0f), Some("libc.so.6"));
        assert_eq!((maps.module(0x7f10), maps.module(0xfc_b001)), (None, None));
    }
}
