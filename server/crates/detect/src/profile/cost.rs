//! What share of a profile means in time, bytes or nothing: normalisation of both sides to the cost of an operation.

use model::verdict::Normalisation;
use model::{Profile, Unit};

use super::pool::{Pair, Union};

/// Below this relative change of the cost per operation nothing is divided by it.
const SMALLEST_CHANGE: f64 = 0.01;

/// What one benchmark's measured time says about the cost of an operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BenchmarkTime {
    /// The benchmark as its key prints it, and its bare name.
    pub(crate) benchmark: String,
    pub(crate) name: String,
    /// The measure that the time comes from.
    pub(crate) measure: String,
    /// Nanoseconds an operation on both sides, where the measure counts operations.
    pub(crate) nanoseconds: Option<[f64; 2]>,
    /// The candidate's time over the baseline's.
    pub(crate) ratio: f64,
    /// Whether the benchmark's own finding says that it changed.
    pub(crate) changed: bool,
    /// Processor time rather than wall time.
    pub(crate) is_cpu: bool,
}

/// Every benchmark's time that both sides have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeSource<'a> {
    pub(crate) times: &'a [BenchmarkTime],
}

/// Which way the cost of an operation went, as far as the benchmarks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// It rose.
    Dearer,
    /// It fell.
    Cheaper,
    /// It did not change by what the benchmarks can tell.
    Steady,
    /// No benchmark says.
    Unknown,
}

/// How weights become costs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Costs {
    pub(super) normalisation: Normalisation,
    pub(super) unit: Unit,
    pub(super) direction: Direction,
    /// Threads of the runtime run beside the operation, so they are no part of its wall time.
    pub(super) leave_out_background: bool,
    by: By,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    /// Share times this cost of an operation.
    Time([f64; 2]),
    /// Weight over this many operations.
    Operations([f64; 2]),
}

/// Factors from weight to cost, and the cost of an operation, baseline first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub(super) factor: [f64; 2],
    pub(super) total: [f64; 2],
    /// Weight that a share is a share of.
    pub(super) whole: [f64; 2],
}

impl Scale {
    /// The cost of weights on both sides.
    pub(super) fn cost(&self, weight: [f64; 2]) -> [f64; 2] {
        [weight[0] * self.factor[0], weight[1] * self.factor[1]]
    }

    /// Their shares.
    pub(super) fn share(&self, weight: [f64; 2]) -> [f64; 2] {
        [weight[0] / self.whole[0], weight[1] / self.whole[1]]
    }

    /// Their change of cost, candidate minus baseline.
    pub(super) fn delta(&self, weight: [f64; 2]) -> f64 {
        let [base, head] = self.cost(weight);
        head - base
    }
}

impl Costs {
    /// Factors for the weights of `union`.
    pub(super) fn scale(&self, union: &Union) -> Scale {
        let whole = union.kept_weight.map(|weight| {
            // Shares typed by a person are parts of a whole that is not in the file.
            let typed = union.weights_are_shares && weight <= 1.0 + 1e-9;
            if typed { 1.0 } else { weight }
        });
        match self.by {
            By::Time(total) => Scale { factor: [total[0] / whole[0], total[1] / whole[1]], total, whole },
            By::Operations(n) => {
                Scale { factor: [1.0 / n[0], 1.0 / n[1]], total: [whole[0] / n[0], whole[1] / n[1]], whole }
            }
        }
    }

    /// The change of the cost per operation when the benchmarks say that it changed and it is large enough to divide by.
    pub(super) fn divisor(&self, scale: &Scale) -> Option<f64> {
        let change = scale.total[1] - scale.total[0];
        let said = matches!(self.direction, Direction::Dearer | Direction::Cheaper);
        (said && (change / scale.total[0]).abs() >= SMALLEST_CHANGE).then_some(change)
    }
}

/// Chooses the normalisation of a pair: the measured time of its benchmark, the mean time of all, operations, or
/// nothing but shares.
pub(super) fn normalise(pair: &Pair<'_>, source: &TimeSource<'_>) -> Costs {
    let event_is_time = pair.base.iter().chain(&pair.head).all(|profile| profile.is_time());
    let event_is_wall =
        pair.head.iter().any(|profile| profile.event.name.to_ascii_lowercase().contains("wall"));
    // Shares that a person typed say what a profile looked like, not what an operation cost.
    let is_typed = pair.base.iter().chain(&pair.head).any(|profile| profile.handwritten);
    if event_is_time && !is_typed {
        let usable: Vec<&BenchmarkTime> =
            source.times.iter().filter(|time| !(time.is_cpu && event_is_wall)).collect();
        if let Some(time) = of_benchmark(pair, &usable) {
            return by_time(time);
        }
        if pair.benchmark.is_none() && usable.len() > 1 && !disagree(&usable) {
            return by_mean(&usable);
        }
    }
    by_operations(pair).unwrap_or(Costs {
        normalisation: Normalisation::Share,
        unit: Unit::Ratio,
        direction: Direction::Unknown,
        leave_out_background: false,
        by: By::Time([1.0, 1.0]),
    })
}

/// The time of the benchmark that the profiles name, else of the only one; processor time where there is any.
fn of_benchmark<'a>(pair: &Pair<'_>, times: &[&'a BenchmarkTime]) -> Option<&'a BenchmarkTime> {
    let named = |time: &&&BenchmarkTime| match &pair.benchmark {
        Some(name) => time.benchmark == *name || time.name == *name,
        None => true,
    };
    let mut matching: Vec<&BenchmarkTime> = times.iter().filter(named).copied().collect();
    let benchmarks =
        matching.iter().map(|time| &time.benchmark).collect::<std::collections::BTreeSet<_>>().len();
    matching.sort_by_key(|time| !time.is_cpu);
    (benchmarks == 1).then(|| matching.first().copied()).flatten()
}

/// Whether some benchmarks got slower and others faster: a mean over them would explain neither.
fn disagree(times: &[&BenchmarkTime]) -> bool {
    let any = |slower: bool| times.iter().any(|time| time.changed && (time.ratio > 1.0) == slower);
    any(true) && any(false)
}

fn direction(changed: bool, ratio: f64) -> Direction {
    match changed {
        false => Direction::Steady,
        true if ratio > 1.0 => Direction::Dearer,
        true => Direction::Cheaper,
    }
}

fn by_time(time: &BenchmarkTime) -> Costs {
    let (normalisation, unit, total) = match time.nanoseconds {
        Some(total) => {
            let (benchmark, measure) = (time.benchmark.clone(), time.measure.clone());
            (Normalisation::TimePerOperation { benchmark, measure }, Unit::Nanoseconds, total)
        }
        None => (Normalisation::RelativeTime { benchmarks: 1 }, Unit::Ratio, [1.0, time.ratio]),
    };
    Costs {
        normalisation,
        unit,
        direction: direction(time.changed, time.ratio),
        leave_out_background: !time.is_cpu,
        by: By::Time(total),
    }
}

/// The geometric mean of the ratios of all benchmarks. It changed when at least half of them say so in its direction.
fn by_mean(times: &[&BenchmarkTime]) -> Costs {
    let wall: Vec<&&BenchmarkTime> = times.iter().filter(|time| !time.is_cpu).collect();
    let n = wall.len().max(1) as f64;
    let mean = wall.iter().map(|time| time.ratio.ln()).sum::<f64>() / n;
    let ratio = mean.exp();
    let agreeing = wall.iter().filter(|time| time.changed && (time.ratio > 1.0) == (ratio > 1.0)).count();
    Costs {
        normalisation: Normalisation::RelativeTime { benchmarks: wall.len() },
        unit: Unit::Ratio,
        direction: direction(2 * agreeing >= wall.len() && agreeing > 0, ratio),
        leave_out_background: true,
        by: By::Time([1.0, ratio]),
    }
}

/// Weight over operations, where every profile of both sides says how many it did.
fn by_operations(pair: &Pair<'_>) -> Option<Costs> {
    let operations = |profiles: &[&Profile]| {
        let each: Option<f64> = profiles.iter().map(|profile| profile.operations.filter(|n| *n > 0.0)).sum();
        each.filter(|n| n.is_finite() && *n > 0.0)
    };
    let n = [operations(&pair.base)?, operations(&pair.head)?];
    Some(Costs {
        normalisation: Normalisation::WeightPerOperation,
        unit: pair.head[0].event.unit.clone(),
        direction: Direction::Unknown,
        leave_out_background: false,
        by: By::Operations(n),
    })
}
