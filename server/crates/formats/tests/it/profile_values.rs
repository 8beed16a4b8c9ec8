//! What the corpus expects of profiles, format by format, as one table: totals and the heaviest frames.
//!
//! An expectation holds one block, or one a sample type, thread or profile. A block's total and frames are right when
//! one of the reader's profiles gives them, as samples or as weights, in the unit of the file or in its base unit. Names
//! there are as the profiler's own tool or inferno's collapsers write them, some with the module in front.
//! `CORPUS=jfr,svg` in the environment looks at those folders only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use formats::{Content, Hints, Limits, Parsed, read};
use model::{FrameInfo, Node, Profile};
use serde_json::Value;

use crate::{corpus, fixtures_with_expectations, with_expectations};

/// Ways in which expectations write a frame, before a mark.
const SCHEMES: [fn(&FrameInfo) -> String; 8] = [
    |frame| frame.name.clone(),
    |frame| format!("{}`{}", frame.module.as_deref().unwrap_or_default(), frame.name),
    // The JDK's own printer takes async-profiler's libraries for classes.
    |frame| match frame.module.as_deref().filter(|module| !module.starts_with('[')) {
        Some(module) => format!("{module}.{}", frame.name),
        None => frame.name.clone(),
    },
    // async-profiler's converter leaves the slashes of class files, except in classes that are leaves themselves.
    |frame| match frame.name.rsplit_once('.') {
        Some((class, method)) => format!("{}.{method}", class.replace('.', "/")),
        None => frame.name.clone(),
    },
    |frame| frame.name.replace('/', "."),
    |frame| format!("{} ({})", frame.name, frame.file.as_deref().unwrap_or_default()),
    // inferno drops the arguments of DTrace's functions.
    |frame| {
        let name = frame.name.split_once('(').map_or(frame.name.as_str(), |(name, _)| name);
        frame.module.as_deref().map_or_else(|| name.to_owned(), |module| format!("{module}`{name}"))
    },
    // inferno demangles what macOS prints, drops the hash, and takes the ending off libraries.
    |frame| {
        let module = frame.module.as_deref().unwrap_or_default().trim_end_matches(".dylib");
        format!("{module}`{}", demangled(&frame.name))
    },
];

/// A legacy Rust path as macOS's tools leave it: escapes and a hash, perhaps a clone's suffix.
fn demangled(name: &str) -> String {
    let name = name.split_once(" (.llvm.").map_or(name, |(name, _)| name);
    let path = name.rsplit_once("::h").filter(|(_, hash)| hash.len() == 16).map_or(name, |(path, _)| path);
    let mut text = path.strip_prefix('_').filter(|rest| rest.starts_with('$')).unwrap_or(path).to_owned();
    for (escape, sign) in [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$u20$", " "),
        ("$RF$", "&"),
        ("$C$", ","),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("..", "::"),
    ] {
        text = text.replace(escape, sign);
    }
    text
}

/// Marks behind a name. Readers keep of them only whether a frame is inlined and whether it is the kernel's: a method
/// is the same function interpreted and compiled. So an expected row with one of the other marks is a part of what the
/// tree holds for the name.
const MARKS: [&str; 6] = ["", "_[k]", "_[j]", "_[i]", "_[0]", "_[1]"];

/// Base units of what files count in.
const SCALES: [f64; 4] = [1.0, 1e3, 1e6, 1e9];

type ByName = BTreeMap<String, f64>;

/// Self and total of each name, a name once a stack.
struct Costs {
    sum: f64,
    own: ByName,
    total: ByName,
    /// The total of each node.
    nodes: Vec<(String, f64)>,
}

/// Costs by name; of frames that are inlined or not only where `inlined` says so.
fn costs(
    profile: &Profile,
    scheme: fn(&FrameInfo) -> String,
    of: fn(&Node) -> f64,
    inlined: Option<bool>,
) -> Costs {
    let tree = &profile.tree;
    let names: Vec<String> = tree.frames.iter().map(scheme).collect();
    let counts = |node: &Node| inlined.is_none_or(|inlined| node.inlined == inlined);
    let mut costs = Costs { sum: 0.0, own: ByName::new(), total: ByName::new(), nodes: Vec::new() };
    let mut below: Vec<f64> = tree.nodes.iter().map(of).collect();
    for (index, node) in tree.nodes.iter().enumerate().rev() {
        let total = below[index];
        if let Some(caller) = below.get_mut(node.parent as usize) {
            *caller += total;
        }
        costs.nodes.push((names[node.frame as usize].clone(), total));
    }
    for node in tree.nodes.iter().filter(|node| of(node) != 0.0) {
        let value = of(node);
        costs.sum += value;
        if counts(node) {
            *costs.own.entry(names[node.frame as usize].clone()).or_default() += value;
        }
        let mut path = BTreeSet::new();
        let mut step = Some(node);
        while let Some(node) = step {
            path.extend(counts(node).then(|| &names[node.frame as usize]));
            step = tree.nodes.get(node.parent as usize);
        }
        for name in path {
            *costs.total.entry(name.clone()).or_default() += value;
        }
    }
    costs
}

/// One total with its heaviest frames.
#[derive(Debug)]
struct Block {
    label: String,
    /// Absent where only the frames are told.
    total: Option<f64>,
    own: Vec<(String, f64)>,
    totals: Vec<(String, f64)>,
    /// Totals are those of one box of a picture each, not of all boxes of the name.
    of_boxes: bool,
    /// The relative difference allowed.
    tolerance: f64,
    /// Addresses that the file itself names, to all their names, innermost first; rows by address are then a part of
    /// what the tree holds for the function.
    symbols: BTreeMap<String, Vec<String>>,
}

impl Block {
    /// Number of values in it.
    fn len(&self) -> usize {
        usize::from(self.total.is_some()) + self.own.len() + self.totals.len()
    }
}

fn blocks(expectation: &Value) -> Vec<Block> {
    let list = |value: &Value| -> Vec<(String, f64)> {
        let rows = value.as_array().map_or(&[][..], Vec::as_slice);
        // Frames without a name are left out of stacks by every reader.
        // The box or row above all functions is no function.
        let roots = ["", "all", "[Unknown]`Total"];
        let named = rows.iter().filter(|row| !roots.contains(&row["frame"].as_str().unwrap_or_default()));
        named.map(|row| (row["frame"].as_str().unwrap().to_owned(), row["value"].as_f64().unwrap())).collect()
    };
    let block = |value: &Value| {
        Some(Block {
            label: ["type", "name", "event"]
                .iter()
                .find_map(|key| value[*key].as_str())
                .unwrap_or_default()
                .to_owned(),
            total: Some(value["total"].as_f64()?),
            own: list(&value["top_self"]),
            totals: list(&value["top_total"]),
            of_boxes: value["boxes"].is_number(),
            // inferno loses 18 of 1,429 samples of macOS's report; the report's own rows add up to what is read.
            tolerance: match expectation["computed_by"].as_str() {
                Some(by) if by.starts_with("inferno-collapse-sample") => 0.015,
                // Where a function is entered again while it runs, its cost stands where it was entered first.
                Some(by) if by.starts_with("callgrind_annotate") => 1e-6,
                _ => 1e-9,
            },
            symbols: BTreeMap::new(),
        })
    };
    // V8's files have their samples at the top and the same by time below.
    let mut found: Vec<Block> =
        block(expectation).into_iter().chain(block(&expectation["by_time"])).collect();
    for member in ["values", "profiles", "threads", "events"] {
        found.extend(expectation[member].as_array().into_iter().flatten().filter_map(block));
    }
    // What async-profiler's converter makes of a recording, one block an option (`--wall`).
    found.extend(
        expectation["jfrconv"].as_object().into_iter().flatten().filter_map(|(_, value)| block(value)),
    );
    // async-profiler's table of the frames that were running.
    for (label, member) in [("samples", "samples"), ("ns", "ns")] {
        let rows = expectation["flat_top"].as_array().map_or(&[][..], Vec::as_slice);
        let own: Vec<_> = rows
            .iter()
            .map(|row| (row["frame"].as_str().unwrap().to_owned(), row[member].as_f64().unwrap()))
            .collect();
        if !own.is_empty() {
            let total = expectation["samples"].as_f64().filter(|_| label == "samples");
            found.push(Block {
                label: label.to_owned(),
                total,
                own,
                totals: Vec::new(),
                of_boxes: false,
                tolerance: 1e-9,
                symbols: BTreeMap::new(),
            });
        }
    }
    // A thread or event without any sample is no profile to a reader.
    found.retain(|block| block.total != Some(0.0) || !block.own.is_empty());
    found
}

/// Costs by one scheme: of all frames, of those inlined and of the others.
struct View {
    all: Costs,
    inlined: Costs,
    physical: Costs,
}

impl View {
    /// Whether the view gives a value for a name that may end in a mark.
    fn gives(&self, name: &str, what: fn(&Costs) -> &ByName, is: impl Fn(f64) -> bool) -> bool {
        let plain = MARKS[1..].iter().find_map(|mark| Some((name.strip_suffix(mark)?, *mark)));
        let of = |costs: &Costs, name: &str| what(costs).get(name).copied();
        let (all, inlined, physical) = (&self.all, &self.inlined, &self.physical);
        of(all, name).is_some_and(&is)
            || plain.is_some_and(|(plain, mark)| match mark {
                "_[i]" => of(inlined, plain).is_some_and(&is) || of(all, plain).is_some_and(&is),
                "_[k]" => of(all, plain).is_some_and(&is),
                _ => of(physical, plain).is_some_and(&is),
            })
    }
}

/// What of a block one view of a profile does not give.
fn missing(block: &Block, views: &[View], scale: f64) -> Vec<String> {
    let close = |a: f64, b: f64| (a - b * scale).abs() <= block.tolerance * (b * scale).abs().max(1.0);
    let mut missing = Vec::new();
    // Expectations of folded text count stacks without frames or leave them out.
    let frameless = |view: &View| view.all.own.get("[no frames]").copied().unwrap_or_default();
    let is_total =
        |view: &View, total| close(view.all.sum, total) || close(view.all.sum - frameless(view), total);
    if let Some(total) = block.total
        && !views.first().is_some_and(|view| is_total(view, total))
    {
        let sums: Vec<f64> = views.iter().take(1).map(|view| view.all.sum).collect();
        missing.push(format!("total {total} is {sums:?}"));
    }
    for (what, by, rows) in [
        ("self", (|costs| &costs.own) as fn(&Costs) -> &ByName, &block.own),
        ("total", |costs| &costs.total, &block.totals),
    ] {
        for (name, value) in rows {
            let is_box = |view: &View| {
                view.all.nodes.iter().any(|(known, total)| known == name && close(*total, *value))
            };
            let is_right = |view: &View| {
                view.gives(name, by, |read| close(read, *value))
                    || (block.of_boxes && what == "total" && is_box(view))
            };
            let named = block.symbols.get(name).is_some_and(|names| {
                let named = |name: &String| {
                    views
                        .iter()
                        .any(|view| view.gives(name, by, |read| read >= *value * scale * (1.0 - 1e-9)))
                };
                names.iter().any(named)
            });
            if !named && !views.iter().any(is_right) {
                let read = views.first().and_then(|view| by(&view.all).get(name));
                missing.push(format!("{what} of {name:?} = {value} is {read:?}"));
            }
        }
    }
    missing
}

/// What a profile gives by every scheme, once for each way to count.
fn views(profile: &Profile, path: &Path) -> Vec<Vec<View>> {
    let by_samples: fn(&Node) -> f64 = |node| node.self_samples as f64;
    let by_weight: fn(&Node) -> f64 = |node| node.self_weight;
    // inferno rounds each function's time in VTune's table to milliseconds.
    let in_milliseconds: fn(&Node) -> f64 = |node| (node.self_weight / 1e6).round();
    let mut counted = vec![by_samples, by_weight];
    counted.extend((folder(path) == "vtune").then_some(in_milliseconds));
    let view = |of| {
        let view = |scheme: &fn(&FrameInfo) -> String| {
            let costs = |inlined| costs(profile, *scheme, of, inlined);
            View { all: costs(None), inlined: costs(Some(true)), physical: costs(Some(false)) }
        };
        SCHEMES.iter().map(view).collect()
    };
    counted.into_iter().map(view).collect()
}

fn folder(path: &Path) -> &str {
    path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
}

/// The least that any of the profiles leaves of a block.
fn least_missing(block: &Block, profiles: &[Vec<Vec<View>>]) -> Vec<String> {
    let mut least: Option<Vec<String>> = None;
    for views in profiles.iter().flatten() {
        for scale in SCALES {
            let missing = missing(block, views, scale);
            if least.as_ref().is_none_or(|least| missing.len() < least.len()) {
                least = Some(missing);
            }
        }
    }
    least.unwrap_or_else(|| vec!["there is no profile".to_owned()])
}

fn profiles(path: &Path) -> Result<Vec<Profile>, String> {
    let hints = Hints {
        file_name: path.file_name().map(|name| name.to_string_lossy().into_owned()),
        ..Hints::default()
    };
    let bytes = without_rows_by_reference(path, std::fs::read(path).unwrap());
    let parsed = read(&bytes, &hints, &Limits::default()).map_err(|error| error.to_string())?;
    match parsed {
        Parsed { content: Content::Profiles(profiles), .. } => Ok(profiles),
        Parsed { format, .. } => Err(format!("taken for a report by {format}")),
    }
}

/// Functions at addresses as Go's profiles with `debug=1` name them: `#<tab>0x47fbf2<tab>runtime.mallocgc+0x112<tab>…`.
fn symbols(path: &Path) -> BTreeMap<String, Vec<String>> {
    let mut symbols: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let bytes = std::fs::read(path).unwrap();
    for line in String::from_utf8_lossy(&bytes).lines().filter_map(|line| line.strip_prefix("#\t0x")) {
        let mut cells = line.split('\t').filter(|cell| !cell.is_empty());
        let (Some(address), Some(name)) = (cells.next(), cells.next()) else { continue };
        let name = name.rsplit_once("+0x").map_or(name, |(name, _)| name).to_owned();
        let names = symbols.entry(format!("0x{address}")).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    symbols
}

/// inferno knows tagged backtraces where they are written out and drops the rows that refer to one (81 of 85 in Xcode
/// 26's file). Those rows are taken away here; that they are read is a test of its own.
fn without_rows_by_reference(path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    if path.extension().is_none_or(|extension| extension != "xml") {
        return bytes;
    }
    let text = String::from_utf8(bytes).unwrap();
    let rows = text.split_inclusive("</row>").filter(|row| !row.contains("<tagged-backtrace ref="));
    rows.collect::<String>().into_bytes()
}

#[test]
fn every_row_of_xctrace_is_a_sample() {
    let Some(corpus) = corpus() else { return };
    for (file, rows) in [("jmh-time-profile-xcode12.xml", 98), ("jmh-time-profile-xcode26.xml", 85)] {
        let bytes = std::fs::read(corpus.join("profiles/xctrace").join(file)).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes).matches("<row>").count(), rows);
        let Content::Profiles(profiles) =
            read(&bytes, &Hints::default(), &Limits::default()).unwrap().content
        else {
            panic!("not profiles")
        };
        assert_eq!(profiles[0].tree.samples(), rows as u64);
    }
}

/// Files of the corpus whose own tools fail on them.
fn is_broken(path: &Path) -> bool {
    ["invalid", "too-many-end-events", "unbalanced"].iter().any(|word| path.to_string_lossy().contains(word))
}

#[derive(Default)]
struct Tally {
    files: usize,
    expected: usize,
    right: usize,
}

fn check(path: &Path, expectation: &Value, tally: &mut Tally, wrong: &mut Vec<String>) {
    tally.files += 1;
    let blocks = blocks(expectation);
    let values: usize = blocks.iter().map(Block::len).sum();
    tally.expected += values;
    let profiles = match profiles(path) {
        Ok(profiles) => profiles,
        Err(_) if is_broken(path) => {
            tally.expected -= values;
            return;
        }
        Err(error) => {
            wrong.push(format!("{}: {error}", path.display()));
            return;
        }
    };
    let symbols = symbols(path);
    let profiles: Vec<_> = profiles.iter().map(|profile| views(profile, path)).collect();
    for mut block in blocks {
        block.symbols.clone_from(&symbols);
        let block = &block;
        let missing = least_missing(block, &profiles);
        tally.right += block.len().saturating_sub(missing.len());
        wrong.extend(missing.iter().map(|why| format!("{} [{}]: {why}", path.display(), block.label)));
    }
}

fn cases() -> Vec<(String, PathBuf, Value)> {
    let only = std::env::var("CORPUS").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    let mut cases: Vec<(String, PathBuf, Value)> = fixtures_with_expectations("profiles")
        .into_iter()
        .filter(|_| only.is_empty())
        .map(|(path, expectation)| ("(fixtures)".to_owned(), path, expectation))
        .collect();
    let corpus = corpus();
    for root in ["profiles", "pairs"] {
        let Some(root) = corpus.as_ref().map(|corpus| corpus.join(root)) else { continue };
        for (path, expectation) in with_expectations(&root) {
            let folder =
                path.strip_prefix(&root).unwrap().iter().next().unwrap().to_string_lossy().into_owned();
            let is_profile = root.ends_with("profiles") || expectation["total"].is_number();
            if is_profile && (only.is_empty() || only.contains(&folder.as_str())) {
                cases.push((folder, path, expectation));
            }
        }
    }
    cases
}

#[test]
fn every_expected_total_and_frame_is_read() {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (folder, path, expectation) in cases() {
        check(&path, &expectation, tallies.entry(folder).or_default(), &mut wrong);
    }
    let mut sum = Tally::default();
    eprintln!("{:<34}{:>6}{:>10}{:>8}{:>8}", "format", "files", "expected", "right", "wrong");
    for (folder, Tally { files, expected, right }) in &tallies {
        eprintln!("{folder:<34}{files:>6}{expected:>10}{right:>8}{:>8}", expected - right);
        sum = Tally { files: sum.files + files, expected: sum.expected + expected, right: sum.right + right };
    }
    eprintln!(
        "{:<34}{:>6}{:>10}{:>8}{:>8}",
        "all",
        sum.files,
        sum.expected,
        sum.right,
        sum.expected - sum.right
    );
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
