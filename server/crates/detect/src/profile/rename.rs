//! Functions that only got another name: gone from one side, there on the other, called from the same place.
//!
//! Without this an honest difference drowns: a renamed caller vanishes with everything below it and appears again.

use model::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use super::frames::{Statistics, count};
use super::pool::Union;

/// Frames below this share of their side are not worth matching.
const SMALLEST_SHARE: f64 = 0.005;
/// Callers must agree at least this much (cosine of their weights).
const SAME_CALLERS: f64 = 0.8;
/// Score from which a match without a common word in the name is believed, given equal cost.
const SCORE: f64 = 0.6;
/// Costs this close count as equal.
const EQUAL_COST: f64 = 0.25;
/// More candidates than this on a side are not compared pair by pair.
const MOST: usize = 200;

/// Pairs of frames (baseline's, candidate's) that are one function under two names.
pub(super) fn renamed(union: &Union) -> Vec<(u32, u32)> {
    let statistics = count(union, &vec![false; union.nodes.len()]);
    let gone = only_on(union, &statistics, 0);
    let new = only_on(union, &statistics, 1);
    if gone.is_empty() || new.is_empty() {
        return vec![];
    }
    let watched: FxHashSet<u32> = gone.iter().chain(&new).copied().collect();
    let neighbours = Neighbours::of(union, &watched);
    let mut scored = Vec::new();
    for &base in &gone {
        for &head in &new {
            if let Some(score) = score(union, &statistics, &neighbours, base, head) {
                scored.push((score, base, head));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut taken = FxHashSet::default();
    scored.retain(|&(_, base, head)| {
        let free = !taken.contains(&base) && !taken.contains(&head);
        if free {
            taken.extend([base, head]);
        }
        free
    });
    scored.into_iter().map(|(_, base, head)| (base, head)).collect()
}

/// The program's own frames that only one side has, dearest first.
fn only_on(union: &Union, statistics: &Statistics, side: usize) -> Vec<u32> {
    let share =
        |frame: &u32| statistics.frames[*frame as usize].total_weight[side] / statistics.sides[side].weight;
    let mut only: Vec<u32> = (0..union.frames.len() as u32)
        .filter(|&id| {
            let weight = statistics.frames[id as usize].total_weight;
            union.frames[id as usize].own && weight[1 - side] == 0.0 && share(&id) >= SMALLEST_SHARE
        })
        .collect();
    only.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.cmp(b)));
    only.truncate(MOST);
    only
}

type Weights = FxHashMap<u32, f64>;

/// Who calls each watched frame and whom it calls, by weight.
#[derive(Default)]
struct Neighbours {
    callers: FxHashMap<u32, Weights>,
    callees: FxHashMap<u32, Weights>,
}

impl Neighbours {
    fn of(union: &Union, watched: &FxHashSet<u32>) -> Self {
        let mut totals = vec![0.0_f64; union.nodes.len()];
        for stack in &union.stacks {
            totals[stack.node as usize] += stack.weight[0] + stack.weight[1];
        }
        let mut found = Self::default();
        for at in (0..union.nodes.len()).rev() {
            let node = union.nodes[at];
            let caller = union.nodes.get(node.parent as usize).map_or(Node::ROOT, |parent| parent.frame);
            if let Some(total) = totals.get(at).copied() {
                if let Some(parent) = totals.get_mut(node.parent as usize) {
                    *parent += total;
                }
                if watched.contains(&node.frame) {
                    *found.callers.entry(node.frame).or_default().entry(caller).or_default() += total;
                }
                if watched.contains(&caller) {
                    *found.callees.entry(caller).or_default().entry(node.frame).or_default() += total;
                }
            }
        }
        found
    }
}

fn cosine(a: Option<&Weights>, b: Option<&Weights>) -> f64 {
    let (Some(a), Some(b)) = (a, b) else { return 0.0 };
    let length = |w: &Weights| w.values().map(|v| v * v).sum::<f64>().sqrt();
    let dot: f64 = a.iter().filter_map(|(frame, v)| Some(v * b.get(frame)?)).sum();
    let cosine = dot / (length(a) * length(b));
    if cosine.is_finite() { cosine } else { 0.0 }
}

/// How much of the smaller side's callees the larger side has too: dropping work keeps this at 1.
fn containment(a: Option<&Weights>, b: Option<&Weights>) -> f64 {
    let (Some(a), Some(b)) = (a, b) else { return if a.is_none() && b.is_none() { 1.0 } else { 0.0 } };
    let within = |part: &Weights, whole: &Weights| {
        let all: f64 = part.values().sum();
        let shared: f64 = part.iter().filter(|(frame, _)| whole.contains_key(frame)).map(|(_, v)| v).sum();
        if all > 0.0 { shared / all } else { 0.0 }
    };
    within(a, b).max(within(b, a))
}

fn score(union: &Union, statistics: &Statistics, near: &Neighbours, base: u32, head: u32) -> Option<f64> {
    let callers = cosine(near.callers.get(&base), near.callers.get(&head));
    if callers < SAME_CALLERS {
        return None;
    }
    let callees = containment(near.callees.get(&base), near.callees.get(&head));
    let names = [base, head].map(|id| Words::of(&union.frames[id as usize].name));
    let tokens = jaccard(&names[0].all, &names[1].all);
    let score = 0.4 * tokens + 0.3 * callers + 0.3 * callees;
    let share = |id: u32, side: usize| {
        statistics.frames[id as usize].total_weight[side] / statistics.sides[side].weight
    };
    let ratio = share(head, 1) / share(base, 0);
    let equal_cost = (1.0 - EQUAL_COST..=1.0 / (1.0 - EQUAL_COST)).contains(&ratio);
    let kin = names[0].place == names[1].place && jaccard(&names[0].last, &names[1].last) >= 1.0 / 3.0;
    let believed = (kin && callees >= 0.5) || (equal_cost && score >= SCORE);
    believed.then_some(score)
}

/// The words of a name: camel case and every separator split.
struct Words<'a> {
    /// Everything before the last element.
    place: &'a str,
    all: FxHashSet<String>,
    last: FxHashSet<String>,
}

impl<'a> Words<'a> {
    fn of(name: &'a str) -> Self {
        let bare = name.split(" (").next().unwrap_or(name);
        let cut = bare.rfind(['.', ':', '/']).map_or(0, |at| at + 1);
        Self { place: &bare[..cut], all: words(bare), last: words(&bare[cut..]) }
    }
}

fn words(text: &str) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.chars() {
        let starts = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if starts && !word.is_empty() {
            found.insert(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        found.insert(word);
    }
    found
}

fn jaccard(a: &FxHashSet<String>, b: &FxHashSet<String>) -> f64 {
    let shared = a.intersection(b).count() as f64;
    let all = a.union(b).count() as f64;
    if all > 0.0 { shared / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_words() {
        let names = Words::of("example.test/echo.(*Conn).SendEager");
        assert_eq!(names.place, "example.test/echo.(*Conn).");
        assert!(names.last.contains("send") && names.last.contains("eager") && names.last.len() == 2);
        assert_eq!(jaccard(&words("write_frame_twice"), &words("write_frame_once")), 0.5);
    }
}
