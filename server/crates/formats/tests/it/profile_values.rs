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

use crate::{corpus, with_expectations};

/// Ways in which expectations write a frame.
const SCHEMES: [fn(&FrameInfo) -> String; 8] = [
    |frame| frame.name.clone(),
    |frame| format!("{}`{}", frame.module.as_deref().unwrap_or_default(), frame.name),
    |frame| format!("{}_[k]", frame.name),
    |frame| format!("{}_[j]", frame.name),
    |frame| format!("{}_[i]", frame.name),
    |frame| format!("{}_[0]", frame.name),
    |frame| format!("{}_[1]", frame.name),
    |frame| format!("{} ({})", frame.name, frame.file.as_deref().unwrap_or_default()),
];

/// Base units of what files count in.
const SCALES: [f64; 4] = [1.0, 1e3, 1e6, 1e9];

type ByName = BTreeMap<String, f64>;

/// Self and total of each name, a name once a stack.
struct Costs {
    sum: f64,
    own: ByName,
    total: ByName,
}

fn costs(profile: &Profile, scheme: fn(&FrameInfo) -> String, of: fn(&Node) -> f64) -> Costs {
    let tree = &profile.tree;
    let names: Vec<String> = tree.frames.iter().map(scheme).collect();
    let mut costs = Costs { sum: 0.0, own: ByName::new(), total: ByName::new() };
    for (i, node) in tree.nodes.iter().enumerate().filter(|(_, node)| of(node) != 0.0) {
        let value = of(node);
        costs.sum += value;
        *costs.own.entry(names[node.frame as usize].clone()).or_default() += value;
        let path: BTreeSet<&String> =
            tree.path(i as u32).into_iter().map(|frame| &names[frame as usize]).collect();
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
    total: f64,
    own: Vec<(String, f64)>,
    totals: Vec<(String, f64)>,
}

fn blocks(expectation: &Value) -> Vec<Block> {
    let list = |value: &Value| -> Vec<(String, f64)> {
        let rows = value.as_array().map_or(&[][..], Vec::as_slice);
        // Frames without a name are left out of stacks by every reader.
        let named = rows.iter().filter(|row| row["frame"] != "");
        named.map(|row| (row["frame"].as_str().unwrap().to_owned(), row["value"].as_f64().unwrap())).collect()
    };
    let block = |value: &Value| {
        Some(Block {
            label: ["type", "name", "event"]
                .iter()
                .find_map(|key| value[*key].as_str())
                .unwrap_or_default()
                .to_owned(),
            total: value["total"].as_f64()?,
            own: list(&value["top_self"]),
            totals: list(&value["top_total"]),
        })
    };
    // V8's files have their samples at the top and the same by time below.
    let mut found: Vec<Block> =
        block(expectation).into_iter().chain(block(&expectation["by_time"])).collect();
    for member in ["values", "profiles", "threads", "events"] {
        found.extend(expectation[member].as_array().into_iter().flatten().filter_map(block));
    }
    // A thread or event without any sample is no profile to a reader.
    found.retain(|block| block.total != 0.0 || !block.own.is_empty());
    found
}

/// What of a block one view of a profile does not give.
fn missing(block: &Block, views: &[Costs], scale: f64) -> Vec<String> {
    let close = |a: f64, b: f64| (a - b * scale).abs() <= 1e-9 * (b * scale).abs().max(1.0);
    let mut missing = Vec::new();
    if !views.first().is_some_and(|view| close(view.sum, block.total)) {
        let sums: Vec<f64> = views.iter().take(1).map(|view| view.sum).collect();
        missing.push(format!("total {} is {sums:?}", block.total));
    }
    for (what, rows) in [("self", &block.own), ("total", &block.totals)] {
        for (name, value) in rows {
            let of = |view: &Costs| {
                if what == "self" { view.own.get(name) } else { view.total.get(name) }.copied()
            };
            if !views.iter().any(|view| of(view).is_some_and(|read| close(read, *value))) {
                let read = views.first().and_then(of);
                missing.push(format!("{what} of {name:?} = {value} is {read:?}"));
            }
        }
    }
    missing
}

/// The least that any of the profiles leaves of a block.
fn least_missing(block: &Block, profiles: &[Profile]) -> Vec<String> {
    let mut least: Option<Vec<String>> = None;
    for profile in profiles {
        for of in [(|node: &Node| node.self_samples as f64) as fn(&Node) -> f64, |node| node.self_weight] {
            let views: Vec<Costs> = SCHEMES.iter().map(|scheme| costs(profile, *scheme, of)).collect();
            for scale in SCALES {
                let missing = missing(block, &views, scale);
                if least.as_ref().is_none_or(|least| missing.len() < least.len()) {
                    least = Some(missing);
                }
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
    let bytes = std::fs::read(path).unwrap();
    let parsed = read(&bytes, &hints, &Limits::default()).map_err(|error| error.to_string())?;
    match parsed {
        Parsed { content: Content::Profiles(profiles), .. } => Ok(profiles),
        Parsed { format, .. } => Err(format!("taken for a report by {format}")),
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
    let values: usize = blocks.iter().map(|block| 1 + block.own.len() + block.totals.len()).sum();
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
    for block in &blocks {
        let missing = least_missing(block, &profiles);
        tally.right += (1 + block.own.len() + block.totals.len()).saturating_sub(missing.len());
        wrong.extend(missing.iter().map(|why| format!("{} [{}]: {why}", path.display(), block.label)));
    }
}

fn cases() -> Vec<(String, PathBuf, Value)> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let only = std::env::var("CORPUS").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    let mut cases = Vec::new();
    for root in ["profiles", "pairs"] {
        let root = corpus.join(root);
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
