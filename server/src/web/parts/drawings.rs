//! Which pictures a verdict needs: chosen here, drawn by `render`.

use std::collections::{BTreeMap, BTreeSet};

use model::verdict::CategoryCost;
use model::{BenchmarkKey, CallTree, Finding, FindingOutcome, Profile, ProfileComparison, Unit, Verdict};
use render::chart::{
    CategoriesChart, CategoryRow, ComparisonChart, ComparisonRow, GridCell, GridChart, PercentileRow, PercentilesChart,
};
use render::flame::{DiffOptions, Limits, diff_svg};
use render::{Sketch, chart_svg};

use super::findings::Place;
use super::suspects::ProfileDrawings;
use super::trees;
use super::verdict::{Drawings, Figure};
use crate::web::link;
use crate::web::words;

/// Rows of the comparison chart: more cannot be read at a glance.
const COMPARED: usize = 30;

/// Charts of one kind on one page.
const CHARTS: usize = 3;

/// Part of the dearer side's whole cost from which a category's difference is coloured.
const CATEGORY_COUNTS: f64 = 0.01;

/// Width of charts that fill a page's column.
const WIDTH: u32 = 1080;

/// Frames drawn in the flame graph of a run's page; the profile's own page draws more.
const FLAME_LIMITS: Limits = Limits { min_share: 0.001, max_boxes: 2_500, max_rows: 60 };

/// Profiles of both sides, where they are at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides<'a> {
    /// The baseline's.
    pub(crate) base: &'a [Profile],
    /// The candidate's.
    pub(crate) head: &'a [Profile],
}

/// Every picture of a verdict. `flame_link` gives the page that a box of the n-th comparison's flame graph leads to.
pub(crate) fn drawings(
    place: Place<'_>,
    verdict: &Verdict,
    sides: Sides<'_>,
    flame_link: impl Fn(usize, u32) -> String,
) -> Drawings {
    let mut figures: Vec<Figure> = comparison(place, &verdict.findings).into_iter().collect();
    figures.extend(grids(place, &verdict.findings));
    figures.extend(percentiles(&verdict.findings));
    let profiles = verdict
        .profiles
        .iter()
        .enumerate()
        .map(|(n, comparison)| ProfileDrawings {
            categories: categories(comparison),
            flame: flame(comparison, sides, |node| flame_link(n, node)),
        })
        .collect();
    Drawings { figures, profiles }
}

/// Changes of all findings that have one, the verdict's most important first.
pub(crate) fn comparison(place: Place<'_>, findings: &[Finding]) -> Option<Figure> {
    let drawn: Vec<(usize, &Finding)> = findings
        .iter()
        .enumerate()
        .filter(|(_, f)| f.outcome != FindingOutcome::Informational && f.change.is_some_and(f64::is_finite))
        .collect();
    let measures: BTreeSet<_> = drawn.iter().map(|(_, finding)| &finding.measure.name).collect();
    let rows: Vec<ComparisonRow> = drawn
        .iter()
        .take(COMPARED)
        .map(|(n, finding)| comparison_row(place, *n, finding, measures.len() > 1))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let caption = if drawn.len() > rows.len() {
        format!("Change of the first {} of {} findings; the floor is shaded", rows.len(), drawn.len())
    } else {
        "Change against the baseline; the floor is shaded".to_owned()
    };
    let title = match measures.first() {
        Some(measure) if measures.len() == 1 => format!("Change of {measure}"),
        _ => "Change of each measure".to_owned(),
    };
    let svg = chart_svg(&ComparisonChart { title, width: WIDTH, rows }, Sketch::PAGE);
    Some(Figure { svg, caption })
}

fn comparison_row(place: Place<'_>, n: usize, finding: &Finding, with_measure: bool) -> ComparisonRow {
    let change = finding.change.unwrap_or(0.0);
    let text = words::change_text(change, finding.measure.better, finding.outcome);
    let label = if with_measure {
        format!("{} {}", finding.benchmark, finding.measure.name)
    } else {
        finding.benchmark.to_string()
    };
    ComparisonRow {
        label,
        href: place.run.map(|run| link::finding(place.project, run, n)),
        change,
        interval: finding.change_interval,
        floor: finding.floor,
        worse: counts_as_worse(finding),
        text: format!("{}, {}", text.number, words::finding_chip(finding.outcome).label),
    }
}

fn counts_as_worse(finding: &Finding) -> Option<bool> {
    match finding.outcome {
        FindingOutcome::Regressed => Some(true),
        FindingOutcome::Improved => Some(false),
        _ => None,
    }
}

/// A heat map for each benchmark and measure that was run over two parameters.
fn grids(place: Place<'_>, findings: &[Finding]) -> Vec<Figure> {
    let mut groups: BTreeMap<(&str, &str), Vec<(usize, &Finding)>> = BTreeMap::new();
    for (n, finding) in findings.iter().enumerate() {
        groups.entry((finding.benchmark.name.as_str(), finding.measure.name.as_str())).or_default().push((n, finding));
    }
    groups
        .into_iter()
        .filter_map(|((benchmark, measure), members)| grid(place, benchmark, measure, &members))
        .take(CHARTS)
        .collect()
}

fn grid(place: Place<'_>, benchmark: &str, measure: &str, members: &[(usize, &Finding)]) -> Option<Figure> {
    let (row_name, col_name) = two_parameters(members.iter().map(|(_, finding)| &finding.benchmark))?;
    let cells = members
        .iter()
        .map(|(n, finding)| GridCell {
            row: finding.benchmark.parameters.get(&row_name).cloned().unwrap_or_default(),
            col: finding.benchmark.parameters.get(&col_name).cloned().unwrap_or_default(),
            change: finding.change,
            worse: counts_as_worse(finding),
            href: place.run.map(|run| link::finding(place.project, run, *n)),
            note: finding.reason.clone(),
        })
        .collect();
    let caption = format!("{measure} of {benchmark} over {row_name} and {col_name}");
    let svg = chart_svg(&GridChart { title: caption.clone(), width: 760, row_name, col_name, cells }, Sketch::PAGE);
    Some(Figure { svg, caption })
}

/// The two parameters that vary, where exactly two do and four cells or more are filled.
fn two_parameters<'a>(keys: impl Iterator<Item = &'a BenchmarkKey>) -> Option<(String, String)> {
    let (mut values, mut cells): (BTreeMap<&str, BTreeSet<&str>>, usize) = (BTreeMap::new(), 0);
    for key in keys {
        cells += 1;
        for (name, value) in &key.parameters {
            values.entry(name).or_default().insert(value);
        }
    }
    let mut varying = values.into_iter().filter(|(_, values)| values.len() > 1).map(|(name, _)| name.to_owned());
    match (varying.next(), varying.next(), varying.next()) {
        (Some(row), Some(col), None) if cells >= 4 => Some((row, col)),
        _ => None,
    }
}

/// Latency percentiles of each benchmark that has two or more.
fn percentiles(findings: &[Finding]) -> Vec<Figure> {
    let mut groups: BTreeMap<(String, String), Vec<(f64, PercentileRow)>> = BTreeMap::new();
    for finding in findings {
        if let Some(percentile) = finding.measure.percentile() {
            let row = PercentileRow {
                label: percentile_label(percentile),
                base: finding.base.map(|side| side.median),
                head: finding.head.map(|side| side.median),
            };
            let group = (finding.benchmark.to_string(), finding.measure.unit.to_string());
            groups.entry(group).or_default().push((percentile, row));
        }
    }
    let several = groups.into_iter().filter(|(_, rows)| rows.len() > 1).take(CHARTS);
    several.map(|((benchmark, unit), rows)| percentile_figure(&benchmark, unit.into(), rows)).collect()
}

fn percentile_figure(benchmark: &str, unit: Unit, mut rows: Vec<(f64, PercentileRow)>) -> Figure {
    rows.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let chart = PercentilesChart {
        title: format!("Percentiles of {benchmark}"),
        width: 760,
        height: 320,
        unit,
        base_label: "base".to_owned(),
        head_label: "head".to_owned(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    };
    Figure { svg: chart_svg(&chart, Sketch::PAGE), caption: format!("Percentiles of {benchmark}, base against head") }
}

fn percentile_label(percentile: f64) -> String {
    if percentile == 100.0 { "max".to_owned() } else { format!("p{percentile}") }
}

/// Bars of the categories that matter on either side.
fn categories(comparison: &ProfileComparison) -> Option<String> {
    let whole = comparison.base.cost.max(comparison.head.cost);
    let rows: Vec<CategoryRow> =
        comparison.categories.iter().filter(|row| is_seen(row)).map(|row| category_bar(row, whole)).collect();
    (!rows.is_empty()).then(|| {
        let chart = CategoriesChart {
            title: format!("{} by kind of work", comparison.event),
            width: WIDTH,
            unit: comparison.cost_unit.clone(),
            base_label: "base".to_owned(),
            head_label: "head".to_owned(),
            rows,
        };
        chart_svg(&chart, Sketch::PAGE)
    })
}

/// A category below half a percent on both sides is in the table and not in the picture.
fn is_seen(row: &CategoryCost) -> bool {
    row.base_share.max(row.head_share) >= 0.005
}

fn category_bar(row: &CategoryCost, whole: f64) -> CategoryRow {
    CategoryRow {
        category: row.category.clone(),
        base: row.base,
        head: row.head,
        counts: (row.head - row.base).abs() >= CATEGORY_COUNTS * whole,
    }
}

/// The differential flame graph of one comparison, drawn only where both sides have stacks of its event.
fn flame(comparison: &ProfileComparison, sides: Sides<'_>, link: impl Fn(u32) -> String) -> Option<String> {
    let (base, head) = (pooled(comparison, sides.base)?, pooled(comparison, sides.head)?);
    let options = DiffOptions {
        title: format!("{}, base against head", comparison.event),
        header: words::normalisation_sentence(&comparison.normalisation),
        width: 1_200,
        unit: comparison.cost_unit.clone(),
        base_scale: scale(comparison.base.cost, &base),
        head_scale: scale(comparison.head.cost, &head),
        threshold: 0.005,
        limits: FLAME_LIMITS,
        focus: None,
        sketch: Sketch::PAGE,
    };
    Some(diff_svg(&base, &head, &options, link).svg)
}

/// Cost that a unit of weight stands for.
pub(crate) fn scale(cost: f64, tree: &CallTree) -> f64 {
    let weight = tree.weight();
    if weight > 0.0 { cost / weight } else { 0.0 }
}

fn pooled(comparison: &ProfileComparison, profiles: &[Profile]) -> Option<CallTree> {
    let ours = profiles.iter().filter(|profile| {
        profile.event.name == comparison.event
            && (comparison.benchmark.is_none() || profile.benchmark == comparison.benchmark)
    });
    let trees: Vec<&CallTree> = ours.map(|profile| &profile.tree).filter(|tree| !tree.nodes.is_empty()).collect();
    (!trees.is_empty()).then(|| trees::pool(&trees))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::parts::verdict::tests::{comparison as profiles, finding, verdict};
    use model::{BenchmarkName, CallTreeBuilder, Event, MeasureName, Node, Outcome};

    const PLACE: Place<'_> = Place { project: "kv", run: None, testbed: "ci", branch: "main" };

    fn sample(frame: &str) -> Profile {
        let mut builder = CallTreeBuilder::new();
        let frame = builder.frame(frame, None, None);
        let node = builder.child(Node::ROOT, frame, false);
        builder.add(node, 10, 10.0);
        Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds }, builder.finish())
    }

    fn on(threads: &str, size: &str) -> Finding {
        let mut finding = finding("copy", FindingOutcome::Improved, Some(0.1));
        finding.benchmark.parameters =
            [("threads".to_owned(), threads.to_owned()), ("size".to_owned(), size.to_owned())].into();
        finding
    }

    #[test]
    fn two_varying_parameters_make_a_grid_and_one_does_not() {
        let square = [on("1", "4"), on("1", "8"), on("2", "4"), on("2", "8")];
        assert_eq!(grids(PLACE, &square).len(), 1);
        let line = [on("1", "4"), on("2", "4"), on("3", "4"), on("4", "4")];
        assert!(grids(PLACE, &line).is_empty());
    }

    #[test]
    fn percentiles_need_two_and_are_in_order() {
        let named = |name: &str| {
            let mut finding = finding("read", FindingOutcome::Regressed, Some(0.5));
            finding.measure.name = MeasureName::parse(name).unwrap();
            finding
        };
        assert!(percentiles(&[named("latency_p99")]).is_empty());
        let figures = percentiles(&[named("latency_p99"), named("latency median")]);
        let svg = &figures[0].svg;
        assert!(svg.find("p50").unwrap() < svg.find("p99").unwrap());
    }

    #[test]
    fn a_flame_graph_needs_stacks_on_both_sides() {
        let profiles = profiles();
        let (one, none) = ([sample("f")], []);
        assert!(flame(&profiles, Sides { base: &one, head: &one }, |_| String::new()).is_some());
        assert!(flame(&profiles, Sides { base: &one, head: &none }, |_| String::new()).is_none());
    }

    #[test]
    fn a_hostile_name_cannot_leave_a_picture() {
        let mut verdict = verdict(Outcome::Regressed);
        let hostile = "</text><script>alert(1)</script>";
        verdict.findings[0].benchmark.name = BenchmarkName::parse(hostile).unwrap();
        let profile = [sample(hostile)];
        let sides = Sides { base: &profile, head: &profile };
        let drawn = drawings(PLACE, &verdict, sides, |_, _| "\"><script>".to_owned());
        let svgs = drawn.figures.iter().map(|figure| &figure.svg);
        let flames = drawn.profiles.iter().filter_map(|drawing| drawing.flame.as_ref());
        let all: Vec<&String> = svgs.chain(flames).collect();
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(|svg| !svg.contains("<script")), "{all:?}");
    }
}
