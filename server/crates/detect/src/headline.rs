//! The one measure of a benchmark that speaks for it: throughput first, then time.

use model::{BenchmarkKey, Better, Measure, Unit};

use crate::policy::Nature;

/// How well a measure speaks for its benchmark; lower is better, `None` never.
fn rank(measure: &Measure) -> Option<u8> {
    let nature = Nature::of(measure);
    let name = measure.name.as_str().to_ascii_lowercase();
    match (measure.better, nature) {
        (Better::Neither, _) => None,
        (Better::Higher, Nature::Rate) if measure.unit != Unit::Ratio => Some(0),
        (Better::Lower, Nature::Centre) if measure.unit == Unit::Nanoseconds && name.contains("median") => {
            Some(1)
        }
        (Better::Lower, Nature::Centre) if measure.unit == Unit::Nanoseconds => Some(2),
        (_, Nature::Exact) => Some(4),
        (_, Nature::Rate | Nature::Centre) => Some(3),
        (_, Nature::Shoulder | Nature::Tail) => Some(5),
        (_, Nature::FarTail | Nature::Extreme | Nature::Resource) => Some(6),
    }
}

/// The index of the headline among measures; the first of equals, because tools print what matters first.
pub(crate) fn headline<'a>(measures: impl Iterator<Item = &'a Measure>) -> Option<usize> {
    measures.enumerate().filter_map(|(i, measure)| Some((rank(measure)?, i))).min().map(|(_, i)| i)
}

/// Whether a benchmark is what a tool calls the sum of the others, and so speaks before them.
pub(crate) fn is_whole(key: &BenchmarkKey) -> bool {
    let name = key.name.as_str().to_ascii_lowercase();
    ["total", "all", "overall", "aggregate", "aggregated", "summary"].contains(&name.as_str())
}

/// Whether a value is the work done in a span of time (`+1`), the time of some work (`−1`), or neither: what turns
/// it into a time per operation.
pub(crate) fn time_exponent(measure: &Measure) -> Option<i32> {
    match rank(measure) {
        Some(0) => Some(-1),
        Some(1 | 2) => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::MeasureName;

    #[test]
    fn throughput_speaks_before_time_and_time_before_counts() {
        let measures: Vec<Measure> =
            [("B/op", "B/op"), ("latency p99", "ms"), ("ns/op", "ns"), ("MB/s", "MB/s")]
                .into_iter()
                .map(|(name, unit)| {
                    let unit = Unit::parse(unit).0;
                    let better = Measure::guess_better(name, &unit);
                    Measure { name: MeasureName::parse(name).unwrap(), unit, better }
                })
                .collect();
        assert_eq!(headline(measures.iter()), Some(3));
        assert_eq!(headline(measures[..3].iter()), Some(2));
        assert_eq!(headline(measures[..2].iter()), Some(0));
    }
}
