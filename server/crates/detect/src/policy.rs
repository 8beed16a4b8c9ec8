//! What a change must exceed to be worth reporting, by the nature of the measure and by what was read of it.

use model::policy::glob_matches;
use model::{Benchmark, BenchmarkKey, Better, Kind, Measure, Policy, Unit};

/// What kind of number a measure is. Floors follow from it: the further out in the tail, the noisier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Counted for each operation and the same in every repetition: bytes and allocations an operation,
    /// instructions.
    Exact,
    /// How much is done a second.
    Rate,
    /// The middle of a time or a mean.
    Centre,
    /// Percentiles above the middle up to the 95th.
    Shoulder,
    /// The 95th percentile and further, short of the 99th.
    Tail,
    /// The 99th percentile and further, short of the 99.9th.
    FarTail,
    /// The 99.9th percentile and further, and the largest value: a handful of readings decide it.
    Extreme,
    /// What the whole system used meanwhile: garbage collections, resident memory, counts of a timed run.
    Resource,
}

/// How much was read of a measure on the weaker of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// One reading.
    Single,
    /// One summary of several readings, as the tool printed it.
    Summarised,
    /// Several readings.
    Several,
}

impl Nature {
    /// Reads the nature of a measure from its name, unit and direction.
    pub(crate) fn of(measure: &Measure) -> Self {
        let name = measure.name.as_str().to_ascii_lowercase();
        let words = || name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
        let says = |any: &[&str]| words().any(|word| any.contains(&word));
        if says(&["gc", "rss", "heap", "resident", "memory", "footprint"]) {
            return Self::Resource;
        }
        match measure.percentile() {
            Some(p) if p >= 99.9 => return Self::Extreme,
            Some(p) if p >= 99.0 => return Self::FarTail,
            Some(p) if p >= 95.0 => return Self::Tail,
            Some(p) if p > 50.0 => return Self::Shoulder,
            _ => {}
        }
        let per_operation = ["/op", "/iter", "/call"].iter().any(|suffix| name.ends_with(suffix));
        match &measure.unit {
            Unit::Instructions => Self::Exact,
            Unit::Count(of) if of.starts_with("alloc") => Self::Exact,
            unit if unit.is_counted() && (per_operation || says(&["allocs", "allocations", "allocated"])) => {
                Self::Exact
            }
            Unit::PerSecond(_) | Unit::BytesPerSecond => Self::Rate,
            Unit::Nanoseconds | Unit::Cycles => Self::Centre,
            _ if measure.better == Better::Higher => Self::Rate,
            unit if unit.is_counted() => Self::Resource,
            _ => Self::Centre,
        }
    }

    /// The smallest relative change worth reporting. Several readings carry their own noise into a test, so their
    /// floor says what matters; a single reading's floor must also stand for the noise that nobody measured:
    /// repeated runs of unchanged code on shared machines differ by about 5 to 10 % in their middle, by far more
    /// in their tails.
    pub(crate) fn floor(self, evidence: Evidence) -> f64 {
        let (single, summarised, several) = match self {
            Self::Exact => (0.01, 0.01, 0.01),
            Self::Rate | Self::Centre => (0.10, 0.05, 0.05),
            Self::Shoulder => (0.15, 0.10, 0.07),
            Self::Resource => (0.20, 0.10, 0.10),
            Self::Tail => (0.25, 0.15, 0.10),
            Self::FarTail => (0.50, 0.25, 0.15),
            Self::Extreme => (1.00, 0.50, 0.50),
        };
        match evidence {
            Evidence::Single => single,
            Evidence::Summarised => summarised,
            Evidence::Several => several,
        }
    }
}

/// The floor of one measure: the policy's first rule that matches, else that of its nature.
pub(crate) fn floor(policy: &Policy, key: &BenchmarkKey, measure: &Measure, evidence: Evidence) -> f64 {
    let full = key.to_string();
    let rule = policy.floors.iter().find(|rule| {
        (glob_matches(&rule.benchmark, key.name.as_str()) || glob_matches(&rule.benchmark, &full))
            && glob_matches(&rule.measure, measure.name.as_str())
    });
    match rule {
        Some(rule) if rule.relative.is_finite() && rule.relative >= 0.0 => rule.relative,
        _ => Nature::of(measure).floor(evidence),
    }
}

/// The kind of a benchmark: what the sender said on either side, else the policy's first rule that matches.
pub(crate) fn kind(policy: &Policy, sides: [Option<&Benchmark>; 2]) -> Option<Kind> {
    let said = sides.iter().rev().flatten().find_map(|benchmark| benchmark.kind);
    said.or_else(|| {
        let key = &sides.iter().rev().flatten().next()?.key;
        let full = key.to_string();
        let rule = policy.kinds.iter().find(|rule| {
            glob_matches(&rule.benchmark, key.name.as_str()) || glob_matches(&rule.benchmark, &full)
        })?;
        Some(rule.kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::MeasureName;

    #[test]
    fn the_nature_is_read_from_name_and_unit() {
        for (name, unit, nature) in [
            ("op rate", "op/s", Nature::Rate),
            ("throughput", "MiB/s", Nature::Rate),
            ("ns/op", "ns", Nature::Centre),
            ("latency median", "ms", Nature::Centre),
            ("latency p90", "ms", Nature::Shoulder),
            ("latency 95th percentile", "ms", Nature::Tail),
            ("latency_p99", "ms", Nature::FarTail),
            ("latency 99.9th percentile", "ms", Nature::Extreme),
            ("latency max", "ms", Nature::Extreme),
            ("B/op", "B/op", Nature::Exact),
            ("allocs/op", "allocs/op", Nature::Exact),
            ("instructions", "instructions", Nature::Exact),
            ("total gc mb", "MB", Nature::Resource),
            ("total gc count", "", Nature::Resource),
            ("max rss", "kB", Nature::Resource),
            ("Total errors", "", Nature::Resource),
        ] {
            let unit = Unit::parse(unit).0;
            let better = Measure::guess_better(name, &unit);
            let measure = Measure { name: MeasureName::parse(name).unwrap(), unit, better };
            assert_eq!(Nature::of(&measure), nature, "{name}");
        }
    }

    #[test]
    fn less_evidence_never_has_a_lower_floor() {
        use Nature::{Centre, Exact, Extreme, FarTail, Rate, Resource, Shoulder, Tail};
        for nature in [Exact, Rate, Centre, Shoulder, Tail, FarTail, Extreme, Resource] {
            assert!(nature.floor(Evidence::Single) >= nature.floor(Evidence::Summarised));
            assert!(nature.floor(Evidence::Summarised) >= nature.floor(Evidence::Several));
        }
    }
}
