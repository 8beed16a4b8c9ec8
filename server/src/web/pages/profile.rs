//! A profile: flame graph, table of frames, kinds of work; with another profile beside it, their difference.

use askama::Template;
use model::{Node, Profile, ProfileId};

use super::run::{RunHead, weight_text};
use crate::web::link;
use crate::web::parts::bars::KindBar;
use crate::web::parts::frames::FrameTable;
use crate::web::shell::{Crumb, Shell};
use crate::web::words;

/// Longest breadcrumb of a focused frame: its outermost callers are folded into one step.
const TRAIL: usize = 12;

/// A profile's page.
#[derive(Debug, Template)]
#[template(path = "pages/profile.html")]
pub(crate) struct ProfilePage {
    /// The frame.
    pub(crate) shell: Shell,
    /// The event.
    pub(crate) event: String,
    /// The benchmark it belongs to.
    pub(crate) benchmark: Option<String>,
    /// The run it belongs to.
    pub(crate) run: RunHead,
    /// Samples, weight, period … in words.
    pub(crate) facts: Vec<String>,
    /// What to keep in mind.
    pub(crate) warnings: Vec<String>,
    /// The other side, where there is one.
    pub(crate) base: Option<BaseSide>,
    /// The two views.
    pub(crate) tabs: Vec<Tab>,
    /// From all stacks down to the focused frame; empty without a focus.
    pub(crate) trail: Vec<Crumb>,
    /// The flame graph, as SVG.
    pub(crate) flame: Option<String>,
    /// The frames.
    pub(crate) frames: Option<FrameTable>,
    /// Kinds of work, dearest first.
    pub(crate) kinds: Vec<KindBar>,
    /// Profiles of the same event to compare with: label and address.
    pub(crate) others: Vec<Crumb>,
}

/// The profile on the other side.
#[derive(Debug, Clone)]
pub(crate) struct BaseSide {
    /// Its page.
    pub(crate) href: String,
    /// What it is, in words.
    pub(crate) label: String,
    /// This page without it.
    pub(crate) without: String,
}

/// One of the views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tab {
    /// Its name.
    pub(crate) label: &'static str,
    /// Its address.
    pub(crate) href: String,
    /// Whether it is the one shown.
    pub(crate) current: bool,
}

/// How the profile is looked at. All of it is in the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    /// The flame graph.
    #[default]
    Flame,
    /// The table of frames.
    Table,
}

/// What the table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sort {
    /// Self cost, dearest first.
    #[default]
    Own,
    /// Total cost, dearest first.
    Total,
    /// The name.
    Name,
}

/// The state of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProfileState {
    /// The focused node.
    pub(crate) focus: Option<u32>,
    /// The view.
    pub(crate) view: View,
    /// The order of the table.
    pub(crate) sort: Sort,
    /// The other side.
    pub(crate) base: Option<ProfileId>,
}

impl ProfileState {
    /// The query string of this state; defaults are left out, so that one state has one address.
    pub(crate) fn query(&self) -> String {
        let focus = self.focus.map(|node| node.to_string()).unwrap_or_default();
        let base = self.base.map(|id| id.to_string()).unwrap_or_default();
        let view = if self.view == View::Table { "table" } else { "" };
        let sort = match self.sort {
            Sort::Own => "",
            Sort::Total => "total",
            Sort::Name => "name",
        };
        link::query([("focus", focus.as_str()), ("view", view), ("sort", sort), ("base", &base)])
    }

    /// The same with another focus.
    pub(crate) fn at(&self, focus: Option<u32>) -> Self {
        Self { focus, ..self.clone() }
    }

    /// The page of a profile in this state.
    pub(crate) fn href(&self, project: &str, id: ProfileId) -> String {
        format!("{}{}", link::profile(project, id), self.query())
    }
}

/// The two tabs.
pub(crate) fn tabs(project: &str, id: ProfileId, state: &ProfileState) -> Vec<Tab> {
    [(View::Flame, "Flame graph"), (View::Table, "Frames")]
        .map(|(view, label)| Tab {
            label,
            // With another profile beside it, a focus is a node of both together, which the table does not have.
            href: ProfileState { view, focus: state.focus.filter(|_| state.base.is_none()), ..state.clone() }
                .href(project, id),
            current: view == state.view,
        })
        .into()
}

/// From all stacks down to the focused frame. The last step is the frame itself.
///
/// `caller_and_name` tells of a node who called it and what it is, in whichever tree the focus is a node of.
pub(crate) fn trail<'a>(
    project: &str,
    id: ProfileId,
    state: &ProfileState,
    caller_and_name: impl Fn(u32) -> Option<(u32, &'a str)>,
) -> Vec<Crumb> {
    let mut steps = Vec::new();
    let mut at = state.focus.unwrap_or(Node::ROOT);
    while let Some((caller, name)) = caller_and_name(at) {
        steps.push((at, name));
        at = caller;
    }
    if steps.is_empty() {
        return Vec::new();
    }
    let left_out = steps.len().saturating_sub(TRAIL);
    let mut trail =
        vec![Crumb { label: "all stacks".to_owned(), href: Some(state.at(None).href(project, id)) }];
    if left_out > 0 {
        trail.push(Crumb { label: format!("… {}", words::counted(left_out, "frame")), href: None });
    }
    trail.extend(steps.iter().take(TRAIL).rev().map(|(node, name)| Crumb {
        label: (*name).to_owned(),
        href: (Some(*node) != state.focus).then(|| state.at(Some(*node)).href(project, id)),
    }));
    trail
}

/// Caller and name of a node of a profile's own tree.
pub(crate) fn caller_and_name(profile: &Profile, node: u32) -> Option<(u32, &str)> {
    let node = profile.tree.nodes.get(node as usize)?;
    Some((node.parent, profile.tree.frames.get(node.frame as usize)?.name.as_str()))
}

/// Samples, weight, period and the like, in words.
pub(crate) fn facts(profile: &Profile) -> Vec<String> {
    let tree = &profile.tree;
    let mut facts = vec![
        format!("{} samples", words::whole(tree.samples())),
        weight_text(tree.weight(), &profile.event.unit),
        words::counted(tree.frames.len(), "frame"),
    ];
    if let Some(period) = profile.period {
        facts.push(format!("a sample every {}", weight_text(period, &profile.event.unit)));
    }
    if let Some(duration) = profile.duration_ns {
        facts.push(format!("over {}", weight_text(duration, &model::Unit::Nanoseconds)));
    }
    if let Some(operations) = profile.operations {
        facts.push(format!("{} operations", model::quantity::significant(operations)));
    }
    facts
}

/// What to keep in mind.
pub(crate) fn warnings(profile: &Profile) -> Vec<String> {
    let mut warnings = Vec::new();
    if profile.handwritten {
        warnings
            .push("The shares were typed by a person and are no samples: shown, never tested.".to_owned());
    } else if profile.partial {
        warnings.push("Parts of this profile are known to be missing: shown, never tested.".to_owned());
    }
    if profile.tree.nodes.is_empty() {
        warnings.push("It holds no stack.".to_owned());
    }
    warnings
}

/// The frame of a profile's page.
pub(crate) fn shell(project: &str, run: &RunHead, event: &str) -> Shell {
    Shell::new(format!("{event} profile · {project} {}", run.commit))
        .under(project, link::project(project))
        .under(format!("run {}", run.commit), run.href.clone())
        .here(format!("{event} profile"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CallTreeBuilder, Event, Unit};

    fn deep(depth: usize) -> Profile {
        let mut builder = CallTreeBuilder::new();
        let mut at = Node::ROOT;
        for i in 0..depth {
            let frame = builder.frame(&format!("f{i}"), None, None);
            at = builder.child(at, frame, false);
        }
        builder.add(at, 1, 1.0);
        Profile::new(
            Event { name: "cpu".to_owned(), unit: Unit::Count("samples".to_owned()) },
            builder.finish(),
        )
    }

    fn id() -> ProfileId {
        ProfileId::from_uuid(uuid::Uuid::nil())
    }

    #[test]
    fn a_state_has_one_address() {
        let state = ProfileState { focus: Some(7), view: View::Table, sort: Sort::Total, base: None };
        assert_eq!(state.query(), "?focus=7&view=table&sort=total");
        assert_eq!(ProfileState::default().query(), "");
    }

    #[test]
    fn a_trail_leads_from_all_stacks_to_the_frame() {
        let state = ProfileState { focus: Some(2), ..ProfileState::default() };
        let profile = deep(3);
        let trail = trail("kv", id(), &state, |node| caller_and_name(&profile, node));
        assert_eq!(
            trail.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(),
            ["all stacks", "f0", "f1", "f2"]
        );
        assert_eq!(trail[1].href.as_deref(), Some(format!("/p/kv/profiles/{}?focus=0", id()).as_str()));
        assert_eq!(trail[3].href, None);
    }

    #[test]
    fn a_deep_trail_is_folded_and_a_dangling_focus_has_none() {
        let state = ProfileState { focus: Some(999), ..ProfileState::default() };
        let steps =
            |profile: &Profile| trail("kv", id(), &state, |node| caller_and_name(profile, node)).len();
        assert_eq!(steps(&deep(1_000)), TRAIL + 2);
        assert_eq!(steps(&deep(10)), 0);
    }

    #[test]
    fn an_estimate_says_that_it_is_one() {
        let mut profile = deep(1);
        profile.handwritten = true;
        assert!(warnings(&profile)[0].contains("typed by a person"));
    }
}
