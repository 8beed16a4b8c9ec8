//! The table of findings: what moved first, what did not move folded away.

use model::verdict::{Summary, Test};
use model::{BenchmarkKey, Finding, FindingOutcome, Kind, Measure, Quantity, RunId};

use crate::web::link;
use crate::web::words::{self, ChangeText, Chip};

/// Rows on one page; the rest is in the JSON of the same verdict.
const ROW_LIMIT: usize = 1_000;

/// Width of the drawing of a change, in its own units; the zero line is in the middle.
const STRIP_WIDTH: f64 = 120.0;

/// Room for half a dot at both ends.
const MARGIN: f64 = 4.0;

/// Where a finding's links lead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The project.
    pub(crate) project: &'a str,
    /// The run whose stored verdict holds the findings; `None` for a comparison made on request.
    pub(crate) run: Option<RunId>,
    /// The candidate's testbed.
    pub(crate) testbed: &'a str,
    /// The candidate's branch.
    pub(crate) branch: &'a str,
}

impl Place<'_> {
    /// No server: nothing can be linked.
    pub(crate) const OFFLINE: Self = Self { project: "", run: None, testbed: "", branch: "" };
}

/// The findings of a verdict.
#[derive(Debug, Clone)]
pub(crate) struct FindingTable {
    /// Those that need a look, in the verdict's order.
    pub(crate) moved: Vec<FindingRow>,
    /// Those that do not.
    pub(crate) still: Vec<FindingRow>,
    /// What the folded ones are, in words.
    pub(crate) still_label: String,
    /// How many rows were left out.
    pub(crate) left_out: usize,
}

/// One finding as a row.
#[derive(Debug, Clone)]
pub(crate) struct FindingRow {
    /// The benchmark's name.
    pub(crate) benchmark: String,
    /// Its parameters.
    pub(crate) parameters: Vec<(String, String)>,
    /// `end-to-end` or `micro`, where known.
    pub(crate) kind: Option<&'static str>,
    /// The measure's name.
    pub(crate) measure: String,
    /// Which way is better, in words.
    pub(crate) better: &'static str,
    /// What became of it.
    pub(crate) chip: Chip,
    /// How sure that is, where it says something.
    pub(crate) confidence: Option<Chip>,
    /// The baseline's side.
    pub(crate) base: Option<Side>,
    /// The candidate's side.
    pub(crate) head: Option<Side>,
    /// The change, where both sides are there.
    pub(crate) change: Option<ChangeText>,
    /// Its 95 % interval.
    pub(crate) interval: Option<String>,
    /// The floor.
    pub(crate) floor: String,
    /// The change drawn against the floor.
    pub(crate) strip: Option<Strip>,
    /// Why, in a sentence.
    pub(crate) reason: String,
    /// The numbers that entered the rule.
    pub(crate) evidence: Vec<(&'static str, String)>,
    /// The finding's own page.
    pub(crate) href: Option<String>,
    /// The history of the series.
    pub(crate) series_href: Option<String>,
}

/// One side of a finding.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    /// The median, for people.
    pub(crate) median: String,
    /// The interval of the median.
    pub(crate) interval: String,
    /// Smallest to largest.
    pub(crate) range: String,
    /// The number of observations.
    pub(crate) n: usize,
}

/// A change drawn as an interval over the band of the floor, on a scale that all rows share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Strip {
    /// Suffix of the CSS class.
    pub(crate) tone: &'static str,
    /// Left end of the floor's band.
    pub(crate) floor_x: f64,
    /// Width of the floor's band.
    pub(crate) floor_width: f64,
    /// Left end of the interval.
    pub(crate) lo: f64,
    /// Right end of the interval.
    pub(crate) hi: f64,
    /// The change itself.
    pub(crate) at: f64,
}

/// Builds the table.
pub(crate) fn table(place: Place<'_>, findings: &[Finding]) -> FindingTable {
    let largest = scale_end(findings);
    let (mut moved, mut still) = (Vec::new(), Vec::new());
    for (n, finding) in findings.iter().enumerate().take(ROW_LIMIT) {
        let row = row(place, n, finding, largest);
        if needs_a_look(finding.outcome) { moved.push(row) } else { still.push(row) }
    }
    let informational =
        still.iter().filter(|row| row.chip == words::finding_chip(FindingOutcome::Informational)).count();
    let unchanged = still.len() - informational;
    let still_label = match (unchanged, informational) {
        (u, 0) => format!("{u} unchanged"),
        (0, i) => format!("{i} for information"),
        (u, i) => format!("{u} unchanged, {i} for information"),
    };
    FindingTable { moved, still, still_label, left_out: findings.len().saturating_sub(ROW_LIMIT) }
}

/// The largest relative change that a scale for all of the findings must hold.
pub(crate) fn scale_end(findings: &[Finding]) -> f64 {
    let ends = findings.iter().flat_map(|finding| {
        let (lo, hi) = finding.change_interval.unzip();
        [finding.change, lo, hi]
    });
    ends.flatten().map(f64::abs).filter(|end| end.is_finite()).fold(0.1, f64::max)
}

fn needs_a_look(outcome: FindingOutcome) -> bool {
    !matches!(outcome, FindingOutcome::Unchanged | FindingOutcome::Informational)
}

/// One row; `largest` is the largest relative change that the shared scale must hold.
pub(crate) fn row(place: Place<'_>, n: usize, finding: &Finding, largest: f64) -> FindingRow {
    let Finding { benchmark, measure, .. } = finding;
    FindingRow {
        benchmark: benchmark.name.to_string(),
        parameters: benchmark.parameters.clone().into_iter().collect(),
        kind: finding.kind.map(kind_name),
        measure: measure.name.to_string(),
        better: words::better_words(measure.better),
        chip: words::finding_chip(finding.outcome),
        confidence: judged(finding.outcome).then(|| words::confidence_chip(finding.confidence)),
        base: finding.base.map(|side| self::side(&side, measure)),
        head: finding.head.map(|side| self::side(&side, measure)),
        change: finding.change.map(|change| words::change_text(change, measure.better, finding.outcome)),
        interval: finding.change_interval.map(interval_text),
        floor: words::percent(finding.floor),
        strip: strip(finding, largest),
        reason: finding.reason.clone(),
        evidence: evidence(finding),
        href: place.run.map(|run| link::finding(place.project, run, n)),
        series_href: series_href(place, benchmark, measure),
    }
}

fn series_href(place: Place<'_>, benchmark: &BenchmarkKey, measure: &Measure) -> Option<String> {
    let served = !place.project.is_empty();
    served.then(|| link::series(place.project, benchmark, measure.name.as_str(), place.testbed, place.branch))
}

fn judged(outcome: FindingOutcome) -> bool {
    matches!(outcome, FindingOutcome::Regressed | FindingOutcome::Improved)
}

/// The name of a kind on pages.
pub(crate) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::EndToEnd => "end-to-end",
        Kind::Micro => "micro",
    }
}

fn side(summary: &Summary, measure: &Measure) -> Side {
    let text = |value| Quantity { value, unit: &measure.unit }.to_string();
    Side {
        median: text(summary.median),
        interval: format!("{} to {}", text(summary.lo), text(summary.hi)),
        range: format!("{} to {}", text(summary.min), text(summary.max)),
        n: summary.n,
    }
}

fn interval_text((lo, hi): (f64, f64)) -> String {
    format!("{} to {}", model::quantity::signed_percent(lo), model::quantity::signed_percent(hi))
}

fn test_name(test: Test) -> &'static str {
    match test {
        Test::MannWhitney => "Mann–Whitney U, exact",
        Test::Welch => "Welch's t on logarithms",
        Test::Exact => "exact: the values repeat, so any difference is one",
        Test::FloorOnly => "floor only: single readings",
    }
}

/// The numbers that entered the rule, for the box that says why.
fn evidence(finding: &Finding) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    if let Some(change) = finding.change {
        out.push(("Change", model::quantity::signed_percent(change)));
    }
    if let Some(interval) = finding.change_interval {
        out.push(("95 % interval", interval_text(interval)));
    }
    out.push(("Floor", format!("±{}", words::percent(finding.floor))));
    if let (Some(base), Some(head)) = (finding.base, finding.head) {
        out.push(("Observations", format!("{} base, {} head", base.n, head.n)));
    }
    if let Some(test) = finding.test {
        out.push(("Rule", test_name(test).to_owned()));
    }
    if let Some(p) = finding.p {
        out.push(("p", words::probability(p)));
    }
    if let Some(p) = finding.p_adjusted {
        out.push(("p, adjusted", words::probability(p)));
    }
    if let Some(visible) = finding.smallest_visible {
        out.push(("Smallest visible change", format!("±{}", words::percent(visible))));
    }
    out
}

fn strip(finding: &Finding, largest: f64) -> Option<Strip> {
    let change = finding.change.filter(|change| change.is_finite())?;
    let half = STRIP_WIDTH / 2.0 - MARGIN;
    let place = |relative: f64| STRIP_WIDTH / 2.0 + half * compress(relative) / compress(largest);
    let inside = |x: f64| (x.clamp(MARGIN, STRIP_WIDTH - MARGIN) * 10.0).round() / 10.0;
    let (lo, hi) = finding
        .change_interval
        .filter(|(lo, hi)| lo.is_finite() && hi.is_finite())
        .unwrap_or((change, change));
    let (floor_x, floor_end) = (inside(place(-finding.floor)), inside(place(finding.floor)));
    Some(Strip {
        tone: words::change_text(change, finding.measure.better, finding.outcome).tone,
        floor_x,
        floor_width: ((floor_end - floor_x) * 10.0).round() / 10.0,
        lo: inside(place(lo)),
        hi: inside(place(hi)),
        at: inside(place(change)),
    })
}

/// Signed logarithm, linear near zero: small changes stay visible beside a factor of ten.
fn compress(relative: f64) -> f64 {
    const LINEAR: f64 = 0.05;
    (1.0 + relative.abs() / LINEAR).ln().copysign(relative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::parts::verdict::tests::finding;

    const PLACE: Place<'_> = Place { project: "kv", run: None, testbed: "ci", branch: "main" };

    #[test]
    fn what_moved_comes_before_what_did_not() {
        let findings = [
            finding("a", FindingOutcome::Regressed, Some(-0.4)),
            finding("b", FindingOutcome::Unchanged, Some(0.01)),
            finding("c", FindingOutcome::Informational, Some(0.5)),
            finding("d", FindingOutcome::Missing, None),
        ];
        let table = table(PLACE, &findings);
        assert_eq!(table.moved.iter().map(|row| row.benchmark.as_str()).collect::<Vec<_>>(), ["a", "d"]);
        assert_eq!(table.still_label, "1 unchanged, 1 for information");
    }

    #[test]
    fn a_row_links_to_its_own_place_in_the_verdict() {
        let run = RunId::from_uuid(uuid::Uuid::nil());
        let findings = [
            finding("a", FindingOutcome::Unchanged, None),
            finding("b", FindingOutcome::Regressed, Some(-0.2)),
        ];
        let table = table(Place { run: Some(run), ..PLACE }, &findings);
        assert_eq!(table.moved[0].href.as_deref(), Some(format!("/p/kv/runs/{run}/findings/1").as_str()));
    }

    #[test]
    fn a_huge_report_is_cut_and_says_so() {
        let findings = vec![finding("a", FindingOutcome::Unchanged, None); ROW_LIMIT + 7];
        let table = table(PLACE, &findings);
        assert_eq!((table.still.len(), table.left_out), (ROW_LIMIT, 7));
    }

    #[test]
    fn a_strip_stays_inside_whatever_the_numbers() {
        for change in [-1.0, -0.03, 0.0, 0.03, 25.0, f64::MAX] {
            let mut finding = finding("a", FindingOutcome::Regressed, Some(change));
            finding.change_interval = Some((change - 5.0, change + 5.0));
            let strip = strip(&finding, 0.1).unwrap();
            for x in [strip.lo, strip.at, strip.hi, strip.floor_x] {
                assert!((MARGIN..=STRIP_WIDTH - MARGIN).contains(&x), "{change}: {x}");
            }
            assert!(strip.lo <= strip.at && strip.at <= strip.hi, "{strip:?}");
        }
        assert!(strip(&finding("a", FindingOutcome::Regressed, Some(f64::NAN)), 0.1).is_none());
    }
}
