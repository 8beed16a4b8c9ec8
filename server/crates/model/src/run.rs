//! What a run holds: benchmarks with measured values, and profiles.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::name::{BenchmarkName, MeasureName};
use crate::profile::Profile;
use crate::unit::Unit;

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better: throughput.
    Higher,
    /// Less is better: time, memory.
    Lower,
    /// Reported for information and never judged: how many pages a run read, a checksum.
    Neither,
}

/// What kind of work a benchmark is. A verdict never averages over kinds: an end-to-end loss outweighs a
/// micro-benchmark's gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A whole system under load.
    EndToEnd,
    /// One piece of code in a loop.
    Micro,
}

/// What a run was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Timed runs: they feed baselines.
    #[default]
    Measured,
    /// Runs under a profiler: slower, so never in a baseline.
    Profiled,
    /// Reruns that settle a verdict: never in a baseline.
    Confirming,
}

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Measure {
    /// The tool's own name for it.
    pub name: MeasureName,
    /// The base unit of the observations.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
}

/// A benchmark's identity within a project: its name and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BenchmarkKey {
    /// The name without parameters.
    pub name: BenchmarkName,
    /// Parameters by name, such as `threads` = `4`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

impl std::fmt::Display for BenchmarkKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)?;
        for (i, (name, value)) in self.parameters.iter().enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { " [" } else { ", " })?;
        }
        if self.parameters.is_empty() { Ok(()) } else { f.write_str("]") }
    }
}

/// Whether a benchmark ran to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", content = "reason", rename_all = "lowercase")]
pub enum Status {
    /// It did.
    Ok,
    /// It did not; holds what the tool said.
    Failed(String),
}

/// The values of one measure of one benchmark in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured.
    pub measure: Measure,
    /// Raw readings in the base unit, in the order they were taken; finite, never empty.
    pub observations: Vec<f64>,
    /// The tool printed a summary (a median or mean of several readings) instead of the readings, so
    /// `observations` holds one value that is steadier than one reading.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summarised: bool,
    /// What the tool itself says about the observations (its mean, standard deviation, interval …). Shown, never
    /// judged: perfblame computes its own from the observations, and a spread is no series of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
}

/// One number that a tool computed from the observations of a measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The tool's name for it: `mean`, `stddev`, `latency stdev`, `min`.
    pub name: String,
    /// Its unit; usually the measure's own, `ratio` for a relative spread.
    pub unit: Unit,
    /// The value in that unit; finite.
    pub value: f64,
}

impl Measurement {
    /// A measurement of raw readings, nothing said about them.
    pub fn new(measure: Measure, observations: Vec<f64>) -> Self {
        Self { measure, observations, summarised: false, figures: Vec::new() }
    }
}

/// One benchmark of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Name and parameters.
    #[serde(flatten)]
    pub key: BenchmarkKey,
    /// End-to-end or micro, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Whether it ran to its end.
    #[serde(flatten)]
    pub status: Status,
    /// Its measures. Those of a failed benchmark are shown and neither stored nor judged: see
    /// [`Benchmark::judged`].
    pub measurements: Vec<Measurement>,
}

impl Benchmark {
    /// The measures that count: none of a benchmark that failed, whose values say how it failed and not how fast it is.
    pub fn judged(&self) -> &[Measurement] {
        if self.status == Status::Ok { &self.measurements } else { &[] }
    }
}

/// Everything that is judged of one side: its benchmarks and its profiles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunData {
    /// Benchmarks, each key once.
    pub benchmarks: Vec<Benchmark>,
    /// Profiles, canonical and categorised; several of one event are pooled.
    pub profiles: Vec<Profile>,
}

impl Measure {
    /// The percentile that the name speaks of, 0 to 100: `p99`, `latency_p99.9`, `latency 95th percentile`;
    /// `median` is 50 and `max` is 100.
    pub fn percentile(&self) -> Option<f64> {
        let name = self.name.as_str().to_ascii_lowercase();
        let words: Vec<&str> =
            name.split([' ', '_', '-', '/', ':', '(', ')']).filter(|w| !w.is_empty()).collect();
        words.iter().enumerate().find_map(|(i, word)| match *word {
            "median" => Some(50.0),
            "max" | "maximum" => Some(100.0),
            _ => {
                let followed = words.get(i + 1).is_some_and(|next| next.starts_with("percentile"));
                let digits = match word.strip_prefix('p') {
                    Some(digits) => digits.trim_start_matches('='),
                    None if followed => word.trim_end_matches(|c: char| c.is_ascii_alphabetic()),
                    None => word.strip_suffix('%')?,
                };
                digits.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p))
            }
        })
    }

    /// Which way is better, guessed from name and unit; tools that say it themselves win over this.
    pub fn guess_better(name: &str, unit: &Unit) -> Better {
        let name = name.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let ends = |of: &str, units: &[&str]| units.iter().any(|unit| of.ends_with(unit));
        match unit {
            // Spreads, settings of the run, and how long or how much it was told to run.
            _ if says(&[
                "stdev",
                "stddev",
                "std dev",
                "std_dev",
                "standard deviation",
                "standarddeviation",
                "abs_dev",
                "checksum",
                "iterations",
                "concurrency",
                "operation time",
                "page size",
                "transferred",
            ]) =>
            {
                Better::Neither
            }
            Unit::PerSecond(of) if of.contains("err") || of.contains("fail") => Better::Lower,
            Unit::PerSecond(_) if says(&["error", "fail", "miss", "retries", "lost", "dropped"]) => {
                Better::Lower
            }
            Unit::PerSecond(_) | Unit::BytesPerSecond => Better::Higher,
            _ if says(&[
                "throughput",
                "op rate",
                "ops_per",
                "bandwidth",
                "hit rate",
                "hitrate",
                "availability",
            ]) =>
            {
                Better::Higher
            }
            Unit::Nanoseconds | Unit::Bytes | Unit::Cycles | Unit::Instructions => Better::Lower,
            Unit::Count(of) if matches!(of.as_str(), "allocs" | "cycles" | "instructions") => Better::Lower,
            // Counted events of a processor or a kernel cost time, each of them.
            Unit::Count(_)
                if says(&[
                    "instructions",
                    "cycles",
                    "accesses",
                    "page faults",
                    "page-faults",
                    "switches",
                ]) =>
            {
                Better::Lower
            }
            // A tool's own kind of bytes or time: `wire-B/op`, `text-bytes`, `p99-ns`.
            Unit::Count(of) | Unit::Other(of) if ends(of, &["-B", "-bytes", "-ns", "-ms", "-sec"]) => {
                Better::Lower
            }
            _ if says(&[
                "error", "fail", "latency", "alloc", "gc ", "miss", "timeout", "retries", "lost", "dropped",
            ]) =>
            {
                Better::Lower
            }
            _ => Better::Neither,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str) -> Measure {
        Measure { name: MeasureName::parse(name).unwrap(), unit: Unit::Nanoseconds, better: Better::Lower }
    }

    #[test]
    fn percentiles_are_read_from_names() {
        for (name, percentile) in [
            ("latency 95th percentile", Some(95.0)),
            ("latency 99.9th percentile", Some(99.9)),
            ("latency median", Some(50.0)),
            ("latency_p99", Some(99.0)),
            ("p99.9", Some(99.9)),
            ("latency max", Some(100.0)),
            ("ns/op", None),
            ("partition rate", None),
            ("pages", None),
        ] {
            assert_eq!(measure(name).percentile(), percentile, "{name}");
        }
    }

    #[test]
    fn the_better_direction_is_guessed_from_name_and_unit() {
        for (name, unit, better) in [
            ("op rate", "op/s", Better::Higher),
            ("row rate", "row/s", Better::Higher),
            ("latency 95th percentile", "ms", Better::Lower),
            ("total gc mb", "MB", Better::Lower),
            ("total gc count", "count", Better::Lower),
            ("total gc time (s)", "s", Better::Lower),
            ("stdev gc time(ms)", "ms", Better::Neither),
            ("Total partitions", "partitions", Better::Neither),
            ("Total errors", "errors", Better::Lower),
            ("Total operation time", "s", Better::Neither),
            ("ns/op", "ns/op", Better::Lower),
            ("MB/s", "MB/s", Better::Higher),
            ("wire-B/op", "wire-B/op", Better::Lower),
            ("text-bytes", "text-bytes", Better::Lower),
            ("allocs/op", "allocs/op", Better::Lower),
            ("checksum", "", Better::Neither),
            ("std dev", "us", Better::Neither),
            ("median_abs_dev", "ns", Better::Neither),
            ("Misses/sec", "1/s", Better::Lower),
            ("Hits/sec", "1/s", Better::Higher),
            ("L1 Hits", "count", Better::Neither),
            ("L1 Hit Rate", "%", Better::Higher),
            ("value", "cycles/iter", Better::Lower),
            ("Estimated Cycles", "count", Better::Lower),
            ("L2 Accesses", "count", Better::Lower),
            ("Involuntary context switches", "count", Better::Lower),
            ("lost_percent", "%", Better::Lower),
            ("data transferred", "MB", Better::Neither),
            ("pages", "", Better::Neither),
        ] {
            assert_eq!(Measure::guess_better(name, &Unit::parse(unit).0), better, "{name} in {unit}");
        }
    }

    #[test]
    fn a_key_prints_its_parameters() {
        let key = BenchmarkKey {
            name: BenchmarkName::parse("Send").unwrap(),
            parameters: [("size".to_owned(), "64".to_owned()), ("threads".to_owned(), "2".to_owned())].into(),
        };
        assert_eq!(key.to_string(), "Send [size=64, threads=2]");
    }
}
