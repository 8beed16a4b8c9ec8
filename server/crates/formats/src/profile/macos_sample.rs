//! The report of `sample` on macOS (and of Activity Monitor):
//!
//! ```text
//! Analysis of sampling rg (pid 64751) every 1 millisecond
//! Call graph:
//!     825 Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)
//!     + 825 start  (in libdyld.dylib) + 1  [0x7fff737cf3d5]
//!     +   825 main  (in rg) + 41  [0x10384b549]
//! ```
//!
//! Rows count how often a thread was seen in the function or below it, whether it ran or waited. `sample` stops all
//! threads alike, so the report is of wall-clock time; a second profile leaves out stacks that end in a system call
//! that only waits. Manual: `man sample`.

use model::profile::LabelWeight;
use model::{CallTree, CallTreeBuilder, Event, Node, Profile, Unit};

use super::nested::{Cost, Nested, Row};
use crate::error::{At, Kind, ParseError};
use crate::number::lines;
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

const NAME: &str = "macos-sample";

/// Reports of macOS's `sample`.
pub(super) const READER: Reader =
    Reader { name: NAME, about: "the report of `sample` on macOS", sniff, read };

/// System calls of macOS in which a thread waits. `read` is among them as in the collapsers of FlameGraph and inferno,
/// although reading what is in memory copies; the profile of wall-clock time has it.
const WAITS: [&str; 23] = [
    "__accept",
    "__poll",
    "__pselect",
    "__psynch_cvwait",
    "__psynch_mutexwait",
    "__psynch_rw_rdlock",
    "__psynch_rw_wrlock",
    "__recvfrom",
    "__select",
    "__semwait_signal",
    "__sigsuspend",
    "__sigwait",
    "__ulock_wait",
    "__ulock_wait2",
    "__wait4",
    "__workq_kernreturn",
    "kevent",
    "kevent64",
    "kevent_qos",
    "mach_msg2_trap",
    "mach_msg_trap",
    "read",
    "semaphore_wait_trap",
];

fn sniff(head: &[u8]) -> Sniff {
    let text = String::from_utf8_lossy(head);
    let has = |what: &str| text.lines().any(|line| line.trim_start().starts_with(what));
    if has("Analysis of sampling ") || (has("Call graph:") && has("Binary Images:")) {
        Sniff::Yes
    } else {
        Sniff::No
    }
}

/// One row of the call graph: `+ ! 825 main  (in rg) + 41  [0x10384b549]`.
#[derive(Debug, PartialEq)]
struct Call<'t> {
    depth: usize,
    count: u64,
    name: &'t str,
    module: Option<&'t str>,
}

fn call(line: &str) -> Option<Call<'_>> {
    let text = line.trim_start_matches([' ', '\t', '+', '!', ':', '|']);
    let depth = line.len() - text.len();
    let (count, rest) = text.split_once(' ')?;
    let count = count.parse().ok()?;
    // Behind the name: the library, the offset, the address and, with symbols, `a.c:12`.
    let (name, behind) = rest.split_once("  (in ").unwrap_or((rest, ""));
    let module = behind.split_once(')').map(|(module, _)| module).filter(|module| !module.is_empty());
    let name = name.split("  ").next().unwrap_or(name).trim();
    (!name.is_empty()).then_some(Call { depth, count, name, module })
}

/// Nanoseconds between two samples, from the first line.
fn period(line: &str) -> Option<f64> {
    let (number, unit) = line.rsplit_once(" every ")?.1.trim().split_once(' ')?;
    let (unit, scale) = Unit::parse(unit.trim_end_matches('.'));
    let unit_scale = match unit {
        Unit::Nanoseconds => scale,
        _ if line.contains("millisecond") => 1e6,
        _ if line.contains("microsecond") => 1e3,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|n| n * unit_scale).filter(|period| period.is_finite() && *period > 0.0)
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut nested = Nested::new(NAME, input.limits);
    let mut threads: Vec<Thread<'_>> = Vec::new();
    let (mut in_graph, mut ended, mut every) = (false, false, None);
    for (number, line) in lines(&text) {
        if !in_graph {
            every = every.or_else(|| period(line));
            in_graph = line.trim() == "Call graph:";
            continue;
        }
        if line.trim().is_empty() || line.starts_with("Total number in stack") {
            ended = true;
            break;
        }
        let Some(call) = call(line) else {
            warnings.add_with(At::Line(number), || {
                format!("this is no row of the call graph: {:?}", excerpt(line))
            });
            continue;
        };
        let is_thread = call.module.is_none() && call.name.starts_with("Thread_");
        if is_thread {
            let name = line.trim().split_once(' ').map_or("", |(_, name)| name);
            threads.push(Thread { name, count: call.count });
        }
        let name = if is_thread { "" } else { call.name };
        let cost = Cost::Total(call.count as f64);
        nested.row(Row { line: number, depth: call.depth, name, module: call.module, file: None, cost })?;
    }
    if nested.is_empty() {
        let text = if in_graph { "the call graph is empty" } else { "there is no `Call graph:`" };
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text.to_owned())));
    }
    let tree = nested.finish(&mut warnings, |own| (own as u64, own * every.unwrap_or(1.0)))?;
    let running = without_waits(&tree);
    let mut profiles = vec![profile("wall", tree, every)];
    if let Some(wall) = profiles.first_mut() {
        wall.labels = threads.iter().take(Profile::MOST_LABELS).map(|thread| thread.label(every)).collect();
    }
    if running.samples() > 0 {
        profiles.push(profile("running", running, every));
    }
    if !ended {
        warnings.add(At::File, "the call graph has no end: the file is cut off");
        for profile in &mut profiles {
            profile.partial = true;
        }
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

fn profile(event: &str, tree: CallTree, period: Option<f64>) -> Profile {
    let unit = if period.is_some() { Unit::Nanoseconds } else { Unit::Count("samples".to_owned()) };
    let mut profile = Profile::new(Event { name: event.to_owned(), unit }, tree);
    profile.period = period;
    profile
}

/// The tree without the samples of functions that wait.
fn without_waits(tree: &CallTree) -> CallTree {
    let mut running = CallTreeBuilder::new();
    let frames: Vec<u32> = tree.frames.iter().map(|frame| running.intern(frame)).collect();
    for (node, index) in tree.nodes.iter().zip(0..) {
        let name = tree.frames.get(node.frame as usize).map_or("", |frame| frame.name.as_str());
        if node.self_samples == 0 || WAITS.contains(&name) {
            continue;
        }
        let path = tree.path(index);
        let place = path.iter().fold(Node::ROOT, |caller, frame| match frames.get(*frame as usize) {
            Some(frame) => running.child(caller, *frame, false),
            None => caller,
        });
        running.add(place, node.self_samples, node.self_weight);
    }
    running.finish()
}

/// A thread with the samples taken of it.
struct Thread<'t> {
    name: &'t str,
    count: u64,
}

impl Thread<'_> {
    fn label(&self, period: Option<f64>) -> LabelWeight {
        let value = self.name.split_whitespace().collect::<Vec<_>>().join(" ");
        let weight = self.count as f64 * period.unwrap_or(1.0);
        LabelWeight { key: "thread".to_owned(), value, samples: self.count, weight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    const TEXT: &str = "Analysis of sampling a (pid 1) every 2 milliseconds
Call graph:
    5 Thread_1   DispatchQueue_1: main  (serial)
    + 5 start  (in libdyld.dylib) + 1  [0x7f]
    +   3 main  (in a) + 41  [0x10]  a.c:12
    +   ! 3 -[A b:c:]  (in a) + 9  [0x11]
    +   2 __ulock_wait  (in libsystem_kernel.dylib) + 10  [0x12]
    2 Thread_2
      2 ???  (in a)  load address 0x1 + 0x2  [0x3]

Total number in stack (recursive counted multiple, when >=5):
";

    fn parse(text: &str) -> Result<(Vec<Profile>, usize), ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })?;
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        Ok((profiles, parsed.warnings.len()))
    }

    #[test]
    fn threads_are_labels_and_waiting_is_left_out_of_running() {
        assert_eq!(sniff(TEXT.as_bytes()), Sniff::Yes);
        let (profiles, warnings) = parse(TEXT).unwrap();
        let told: Vec<_> = profiles
            .iter()
            .map(|profile| (profile.event.name.as_str(), profile.tree.samples(), profile.tree.weight()))
            .collect();
        assert_eq!(told, [("wall", 7, 14e6), ("running", 5, 10e6)]);
        assert_eq!((warnings, profiles[0].period), (0, Some(2e6)));
        let frames: Vec<_> = profiles[0].tree.frames.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!(frames, ["start", "main", "-[A b:c:]", "__ulock_wait", "???"]);
        let labels: Vec<_> =
            profiles[0].labels.iter().map(|label| (label.value.as_str(), label.samples)).collect();
        assert_eq!(labels, [("Thread_1 DispatchQueue_1: main (serial)", 5), ("Thread_2", 2)]);
    }

    #[test]
    fn a_report_that_is_cut_is_partial_and_one_without_a_graph_refused() {
        let cut = TEXT.split("    2 Thread_2").next().unwrap();
        let (profiles, warnings) = parse(cut).unwrap();
        assert_eq!((profiles[0].partial, warnings), (true, 1));
        assert!(parse("Analysis of sampling a\nCall graph:\n\n").unwrap_err().to_string().contains("empty"));
    }
}
