//! Units: base units in storage, scaling only when a person reads.

use serde::{Deserialize, Serialize};

/// A base unit. Its text form (`Display`) is what the database and the API hold; [`Unit::parse`] reads it back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Unit {
    /// Time, `ns`.
    Nanoseconds,
    /// Bytes, `B`.
    Bytes,
    /// Bytes a second, `B/s`.
    BytesPerSecond,
    /// Things a second, `op/s`; holds the thing (`op`, `obj`), which may be empty.
    PerSecond(String),
    /// Things, `allocs`; holds the thing, empty for a bare `count`.
    Count(String),
    /// Processor cycles, `cycles`.
    Cycles,
    /// Retired instructions, `instructions`.
    Instructions,
    /// A dimensionless share or ratio, `ratio`; 1 is 100 %.
    Ratio,
    /// Anything else, kept as the tool wrote it.
    Other(String),
}

/// Decimal and binary multiples of bytes, longest spelling first within a letter.
const BYTE_SCALES: [(&str, f64); 25] = [
    ("B", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("kiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("Bytes", 1.0),
    ("b", 1.0),
    ("Kilobytes", 1e3),
    ("kilobytes", 1e3),
    ("Megabytes", 1e6),
    ("megabytes", 1e6),
    ("Gigabytes", 1e9),
    ("gigabytes", 1e9),
    ("kib", 1024.0),
];

fn time_scale(text: &str) -> Option<f64> {
    Some(match text {
        "ps" => 1e-3,
        "ns" | "nanoseconds" | "nanosecond" | "nsec" => 1.0,
        "us" | "\u{b5}s" | "\u{3bc}s" | "usec" | "microseconds" => 1e3,
        "ms" | "msec" | "milliseconds" => 1e6,
        "s" | "sec" | "secs" | "seconds" | "second" => 1e9,
        "min" | "minutes" => 60e9,
        "h" | "hours" => 3600e9,
        _ => return None,
    })
}

fn byte_scale(text: &str) -> Option<f64> {
    BYTE_SCALES.iter().find(|(name, _)| *name == text).map(|(_, scale)| *scale)
}

/// criterion counts elements in thousands: `Kelem`, `Melem`, `Gelem`.
fn elements(text: &str) -> Option<f64> {
    Some(match text.strip_suffix("elem")? {
        "" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        _ => return None,
    })
}

impl Unit {
    /// Reads a unit as tools write it and the factor to its base unit: `us` is nanoseconds times 1000,
    /// `MiB/s` bytes a second times 1,048,576. A `/op` or `/iter` is dropped: a cost per operation is a cost.
    pub fn parse(text: &str) -> (Self, f64) {
        let text = text.trim();
        let bare = ["/op", "/iter", "/iteration", "/call"]
            .iter()
            .find_map(|suffix| text.strip_suffix(suffix))
            .filter(|bare| !bare.is_empty())
            .unwrap_or(text);
        if let Some(scale) = time_scale(bare) {
            return (Self::Nanoseconds, scale);
        }
        if let Some(scale) = byte_scale(bare) {
            return (Self::Bytes, scale);
        }
        let rate = text.rsplit_once('/').and_then(|(of, time)| Some((of.trim(), 1e9 / time_scale(time)?)));
        match (text, rate) {
            ("%" | "percent" | "Percent", _) => (Self::Ratio, 0.01),
            ("ratio", _) => (Self::Ratio, 1.0),
            ("" | "count", _) => (Self::Count(String::new()), 1.0),
            ("cycles" | "cpu-cycles", _) => (Self::Cycles, 1.0),
            ("instructions", _) => (Self::Instructions, 1.0),
            (_, Some((of, a_second))) => match (byte_scale(of), elements(of)) {
                (Some(scale), _) => (Self::BytesPerSecond, scale * a_second),
                (None, Some(scale)) => (Self::PerSecond("elem".to_owned()), scale * a_second),
                // `1/s` counts whatever the measure counts.
                (None, None) => {
                    (Self::PerSecond(if of == "1" { String::new() } else { of.to_owned() }), a_second)
                }
            },
            _ if bare != text => (Self::Count(bare.to_owned()), 1.0),
            (
                "samples" | "allocs" | "objects" | "lines" | "rows" | "requests" | "errors" | "partitions",
                _,
            ) => (Self::Count(text.to_owned()), 1.0),
            _ => (Self::Other(text.to_owned()), 1.0),
        }
    }

    /// Whether values are counted and repeat exactly on the same machine, unlike timings.
    pub fn is_counted(&self) -> bool {
        matches!(self, Self::Bytes | Self::Count(_) | Self::Instructions)
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nanoseconds => f.write_str("ns"),
            Self::Bytes => f.write_str("B"),
            Self::BytesPerSecond => f.write_str("B/s"),
            Self::PerSecond(of) => write!(f, "{of}/s"),
            Self::Count(of) if of.is_empty() => f.write_str("count"),
            Self::Count(of) => write!(f, "{of}/op"),
            Self::Cycles => f.write_str("cycles"),
            Self::Instructions => f.write_str("instructions"),
            Self::Ratio => f.write_str("ratio"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl From<String> for Unit {
    fn from(text: String) -> Self {
        Self::parse(&text).0
    }
}

impl From<Unit> for String {
    fn from(unit: Unit) -> Self {
        unit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_spellings_reach_base_units() {
        for (text, unit, scale) in [
            ("us", "ns", 1e3),
            ("\u{b5}s", "ns", 1e3),
            ("\u{3bc}s", "ns", 1e3),
            ("ns/op", "ns", 1.0),
            ("sec/op", "ns", 1e9),
            ("B/op", "B", 1.0),
            ("allocs/op", "allocs/op", 1.0),
            ("MiB/s", "B/s", 1_048_576.0),
            ("MB/s", "B/s", 1e6),
            ("op/s", "op/s", 1.0),
            ("%", "ratio", 0.01),
            ("Percent", "ratio", 0.01),
            ("Megabytes", "B", 1e6),
            ("pk/s", "pk/s", 1.0),
            ("ops/ms", "ops/s", 1e3),
            ("ops/us", "ops/s", 1e6),
            ("MB/min", "B/s", 1e6 / 60.0),
            ("1/s", "/s", 1.0),
            ("Melem/s", "elem/s", 1e6),
            ("wire-B/op", "wire-B/op", 1.0),
            ("", "count", 1.0),
            ("cycles/iter", "cycles/op", 1.0),
            ("bananas", "bananas", 1.0),
        ] {
            let (parsed, factor) = Unit::parse(text);
            assert_eq!((parsed.to_string().as_str(), factor), (unit, scale), "{text}");
        }
    }

    #[test]
    fn stored_text_reads_back_as_itself() {
        for text in
            ["ns", "B", "B/s", "op/s", "/s", "allocs/op", "count", "cycles", "instructions", "ratio", "x y"]
        {
            let (unit, scale) = Unit::parse(text);
            assert_eq!(Unit::parse(&unit.to_string()), (unit, scale), "{text}");
        }
    }
}
