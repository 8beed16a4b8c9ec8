//! Differential flame graphs: both sides keep their place, and what changed is told by sign, word and colour.

use model::Unit;
use proptest::prelude::*;
use render::Sketch;
use render::flame::{BoxKind, DiffFlame, DiffOptions, Limits, diff_svg};

use crate::flame::{check_boxes, stacks, tree_of};
use crate::xml::{check_page_picture, hostile_names};

fn options() -> DiffOptions {
    DiffOptions {
        title: "head against base".to_owned(),
        header: "CPU ns per operation".to_owned(),
        width: 1200,
        unit: Unit::Nanoseconds,
        base_scale: 1.0,
        head_scale: 1.0,
        threshold: 0.005,
        limits: Limits::default(),
        focus: None,
        sketch: Sketch::PAGE,
    }
}

fn draw(base: &[(&str, f64)], head: &[(&str, f64)], options: &DiffOptions) -> DiffFlame {
    let tree = |stacks: &[(&str, f64)]| {
        let stacks: Vec<_> =
            stacks.iter().map(|(s, w)| (s.split(';').map(str::to_owned).collect::<Vec<_>>(), *w)).collect();
        tree_of(&stacks)
    };
    diff_svg(&tree(base), &tree(head), options, |node| format!("?focus={node}"))
}

/// The class and the title of a frame's box.
fn said_of<'a>(svg: &'a str, name: &str) -> (&'a str, &'a str) {
    let title = svg.find(&format!("<title>{name} ")).expect("the frame is drawn");
    let class = svg[..title].rsplit("class=\"").next().unwrap_or("");
    let rest = &svg[title + "<title>".len()..];
    (class.split('"').next().unwrap_or(""), rest.split("</title>").next().unwrap_or(""))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn boxes_lie_in_their_callers_and_are_as_wide_as_the_dearer_side(
        base in stacks(), head in stacks(), base_scale in 0.1..9.0_f64, head_scale in 0.1..9.0_f64,
    ) {
        let limits = Limits { min_share: 0.0, ..Limits::default() };
        let options = DiffOptions { base_scale, head_scale, limits, ..options() };
        let flame = diff_svg(&tree_of(&base), &tree_of(&head), &options, |node| node.to_string());
        check_boxes(&flame.boxes, |node| flame.tree.nodes[node as usize].parent);
        check_page_picture(&flame.svg);
        for b in flame.boxes.iter().filter(|b| b.kind == BoxKind::Frame) {
            let node = flame.tree.nodes[b.node as usize];
            prop_assert!(b.weight >= node.base.max(node.head) * (1.0 - 1e-9));
        }
        let base_cost: f64 = base.iter().map(|(_, w)| w * base_scale).sum();
        prop_assert!((flame.tree.base - base_cost).abs() < 1e-6 * (1.0 + base_cost));
    }
}

#[test]
fn what_changed_is_told_by_word_sign_and_class() {
    let base = [("main;gone", 100.0), ("main;less", 200.0), ("main;same", 600.0), ("main;more", 100.0)];
    let head = [("main;new", 80.0), ("main;less", 150.0), ("main;same", 601.0), ("main;more", 112.0)];
    let flame = draw(&base, &head, &options());
    check_page_picture(&flame.svg);
    let (class, title) = said_of(&flame.svg, "new");
    assert_eq!((class, title), ("new", "new \u{b7} new \u{b7} 0 ns \u{2192} 80.00 ns (+80.00 ns)"));
    let (class, title) = said_of(&flame.svg, "gone");
    assert_eq!((class, title), ("gone", "gone \u{b7} gone \u{b7} 100.0 ns \u{2192} 0 ns (\u{2212}100.0 ns)"));
    let (class, title) = said_of(&flame.svg, "more");
    assert!(class == "more" && title.contains("\u{25b2} +12.0 %"), "{title}");
    let (class, title) = said_of(&flame.svg, "less");
    assert!(class == "less" && title.contains("\u{25bc} \u{2212}25.0 %"), "{title}");
    let (class, title) = said_of(&flame.svg, "same");
    assert!(class == "same" && title.ends_with("too small to count)"), "{title}");
    assert!(flame.svg.contains("more  \u{25b2} +12.0 %</text>"), "the number is in the box");
    assert!(flame.svg.contains("CPU ns per operation</text>"), "the normalisation is said");
    for step in ["+0.5 %", "+1.6 %", "+5 %", "+15.8 %", "+50 %", "\u{2212}50 %"] {
        assert!(flame.svg.contains(&format!(">{step}</text>")), "the scale is printed: {step}");
    }
    assert_eq!(
        flame.svg.matches("stroke-dasharray").count(),
        4,
        "new and gone, in the graph and in the legend"
    );
}

#[test]
fn what_cancels_out_in_a_caller_stays_visible_in_its_callees() {
    let flame =
        draw(&[("main;a", 50.0), ("main;b", 50.0)], &[("main;a", 90.0), ("main;b", 10.0)], &options());
    assert_eq!(said_of(&flame.svg, "main").0, "same");
    assert_eq!((said_of(&flame.svg, "a").0, said_of(&flame.svg, "b").0), ("more", "less"));
    assert_eq!(flame.boxes.iter().find(|b| b.kind == BoxKind::Frame).unwrap().weight, 140.0);
}

#[test]
fn twice_the_samples_of_the_same_work_are_no_change() {
    let options = DiffOptions { head_scale: 0.5, ..options() };
    let flame = draw(&[("main;a", 50.0)], &[("main;a", 100.0)], &options);
    assert_eq!(said_of(&flame.svg, "a").0, "same");
}

#[test]
fn scales_that_are_no_numbers_leave_their_side_out() {
    for scale in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let flame =
            draw(&[("main;a", 50.0)], &[("main;a", 90.0)], &DiffOptions { base_scale: scale, ..options() });
        assert_eq!((flame.tree.base, flame.tree.head), (0.0, 90.0));
        check_page_picture(&flame.svg);
    }
}

#[test]
fn hostile_names_stay_inside_the_picture() {
    let names = hostile_names();
    let side = |skip: usize| -> Vec<_> {
        names.iter().skip(skip).map(|name| (vec![name.clone(), name.clone()], 3.0)).collect()
    };
    for name in &names {
        let options = DiffOptions { title: name.clone(), header: name.clone(), ..options() };
        let flame = diff_svg(&tree_of(&side(0)), &tree_of(&side(2)), &options, |_| name.clone());
        check_page_picture(&flame.svg);
    }
}
