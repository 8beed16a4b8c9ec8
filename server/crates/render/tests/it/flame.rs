//! Flame graphs: every weight is accounted for, every box lies in its caller's, siblings are in order.

use std::collections::HashMap;

use model::{CallTree, CallTreeBuilder, Category, Node, Unit};
use proptest::prelude::*;
use render::Sketch;
use render::flame::{BoxKind, Flame, FlameBox, FlameOptions, Limits, flame_svg};

use crate::xml::{check_page_picture, hostile_names};

/// Stacks of frame numbers with weights, as a tree.
pub(crate) fn tree_of(stacks: &[(Vec<String>, f64)]) -> CallTree {
    let mut builder = CallTreeBuilder::new();
    for (stack, weight) in stacks {
        let leaf = stack.iter().fold(Node::ROOT, |at, name| {
            let frame = builder.frame(name, None, None);
            builder.child(at, frame, name.len() % 3 == 1)
        });
        builder.add(leaf, 1, *weight);
    }
    builder.finish()
}

pub(crate) fn stacks() -> impl Strategy<Value = Vec<(Vec<String>, f64)>> {
    let stack = prop::collection::vec("[a-e]{1,2}", 1..9);
    prop::collection::vec((stack, 0.0..100.0_f64), 0..60)
}

fn options(limits: Limits) -> FlameOptions {
    FlameOptions {
        title: "a profile".to_owned(),
        width: 1200,
        unit: Unit::Nanoseconds,
        limits,
        focus: None,
        search: String::new(),
        sketch: Sketch::PAGE,
    }
}

fn draw(tree: &CallTree, options: &FlameOptions) -> Flame {
    flame_svg(tree, options, |node| format!("?focus={node}"))
}

/// Boxes lie in the box of their caller, side by side.
pub(crate) fn check_boxes(boxes: &[FlameBox], parent_of: impl Fn(u32) -> u32) {
    let drawn: HashMap<u32, &FlameBox> = boxes
        .iter()
        .filter(|b| matches!(b.kind, BoxKind::Root | BoxKind::Frame | BoxKind::Ancestor))
        .map(|b| (b.node, b))
        .collect();
    let mut ends: HashMap<(u32, u32), f64> = HashMap::new();
    for b in boxes.iter().filter(|b| b.kind != BoxKind::Root) {
        let parent =
            if matches!(b.kind, BoxKind::Frame | BoxKind::Ancestor) { parent_of(b.node) } else { b.node };
        let caller = drawn.get(&parent).expect("callers of drawn frames are drawn");
        assert_eq!(b.row, caller.row + 1);
        assert!(
            b.x >= caller.x - 1e-9 && b.x + b.width <= caller.x + caller.width + 1e-9,
            "{b:?} in {caller:?}"
        );
        let end = ends.entry((b.row, parent)).or_insert(caller.x);
        assert!(b.x >= *end - 1e-9, "siblings do not overlap");
        *end = b.x + b.width;
    }
}

fn parent(tree: &CallTree) -> impl Fn(u32) -> u32 + '_ {
    |node| tree.nodes[node as usize].parent
}

/// Weight that boxes show: that of drawn frames' own stacks and that of sums.
fn accounted(tree: &CallTree, boxes: &[FlameBox]) -> f64 {
    let weight = |b: &FlameBox| match b.kind {
        BoxKind::Frame => tree.nodes[b.node as usize].self_weight,
        BoxKind::Fewer(_) | BoxKind::Deeper(_) => b.weight,
        BoxKind::Root | BoxKind::Ancestor => 0.0,
    };
    boxes.iter().map(weight).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn drawn_and_summed_weight_is_all_there_is(
        stacks in stacks(), min_share in 0.0..0.2_f64, max_boxes in 0..40_usize, max_rows in 1..9_u32,
    ) {
        let tree = tree_of(&stacks);
        let flame = draw(&tree, &options(Limits { min_share, max_boxes, max_rows }));
        check_boxes(&flame.boxes, parent(&tree));
        let n_frames = flame.boxes.iter().filter(|b| b.kind == BoxKind::Frame).count();
        prop_assert!(n_frames <= max_boxes);
        prop_assert_eq!(n_frames + flame.n_summed, tree.nodes.len());
        prop_assert!((accounted(&tree, &flame.boxes) - tree.weight()).abs() < 1e-6 * (1.0 + tree.weight()));
        prop_assert!(flame.boxes.iter().all(|b| b.row <= max_rows + 1));
    }

    #[test]
    fn siblings_are_in_alphabetical_order(stacks in stacks()) {
        let tree = tree_of(&stacks);
        let flame = draw(&tree, &options(Limits { min_share: 0.0, ..Limits::default() }));
        let mut last: HashMap<u32, String> = HashMap::new();
        for b in flame.boxes.iter().filter(|b| b.kind == BoxKind::Frame) {
            let node = tree.nodes[b.node as usize];
            let name = tree.frames[node.frame as usize].name.clone();
            let before = last.insert(node.parent, name.clone());
            prop_assert!(before.is_none_or(|before| before <= name));
        }
    }

    #[test]
    fn a_focus_fills_the_width_below_its_callers(stacks in stacks(), pick in 0..1000_usize) {
        let tree = tree_of(&stacks);
        prop_assume!(!tree.nodes.is_empty());
        let focus = (pick % tree.nodes.len()) as u32;
        let totals = tree.node_totals();
        prop_assume!(totals[focus as usize].1 > 0.0);
        let flame = draw(&tree, &FlameOptions { focus: Some(focus), ..options(Limits::default()) });
        check_boxes(&flame.boxes, parent(&tree));
        let of_focus = flame.boxes.iter().find(|b| b.kind == BoxKind::Frame && b.node == focus).unwrap();
        prop_assert!((of_focus.x, of_focus.width) == (0.0, 1.0));
        prop_assert_eq!(of_focus.row as usize, tree.path(focus).len());
        let callers = flame.boxes.iter().filter(|b| b.kind == BoxKind::Ancestor).count();
        prop_assert_eq!(callers + 1, tree.path(focus).len());
        prop_assert!((accounted(&tree, &flame.boxes) - totals[focus as usize].1).abs() < 1e-6 * (1.0 + tree.weight()));
    }

    #[test]
    fn broken_trees_are_drawn_as_far_as_they_make_sense(
        nodes in prop::collection::vec((any::<u32>(), 0..9_u32, -5.0..5.0_f64), 0..30), focus in prop::option::of(0..40_u32),
    ) {
        let nodes = nodes.into_iter().map(|(parent, frame, self_weight)| Node {
            parent: if parent % 2 == 0 { parent % 31 } else { parent },
            frame,
            inlined: parent % 3 == 0,
            self_samples: u64::from(parent) << 32,
            self_weight: if frame == 8 { f64::NAN } else { self_weight },
        });
        let frames = tree_of(&[(vec!["a".to_owned(), "b".to_owned()], 1.0)]).frames;
        let tree = CallTree { frames, nodes: nodes.collect() };
        check_page_picture(&draw(&tree, &FlameOptions { focus, ..options(Limits::default()) }).svg);
    }
}

#[test]
fn hostile_names_stay_inside_the_picture() {
    let stacks: Vec<_> = hostile_names().into_iter().map(|name| (vec![name.clone(), name], 3.0)).collect();
    let mut tree = tree_of(&stacks);
    for frame in &mut tree.frames {
        frame.category = Category::User(frame.name.clone());
    }
    for name in hostile_names() {
        let options =
            FlameOptions { title: name.clone(), search: name.clone(), ..options(Limits::default()) };
        let flame = flame_svg(&tree, &options, |node| format!("/{name}?focus={node}"));
        check_page_picture(&flame.svg);
        assert_eq!(flame, flame_svg(&tree, &options, |node| format!("/{name}?focus={node}")));
        let short = draw(&tree, &options).svg.len();
        assert!(short < 100_000, "long names are cut: {short} bytes");
    }
}

#[test]
fn a_stack_of_ten_thousand_frames_is_cut_with_a_box_that_says_so() {
    let stack: Vec<String> = (0..10_000).map(|i| format!("f{i}")).collect();
    let tree = tree_of(&[(stack, 5.0)]);
    let flame = draw(&tree, &options(Limits::default()));
    let last = flame.boxes.last().unwrap();
    assert_eq!((last.kind, last.row, last.weight), (BoxKind::Deeper(9800), 201, 5.0));
    assert!(flame.svg.contains("9,800 frames deeper"));
    let focused = draw(&tree, &FlameOptions { focus: Some(9_999), ..options(Limits::default()) });
    assert!(focused.boxes.len() <= 102, "callers are bounded too: {}", focused.boxes.len());
    check_page_picture(&focused.svg);
}

#[test]
fn every_box_is_a_link_with_a_title_of_name_category_share_samples_and_weight() {
    let mut tree =
        tree_of(&[(vec!["main".to_owned(), "log".to_owned()], 250e6), (vec!["main".to_owned()], 750e6)]);
    tree.frames[1].category = Category::Logging;
    let flame = draw(&tree, &options(Limits::default()));
    let found = check_page_picture(&flame.svg);
    let links: Vec<_> = found.iter().filter(|e| e.name == "a").filter_map(|e| e.get("href")).collect();
    assert_eq!(links, ["?focus=4294967295", "?focus=0", "?focus=1"]);
    assert!(
        flame
            .svg
            .contains("<title>log \u{b7} logging \u{b7} 25.0 % \u{b7} 1 samples \u{b7} 250.0 ms</title>")
    );
}

#[test]
fn a_search_counts_every_stack_once() {
    let stack = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let tree = tree_of(&[
        (stack(&["main", "Log", "relog"]), 20.0),
        (stack(&["main", "log"]), 10.0),
        (stack(&["main", "work"]), 70.0),
    ]);
    let flame = draw(&tree, &FlameOptions { search: "LOG".to_owned(), ..options(Limits::default()) });
    assert_eq!(flame.matched, Some(30.0));
    assert_eq!(flame.svg.matches("class=\"match\"").count(), 3);
    assert_eq!(draw(&tree, &options(Limits::default())).matched, None);
}
