//! The pictures of a verdict on its page: the charts that every form of a report shares, at the page's width.

use model::{ProfileComparison, RunData, Verdict};
use render::{Sketch, chart_svg};

use super::findings::Place;
use super::suspects::ProfileDrawings;
use super::verdict::{Drawings, Figure};
use crate::report::charts;
use crate::web::link;

/// Charts of one kind on one page: a report with hundreds of parameters must not become hundreds of pictures.
const CHARTS: usize = 4;

/// Width of charts that fill a page's column.
pub(crate) const WIDTH: u32 = 1080;

/// What was measured on both sides; nothing where a side is not at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides<'a> {
    /// The baseline's.
    pub(crate) base: Option<&'a RunData>,
    /// The candidate's.
    pub(crate) head: &'a RunData,
}

/// Every picture of a verdict. `flame_link` gives the page that a box of a comparison's flame graph leads to.
pub(crate) fn drawings(
    place: Place<'_>,
    verdict: &Verdict,
    sides: Sides<'_>,
    flame_link: impl Fn(&ProfileComparison, u32) -> String,
) -> Drawings {
    let profiles = verdict.profiles.iter().map(|comparison| ProfileDrawings {
        categories: categories(comparison),
        flame: flame(comparison, sides, |node| flame_link(comparison, node)),
    });
    Drawings { figures: figures(place, verdict), profiles: profiles.collect() }
}

/// Charts of what was measured.
fn figures(place: Place<'_>, verdict: &Verdict) -> Vec<Figure> {
    let finding = |n: usize| place.run.map(|run| link::finding(place.project, run, n));
    let mut figures = Vec::new();
    if let Some(mut chart) = charts::comparison(verdict, finding) {
        chart.width = WIDTH;
        figures.push(Figure { svg: chart_svg(&chart, Sketch::PAGE), caption: None });
    }
    for mut chart in charts::grids(verdict, finding).into_iter().take(CHARTS) {
        chart.width = WIDTH;
        figures.push(Figure { svg: chart_svg(&chart, Sketch::PAGE), caption: None });
    }
    for mut chart in charts::percentiles(verdict).into_iter().take(CHARTS) {
        chart.width = WIDTH;
        figures.push(Figure { svg: chart_svg(&chart, Sketch::PAGE), caption: None });
    }
    figures
}

/// Bars of the categories of one comparison.
pub(crate) fn categories(comparison: &ProfileComparison) -> Option<String> {
    charts::categories(comparison).map(|mut chart| {
        chart.width = WIDTH;
        chart_svg(&chart, Sketch::PAGE)
    })
}

fn flame(comparison: &ProfileComparison, sides: Sides<'_>, link: impl Fn(u32) -> String) -> Option<String> {
    charts::diff_flame(comparison, sides.base?, sides.head, Sketch::PAGE, None, link).map(|flame| flame.svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::parts::verdict::tests::verdict;
    use model::{BenchmarkName, CallTreeBuilder, Event, Node, Outcome, Profile, Unit};

    const PLACE: Place<'_> = Place { project: "kv", run: None, testbed: "ci", branch: "main" };

    fn sample(frame: &str) -> RunData {
        let mut builder = CallTreeBuilder::new();
        let frame = builder.frame(frame, None, None);
        let node = builder.child(Node::ROOT, frame, false);
        builder.add(node, 10, 10.0);
        let event = Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds };
        RunData { profiles: vec![Profile::new(event, builder.finish())], ..RunData::default() }
    }

    #[test]
    fn a_flame_graph_needs_stacks_on_both_sides() {
        let (verdict, one, none) = (verdict(Outcome::Regressed), sample("f"), RunData::default());
        let drawn = |base| drawings(PLACE, &verdict, Sides { base, head: &one }, |_, _| String::new());
        assert!(drawn(Some(&one)).profiles[0].flame.is_some());
        assert!(drawn(Some(&none)).profiles[0].flame.is_none());
        assert!(drawn(None).profiles[0].flame.is_none());
    }

    #[test]
    fn a_hostile_name_cannot_leave_a_picture() {
        let mut verdict = verdict(Outcome::Regressed);
        let hostile = "</text><script>alert(1)</script>";
        verdict.findings[0].benchmark.name = BenchmarkName::parse(hostile).unwrap();
        let run = sample(hostile);
        let drawn = drawings(PLACE, &verdict, Sides { base: Some(&run), head: &run }, |_, _| {
            "\"><script>".to_owned()
        });
        let svgs = drawn.figures.iter().map(|figure| &figure.svg);
        let flames = drawn.profiles.iter().filter_map(|drawing| drawing.flame.as_ref());
        let all: Vec<&String> = svgs.chain(flames).collect();
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(|svg| !svg.contains("<script")), "{all:?}");
    }
}
