//! Charts: well formed for any name and any number, the same every time, on every backend.

use model::{Category, Unit};
use render::chart::{
    CategoriesChart, CategoryRow, ComparisonChart, ComparisonRow, GridCell, GridChart, HistoryChart,
    HistoryPoint, Level, Mark, PercentileRow, PercentilesChart, SideValues, SidesChart, Spark,
};
use render::{Chart, Sizing, Sketch, Theme, chart_png, chart_svg};

use crate::xml::{check_page_picture, elements, hostile_names};

/// Numbers that break scales of careless programs.
const NUMBERS: [f64; 10] =
    [0.0, 1.0, -1.0, 1e-300, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 12_655.0];

fn check<C: Chart>(chart: &C) -> Vec<crate::xml::Element> {
    let svg = chart_svg(chart, Sketch::PAGE);
    assert_eq!(svg, chart_svg(chart, Sketch::PAGE), "the same every time");
    for theme in [Theme::Light, Theme::Dark, Theme::Auto] {
        let file = elements(&chart_svg(chart, Sketch { theme, sizing: Sizing::Fixed }));
        assert_eq!(file[0].get("width").map(str::to_owned), Some(chart.size().0.to_string()));
    }
    check_page_picture(&svg)
}

fn comparison(names: &[String], numbers: &[f64]) -> ComparisonChart {
    let row = |(i, name): (usize, &String)| {
        let change = numbers[i % numbers.len()];
        ComparisonRow {
            label: name.clone(),
            href: Some(format!("/b?n={name}")),
            change,
            interval: Some((change - 0.1, numbers[(i + 1) % numbers.len()])),
            floor: numbers[(i + 2) % numbers.len()],
            worse: [None, Some(true), Some(false)][i % 3],
            text: name.clone(),
        }
    };
    ComparisonChart {
        title: names.first().cloned().unwrap_or_default(),
        width: 900,
        rows: names.iter().enumerate().map(row).collect(),
    }
}

fn history(names: &[String], numbers: &[f64], n: usize) -> HistoryChart {
    let point = |i: usize| HistoryPoint {
        label: names[i % names.len()].clone(),
        value: numbers[i % numbers.len()],
        interval: Some((numbers[(i + 1) % numbers.len()], numbers[(i + 3) % numbers.len()])),
        href: Some(names[i % names.len()].clone()),
        mark: [Mark::None, Mark::Regression, Mark::Improvement, Mark::Excluded][i % 4],
        note: names[(i + 1) % names.len()].clone(),
    };
    HistoryChart {
        title: names[0].clone(),
        width: 960,
        height: 320,
        unit: Unit::Nanoseconds,
        points: (0..n).map(point).collect(),
        levels: vec![
            Level { from: 5, to: usize::MAX, value: 3.0 },
            Level { from: 9, to: 2, value: f64::NAN },
        ],
    }
}

#[test]
fn hostile_names_and_numbers_stay_inside_every_chart() {
    let names = hostile_names();
    check(&comparison(&names, &NUMBERS));
    check(&history(&names, &NUMBERS, 30));
    check(&history(&names, &NUMBERS, 400));
    let side = |i: usize| SideValues {
        label: names[i].clone(),
        points: NUMBERS.to_vec(),
        median: Some(NUMBERS[i]),
        interval: Some((NUMBERS[i + 1], NUMBERS[i])),
    };
    for (i, name) in names.iter().enumerate().take(8) {
        let unit = Unit::Other(name.clone());
        check(&SidesChart { title: name.clone(), width: 640, unit, base: side(i), head: side(i / 2) });
    }
    let rows = names.iter().zip(NUMBERS).map(|(name, number)| PercentileRow {
        label: name.clone(),
        base: Some(number),
        head: Some(-number),
    });
    check(&PercentilesChart {
        title: names[0].clone(),
        width: 640,
        height: 320,
        unit: Unit::Bytes,
        base_label: names[1].clone(),
        head_label: names[7].clone(),
        rows: rows.collect(),
    });
    let rows = names.iter().zip(NUMBERS).map(|(name, number)| CategoryRow {
        category: Category::User(name.clone()),
        base: number,
        head: 1.0,
        counts: true,
    });
    check(&CategoriesChart {
        title: names[3].clone(),
        width: 760,
        unit: Unit::Ratio,
        base_label: names[5].clone(),
        head_label: names[6].clone(),
        rows: rows.collect(),
    });
    let cells = names.iter().zip(NUMBERS).map(|(name, number)| GridCell {
        row: name.clone(),
        col: name.clone(),
        change: Some(number),
        worse: Some(number > 0.0),
        href: Some(name.clone()),
        note: name.clone(),
    });
    check(&GridChart {
        title: names[0].clone(),
        width: 640,
        row_name: names[1].clone(),
        col_name: names[2].clone(),
        cells: cells.collect(),
    });
    check(&Spark {
        title: names[0].clone(),
        width: 120,
        height: 28,
        values: NUMBERS.to_vec(),
        worse: Some(true),
    });
}

#[test]
fn empty_charts_say_so() {
    check(&comparison(&[], &NUMBERS));
    let empty = history(&["x".to_owned()], &NUMBERS, 0);
    let svg = chart_svg(&HistoryChart { levels: Vec::new(), ..empty }, Sketch::PAGE);
    assert!(svg.contains("Nothing to show"));
    check(&Spark { title: String::new(), width: 1, height: 1, values: vec![], worse: None });
}

#[test]
fn every_point_of_a_history_is_a_link_with_a_title() {
    let names: Vec<String> = (0..50).map(|i| format!("c{i}")).collect();
    let chart = history(&names, &[10.0, 11.0, 12.0], 50);
    let found = check(&chart);
    let links: Vec<_> = found.iter().filter(|e| e.name == "a").filter_map(|e| e.get("href")).collect();
    assert_eq!(links, names);
    let svg = chart_svg(&chart, Sketch::PAGE);
    assert!(svg.contains("<title>c1: 11.00 ns, regression \u{b7} c2</title>"));
    assert!(svg.contains("<title>c2: 12.00 ns, improvement \u{b7} c3</title>"));
}

#[test]
fn long_histories_keep_a_bound_of_links_and_every_marked_point() {
    let names = ["c".to_owned()];
    let mut chart = history(&names, &[10.0, 11.0, 12.0], 9000);
    for (i, point) in chart.points.iter_mut().enumerate() {
        point.mark = if i == 8641 { Mark::Regression } else { Mark::None };
        point.label = format!("c{i}");
    }
    let svg = chart_svg(&chart, Sketch::PAGE);
    let n_links = svg.matches("<a ").count();
    assert!((1500..=2001).contains(&n_links), "{n_links}");
    assert!(svg.contains("c8641: 11.00 ns, regression"));
}

#[test]
fn worse_and_better_are_told_by_words_and_shapes_too() {
    let row = |change, worse, text: &str| ComparisonRow {
        label: text.to_owned(),
        href: None,
        change,
        interval: None,
        floor: 0.03,
        worse,
        text: text.to_owned(),
    };
    let rows = vec![
        row(0.5, Some(true), "+50 %, regressed"),
        row(-0.5, Some(false), "b"),
        row(0.0, None, "c"),
        row(9.0, Some(true), "d"),
    ];
    let found = check(&ComparisonChart { title: "t".to_owned(), width: 900, rows });
    let count = |name: &str| found.iter().filter(|e| e.name == name).count();
    // One diamond in the key, one for the worse row; one arrow for what lies beyond the axis.
    assert_eq!(count("polygon"), 3);
    // Better: key and row; no change: key and row, each a disc and a ring.
    assert_eq!(count("circle"), 2 + 4);
}

#[test]
fn a_wide_range_of_latencies_is_drawn_by_logarithm_and_a_narrow_one_is_not() {
    let chart = |values: [f64; 3]| PercentilesChart {
        title: "latency".to_owned(),
        width: 640,
        height: 320,
        unit: Unit::Nanoseconds,
        base_label: "base".to_owned(),
        head_label: "head".to_owned(),
        rows: values.map(|v| PercentileRow { label: "p".to_owned(), base: Some(v), head: None }).to_vec(),
    };
    let heights = |values| -> Vec<f64> {
        let found = check(&chart(values));
        let line = found.iter().find(|e| e.name == "polyline" && e.get("stroke") == Some("#8A94A3")).unwrap();
        let points = line.get("points").unwrap().split_whitespace();
        points.map(|p| p.split_once(',').unwrap().1.parse().unwrap()).collect()
    };
    let log = heights([1.0, 10.0, 100.0]);
    assert!(((log[0] - log[1]) - (log[1] - log[2])).abs() <= 1.0, "{log:?}");
    let linear = heights([1.0, 2.0, 4.0]);
    assert!(((linear[1] - linear[2]) - 2.0 * (linear[0] - linear[1])).abs() <= 2.0, "{linear:?}");
}

#[test]
fn the_same_drawing_makes_a_png_with_letters() {
    let chart = comparison(&["a \u{25b2} name".to_owned()], &[0.2]);
    for factor in [1, 2] {
        let bytes = chart_png(&chart, Theme::Dark, factor);
        assert_eq!(bytes, chart_png(&chart, Theme::Dark, factor), "the same every time");
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((frame.width, frame.height), (chart.size().0 * factor, chart.size().1 * factor));
        let is_ground = |pixel: &&[u8]| **pixel == [0x0D, 0x11, 0x17];
        assert!(is_ground(&&pixels[..3]), "a picture has a ground of its own");
        // The title's line: letters, and only there.
        let row = frame.width as usize * 3;
        let title = &pixels[row * 10 * factor as usize..row * 34 * factor as usize];
        let n_inked = title.chunks(3).filter(|pixel| !is_ground(pixel)).count();
        assert!(n_inked > 100, "{n_inked} pixels of a title");
    }
}

#[test]
fn absurd_sizes_make_a_smaller_picture_instead_of_a_failure() {
    let spark =
        |width, height| Spark { title: String::new(), width, height, values: vec![1.0, 2.0], worse: None };
    for (width, height) in [(0, 0), (1, 1), (100_000, 100_000)] {
        assert!(chart_png(&spark(width, height), Theme::Light, 9).len() < 8_000_000);
        check_page_picture(&chart_svg(&spark(width, height), Sketch::PAGE));
    }
}
