//! What `heaptrack_print` prints: the places that allocate most, each with its backtraces.
//!
//! Of each place only the first backtraces are printed and only the first places, so the profile is partial. The
//! sections of one report count different things; those of calls, of the peak, of temporary allocations and of leaks
//! become one profile each.

use model::{Event, Node, Profile, Unit};

use crate::error::{At, Kind, ParseError};
use crate::number::{Marks, lines, split_unit};
use crate::profile::sink::Sink;
use crate::read::{Content, Input, Parsed, Sniff};
use crate::text::text;
use crate::warnings::Warnings;

pub(super) const NAME: &str = "heaptrack-print";

/// Sections with the name of their event, and whether their first number is bytes.
const SECTIONS: [(&str, &str, bool); 4] = [
    ("MOST CALLS TO ALLOCATION FUNCTIONS", "alloc_objects", false),
    ("PEAK MEMORY CONSUMERS", "peak_space", true),
    ("MOST TEMPORARY ALLOCATIONS", "temporary_objects", false),
    ("MEMORY LEAKS", "inuse_space", true),
];

fn section(line: &str) -> Option<(&'static str, bool)> {
    let line = line.trim_end();
    SECTIONS.iter().find(|(title, ..)| *title == line).map(|(_, event, in_bytes)| (*event, *in_bytes))
}

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    if text.lines().any(|line| section(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// The first number of `81.73K consumed over 200 calls from:`. heaptrack counts by 1000.
fn amount(line: &str, in_bytes: bool) -> Option<f64> {
    let word = line.split(' ').next()?;
    let (value, unit) = split_unit(word, Marks::Point)?;
    let scale = match unit {
        "" | "B" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        _ => return None,
    };
    (value >= 0.0 && (in_bytes || scale == 1.0)).then_some(value * scale)
}

/// One function of a backtrace.
#[derive(Debug, Clone, Copy)]
struct Frame<'t> {
    name: &'t str,
    module: Option<&'t str>,
    file: Option<&'t str>,
}

/// One section while it is read.
struct Section<'a, 't> {
    event: &'static str,
    in_bytes: bool,
    sink: Sink<'a>,
    /// The place that allocates: the innermost functions of the backtraces below it.
    place: Vec<Frame<'t>>,
    /// The backtrace being read: its amount, and its functions.
    amount: Option<f64>,
    line: usize,
    trace: Vec<Frame<'t>>,
    /// Backtraces that are not printed.
    others: f64,
}

impl<'t> Section<'_, 't> {
    /// Adds the backtrace that was read.
    fn close(&mut self) -> Result<(), ParseError> {
        let Some(amount) = self.amount.take().filter(|amount| *amount > 0.0) else { return Ok(()) };
        let at = || At::Line(self.line);
        let mut node = Node::ROOT;
        // Printed innermost first.
        for frame in self.trace.iter().rev().chain(self.place.iter().rev()) {
            let frame = self.sink.frame(at, frame.name, frame.module, frame.file)?;
            node = self.sink.child(at, node, frame, false)?;
        }
        self.sink.count_stack(at, self.trace.len() + self.place.len())?;
        if node != Node::ROOT {
            self.sink.add(node, if self.in_bytes { 1 } else { amount as u64 }, amount);
        }
        self.trace.clear();
        Ok(())
    }

    fn row(&mut self, number: usize, line: &'t str) -> Result<(), ParseError> {
        let text = line.trim();
        let deeper = line.starts_with("    ");
        if line.ends_with(" from") || line.ends_with(" from:") {
            self.close()?;
            let amount = amount(line, self.in_bytes);
            self.line = number;
            if line.ends_with(':') {
                self.amount = amount;
            } else {
                self.place.clear();
            }
        } else if text.starts_with("and ") && text.contains(" from ") && text.ends_with("places") {
            self.close()?;
            self.others += amount(text.trim_start_matches("and "), self.in_bytes).unwrap_or(0.0);
        } else if !text.is_empty() {
            let list = if deeper { &mut self.trace } else { &mut self.place };
            match (text.strip_prefix("at "), text.strip_prefix("in "), list.last_mut()) {
                (Some(place), _, Some(frame)) => {
                    frame.file = Some(place.rsplit_once(':').map_or(place, |(file, _)| file));
                }
                (_, Some(module), Some(frame)) => frame.module = Some(module),
                _ => list.push(Frame { name: text, module: None, file: None }),
            }
        }
        Ok(())
    }

    fn finish(mut self, warnings: &mut Warnings) -> Result<Option<Profile>, ParseError> {
        self.close()?;
        if self.others > 0.0 {
            warnings.add_with(At::File, || {
                format!("{}: {} more are not printed with their backtrace", self.event, self.others)
            });
        }
        let tree = self.sink.finish(warnings);
        let unit = if self.in_bytes { Unit::Bytes } else { Unit::Count("allocs".to_owned()) };
        let mut profile = Profile::new(Event { name: self.event.to_owned(), unit }, tree);
        profile.partial = true;
        Ok((!profile.tree.nodes.is_empty()).then_some(profile))
    }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut profiles = Vec::new();
    let mut open: Option<Section<'_, '_>> = None;
    for (number, line) in lines(&text) {
        let begins = section(line);
        if (begins.is_some() || line.starts_with("total runtime:"))
            && let Some(done) = open.take()
        {
            profiles.extend(done.finish(&mut warnings)?);
        }
        if let Some((event, in_bytes)) = begins {
            let sink = Sink::new(NAME, input.limits);
            let (place, trace) = (Vec::new(), Vec::new());
            open = Some(Section {
                event,
                in_bytes,
                sink,
                place,
                amount: None,
                line: number,
                trace,
                others: 0.0,
            });
        } else if let Some(section) = &mut open {
            section.row(number, line)?;
        }
    }
    if let Some(done) = open.take() {
        profiles.extend(done.finish(&mut warnings)?);
    }
    if profiles.is_empty() {
        let text = "no section has a backtrace".to_owned();
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    }
    warnings.add(At::File, "a report holds the first places only; send the recording to have all");
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    #[test]
    fn sections_are_profiles_of_backtraces() {
        let text = "reading file\n\nMOST CALLS TO ALLOCATION FUNCTIONS\n200 calls to allocation functions with 3.81K peak consumption from\n\
            encode\n  at /a.cpp:5\n  in /a\n150 calls with 3.81K peak consumption from:\n    handle\n      at /a.cpp:6\n      in /a\n    main\n      in /a\n\
            50 calls with 1.00K peak consumption from:\n    other\n      in /a\n\nPEAK MEMORY CONSUMERS\n1.50K peak memory consumed over 2 calls from\n\
            0x7f\n  in /lib\n1.50K consumed over 2 calls from:\n    main\n      in /a\n\n\ntotal runtime: 0.00s.\ncalls to x from\n";
        assert_eq!(sniff(text.as_bytes()), Sniff::Yes);
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits }).unwrap();
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        let stacks: Vec<_> = profiles
            .iter()
            .flat_map(|profile| {
                let tree = &profile.tree;
                let name = |frame: u32| tree.frames[frame as usize].name.as_str();
                let path = move |node| tree.path(node).into_iter().map(name).collect::<Vec<_>>().join(";");
                let nodes = (0..).zip(&tree.nodes).filter(|(_, node)| node.self_samples > 0);
                nodes.map(move |(index, node)| (path(index), node.self_weight)).collect::<Vec<_>>()
            })
            .collect();
        let wanted = [("main;handle;encode", 150.0), ("other;encode", 50.0), ("main;0x7f", 1500.0)];
        assert_eq!(stacks, wanted.map(|(path, weight)| (path.to_owned(), weight)));
        assert!(profiles.iter().all(|profile| profile.partial));
        assert_eq!(profiles[0].tree.frames[2].file.as_deref(), Some("/a.cpp"));
    }
}
