//! Numbers for people: a quantity with its unit, a change with its sign, a share of a whole.

use crate::run::Better;
use crate::unit::Unit;

/// A real minus sign (U+2212), as wide as a plus.
const MINUS: char = '\u{2212}';

/// A value in a base unit; prints scaled with four significant digits (`1.234 ms`, `3.200 MiB`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity<'a> {
    /// The value in the base unit.
    pub value: f64,
    /// Its unit.
    pub unit: &'a Unit,
}

fn scaled(value: f64, steps: &[(f64, &'static str)]) -> (f64, &'static str) {
    let size = value.abs();
    let step = steps.iter().find(|(scale, _)| size >= *scale * 0.99995).or(steps.last());
    step.map_or((value, ""), |(scale, name)| (value / scale, name))
}

/// Four significant digits, without an exponent where people would not write one.
pub fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return "\u{2013}".to_owned();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    match digits {
        ..=0 => group_thousands(value),
        1..=12 => format!("{value:.*}", digits as usize),
        _ => format!("{value:.3e}"),
    }
    .replace('-', &MINUS.to_string())
}

fn group_thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0.0 {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

impl std::fmt::Display for Quantity<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const TIME: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "\u{b5}s"), (1.0, "ns")];
        const BYTES: [(f64, &str); 5] = [
            (1_099_511_627_776.0, "TiB"),
            (1_073_741_824.0, "GiB"),
            (1_048_576.0, "MiB"),
            (1024.0, "KiB"),
            (1.0, "B"),
        ];
        match self.unit {
            Unit::Nanoseconds => {
                let (value, name) = scaled(self.value, &TIME);
                write!(f, "{} {name}", significant(value))
            }
            Unit::Bytes | Unit::BytesPerSecond => {
                let (value, name) = scaled(self.value, &BYTES);
                let suffix = if matches!(self.unit, Unit::BytesPerSecond) { "/s" } else { "" };
                write!(f, "{} {name}{suffix}", significant(value))
            }
            Unit::Ratio => write!(f, "{} %", significant(self.value * 100.0)),
            Unit::Count(of) if of.is_empty() => f.write_str(&significant(self.value)),
            unit => write!(f, "{} {unit}", significant(self.value)),
        }
    }
}

/// A candidate's value against its baseline's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// (candidate − baseline) / baseline.
    pub relative: f64,
}

impl Change {
    /// The change from `baseline` to `candidate`; `None` where the baseline is zero and the candidate is not,
    /// because no ratio says that.
    pub fn between(baseline: f64, candidate: f64) -> Option<Self> {
        if baseline == candidate {
            return Some(Self { relative: 0.0 });
        }
        (baseline != 0.0).then(|| Self { relative: (candidate - baseline) / baseline.abs() })
    }

    /// Whether the change is for the worse. The only place that decides what *regression* means.
    pub fn is_worse(self, better: Better) -> bool {
        match better {
            Better::Higher => self.relative < 0.0,
            Better::Lower => self.relative > 0.0,
            Better::Neither => false,
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&signed_percent(self.relative))
    }
}

/// `+12.3 %`, `−7.48 %`; beyond a factor of ten the factor (`×25.8`), which people read more easily.
pub fn signed_percent(relative: f64) -> String {
    let percent = relative * 100.0;
    if percent >= 900.0 {
        return format!("\u{d7}{}", short(1.0 + relative));
    }
    let sign = if percent < 0.0 { MINUS } else { '+' };
    format!("{sign}{} %", short(percent.abs()))
}

/// Three significant digits, at most two decimals.
fn short(value: f64) -> String {
    match value {
        v if v >= 99.95 => group_thousands(v),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A part of a whole, 0 to 1; prints as a percentage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(pub f64);

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = self.0 * 100.0;
        let sign = if percent < 0.0 { "\u{2212}" } else { "" };
        write!(f, "{sign}{} %", short(percent.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_people_write_them() {
        for (value, unit, text) in [
            (1_234_567.0, "ns", "1.235 ms"),
            (2078.0, "ns", "2.078 \u{b5}s"),
            (0.25, "ns", "0.2500 ns"),
            (3_355_443.2, "B", "3.200 MiB"),
            (420_373_094.4, "B/s", "400.9 MiB/s"),
            (12_655.0, "op/s", "12,655 op/s"),
            (0.157, "ratio", "15.70 %"),
            (0.0, "ns", "0 ns"),
            (48.0, "B", "48.00 B"),
            (999.9, "ns", "999.9 ns"),
        ] {
            let unit = Unit::parse(unit).0;
            assert_eq!(Quantity { value, unit: &unit }.to_string(), text);
        }
    }

    #[test]
    fn changes_carry_a_sign_and_a_direction() {
        let change = Change::between(12_655.0, 6681.0).unwrap();
        assert_eq!(change.to_string(), "\u{2212}47.2 %");
        assert!(change.is_worse(Better::Higher) && !change.is_worse(Better::Lower));
        assert_eq!(signed_percent(24.8), "\u{d7}25.8");
        assert!(Change::between(0.0, 1.0).is_none());
    }
}
