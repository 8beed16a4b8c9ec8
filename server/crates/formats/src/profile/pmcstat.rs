//! Call chains of FreeBSD's `pmcstat -G`:
//!
//! ```text
//! @ inst_retired.any [35705 samples]
//!
//! 20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko
//!  100.0%  [7447]      zio_compress_data
//! ```
//!
//! The outermost rows are the functions that ran; below each are its callers. The library is told where it differs
//! from the row above. Manual: <https://man.freebsd.org/cgi/man.cgi?pmcstat>.

use model::{Event, Node, Profile, Unit};

use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::number::lines;
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

const NAME: &str = "pmcstat";

/// Call chains of pmcstat.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "call chains of FreeBSD's pmcstat -G", sniff, read };

/// `@ event [n samples]`.
fn heading(line: &str) -> Option<(&str, u64)> {
    let (event, samples) = line.strip_prefix("@ ")?.trim_end().rsplit_once(" [")?;
    Some((event.trim(), samples.strip_suffix(" samples]")?.parse().ok()?))
}

fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let mut rows = text.lines();
    let is_it = rows.any(|line| heading(line).is_some()) && rows.any(|line| row(line).is_some());
    if is_it { Sniff::Yes } else { Sniff::No }
}

/// A function and, behind those below it, how many samples are left.
#[derive(Debug, Clone, PartialEq)]
struct Row<'t> {
    line: usize,
    depth: usize,
    left: u64,
    name: &'t str,
    module: Option<&'t str>,
}

fn row(line: &str) -> Option<Row<'_>> {
    let text = line.trim_start_matches(' ');
    let (share, rest) = text.split_once('%')?;
    share.parse::<f64>().ok()?;
    let (count, function) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    let (name, module) = match function.rsplit_once(" @ ") {
        Some((name, path)) => (name, Some(path.trim().rsplit('/').next().unwrap_or(path))),
        None => (function, None),
    };
    let name = name.trim();
    let depth = line.len() - text.len();
    (!name.is_empty()).then_some(Row { line: 0, depth, left: count.parse().ok()?, name, module })
}

/// One event.
struct Chains<'a, 't> {
    event: &'t str,
    told: u64,
    sink: Sink<'a>,
    /// From the function that ran to the row read last.
    open: Vec<Row<'t>>,
}

impl<'t> Chains<'_, 't> {
    fn row(&mut self, mut row: Row<'t>, warnings: &mut Warnings) -> Result<(), ParseError> {
        while self.open.last().is_some_and(|open| open.depth >= row.depth) {
            self.close()?;
        }
        if let Some(below) = self.open.last_mut() {
            row.module = row.module.or(below.module);
            if row.left > below.left {
                warnings.add(At::Line(row.line), "the callers have more samples than what they call");
            }
            below.left = below.left.saturating_sub(row.left);
        }
        self.open.push(row);
        Ok(())
    }

    /// Adds the samples whose stack ends with the innermost open row.
    fn close(&mut self) -> Result<(), ParseError> {
        let Some(last) = self.open.last() else { return Ok(()) };
        let at = || At::Line(last.line);
        if last.left > 0 {
            let mut node = Node::ROOT;
            for row in self.open.iter().rev() {
                let frame = self.sink.frame(at, row.name, row.module, None)?;
                node = self.sink.child(at, node, frame, false)?;
            }
            self.sink.count_stack(at, self.open.len())?;
            self.sink.add(node, last.left, last.left as f64);
        }
        self.open.pop();
        Ok(())
    }

    fn finish(mut self, warnings: &mut Warnings) -> Result<Profile, ParseError> {
        while !self.open.is_empty() {
            self.close()?;
        }
        // Each sample counts as many events as the sampling rate, which pmcstat does not tell.
        let unit = Unit::Count("samples".to_owned());
        let mut profile =
            Profile::new(Event { name: self.event.to_owned(), unit }, self.sink.finish(warnings));
        let read = profile.tree.samples();
        if read < self.told {
            profile.partial = true;
            warnings.add_with(At::File, || {
                format!("{} of {} samples of {} are in the call chains", read, self.told, excerpt(self.event))
            });
        }
        Ok(profile)
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut profiles = Vec::new();
    let mut chains: Option<Chains<'_, '_>> = None;
    for (number, line) in lines(&text) {
        if let Some((event, told)) = heading(line) {
            if let Some(done) = chains.take() {
                profiles.push(done.finish(&mut warnings)?);
            }
            chains = Some(Chains { event, told, sink: Sink::new(NAME, input.limits), open: Vec::new() });
        } else if let (Some(chains), Some(row)) = (&mut chains, row(line)) {
            chains.row(Row { line: number, ..row }, &mut warnings)?;
        } else if !line.trim().is_empty() {
            warnings.add_with(At::Line(number), || {
                format!("this is no row of a call chain: {:?}", excerpt(line))
            });
        }
    }
    profiles.extend(chains.map(|chains| chains.finish(&mut warnings)).transpose()?);
    if profiles.iter().all(|profile| profile.tree.nodes.is_empty()) {
        let expected = "`@ event [n samples]` and rows of functions below it";
        let found = text.lines().next().map(excerpt).unwrap_or_default().into_owned();
        return Err(ParseError::new(NAME, At::File, Kind::Expected { expected, found }));
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    #[test]
    fn callers_are_put_above_what_ran() {
        let text = "@ cycles [10 samples]\n\n60.00%  [6]   lz4 @ /boot/kernel/zfs.ko\n 50.00%  [3]    zio\n  100.0%  [3]     fork @ /boot/kernel/kernel\n 16.67%  [1]    arc\n\n30.00%  [3]   idle\n";
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits }).unwrap();
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        let tree = &profiles[0].tree;
        let path = |node: u32| {
            let names = tree.path(node).into_iter().map(|frame| tree.frames[frame as usize].name.as_str());
            names.collect::<Vec<_>>().join(";")
        };
        let stacks: Vec<_> = (0..)
            .zip(&tree.nodes)
            .filter(|(_, node)| node.self_samples > 0)
            .map(|(index, node)| (path(index), node.self_samples))
            .collect();
        let wanted = [("fork;zio;lz4", 3), ("arc;lz4", 1), ("lz4", 2), ("idle", 3)];
        assert_eq!(stacks, wanted.map(|(path, n)| (path.to_owned(), n)));
        assert_eq!(
            tree.frames.iter().find(|frame| frame.name == "zio").unwrap().module.as_deref(),
            Some("zfs.ko")
        );
        assert!(profiles[0].partial && parsed.warnings.len() == 1, "{:?}", parsed.warnings);
    }
}
