//! One profile's kinds of work: a bar a category, named and numbered.

use std::collections::BTreeMap;

use model::{Category, Profile};

use crate::web::words;

/// Categories below this share are left out.
const SEEN: f64 = 0.005;

/// One category's part of a profile.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KindBar {
    /// Its name.
    pub(crate) name: String,
    /// Suffix of its class.
    pub(crate) class: String,
    /// Its share.
    pub(crate) share: String,
    /// Length of the bar, 0 to 100.
    pub(crate) width: f64,
}

/// Categories by the weight of their frames themselves, dearest first.
pub(crate) fn kinds(profile: &Profile) -> Vec<KindBar> {
    let tree = &profile.tree;
    let whole = tree.weight();
    let mut weights: BTreeMap<&Category, f64> = BTreeMap::new();
    for node in &tree.nodes {
        if let Some(frame) = tree.frames.get(node.frame as usize) {
            *weights.entry(&frame.category).or_default() += node.self_weight;
        }
    }
    let mut kinds: Vec<(&Category, f64)> = weights
        .into_iter()
        .map(|(category, weight)| (category, weight / whole))
        .filter(|(_, s)| *s >= SEEN)
        .collect();
    kinds.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    kinds
        .into_iter()
        .map(|(category, share)| KindBar {
            name: category.to_string(),
            class: words::category_class(category).to_owned(),
            share: words::percent(share),
            width: ((share * 1000.0).round() / 10.0).clamp(0.0, 100.0),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CallTreeBuilder, Event, Node, Unit};

    #[test]
    fn the_dearest_kind_is_first_and_dust_is_left_out() {
        let mut builder = CallTreeBuilder::new();
        for (name, weight) in [("work", 600.0), ("copy", 399.0), ("lock", 1.0)] {
            let frame = builder.frame(name, None, None);
            let node = builder.child(Node::ROOT, frame, false);
            builder.add(node, 1, weight);
        }
        let mut tree = builder.finish();
        tree.frames[1].category = Category::Copy;
        tree.frames[2].category = Category::Lock;
        let profile = Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds }, tree);
        let kinds = kinds(&profile);
        let shown: Vec<_> = kinds.iter().map(|kind| (kind.name.as_str(), kind.share.as_str())).collect();
        assert_eq!(shown, [("other", "60.0 %"), ("copy", "39.9 %")]);
    }

    #[test]
    fn an_empty_profile_has_no_kinds() {
        let event = Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds };
        assert!(kinds(&Profile::new(event, model::CallTree::default())).is_empty());
    }
}
