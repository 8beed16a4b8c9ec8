//! Budgets: shares that a category or frame may not exceed, judged on the candidate alone.

use model::policy::{Budget, glob_matches};
use model::profile::{Category, StackCategories};
use model::verdict::{BudgetBreach, Confidence};
use model::{Node, Policy, Profile};

/// Frames named in a breach.
const FRAMES_SHOWN: usize = 5;
/// Variance of profiles beyond the binomial, as for frames with one run a side.
const DISPERSION: f64 = 2.0;
/// Standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.96;

/// A breach and how sure it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Breach {
    pub(crate) breach: BudgetBreach,
    pub(crate) confidence: Confidence,
}

/// Every budget of the policy that the candidate's profiles exceed, largest excess first.
pub(crate) fn breaches(profiles: &[Profile], policy: &Policy) -> Vec<Breach> {
    let mut events: Vec<&str> = profiles.iter().map(|profile| profile.event.name.as_str()).collect();
    events.sort_unstable();
    events.dedup();
    let mut found: Vec<Breach> = events
        .iter()
        .flat_map(|event| {
            let of_event: Vec<&Profile> =
                profiles.iter().filter(|profile| profile.event.name == *event).collect();
            let budgets = policy
                .budgets
                .iter()
                .filter(|budget| budget.event.as_deref().is_none_or(|e| e.eq_ignore_ascii_case(event)));
            budgets.filter_map(|budget| breach(&of_event, event, budget, policy)).collect::<Vec<_>>()
        })
        .collect();
    let excess = |found: &Breach| found.breach.share - found.breach.limit;
    found.sort_by(|a, b| excess(b).total_cmp(&excess(a)).then(a.breach.subject.cmp(&b.breach.subject)));
    found
}

/// What a budget is for.
enum Subject<'a> {
    Category(Category),
    Frames(&'a str),
}

impl<'a> Subject<'a> {
    fn of(budget: &'a Budget, policy: &Policy) -> Self {
        let name = budget.subject.as_str();
        let known = Category::BUILT_IN.iter().any(|category| category.name() == name)
            || policy.categories.iter().any(|category| category.name == name);
        if known { Self::Category(Category::from(name.to_owned())) } else { Self::Frames(name) }
    }

    fn holds(&self, name: &str, category: &Category) -> bool {
        match self {
            Self::Category(subject) => category == subject,
            Self::Frames(glob) => glob_matches(glob, name),
        }
    }
}

/// Weight and samples: of everything that is not idle, and of what the budget is for.
#[derive(Debug, Default)]
struct Count {
    all: (f64, f64),
    within: (f64, f64),
    frames: std::collections::BTreeMap<String, f64>,
}

fn breach(profiles: &[&Profile], event: &str, budget: &Budget, policy: &Policy) -> Option<Breach> {
    let subject = Subject::of(budget, policy);
    let mut count = Count::default();
    for profile in profiles {
        count_profile(profile, &subject, &mut count);
    }
    let typed = profiles.iter().all(|p| p.handwritten && p.event.unit == model::Unit::Ratio);
    let whole = if typed && count.all.0 <= 1.0 { 1.0 } else { count.all.0 };
    let share = count.within.0 / whole;
    if !share.is_finite() || share <= budget.max_share {
        return None;
    }
    let sure = lower_bound(share, count.all.1).is_some_and(|lowest| lowest > budget.max_share);
    let mut frames: Vec<(String, f64)> =
        count.frames.into_iter().map(|(name, weight)| (name, weight / whole)).collect();
    frames.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    frames.truncate(FRAMES_SHOWN);
    let breach = BudgetBreach {
        subject: budget.subject.clone(),
        event: event.to_owned(),
        share,
        limit: budget.max_share,
        frames,
    };
    Some(Breach { breach, confidence: if sure { Confidence::Confirmed } else { Confidence::Likely } })
}

/// The lower end of Wilson's interval for a share seen in `samples`, widened by over-dispersion.
fn lower_bound(share: f64, samples: f64) -> Option<f64> {
    let n = samples / DISPERSION;
    let square = Z * Z / n;
    let centre = share + square / 2.0;
    let reach = Z * (share * (1.0 - share) / n + square / (4.0 * n)).sqrt();
    let bound = (centre - reach) / (1.0 + square);
    (n > 0.0 && bound.is_finite()).then_some(bound)
}

fn count_profile(profile: &Profile, subject: &Subject<'_>, count: &mut Count) {
    let tree = &profile.tree;
    let charged: Vec<&Category> = tree.stack_categories().iter().map(StackCategories::charged).collect();
    let matches: Vec<bool> =
        tree.frames.iter().map(|frame| subject.holds(&frame.name, &frame.category)).collect();
    // Per node: whether a frame of the subject is on the path, and where the nearest one is.
    let mut nearest: Vec<u32> = Vec::with_capacity(tree.nodes.len());
    for (i, node) in tree.nodes.iter().enumerate() {
        let above = nearest.get(node.parent as usize).copied().unwrap_or(Node::ROOT);
        let here = matches.get(node.frame as usize).copied().unwrap_or(false);
        // The outermost is where the cost is entered, which is what a reader can act on.
        nearest.push(if above == Node::ROOT && here { i as u32 } else { above });
        let leaf = tree.frames.get(node.frame as usize).map_or(&Category::Other, |frame| &frame.category);
        let idle = profile.is_time() && *leaf == Category::Idle;
        let budgets_idle = matches!(subject, Subject::Category(Category::Idle));
        if (idle && !budgets_idle) || !node.self_weight.is_finite() {
            continue;
        }
        let samples = node.self_samples as f64;
        count.all = (count.all.0 + node.self_weight, count.all.1 + samples);
        let entry = nearest[i];
        let within = match subject {
            Subject::Category(category) => charged[i] == category,
            Subject::Frames(_) => entry != Node::ROOT,
        };
        if within {
            count.within = (count.within.0 + node.self_weight, count.within.1 + samples);
            let named = tree.nodes.get(entry as usize).unwrap_or(node);
            if let Some(frame) = tree.frames.get(named.frame as usize) {
                *count.frames.entry(frame.name.clone()).or_default() += node.self_weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_widens_with_fewer_samples() {
        let wide = lower_bound(0.05, 100.0).unwrap();
        let narrow = lower_bound(0.05, 10_000.0).unwrap();
        assert!(wide < 0.02 && narrow > 0.04, "{wide} {narrow}");
        assert_eq!(lower_bound(0.05, 0.0), None);
    }
}
