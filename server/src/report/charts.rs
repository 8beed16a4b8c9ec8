//! A verdict and its values as charts of `render`: the pages, the images and the offline report show the same ones.

use std::collections::{BTreeMap, BTreeSet};

use model::quantity::signed_percent;
use model::{
    BenchmarkKey, CallTree, CallTreeBuilder, Finding, FindingOutcome, Measurement, Node, Profile,
    ProfileComparison, RunData, Unit, Verdict,
};
use render::Sketch;
use render::chart::{
    CategoriesChart, CategoryRow, ComparisonChart, ComparisonRow, GridCell, GridChart, PercentileRow,
    PercentilesChart, SideValues, SidesChart,
};
use render::flame::{DiffFlame, DiffOptions, Limits, diff_svg};

use super::rows::normalisation;

/// How much of a flame graph stands on a page among other things; the profile's own page shows all.
const ON_A_PAGE: Limits = Limits { min_share: 0.001, max_boxes: 2_500, max_rows: 60 };
/// Rows of the comparison chart: what fits a screen.
const ROWS: usize = 40;
/// What the sides are called wherever they are drawn.
pub const BASE: &str = "baseline";
/// See [`BASE`].
pub const HEAD: &str = "candidate";

/// Whether a change counts and which way, for colours and words.
fn worse(finding: &Finding) -> Option<bool> {
    match finding.outcome {
        FindingOutcome::Regressed => Some(true),
        FindingOutcome::Improved => Some(false),
        _ => None,
    }
}

fn label(finding: &Finding) -> String {
    format!("{} \u{b7} {}", finding.benchmark, finding.measure.name)
}

/// Changes of the most important findings with their intervals. `link` gives the address of a finding by its
/// place in the verdict.
pub fn comparison(verdict: &Verdict, link: impl Fn(usize) -> Option<String>) -> Option<ComparisonChart> {
    let rows: Vec<ComparisonRow> = verdict
        .findings
        .iter()
        .enumerate()
        .filter(|(_, finding)| finding.outcome != FindingOutcome::Informational)
        .filter_map(|(i, finding)| {
            Some(ComparisonRow {
                label: label(finding),
                href: link(i),
                change: finding.change?,
                interval: finding.change_interval,
                floor: finding.floor,
                worse: worse(finding),
                text: format!("{}, {}", signed_percent(finding.change?), finding.outcome.name()),
            })
        })
        .take(ROWS)
        .collect();
    let title = "Change of each measure against the baseline".to_owned();
    (!rows.is_empty()).then_some(ComparisonChart { title, width: 900, rows })
}

/// Latency percentiles of both sides, one chart a benchmark that reports at least three of one unit.
pub fn percentiles(verdict: &Verdict) -> Vec<PercentilesChart> {
    let mut benchmarks: BTreeMap<(&BenchmarkKey, &Unit), Vec<(f64, &Finding)>> = BTreeMap::new();
    for finding in &verdict.findings {
        if let (Some(percentile), Unit::Nanoseconds) = (finding.measure.percentile(), &finding.measure.unit) {
            benchmarks
                .entry((&finding.benchmark, &finding.measure.unit))
                .or_default()
                .push((percentile, finding));
        }
    }
    benchmarks
        .into_iter()
        .filter(|(_, rows)| rows.len() >= 3)
        .map(|((benchmark, unit), mut rows)| {
            rows.sort_by(|a, b| a.0.total_cmp(&b.0));
            PercentilesChart {
                title: format!("Latency percentiles of {benchmark}"),
                width: 640,
                height: 320,
                unit: unit.clone(),
                base_label: BASE.to_owned(),
                head_label: HEAD.to_owned(),
                rows: rows
                    .into_iter()
                    .map(|(percentile, finding)| percentile_row(percentile, finding))
                    .collect(),
            }
        })
        .collect()
}

fn percentile_row(percentile: f64, finding: &Finding) -> PercentileRow {
    let label = if percentile >= 100.0 { "max".to_owned() } else { format!("p{percentile}") };
    PercentileRow {
        label,
        base: finding.base.map(|side| side.median),
        head: finding.head.map(|side| side.median),
    }
}

/// Grids of changes over two parameters, one a benchmark and measure that varies in exactly two.
pub fn grids(verdict: &Verdict, link: impl Fn(usize) -> Option<String>) -> Vec<GridChart> {
    let mut families: BTreeMap<(String, String), Vec<(usize, &Finding)>> = BTreeMap::new();
    for (i, finding) in verdict.findings.iter().enumerate() {
        if finding.benchmark.parameters.len() >= 2 {
            let family = (finding.benchmark.name.to_string(), finding.measure.name.to_string());
            families.entry(family).or_default().push((i, finding));
        }
    }
    families.into_iter().filter_map(|(family, members)| grid(&family, &members, &link)).collect()
}

fn grid(
    (name, measure): &(String, String),
    members: &[(usize, &Finding)],
    link: impl Fn(usize) -> Option<String>,
) -> Option<GridChart> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, finding) in members {
        for (parameter, value) in &finding.benchmark.parameters {
            values.entry(parameter).or_default().insert(value);
        }
    }
    let mut varying: Vec<(&str, usize)> =
        values.iter().map(|(parameter, seen)| (*parameter, seen.len())).filter(|(_, n)| *n > 1).collect();
    // The parameter with more values runs down the side: a page is taller than wide.
    varying.sort_by_key(|(parameter, n)| (std::cmp::Reverse(*n), *parameter));
    let [(row_name, _), (col_name, _)] = varying[..] else { return None };
    let cells = members.iter().map(|(i, finding)| {
        let of = |parameter: &str| finding.benchmark.parameters.get(parameter).cloned().unwrap_or_default();
        GridCell {
            row: of(row_name),
            col: of(col_name),
            change: finding.change,
            worse: worse(finding),
            href: link(*i),
            note: super::sides(finding),
        }
    });
    Some(GridChart {
        title: format!("{name}: change of {measure} over {row_name} and {col_name}"),
        width: 640,
        row_name: row_name.to_owned(),
        col_name: col_name.to_owned(),
        cells: cells.collect(),
    })
}

/// Categories base against head, those with at least half a percent of either profile.
pub fn categories(comparison: &ProfileComparison) -> Option<CategoriesChart> {
    let whole = comparison.base.cost.max(comparison.head.cost);
    let rows: Vec<CategoryRow> = comparison
        .categories
        .iter()
        .filter(|cost| cost.base_share.max(cost.head_share) >= 0.005)
        .map(|cost| CategoryRow {
            category: cost.category.clone(),
            base: cost.base,
            head: cost.head,
            counts: (cost.head - cost.base).abs() >= 0.01 * whole,
        })
        .collect();
    let per = if comparison.cost_unit == Unit::Ratio { "share" } else { "cost per operation" };
    (!rows.is_empty()).then(|| CategoriesChart {
        title: format!("What {} is spent on, {per}", comparison.event),
        width: 760,
        unit: comparison.cost_unit.clone(),
        base_label: BASE.to_owned(),
        head_label: HEAD.to_owned(),
        rows,
    })
}

/// The observations of both sides of one finding.
pub fn distribution(finding: &Finding, base: &RunData, head: &RunData) -> SidesChart {
    let side = |run: &RunData, summary: Option<model::verdict::Summary>, label: &str| SideValues {
        label: label.to_owned(),
        points: measurement(run, finding).map_or_else(Vec::new, |m| m.observations.clone()),
        median: summary.map(|summary| summary.median),
        interval: summary.filter(|summary| summary.n > 1).map(|summary| (summary.lo, summary.hi)),
    };
    SidesChart {
        title: label(finding),
        width: 640,
        unit: finding.measure.unit.clone(),
        base: side(base, finding.base, BASE),
        head: side(head, finding.head, HEAD),
    }
}

fn measurement<'a>(run: &'a RunData, finding: &Finding) -> Option<&'a Measurement> {
    let benchmark = run.benchmarks.iter().find(|benchmark| benchmark.key == finding.benchmark)?;
    benchmark.measurements.iter().find(|measurement| measurement.measure.name == finding.measure.name)
}

/// Two trees as a comparison sees them, with the costs of a unit of their weights. Every picture of a comparison is
/// drawn from these, so that a node of one picture is the same node of another.
#[derive(Debug)]
pub struct ComparedTrees {
    /// The baseline's stacks.
    pub base: CallTree,
    /// The candidate's stacks.
    pub head: CallTree,
    /// Costs a unit of the baseline's weight.
    pub base_scale: f64,
    /// Costs a unit of the candidate's weight.
    pub head_scale: f64,
}

impl ComparedTrees {
    /// The trees of a comparison; shares of whole trees where no verdict compared these two.
    pub fn new(comparison: Option<&ProfileComparison>, base: CallTree, head: CallTree) -> Self {
        let (base, head, costs) = match comparison {
            Some(comparison) => {
                let costs = (comparison.base.cost, comparison.head.cost);
                (compared(base, comparison), compared(head, comparison), costs)
            }
            None => (base, head, (1.0, 1.0)),
        };
        let scale = |cost: f64, tree: &CallTree| match tree.weight() {
            weight if weight > 0.0 => cost / weight,
            _ => 0.0,
        };
        Self { base_scale: scale(costs.0, &base), head_scale: scale(costs.1, &head), base, head }
    }
}

/// The two profiles of a comparison on one tree. `link` gives the address of a node of the merged tree.
pub fn diff_flame(
    comparison: &ProfileComparison,
    base: &RunData,
    head: &RunData,
    sketch: Sketch,
    focus: Option<u32>,
    link: impl Fn(u32) -> String,
) -> Option<DiffFlame> {
    let trees = ComparedTrees::new(Some(comparison), pooled(base, comparison)?, pooled(head, comparison)?);
    let options = DiffOptions {
        title: format!("Difference of {} profiles", comparison.event),
        header: normalisation(comparison),
        width: 1200,
        unit: comparison.cost_unit.clone(),
        base_scale: trees.base_scale,
        head_scale: trees.head_scale,
        threshold: 0.005,
        limits: ON_A_PAGE,
        focus,
        sketch,
    };
    Some(diff_svg(&trees.base, &trees.head, &options, link))
}

/// Every profile of one side that entered a comparison, as one tree.
fn pooled(run: &RunData, comparison: &ProfileComparison) -> Option<CallTree> {
    let belongs = |profile: &&Profile| {
        profile.event.name == comparison.event
            && (comparison.benchmark.is_none() || profile.benchmark == comparison.benchmark)
    };
    let trees: Vec<&CallTree> = run.profiles.iter().filter(belongs).map(|profile| &profile.tree).collect();
    match trees[..] {
        [] => None,
        [only] => Some(only.clone()),
        _ => Some(merge(&trees)),
    }
}

/// The stacks that entered a comparison: those of the runtime's own threads are left out where the comparison left
/// them out, so that the picture's costs are the table's costs.
fn compared(tree: CallTree, comparison: &ProfileComparison) -> CallTree {
    if comparison.base.background_share == 0.0 && comparison.head.background_share == 0.0 {
        return tree;
    }
    let mut kept = tree.clone();
    for (node, is_background) in kept.nodes.iter_mut().zip(tree.background()) {
        if is_background {
            (node.self_samples, node.self_weight) = (0, 0.0);
        }
    }
    let totals = kept.node_totals();
    merge_where(&[&kept], |node| totals[node] != (0, 0.0))
}

/// Trees added up by frame and path.
fn merge(trees: &[&CallTree]) -> CallTree {
    merge_where(trees, |_| true)
}

/// The same of the nodes kept; a node below one that is not kept must not be kept either.
fn merge_where(trees: &[&CallTree], keep: impl Fn(usize) -> bool) -> CallTree {
    let mut builder = CallTreeBuilder::new();
    for tree in trees {
        let frames: Vec<u32> = tree.frames.iter().map(|frame| builder.intern(frame)).collect();
        let mut places: Vec<u32> = Vec::with_capacity(tree.nodes.len());
        for (i, node) in tree.nodes.iter().enumerate() {
            if !keep(i) {
                places.push(Node::ROOT);
                continue;
            }
            let caller = if node.parent == Node::ROOT { Node::ROOT } else { places[node.parent as usize] };
            let place = builder.child(caller, frames[node.frame as usize], node.inlined);
            builder.add(place, node.self_samples, node.self_weight);
            places.push(place);
        }
    }
    builder.finish()
}
