//! The call graph to a call tree.
//!
//! A function's cost is divided among its callers in proportion to what each paid for it. Calls that lead back to a
//! function that is being entered (recursion) are left out of the division, so that the rest is a graph without cycles
//! and the shares of each function add up to one. Paths that carry next to nothing are not followed; what they would
//! have carried stands below one frame of its own, so that the own cost of every function and the sum stay exact.

use std::collections::BinaryHeap;

use model::profile::PathCursor;
use model::{CallTree, Node};

use super::NAME;
use super::graph::Graph;
use super::read::Table;
use crate::error::{At, ParseError};
use crate::limits::Limits;
use crate::profile::sink::Sink;
use crate::warnings::Warnings;

/// The caller of what came by paths that are too small to be followed.
const SMALL: &str = "[small paths]";
/// The least share of the whole that a path must carry.
const LEAST: f64 = 1e-9;
/// Paths that are followed at most, the heaviest first.
const MOST_PATHS: usize = 100_000;

/// The calls that are followed: for each function its callees with their share of the callee.
struct Shares {
    callees: Vec<Vec<(u32, f64)>>,
    /// What share of each function was entered from outside.
    outside: Vec<f64>,
    recursive: usize,
}

/// Depth-first marks.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Finds the calls that lead back into a function being entered.
fn back_calls(graph: &Graph, paid: &[f64]) -> Vec<bool> {
    let n = graph.list.len();
    let mut callees: Vec<Vec<(u32, usize)>> = vec![Vec::new(); n];
    let mut is_called = vec![false; n];
    for (index, (caller, callee)) in graph.edges.iter().enumerate() {
        if paid.get(index).is_some_and(|paid| *paid > 0.0) {
            if let Some(list) = callees.get_mut(*caller as usize) {
                list.push((*callee, index));
            }
            if let Some(is_called) = is_called.get_mut(*callee as usize).filter(|_| caller != callee) {
                *is_called = true;
            }
        }
    }
    let mut back = vec![false; graph.edges.len()];
    let mut marks = vec![Mark::New; n];
    // Functions that nobody calls come first; the rest is reached or part of a cycle.
    let roots = (0..n).filter(|root| !is_called.get(*root).copied().unwrap_or(false));
    for root in roots.chain(0..n).collect::<Vec<_>>() {
        if marks.get(root) != Some(&Mark::New) {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        set(&mut marks, root, Mark::Open);
        while let Some((function, next)) = path.last_mut() {
            let call = callees.get(*function).and_then(|list| list.get(*next)).copied();
            *next += 1;
            match call {
                None => {
                    set(&mut marks, *function, Mark::Done);
                    path.pop();
                }
                Some((callee, edge)) => match marks.get(callee as usize) {
                    Some(Mark::Open) => set(&mut back, edge, true),
                    Some(Mark::New) => {
                        set(&mut marks, callee as usize, Mark::Open);
                        path.push((callee as usize, 0));
                    }
                    _ => {}
                },
            }
        }
    }
    back
}

fn set<T>(list: &mut [T], index: usize, value: T) {
    if let Some(slot) = list.get_mut(index) {
        *slot = value;
    }
}

fn shares(graph: &Graph, own: &[f64], paid: &[f64]) -> Shares {
    let back = back_calls(graph, paid);
    let n = graph.list.len();
    let (mut entered, mut inclusive, mut in_cycle) = (vec![0.0; n], own.to_vec(), vec![false; n]);
    for ((caller, callee), (paid, is_back)) in graph.edges.iter().zip(paid.iter().zip(&back)) {
        if *is_back {
            set(&mut in_cycle, *callee as usize, true);
            set(&mut in_cycle, *caller as usize, true);
            continue;
        }
        if let Some(sum) = inclusive.get_mut(*caller as usize) {
            *sum += paid;
        }
        if let Some(sum) = entered.get_mut(*callee as usize) {
            *sum += paid;
        }
    }
    // A function may have been entered from outside as well: it costs more than its callers paid.
    let whole: Vec<f64> = entered
        .iter()
        .zip(&inclusive)
        .zip(&in_cycle)
        .map(
            |((entered, inclusive), in_cycle)| {
                if *in_cycle && *entered > 0.0 { *entered } else { inclusive.max(*entered) }
            },
        )
        .collect();
    let outside = whole
        .iter()
        .zip(&entered)
        .map(|(whole, entered)| {
            let left = (whole - entered) / whole.max(f64::MIN_POSITIVE);
            // Rounding is no caller.
            if left > 1e-9 { left } else { 0.0 }
        })
        .collect();
    let mut callees: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    for ((caller, callee), (paid, is_back)) in graph.edges.iter().zip(paid.iter().zip(&back)) {
        let whole = whole.get(*callee as usize).copied().unwrap_or_default();
        if !is_back
            && *paid > 0.0
            && whole > 0.0
            && let Some(list) = callees.get_mut(*caller as usize)
        {
            list.push((*callee, paid / whole));
        }
    }
    Shares { callees, outside, recursive: back.iter().filter(|is_back| **is_back).count() }
}

/// What a function and all below it cost, on the graph without cycles, callees first.
fn inclusive(own: &[f64], shares: &Shares) -> Vec<f64> {
    let n = own.len();
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    for root in 0..n {
        let mut path = vec![(root, 0_usize)];
        while let Some((function, next)) = path.last_mut() {
            if *next == 0 && seen.get(*function).copied().unwrap_or(true) {
                path.pop();
                continue;
            }
            set(&mut seen, *function, true);
            let callee = shares.callees.get(*function).and_then(|list| list.get(*next)).copied();
            *next += 1;
            if let Some((callee, _)) = callee {
                path.push((callee as usize, 0));
            } else {
                order.push(*function);
                path.pop();
            }
        }
    }
    let mut all = own.to_vec();
    for function in order {
        let below: f64 = shares
            .callees
            .get(function)
            .into_iter()
            .flatten()
            .map(|(callee, share)| all.get(*callee as usize).copied().unwrap_or_default() * share)
            .sum();
        if let Some(sum) = all.get_mut(function) {
            *sum += below;
        }
    }
    all
}

/// A function on a path; ordered by what it carries, so that the heaviest are followed first.
#[derive(Debug, Clone, Copy)]
struct Step {
    carried: f64,
    /// Which of equals came first.
    age: std::cmp::Reverse<usize>,
    function: u32,
    caller: PathCursor,
    share: f64,
    depth: usize,
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.carried.total_cmp(&other.carried).then(self.age.cmp(&other.age))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Step {}

/// The tree of one event.
pub(super) fn build(
    graph: &Graph,
    own: &[f64],
    event: usize,
    table: &Table<'_>,
    limits: &Limits,
    warnings: &mut Warnings,
    meaning: impl Fn(f64) -> (u64, f64),
) -> Result<CallTree, ParseError> {
    let paid = graph.paid(event);
    let shares = shares(graph, own, &paid);
    let inclusive = inclusive(own, &shares);
    let whole: f64 = own.iter().sum();
    let mut sink = Sink::new(NAME, limits);
    let mut left = vec![1.0; own.len()];
    let mut frames = Vec::with_capacity(own.len());
    for function in &graph.list {
        let known = |name| Some(table.get(name)).filter(|text| !text.is_empty() && *text != "???");
        let name = known(function.name).unwrap_or("???");
        frames.push(sink.frame(
            || At::File,
            without_level(name),
            known(function.object),
            known(function.file),
        )?);
    }
    let mut ages = 0..;
    let mut step = |function: u32, caller, share: f64, depth| {
        let carried = inclusive.get(function as usize).copied().unwrap_or_default() * share;
        let age = std::cmp::Reverse(ages.next().unwrap_or(usize::MAX));
        (carried >= whole * LEAST && depth <= limits.stack_depth).then_some(Step {
            carried,
            age,
            function,
            caller,
            share,
            depth,
        })
    };
    let entries = (0..).zip(&shares.outside).filter(|(_, share)| **share > 0.0);
    let mut todo: BinaryHeap<Step> =
        entries.filter_map(|(function, share)| step(function, Node::ROOT, *share, 1)).collect();
    let mut paths = 0;
    while let Some(Step { function, caller, share, depth, .. }) = todo.pop() {
        if paths >= MOST_PATHS {
            break;
        }
        let index = function as usize;
        paths += 1;
        let Some(frame) = frames.get(index).copied() else { continue };
        let node = sink.child(|| At::File, caller, frame, false)?;
        let cost = own.get(index).copied().unwrap_or_default() * share;
        if cost > 0.0 {
            sink.count_stack(|| At::File, depth)?;
            let (samples, weight) = meaning(cost);
            sink.add(node, samples, weight);
        }
        if let Some(left) = left.get_mut(index) {
            *left -= share;
        }
        let below = shares.callees.get(index).into_iter().flatten();
        todo.extend(below.filter_map(|(callee, of)| step(*callee, node, share * of, depth + 1)));
    }
    let small = add_small(&mut sink, own, &left, &frames, &meaning)?;
    if small > whole * 1e-3 {
        warnings.add_with(At::File, || {
            format!(
                "{:.1} % of the cost came by paths too small to follow; it stands below {SMALL}",
                100.0 * small / whole
            )
        });
    }
    if shares.recursive > 0 && event == 0 {
        warnings.add(
            At::File,
            format!(
                "{} recursive calls: their cost stands where the function was entered first",
                shares.recursive
            ),
        );
    }
    Ok(sink.finish(warnings))
}

/// Own cost that no path has carried.
fn add_small(
    sink: &mut Sink<'_>,
    own: &[f64],
    left: &[f64],
    frames: &[u32],
    meaning: &impl Fn(f64) -> (u64, f64),
) -> Result<f64, ParseError> {
    let mut caller = None;
    let mut small = 0.0;
    for ((own, left), frame) in own.iter().zip(left).zip(frames) {
        let cost = own * left;
        if *left <= 1e-9 || cost <= 0.0 {
            continue;
        }
        small += cost;
        let below = if let Some(node) = caller {
            node
        } else {
            let frame = sink.frame(|| At::File, SMALL, None, None)?;
            *caller.insert(sink.child(|| At::File, Node::ROOT, frame, false)?)
        };
        let node = sink.child(|| At::File, below, *frame, false)?;
        let (samples, weight) = meaning(cost);
        sink.add(node, samples, weight);
    }
    Ok(small)
}

/// `f'2` is `f` called by itself: callgrind keeps such levels apart, which a call tree does anyway.
fn without_level(name: &str) -> &str {
    match name.rsplit_once('\'') {
        Some((function, level)) if !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()) => {
            function
        }
        _ => name,
    }
}
