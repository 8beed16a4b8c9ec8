//! The tables themselves.

use std::collections::BTreeSet;

use frames::rules::built_in;
use frames::{Ecosystem, Rules, canonical};

#[test]
fn ids_are_unique() {
    let ids: BTreeSet<&str> = built_in().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), built_in().count());
}

#[test]
fn every_rule_gives_its_category_to_its_example() {
    let rules = Rules::built_in();
    let wrong: Vec<_> = built_in()
        .map(|rule| (rule, rules.category(rule.example, None, None)))
        .filter(|(rule, found)| *found != rule.category)
        .map(|(rule, found)| (rule.id, rule.example, found, Ecosystem::of(rule.example, None, None)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_example_is_a_canonical_name() {
    for rule in built_in() {
        assert_eq!(canonical(rule.example, None, None), rule.example, "{}", rule.id);
    }
}

#[test]
fn patterns_use_only_what_the_language_has() {
    for rule in built_in() {
        for pattern in rule.patterns {
            let opened = pattern.matches('{').count();
            assert_eq!(opened, pattern.matches('}').count(), "{}: {pattern}", rule.id);
            let nested = pattern.split('{').skip(1).any(|list| !list.contains('}'));
            assert!(!nested, "{}: lists do not nest: {pattern}", rule.id);
            assert!(!pattern.trim_matches('*').is_empty(), "{}: {pattern}", rule.id);
            // A star may end a pattern or one of its alternatives, or stand for any owner in front.
            let body = pattern.strip_prefix('*').unwrap_or(pattern);
            for (at, _) in body.match_indices('*') {
                let rest = &body[at + 1..];
                let is_pointer = body[..at].ends_with('(');
                let ends = rest.is_empty() || rest.starts_with(',') || rest.starts_with('}');
                assert!(is_pointer || ends, "{}: a star in the middle of {pattern}", rule.id);
            }
        }
    }
}
