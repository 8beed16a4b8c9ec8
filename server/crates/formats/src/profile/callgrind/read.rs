//! A callgrind file to profiles, one an event.

use model::{Event, Profile, Unit};
use rustc_hash::FxHashMap;

use super::NAME;
use super::graph::{Function, Graph, Name};
use super::lines::{Line, Names, costs, parse};
use super::tree;
use crate::error::{At, Kind, ParseError};
use crate::number::lines;
use crate::profile::parts::ticks;
use crate::read::{Content, Input, Parsed};
use crate::text::{excerpt, text};
use crate::warnings::Warnings;

/// More events than any tool counts in one run.
const MOST_EVENTS: usize = 64;

/// Names with the numbers that stand for them. Files and functions are numbered apart, objects as well.
#[derive(Debug, Default)]
pub(super) struct Table<'t> {
    pub(super) names: Vec<&'t str>,
    known: FxHashMap<&'t str, Name>,
    numbered: FxHashMap<(u8, u64), Name>,
}

impl<'t> Table<'t> {
    /// The text of a name; empty for none.
    pub(super) fn get(&self, name: Name) -> &'t str {
        (name as usize).checked_sub(1).and_then(|index| self.names.get(index)).copied().unwrap_or_default()
    }

    fn intern(&mut self, text: &'t str) -> Name {
        *self.known.entry(text).or_insert_with(|| {
            self.names.push(text);
            self.names.len() as Name
        })
    }

    /// A name of one kind, by its text, its number, or both. `None` for a number that was never given a name.
    fn resolve(&mut self, kind: u8, id: Option<u64>, text: &'t str) -> Option<Name> {
        match (id, text) {
            (None, text) => Some(self.intern(text)),
            (Some(id), "") => self.numbered.get(&(kind, id)).copied(),
            (Some(id), text) => {
                let name = self.intern(text);
                self.numbered.insert((kind, id), name);
                Some(name)
            }
        }
    }
}

/// The file while it is read.
struct File<'a, 't> {
    input: Input<'a>,
    table: Table<'t>,
    graph: Graph,
    events: Vec<&'t str>,
    positions: usize,
    totals: Option<Vec<f64>>,
    object: Name,
    source: Name,
    function: Option<u32>,
    called: (Option<Name>, Option<Name>, Option<Name>),
    /// The next costs are those of a call.
    in_call: bool,
    costs: Vec<f64>,
    skipped: usize,
}

fn error(line: usize, kind: Kind) -> ParseError {
    ParseError::new(NAME, At::Line(line), kind)
}

impl<'t> File<'_, 't> {
    fn header(&mut self, line: usize, key: &str, value: &'t str) -> Result<(), ParseError> {
        match key {
            "events" => {
                let events: Vec<&str> = value.split_ascii_whitespace().collect();
                if !self.events.is_empty() && events != self.events {
                    let text = "a second `events:` line names other events".to_owned();
                    return Err(error(line, Kind::Invalid(text)));
                }
                if events.is_empty() || events.len() > MOST_EVENTS {
                    let text = format!("{} events are named, 1 to {MOST_EVENTS} are possible", events.len());
                    return Err(error(line, Kind::Invalid(text)));
                }
                self.graph.events = events.len();
                self.events = events;
            }
            "positions" => self.positions = value.split_ascii_whitespace().count(),
            // Of several parts each has its own.
            "totals" | "summary" => {
                let mut sums = Vec::new();
                if costs(value, 0, &mut sums).is_some() && !sums.is_empty() && self.totals.is_none() {
                    self.totals = Some(sums);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn name(&mut self, line: usize, names: Names, id: Option<u64>, text: &'t str) -> Result<(), ParseError> {
        let kind = match names {
            Names::Object | Names::CalledObject => 0,
            Names::File | Names::CalledFile | Names::JumpFile => 1,
            Names::Function | Names::CalledFunction | Names::JumpFunction => 2,
        };
        let Some(name) = self.table.resolve(kind, id, text) else {
            let id = id.unwrap_or_default();
            return Err(error(line, Kind::Dangling { what: "compressed name", id }));
        };
        match names {
            Names::Object => self.object = name,
            Names::File => self.source = name,
            Names::Function => {
                self.function =
                    Some(self.function(line, Function { name, file: self.source, object: self.object })?);
                self.called = (None, None, None);
            }
            Names::CalledObject => self.called.0 = Some(name),
            Names::CalledFile => self.called.1 = Some(name),
            Names::CalledFunction => self.called.2 = Some(name),
            Names::JumpFile | Names::JumpFunction => {}
        }
        Ok(())
    }

    fn function(&mut self, line: usize, function: Function) -> Result<u32, ParseError> {
        if self.events.is_empty() {
            let text = "a function stands before the `events:` line".to_owned();
            return Err(error(line, Kind::Invalid(text)));
        }
        let index = self.graph.function(function);
        let limits = self.input.limits;
        if self.graph.list.len() > limits.frames {
            let limit = limits.frames as u64;
            return Err(error(
                line,
                Kind::Limit { what: "different functions", limit, setting: "max_frames" },
            ));
        }
        Ok(index)
    }

    fn costs(&mut self, line: usize, text: &str, warnings: &mut Warnings) -> Result<(), ParseError> {
        let mut found = std::mem::take(&mut self.costs);
        let read = costs(text, self.positions, &mut found);
        let is_call = std::mem::take(&mut self.in_call);
        match (read, self.function) {
            (Some(()), Some(caller)) if is_call => {
                let (object, file, name) = std::mem::take(&mut self.called);
                if let Some(name) = name {
                    // What is not told is the caller's.
                    let file = file.unwrap_or(self.source);
                    let callee = Function { name, file, object: object.unwrap_or(self.object) };
                    let callee = self.function(line, callee)?;
                    if self.graph.edges.len() >= self.input.limits.nodes {
                        let limit = self.input.limits.nodes as u64;
                        return Err(error(line, Kind::Limit { what: "calls", limit, setting: "max_nodes" }));
                    }
                    self.graph.add_call(caller, callee, &found);
                } else {
                    warnings.add(At::Line(line), "a call without a function is skipped");
                    self.skipped += 1;
                }
            }
            (Some(()), Some(function)) => self.graph.add_own(function, &found),
            _ => {
                self.skipped += 1;
                warnings.add_with(At::Line(line), || {
                    format!("no costs of a function, skipped: {:?}", excerpt(text))
                });
            }
        }
        self.costs = found;
        Ok(())
    }
}

/// Name and unit of an event, and the factor to it.
fn event(name: &str) -> (Event, f64) {
    let (unit, scale) = match name {
        "Ir" | "Instructions" => (Unit::Instructions, 1.0),
        "Cycles" | "CEst" | "Cy" => (Unit::Cycles, 1.0),
        _ => match name.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
            // xdebug: `Time_(10ns)`, `Memory_(bytes)`; older versions count microseconds.
            Some((_, unit)) => {
                let digits = unit.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
                let (times, unit) = unit.split_at_checked(digits).unwrap_or(("", unit));
                let (unit, scale) = Unit::parse(unit);
                (unit, scale * times.parse::<f64>().unwrap_or(1.0))
            }
            None if name.eq_ignore_ascii_case("samples") => (Unit::Count("samples".to_owned()), 1.0),
            None => (Unit::Count(String::new()), 1.0),
        },
    };
    let short = match name.split_once("_(").map_or(name, |(name, _)| name) {
        "Time" => "wall",
        "Memory" => "alloc_space",
        other => other,
    };
    (Event { name: short.to_owned(), unit }, scale)
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let text = text(&input, &mut warnings);
    let mut file = File {
        input,
        table: Table::default(),
        graph: Graph::default(),
        events: Vec::new(),
        positions: 1,
        totals: None,
        object: 0,
        source: 0,
        function: None,
        called: (None, None, None),
        in_call: false,
        costs: Vec::new(),
        skipped: 0,
    };
    for (number, line) in lines(&text) {
        match parse(line) {
            Line::Nothing => {}
            Line::Header(key, value) => file.header(number, key, value)?,
            Line::Name(names, id, name) => file.name(number, names, id, name)?,
            Line::Calls => file.in_call = true,
            Line::Costs(costs) => file.costs(number, costs, &mut warnings)?,
            Line::Bad => {
                file.skipped += 1;
                warnings
                    .add_with(At::Line(number), || format!("not understood, skipped: {:?}", excerpt(line)));
            }
        }
    }
    if file.events.is_empty() {
        let text = "there is no `events:` line".to_owned();
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    }
    finish(&file, warnings)
}

fn finish(file: &File<'_, '_>, mut warnings: Warnings) -> Result<Parsed, ParseError> {
    let mut profiles = Vec::new();
    for (index, name) in file.events.iter().enumerate() {
        let own = file.graph.own(index);
        let sum: f64 = own.iter().sum();
        if sum <= 0.0 {
            continue;
        }
        let (event, scale) = event(name);
        let is_ticks = event.unit == ticks("").unit;
        let tree =
            tree::build(&file.graph, &own, index, &file.table, file.input.limits, &mut warnings, |own| {
                (if is_ticks { own.round() as u64 } else { 1 }, own * scale)
            })?;
        let mut profile = Profile::new(event, tree);
        let told = file.totals.as_ref().and_then(|totals| totals.get(index)).copied();
        // A file that was cut, or lines that were not understood. Toggled collection loses a little as well.
        if file.skipped > 0 || told.is_some_and(|told| sum < told * 0.99) {
            profile.partial = true;
        }
        if let Some(told) = told.filter(|told| (sum - told).abs() > told * 0.01) {
            warnings.add_with(At::File, || {
                format!("{name}: the functions add up to {sum}, the file says {told}")
            });
        }
        profiles.push(profile);
    }
    if profiles.is_empty() {
        let text = "no function has a cost".to_owned();
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    }
    Ok(warnings.parsed(NAME, Content::Profiles(profiles)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    fn parse(text: &str) -> Result<(Vec<Profile>, Vec<String>), ParseError> {
        let (hints, limits) = (Hints::default(), Limits::default());
        let parsed = read(Input { bytes: text.as_bytes(), hints: &hints, limits: &limits })?;
        let Content::Profiles(profiles) = parsed.content else { panic!("not profiles") };
        Ok((profiles, parsed.warnings.into_iter().map(|warning| warning.text).collect()))
    }

    #[test]
    fn jumps_name_files_and_levels_of_recursion_are_one_function() {
        let text = "positions: instr line\nevents: Ir\nfl=(1) a.c\nfn=(1) f'2\n0x10 1 5\njfi=(2) b.h\njcnd=1/2 +7 4\n* *\nfi=(2)\n+2 9 3\n";
        let (profiles, warnings) = parse(text).unwrap();
        assert_eq!((profiles[0].tree.frames[0].name.as_str(), profiles[0].tree.weight()), ("f", 8.0));
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    /// Stacks with their own weight, sorted.
    fn stacks(profile: &Profile) -> Vec<(String, f64)> {
        let tree = &profile.tree;
        let name = |frame: u32| tree.frames[frame as usize].name.as_str();
        let path = |node| tree.path(node).into_iter().map(name).collect::<Vec<_>>().join(";");
        let nodes = (0..).zip(&tree.nodes).filter(|(_, node)| node.self_weight > 0.0);
        let mut stacks: Vec<_> = nodes.map(|(index, node)| (path(index), node.self_weight)).collect();
        stacks.sort_by(|a, b| a.0.cmp(&b.0));
        stacks
    }

    fn wanted(stacks: &[(&str, f64)]) -> Vec<(String, f64)> {
        stacks.iter().map(|(path, weight)| ((*path).to_owned(), *weight)).collect()
    }

    const TEXT: &str = "version: 1\npositions: line\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) a.c\nfn=(1) main\n16 20 150\n\
        cfn=(2) f\ncalls=1 50\n16 400 200\ncfi=(2) b.c\ncfn=(3) g\ncalls=3 51\n+2 400\n\nfn=(2)\n51 100\ncfi=(2)\ncfn=(3)\n\
        calls=2 20\n* 300 50\n\nfl=(2)\nfn=(3)\n20 700 50\n";

    #[test]
    fn a_function_is_divided_among_its_callers_by_what_they_paid() {
        let (profiles, warnings) = parse(TEXT).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(profiles.len(), 2);
        let all = [("main", 200.0), ("main;f", 1000.0), ("main;f;g", 3000.0), ("main;g", 4000.0)];
        assert_eq!(stacks(&profiles[0]), wanted(&all));
        assert_eq!(profiles[0].event, Event { name: "wall".to_owned(), unit: Unit::Nanoseconds });
        // f was entered from outside as well, since it cost less than its caller paid; g is f's alone.
        assert_eq!(stacks(&profiles[1]), wanted(&[("main", 150.0), ("main;f;g", 50.0)]));
        assert_eq!(profiles[1].event.unit, Unit::Bytes);
        assert_eq!(profiles[0].tree.frames[2].file.as_deref(), Some("b.c"));
    }

    #[test]
    fn recursion_keeps_the_sum() {
        let text = "events: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 90\nfn=f\n2 30\ncfn=f\ncalls=4 2\n2 80\ncfn=g\ncalls=1 3\n\
            2 60\nfn=g\n3 60\ncfn=f\ncalls=1 2\n3 5\n";
        let (profiles, warnings) = parse(text).unwrap();
        assert_eq!(stacks(&profiles[0]), wanted(&[("main", 10.0), ("main;f", 30.0), ("main;f;g", 60.0)]));
        assert!(warnings.len() == 1 && warnings[0].contains("2 recursive"), "{warnings:?}");
    }

    #[test]
    fn exponentially_many_paths_are_cut_and_the_sum_is_kept() {
        let mut text = "events: Ir\n".to_owned();
        for level in 0..40 {
            for side in 0..2 {
                text += &format!("fn=f{level}_{side}\n1 10\n");
                if level < 39 {
                    let paid = 10 * (39 - level);
                    for callee in 0..2 {
                        text += &format!("cfn=f{}_{callee}\ncalls=1 1\n1 {paid}\n", level + 1);
                    }
                }
            }
        }
        let (profiles, warnings) = parse(&text).unwrap();
        let tree = &profiles[0].tree;
        assert!((tree.weight() - 800.0).abs() < 1e-6 && tree.nodes.len() < 500_000, "{}", tree.weight());
        assert!(warnings.iter().any(|warning| warning.contains("too small")), "{warnings:?}");
    }

    #[test]
    fn what_is_wrong_is_located() {
        for (text, part) in [
            ("fn=main\n1 2\n", "line 1: a function stands before"),
            ("events: Ir\nfn=(7)\n1 2\n", "line 2: compressed name 7 does not exist"),
            ("events: Ir\nfn=a\n", "no function has a cost"),
            ("# callgrind format\n", "no `events:`"),
            ("events: Ir\nfn=a\n1 2\nevents: Dr\n", "line 4: a second"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let (profiles, warnings) = parse("events: Ir\ntotals: 100\nfn=a\n1 2\nwhat\n").unwrap();
        assert!(profiles[0].partial && warnings.len() == 2, "{warnings:?}");
    }

    #[test]
    fn events_have_units() {
        for (name, short, unit, scale) in [
            ("Ir", "Ir", Unit::Instructions, 1.0),
            ("Dr", "Dr", Unit::Count(String::new()), 1.0),
            ("Time_(10ns)", "wall", Unit::Nanoseconds, 10.0),
            ("Time_(\u{b5}s)", "wall", Unit::Nanoseconds, 1e3),
            ("Samples", "Samples", Unit::Count("samples".to_owned()), 1.0),
        ] {
            assert_eq!(event(name), (Event { name: short.to_owned(), unit }, scale));
        }
    }
}
