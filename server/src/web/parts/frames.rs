//! The table of frames of a profile: self and total of each, from its call tree.

use std::collections::HashMap;

use model::{CallTree, Node, Profile, ProfileId};

use crate::web::pages::profile::{ProfileState, Sort, View};
use crate::web::pages::run::weight_text;
use crate::web::words::{self, ChangeText};

/// Rows on one page.
const ROW_LIMIT: usize = 500;

/// The frames of a profile.
#[derive(Debug, Clone)]
pub(crate) struct FrameTable {
    /// Rows in the order asked for.
    pub(crate) rows: Vec<FrameRow>,
    /// How many were left out.
    pub(crate) left_out: usize,
    /// Addresses of the orders, with the one in use marked: name, self, total.
    pub(crate) sorts: [SortLink; 3],
    /// Whether another profile stands beside this one.
    pub(crate) has_base: bool,
}

/// A column's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SortLink {
    /// Its address.
    pub(crate) href: String,
    /// `ascending` or `descending` where it is in use, else `none`: the value of `aria-sort`.
    pub(crate) state: &'static str,
}

/// A frame.
#[derive(Debug, Clone)]
pub(crate) struct FrameRow {
    /// Canonical name.
    pub(crate) name: String,
    /// Binary, library or package.
    pub(crate) module: Option<String>,
    /// The category's name.
    pub(crate) category: String,
    /// Suffix of the category's class.
    pub(crate) category_class: String,
    /// Self weight and its share.
    pub(crate) own: (String, String),
    /// Total weight and its share.
    pub(crate) total: (String, String),
    /// Length of the total share's bar, 0 to 100.
    pub(crate) width: f64,
    /// Total share of the other profile, and the difference.
    pub(crate) against: Option<(String, ChangeText)>,
}

/// Self and total weight of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cost {
    own: f64,
    total: f64,
}

/// Builds the table, narrowed to the stacks below the focused node.
pub(crate) fn table(
    project: &str,
    id: ProfileId,
    state: &ProfileState,
    profile: &Profile,
    base: Option<&Profile>,
) -> FrameTable {
    // Beside another profile, a focus is a node of both together and none of this tree.
    let focus = state.focus.filter(|node| base.is_none() && (*node as usize) < profile.tree.nodes.len());
    let costs = frame_costs(&profile.tree, focus);
    let whole = share_base(&profile.tree, focus);
    let against = base.map(shares_by_name);

    let mut order: Vec<usize> =
        (0..costs.len()).filter(|&frame| costs[frame].total != 0.0 || costs[frame].own != 0.0).collect();
    let name = |frame: usize| profile.tree.frames[frame].name.as_str();
    order.sort_by(|&a, &b| {
        let by_cost = match state.sort {
            Sort::Own => costs[b].own.total_cmp(&costs[a].own),
            Sort::Total => costs[b].total.total_cmp(&costs[a].total),
            Sort::Name => std::cmp::Ordering::Equal,
        };
        by_cost.then_with(|| name(a).cmp(name(b)))
    });
    let left_out = order.len().saturating_sub(ROW_LIMIT);
    order.truncate(ROW_LIMIT);
    FrameTable {
        rows: order
            .into_iter()
            .map(|frame| row(profile, frame, costs[frame], whole, against.as_ref()))
            .collect(),
        left_out,
        sorts: [Sort::Name, Sort::Own, Sort::Total].map(|sort| sort_link(project, id, state, sort)),
        has_base: base.is_some(),
    }
}

fn sort_link(project: &str, id: ProfileId, state: &ProfileState, sort: Sort) -> SortLink {
    SortLink {
        href: ProfileState { sort, view: View::Table, ..state.clone() }.href(project, id),
        state: match (state.sort == sort, sort) {
            (false, _) => "none",
            (true, Sort::Name) => "ascending",
            (true, Sort::Own | Sort::Total) => "descending",
        },
    }
}

fn row(
    profile: &Profile,
    frame: usize,
    cost: Cost,
    whole: f64,
    against: Option<&HashMap<String, f64>>,
) -> FrameRow {
    let info = &profile.tree.frames[frame];
    let share = |weight: f64| if whole == 0.0 { 0.0 } else { weight / whole };
    let weight = |value| weight_text(value, &profile.event.unit);
    FrameRow {
        name: info.name.clone(),
        module: info.module.clone(),
        category: info.category.to_string(),
        category_class: words::category_class(&info.category).to_owned(),
        own: (weight(cost.own), words::percent(share(cost.own))),
        total: (weight(cost.total), words::percent(share(cost.total))),
        width: ((share(cost.total) * 1000.0).round() / 10.0).clamp(0.0, 100.0),
        against: against.map(|shares| {
            let base = shares.get(&info.name).copied().unwrap_or(0.0);
            (words::percent(base), share_change(share(cost.total) - base))
        }),
    }
}

/// A larger share may be less time, so a difference of shares is never coloured.
fn share_change(delta: f64) -> ChangeText {
    let change = words::cost_change(delta, &model::Unit::Ratio, &model::verdict::Normalisation::Share);
    ChangeText { tone: "quiet", ..change }
}

/// Total share of each name; frames of one name in several modules are one here.
fn shares_by_name(profile: &Profile) -> HashMap<String, f64> {
    let whole = share_base(&profile.tree, None);
    let mut shares = HashMap::new();
    for (cost, frame) in frame_costs(&profile.tree, None).iter().zip(&profile.tree.frames) {
        if whole != 0.0 {
            *shares.entry(frame.name.clone()).or_insert(0.0) += cost.total / whole;
        }
    }
    shares
}

fn share_base(tree: &CallTree, focus: Option<u32>) -> f64 {
    match focus {
        None => tree.weight(),
        Some(node) => tree.node_totals().get(node as usize).map_or(0.0, |(_, weight)| *weight),
    }
}

/// Self and total weight of each frame in the subtree of `focus` (all stacks without one). A stack counts once for
/// a frame however often the frame is on it: only its outermost occurrence adds to the total.
fn frame_costs(tree: &CallTree, focus: Option<u32>) -> Vec<Cost> {
    let totals = tree.node_totals();
    let children = children(tree);
    let mut costs = vec![Cost::default(); tree.frames.len()];
    let mut on_stack = vec![0_u32; tree.frames.len()];
    let mut todo: Vec<Step> = match focus {
        Some(node) => vec![Step::Enter(node)],
        None => children[tree.nodes.len()].iter().map(|node| Step::Enter(*node)).collect(),
    };
    while let Some(step) = todo.pop() {
        match step {
            Step::Enter(index) => {
                let node = &tree.nodes[index as usize];
                let frame = node.frame as usize;
                costs[frame].own += node.self_weight;
                if on_stack[frame] == 0 {
                    costs[frame].total += totals[index as usize].1;
                }
                on_stack[frame] += 1;
                todo.push(Step::Leave(node.frame));
                todo.extend(children[index as usize].iter().map(|child| Step::Enter(*child)));
            }
            Step::Leave(frame) => on_stack[frame as usize] -= 1,
        }
    }
    costs
}

/// A step of the walk, which keeps its own stack because call trees are deeper than threads' stacks.
enum Step {
    Enter(u32),
    Leave(u32),
}

/// Children of each node; the last entry holds the outermost frames.
fn children(tree: &CallTree) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); tree.nodes.len() + 1];
    for (index, node) in tree.nodes.iter().enumerate() {
        let caller = if node.parent == Node::ROOT { tree.nodes.len() } else { node.parent as usize };
        children[caller].push(index as u32);
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CallTreeBuilder, Event, Unit};

    fn profile(stacks: &[(&[&str], f64)]) -> Profile {
        let mut builder = CallTreeBuilder::new();
        for (stack, weight) in stacks {
            let leaf = stack.iter().fold(Node::ROOT, |at, name| {
                let frame = builder.frame(name, None, None);
                builder.child(at, frame, false)
            });
            builder.add(leaf, 1, *weight);
        }
        Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds }, builder.finish())
    }

    fn id() -> ProfileId {
        ProfileId::from_uuid(uuid::Uuid::nil())
    }

    #[test]
    fn a_recursive_frame_counts_a_stack_once() {
        let profile = profile(&[(&["main", "f", "g", "f"], 4.0), (&["main", "f"], 6.0)]);
        let costs = frame_costs(&profile.tree, None);
        assert_eq!(costs[1], Cost { own: 10.0, total: 10.0 });
        assert_eq!(costs[0], Cost { own: 0.0, total: 10.0 });
    }

    #[test]
    fn self_costs_add_up_to_the_weight() {
        let profile = profile(&[(&["a", "b"], 1.0), (&["a", "c", "a"], 2.0), (&["d"], 4.0)]);
        let own: f64 = frame_costs(&profile.tree, None).iter().map(|cost| cost.own).sum();
        assert_eq!(own, profile.tree.weight());
    }

    #[test]
    fn a_focus_narrows_the_table_and_its_shares() {
        let profile = profile(&[(&["a", "b"], 1.0), (&["c", "b"], 3.0)]);
        let state = ProfileState { focus: Some(2), ..ProfileState::default() };
        let table = table("kv", id(), &state, &profile, None);
        assert_eq!(
            table.rows.iter().map(|r| (r.name.as_str(), r.own.1.as_str())).collect::<Vec<_>>(),
            [("b", "100 %"), ("c", "0.00 %")]
        );
    }

    #[test]
    fn a_frame_that_the_other_side_lacks_is_all_difference() {
        let head = profile(&[(&["a", "log"], 1.0), (&["a"], 3.0)]);
        let base = profile(&[(&["a"], 5.0)]);
        let table = table("kv", id(), &ProfileState::default(), &head, Some(&base));
        let log = table.rows.iter().find(|row| row.name == "log").unwrap();
        let (base_share, change) = log.against.clone().unwrap();
        assert_eq!(
            (base_share.as_str(), change.number.as_str(), change.word),
            ("0.00 %", "+25.0 pp", "more")
        );
    }

    #[test]
    fn a_deep_stack_does_not_overflow() {
        let names: Vec<String> = (0..50_000).map(|i| format!("f{}", i % 7)).collect();
        let stack: Vec<&str> = names.iter().map(String::as_str).collect();
        let costs = frame_costs(&profile(&[(&stack, 1.0)]).tree, None);
        assert!(costs.iter().all(|cost| cost.total == 1.0), "{costs:?}");
    }
}
