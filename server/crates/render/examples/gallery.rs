//! Writes every kind of picture, in light and dark, into the directory given: `cargo run -p render --example
//! gallery -- out`. For looking at; the data are made up.

use std::fmt::Write as _;
use std::path::Path;

use model::{CallTree, CallTreeBuilder, Category, Node, Unit};
use render::chart::{
    CategoriesChart, CategoryRow, ComparisonChart, ComparisonRow, GridCell, GridChart, HistoryChart,
    HistoryPoint, Level, Mark, PercentileRow, PercentilesChart, SideValues, SidesChart, Spark,
};
use render::flame::{DiffOptions, FlameOptions, Limits, diff_svg, flame_svg};
use render::{Chart, Sizing, Sketch, Theme, chart_png, chart_svg, palette};

fn comparison() -> ComparisonChart {
    let row = |label: &str, change: f64, half: f64, worse: Option<bool>, word: &str| ComparisonRow {
        label: label.to_owned(),
        href: Some(format!("#{label}")),
        change,
        interval: (half > 0.0).then_some((change - half, change + half)),
        floor: 0.03,
        worse,
        text: format!("{}, {word}", model::quantity::signed_percent(change)),
    };
    ComparisonChart {
        title: "Changes of 9 measures, candidate 6995e2d against baseline 4beb514".to_owned(),
        width: 900,
        rows: vec![
            row("mixed read/write \u{b7} op rate", -0.472, 0.06, Some(true), "regressed"),
            row("mixed read/write \u{b7} latency p95", 0.61, 0.2, Some(true), "regressed"),
            row("SessionWriteBytes/64 \u{b7} sec/op", -0.0748, 0.02, Some(false), "improved"),
            row("SessionWriteBytes/64 \u{b7} B/op", -0.571, 0.0, Some(false), "improved"),
            row("SessionWriteBytes/4096 \u{b7} sec/op", 0.011, 0.025, None, "unchanged"),
            row("EncodeHeader \u{b7} sec/op", -0.004, 0.012, None, "unchanged"),
            row(
                "DecodeHeader with a name that is far too long to be shown in full beside a plot",
                0.02,
                0.09,
                None,
                "unstable",
            ),
            row("startup \u{b7} wall time", 24.8, 0.5, Some(true), "regressed"),
            row("teragen 10 GB \u{b7} wall time", 0.0, 0.0, None, "unchanged"),
        ],
    }
}

fn sides() -> SidesChart {
    let side = |label: &str, points: &[f64], lo, hi, median| SideValues {
        label: label.to_owned(),
        points: points.iter().map(|p| p * 1e3).collect(),
        median: Some(median * 1e3),
        interval: Some((lo * 1e3, hi * 1e3)),
    };
    SidesChart {
        title: "SessionWriteBytes/64, time per operation".to_owned(),
        width: 640,
        unit: Unit::Nanoseconds,
        base: side("main 4beb514", &[2.24, 2.25, 2.246, 2.31, 2.2, 2.27], 2.2, 2.29, 2.248),
        head: side("pr-147 6995e2d", &[2.07, 2.08, 2.06, 2.12, 2.075, 2.09], 2.06, 2.11, 2.078),
    }
}

fn percentiles() -> PercentilesChart {
    let row = |label: &str, base: f64, head: f64| PercentileRow {
        label: label.to_owned(),
        base: Some(base * 1e6),
        head: Some(head * 1e6),
    };
    PercentilesChart {
        title: "Latency of mixed reads".to_owned(),
        width: 640,
        height: 320,
        unit: Unit::Nanoseconds,
        base_label: "debug off".to_owned(),
        head_label: "debug on".to_owned(),
        rows: vec![
            row("p50", 5.1, 9.8),
            row("p75", 7.9, 16.4),
            row("p90", 11.8, 27.0),
            row("p95", 15.2, 39.1),
            row("p99", 33.9, 75.6),
            row("p99.9", 91.0, 161.0),
            row("max", 412.0, 398.0),
        ],
    }
}

fn history(n: usize) -> HistoryChart {
    let step = n * 6 / 10;
    let back = n * 17 / 20;
    let level = |i: usize| {
        if i < step {
            12_600.0
        } else if i < back {
            6_700.0
        } else {
            12_300.0
        }
    };
    let noise = |i: usize| ((i as f64 * 12.9898).sin() * 43_758.545).fract() * 400.0;
    let point = |i: usize| HistoryPoint {
        label: format!("{:07x}", (i as u64 + 7).wrapping_mul(0x9E37_79B9) & 0x0FFF_FFFF),
        value: level(i) + noise(i),
        interval: Some((level(i) + noise(i) - 250.0, level(i) + noise(i) + 250.0)),
        href: Some(format!("/runs/{i}")),
        mark: match i {
            i if i == step => Mark::Regression,
            i if i == back => Mark::Improvement,
            i if i == n / 4 => Mark::Excluded,
            _ => Mark::None,
        },
        note: "2026-11-30 by ada".to_owned(),
    };
    HistoryChart {
        title: "mixed read/write, op rate, on main".to_owned(),
        width: 960,
        height: 320,
        unit: Unit::parse("op/s").0,
        points: (0..n).map(point).collect(),
        levels: [(0, step - 1), (step, back - 1), (back, n - 1)]
            .map(|(from, to)| Level { from, to, value: level(from) })
            .to_vec(),
    }
}

fn categories() -> CategoriesChart {
    let row = |category, base: f64, head: f64, counts| CategoryRow {
        category,
        base: base * 1e3,
        head: head * 1e3,
        counts,
    };
    CategoriesChart {
        title: "Cost by category, per operation".to_owned(),
        width: 760,
        unit: Unit::Nanoseconds,
        base_label: "baseline".to_owned(),
        head_label: "candidate".to_owned(),
        rows: vec![
            row(Category::Logging, 0.0, 68.4, true),
            row(Category::Copy, 4.1, 4.6, false),
            row(Category::Allocation, 21.0, 33.2, true),
            row(Category::Gc, 8.0, 14.0, true),
            row(Category::Serialization, 19.0, 12.5, true),
            row(Category::Io, 30.2, 30.1, false),
            row(Category::User("buffer management".to_owned()), 6.0, 0.0, true),
            row(Category::Other, 48.0, 50.0, false),
        ],
    }
}

fn grid() -> GridChart {
    let sizes = ["64 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB"];
    let cells = [1, 2, 4, 8, 16, 32].iter().enumerate().flat_map(|(i, threads)| {
        sizes.iter().enumerate().map(move |(j, size)| {
            let change =
                ((i * 5 + j) as f64 * 1.7).sin() * 0.9_f64.powf(i as f64) * 10_f64.powf(j as f64 - 3.0);
            GridCell {
                row: threads.to_string(),
                col: (*size).to_owned(),
                change: Some(change),
                worse: (change.abs() > 0.01).then_some(change < 0.0),
                href: Some("#cell".to_owned()),
                note: "4 runs a side".to_owned(),
            }
        })
    });
    GridChart {
        title: "Throughput, heap against direct buffers".to_owned(),
        width: 640,
        row_name: "threads".to_owned(),
        col_name: "object size".to_owned(),
        cells: cells.collect(),
    }
}

fn spark() -> Spark {
    let values = (0..40).map(|i| f64::from(i % 7) + if i > 30 { 12.0 } else { 0.0 }).collect();
    Spark { title: "op rate, 40 runs".to_owned(), width: 120, height: 28, values, worse: Some(true) }
}

/// A server that reads, with the weights of one side.
fn profile(logging: f64, copying: f64) -> CallTree {
    let mut builder = CallTreeBuilder::new();
    let store = "java.lang.Thread.run;org.example.store.Server.serve;org.example.store.ReadCommand.execute";
    let mut stacks = vec![
        (
            format!("{store};org.example.store.Pager.logPage;org.slf4j.Logger.debug;java.lang.String.format"),
            logging,
        ),
        (
            format!(
                "{store};org.example.store.Pager.logPage;org.slf4j.Logger.debug;ch.qos.logback.Appender.append"
            ),
            logging * 0.6,
        ),
        (format!("{store};org.example.store.Table.get;java.util.HashMap.get"), 90.0),
        (
            format!("{store};org.example.store.Table.get;org.example.store.Block.read;java.nio.Buffer.copy"),
            copying,
        ),
        (
            format!(
                "{store};org.example.store.Table.get;org.example.store.Block.read;sun.nio.ch.FileChannelImpl.read;read"
            ),
            160.0,
        ),
        (
            format!(
                "{store};com.fasterxml.jackson.ObjectMapper.writeValue;com.fasterxml.jackson.JsonGenerator.write"
            ),
            130.0,
        ),
        ("GC Thread;G1ParTask::work;G1ScanRSForRegion".to_owned(), 40.0 + logging * 0.3),
        ("java.lang.Thread.run;org.example.rpc.Poller.poll;epoll_wait".to_owned(), 55.0),
    ];
    let allocator = if logging > 100.0 { "ArrayPool.rent" } else { "ByteBuffer.allocateDirect" };
    stacks.push((format!("{store};org.example.store.Buffers.{allocator};{allocator}0"), 70.0));
    stacks
        .extend((0..400).map(|i| (format!("{store};org.example.gen.Step{:03}.run;leaf{}", i % 40, i), 0.3)));
    for (stack, weight) in stacks {
        let leaf = stack.split(';').fold(Node::ROOT, |at, name| {
            let frame = builder.frame(name, None, None);
            builder.child(at, frame, name.ends_with("HashMap.get"))
        });
        builder.add(leaf, weight as u64 + 1, weight * 1e6);
    }
    let mut tree = builder.finish();
    for frame in &mut tree.frames {
        frame.category = category(&frame.name);
    }
    tree
}

fn category(name: &str) -> Category {
    let rules = [
        ("slf4j", Category::Logging),
        ("logback", Category::Logging),
        ("String.format", Category::Formatting),
        ("Buffer.copy", Category::Copy),
        ("HashMap", Category::Hashing),
        ("FileChannel", Category::Io),
        ("jackson", Category::Serialization),
        ("G1", Category::Gc),
        ("epoll", Category::Idle),
    ];
    rules
        .into_iter()
        .find(|(part, _)| name.contains(part) && !name.contains("example"))
        .map_or(Category::Other, |r| r.1)
}

fn flames(sketch: Sketch) -> [(&'static str, String); 3] {
    let (base, head) = (profile(20.0, 140.0), profile(180.0, 20.0));
    let mut options = FlameOptions {
        title: "CPU time of mixed reads, run 0192".to_owned(),
        width: 1200,
        unit: Unit::Nanoseconds,
        limits: Limits { min_share: 0.001, ..Limits::default() },
        focus: None,
        search: String::new(),
        sketch,
    };
    let link = |node: u32| format!("?focus={node}");
    let whole = flame_svg(&head, &options, link).svg;
    options.focus = (0..head.nodes.len() as u32).find(|n| {
        let frame = head.nodes[*n as usize].frame as usize;
        head.frames[frame].name.ends_with("ReadCommand.execute")
    });
    "logger".clone_into(&mut options.search);
    let focused = flame_svg(&head, &options, link).svg;
    let diff = DiffOptions {
        title: "CPU time of mixed reads, 6995e2d against 4beb514".to_owned(),
        header: "CPU ns per operation, 6 against 6 runs, 3,600 against 3,710 samples".to_owned(),
        width: 1200,
        unit: Unit::Nanoseconds,
        base_scale: 1e-3,
        head_scale: 1e-3,
        threshold: 0.005,
        limits: Limits { min_share: 0.001, ..Limits::default() },
        focus: None,
        sketch,
    };
    [("flame", whole), ("flame-focus", focused), ("flame-diff", diff_svg(&base, &head, &diff, link).svg)]
}

/// Writes one chart as SVG in three themes and as PNG, and returns the page's copy.
fn write<C: Chart>(out: &Path, name: &str, chart: &C) -> std::io::Result<String> {
    for (suffix, theme) in [("light", Theme::Light), ("dark", Theme::Dark), ("auto", Theme::Auto)] {
        let svg = chart_svg(chart, Sketch { theme, sizing: Sizing::Fixed });
        std::fs::write(out.join(format!("{name}-{suffix}.svg")), svg)?;
    }
    std::fs::write(out.join(format!("{name}.png")), chart_png(chart, Theme::Light, 2))?;
    std::fs::write(out.join(format!("{name}-dark.png")), chart_png(chart, Theme::Dark, 1))?;
    Ok(chart_svg(chart, Sketch::PAGE))
}

fn main() -> std::io::Result<()> {
    let dir = std::env::args().nth(1).unwrap_or_else(|| "gallery".to_owned());
    let out = Path::new(&dir);
    std::fs::create_dir_all(out)?;
    let mut pictures = vec![
        (900, write(out, "comparison", &comparison())?),
        (640, write(out, "sides", &sides())?),
        (640, write(out, "percentiles", &percentiles())?),
        (960, write(out, "history", &history(60))?),
        (960, write(out, "history-1000", &history(1000))?),
        (760, write(out, "categories", &categories())?),
        (640, write(out, "grid", &grid())?),
        (120, write(out, "spark", &spark())?),
    ];
    for theme in [Theme::Light, Theme::Dark, Theme::Auto] {
        for (name, svg) in flames(Sketch { theme, sizing: Sizing::Fixed }) {
            std::fs::write(out.join(format!("{name}-{theme:?}.svg").to_lowercase()), svg)?;
        }
    }
    pictures.extend(flames(Sketch::PAGE).map(|(_, svg)| (1200, svg)));
    for (name, ground, css) in
        [("light", "#ffffff", String::new()), ("dark", "#0d1117", palette::dark_css("svg.pf"))]
    {
        let mut html = format!(
            "<!doctype html><meta charset=\"utf-8\"><style>body{{background:{ground};margin:16px}}svg{{display:block;margin:0 0 24px}}{css}</style>"
        );
        for (width, svg) in &pictures {
            // Writing to a string cannot fail.
            let _ = write!(html, "<div style=\"width:{width}px\">{svg}</div>");
        }
        std::fs::write(out.join(format!("page-{name}.html")), html)?;
    }
    Ok(())
}
