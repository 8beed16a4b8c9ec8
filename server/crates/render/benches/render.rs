//! How fast pictures are drawn. Targets: a chart of 1,000 points in 1 ms, of 10,000 in 3 ms; a flame graph of
//! 10,000 stacks in 20 ms.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use model::{CallTree, CallTreeBuilder, Category, Node, Unit};
use render::chart::{ComparisonChart, ComparisonRow, HistoryChart, HistoryPoint, Mark};
use render::flame::{DiffOptions, FlameOptions, Limits, diff_svg, flame_svg};
use render::{Sketch, Theme, chart_png, chart_svg};

fn history(n: usize) -> HistoryChart {
    let point = |i: usize| {
        let value = 2000.0 + (i as f64 * 0.7).sin() * 40.0;
        HistoryPoint {
            label: format!("{i:07x}"),
            value,
            interval: Some((value - 20.0, value + 20.0)),
            href: Some(format!("/p/kv/runs/{i}")),
            mark: if i % 333 == 332 { Mark::Regression } else { Mark::None },
            note: String::new(),
        }
    };
    HistoryChart {
        title: "read, time per operation".to_owned(),
        width: 960,
        height: 400,
        unit: Unit::Nanoseconds,
        points: (0..n).map(point).collect(),
        levels: Vec::new(),
    }
}

fn comparison() -> ComparisonChart {
    let row = |i: i32| ComparisonRow {
        label: format!("benchmark {i}"),
        href: Some(format!("#{i}")),
        change: f64::from(i % 17 - 8) / 100.0,
        interval: Some((f64::from(i % 17 - 9) / 100.0, f64::from(i % 17 - 7) / 100.0)),
        floor: 0.03,
        worse: (i % 5 == 0).then_some(i % 2 == 0),
        text: "+3.00 %, regressed".to_owned(),
    };
    ComparisonChart { title: "changes".to_owned(), width: 900, rows: (0..100).map(row).collect() }
}

/// Stacks of 25 to 44 frames over 2,000 functions, sharing their outer halves, as servers' do. The generator is
/// a linear congruential one (Knuth's MMIX constants), so the tree is the same every time.
fn tree(n_stacks: usize, seed: u64) -> CallTree {
    let mut state = seed;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut builder = CallTreeBuilder::new();
    for _ in 0..n_stacks {
        let (depth, family) = (25 + next(20), next(40));
        let mut at = Node::ROOT;
        for level in 0..depth {
            let choice = if level < depth / 2 { family % (level + 1) } else { next(6) };
            let name =
                format!("org.example.service.Module{}.method{}", level * 7 % 50, choice * 40 + level % 40);
            let frame = builder.frame(&name, None, None);
            at = builder.child(at, frame, false);
        }
        builder.add(at, 1, 1e6 + next(1_000_000) as f64);
    }
    let mut tree = builder.finish();
    for (i, frame) in tree.frames.iter_mut().enumerate() {
        frame.category = Category::BUILT_IN[i % Category::BUILT_IN.len()].clone();
    }
    tree
}

fn flame_options() -> FlameOptions {
    FlameOptions {
        title: "CPU time".to_owned(),
        width: 1200,
        unit: Unit::Nanoseconds,
        limits: Limits::default(),
        focus: None,
        search: String::new(),
        sketch: Sketch::PAGE,
    }
}

fn diff_options() -> DiffOptions {
    DiffOptions {
        title: "CPU time".to_owned(),
        header: "CPU ns per operation".to_owned(),
        width: 1200,
        unit: Unit::Nanoseconds,
        base_scale: 1e-3,
        head_scale: 1e-3,
        threshold: 0.005,
        limits: Limits::default(),
        focus: None,
        sketch: Sketch::PAGE,
    }
}

fn charts(c: &mut Criterion) {
    for n in [1000, 10_000] {
        let chart = history(n);
        c.bench_function(&format!("history/svg/{n}"), |b| {
            b.iter(|| chart_svg(black_box(&chart), Sketch::PAGE));
        });
        c.bench_function(&format!("history/png/{n}"), |b| {
            b.iter(|| chart_png(black_box(&chart), Theme::Light, 1));
        });
    }
    let chart = comparison();
    c.bench_function("comparison/svg/100", |b| b.iter(|| chart_svg(black_box(&chart), Sketch::PAGE)));
}

fn flames(c: &mut Criterion) {
    let link = |node: u32| format!("?focus={node}");
    // 17,000 stacks of this kind make a tree of 300,000 nodes.
    for n_stacks in [10_000, 17_000] {
        let (base, head) = (tree(n_stacks, 1), tree(n_stacks, 2));
        let n = base.nodes.len();
        let mut options = flame_options();
        let name = format!("flame/{n_stacks} stacks, {n} nodes");
        c.bench_function(&name, |b| b.iter(|| flame_svg(black_box(&base), &options, link)));
        options.limits.min_share = 0.0;
        let name = format!("flame at the box budget/{n_stacks} stacks, {n} nodes");
        c.bench_function(&name, |b| b.iter(|| flame_svg(black_box(&base), &options, link)));
        let name = format!("diff/{n_stacks} stacks, {n} nodes a side");
        c.bench_function(&name, |b| b.iter(|| diff_svg(black_box(&base), &head, &diff_options(), link)));
    }
}

criterion_group!(benches, charts, flames);
criterion_main!(benches);
