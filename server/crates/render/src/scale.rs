//! Numbers to places: linear and logarithmic scales, round ticks, and tick labels in the unit people read.

use model::{Quantity, Unit};

/// A scale from values to pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    lo: f64,
    hi: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// Values `lo` to `hi` evenly from pixel `from` to pixel `to`. An empty or broken range becomes one around it.
    pub(crate) fn linear((lo, hi): (f64, f64), (from, to): (f64, f64)) -> Self {
        let (lo, hi) =
            if lo.is_finite() && hi.is_finite() && (hi - lo).is_finite() { (lo, hi) } else { (0.0, 1.0) };
        // A range that a float cannot divide is as good as empty.
        let (lo, hi) = if hi - lo > lo.abs().max(hi.abs()) * 1e-9 {
            (lo, hi)
        } else {
            let room = if lo == 0.0 { 1.0 } else { lo.abs() * 0.05 };
            (lo - room, lo + room)
        };
        Self { lo, hi, from, to, log: false }
    }

    /// The same by logarithm; linear where a value is not positive.
    pub(crate) fn log(range: (f64, f64), pixels: (f64, f64)) -> Self {
        let linear = Self::linear(range, pixels);
        Self { log: linear.lo > 0.0, ..linear }
    }

    /// The pixel of a value. Values that are no numbers sit at the scale's beginning.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(f64::MIN_POSITIVE) / self.lo).ln() / (self.hi / self.lo).ln()
        } else {
            (value - self.lo) / (self.hi - self.lo)
        };
        let part = if part.is_nan() { 0.0 } else { part.clamp(-10.0, 10.0) };
        self.from + (self.to - self.from) * part
    }

    /// About `n` round values inside the scale, in units of `unit` (1 µs is a round value, 1,024 B too).
    pub(crate) fn ticks(&self, n: usize, unit: f64) -> Vec<f64> {
        if self.log { self.log_ticks(n, unit) } else { self.linear_ticks(n, unit) }
    }

    fn linear_ticks(&self, n: usize, unit: f64) -> Vec<f64> {
        let step = round_step((self.hi - self.lo) / unit / n.max(1) as f64) * unit;
        let first = (self.lo / step - 1e-9).ceil();
        let count = ((self.hi / step + 1e-9).floor() - first).clamp(0.0, 50.0) as usize;
        (0..=count).map(|i| (first + i as f64) * step).collect()
    }

    fn log_ticks(&self, n: usize, unit: f64) -> Vec<f64> {
        let decades = (self.lo / unit).log10().floor() as i32..=(self.hi / unit).log10().ceil() as i32;
        let candidates = |mantissas: &[f64]| -> Vec<f64> {
            let inside = |tick: &f64| *tick >= self.lo * 0.999 && *tick <= self.hi * 1.001;
            let decade = |e: i32| mantissas.iter().map(move |m| m * 10_f64.powi(e) * unit);
            decades.clone().flat_map(decade).filter(inside).collect()
        };
        let fine = candidates(&[1.0, 2.0, 5.0]);
        if fine.len() < 3 {
            return self.linear_ticks(n, unit);
        }
        if fine.len() <= n + 2 { fine } else { candidates(&[1.0]) }
    }
}

/// The smallest of 1, 2, 2.5, 5, 10 × 10ⁿ that is at least `step`.
fn round_step(step: f64) -> f64 {
    if !step.is_finite() || step <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    let mantissa = [1.0, 2.0, 2.5, 5.0].into_iter().find(|m| m * power >= step * 0.9999).unwrap_or(10.0);
    mantissa * power
}

/// The range of finite values; `None` when there is none.
pub(crate) fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|v| v.is_finite());
    finite.fold(None, |range, v| Some(range.map_or((v, v), |(lo, hi): (f64, f64)| (lo.min(v), hi.max(v)))))
}

/// A range with `part` of its length added on both ends, and never past zero when the values are not.
pub(crate) fn padded((lo, hi): (f64, f64), part: f64) -> (f64, f64) {
    let room = if hi > lo { (hi - lo) * part } else { lo.abs().max(1e-9) * part };
    let down = if lo >= 0.0 { (lo - room).max(0.0) } else { lo - room };
    (down, hi + room)
}

/// How the ticks of one axis are written: all in the same multiple of a unit.
#[derive(Debug, Clone)]
pub(crate) struct TickUnit {
    /// What to divide by.
    pub(crate) scale: f64,
    suffix: String,
}

impl TickUnit {
    /// The multiple of `unit` in which `largest` is written.
    pub(crate) fn of(unit: &Unit, largest: f64) -> Self {
        let steps: &[f64] = match unit {
            Unit::Nanoseconds => &[1e9, 1e6, 1e3, 1.0],
            Unit::Bytes | Unit::BytesPerSecond => {
                &[1_099_511_627_776.0, 1_073_741_824.0, 1_048_576.0, 1024.0, 1.0]
            }
            Unit::Ratio => &[0.01],
            _ => &[1.0],
        };
        let size = largest.abs();
        let scale = steps.iter().copied().find(|step| size >= *step).or(steps.last().copied()).unwrap_or(1.0);
        let printed = Quantity { value: scale, unit }.to_string();
        let suffix = printed.split_once(' ').map_or(String::new(), |(_, name)| format!(" {name}"));
        Self { scale, suffix }
    }

    /// Labels for ticks, with as many decimals as tell them apart.
    pub(crate) fn labels(&self, ticks: &[f64]) -> Vec<String> {
        let step = match ticks {
            [a, b, ..] => (b - a).abs() / self.scale,
            [a] => a.abs() / self.scale,
            [] => 1.0,
        };
        let decimals = (0..6).find(|d| {
            let scaled = step * 10_f64.powi(*d);
            (scaled - scaled.round()).abs() < 1e-6 * scaled.max(1.0) && scaled >= 0.9
        });
        ticks.iter().map(|tick| self.label(*tick, decimals.unwrap_or(6) as usize)).collect()
    }

    fn label(&self, tick: f64, decimals: usize) -> String {
        let value = tick / self.scale;
        if value.abs() < 1e-12 {
            return "0".to_owned();
        }
        let number =
            if value.abs() >= 1e7 { model::quantity::significant(value) } else { grouped(value, decimals) };
        format!("{number}{}", self.suffix)
    }
}

/// A number with commas between thousands and a real minus sign.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) =
        text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut out = String::new();
    if value < 0.0 {
        out.push('\u{2212}');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(rest) = rest {
        out.push('.');
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: (f64, f64), unit: &str) -> Vec<String> {
        let unit = Unit::parse(unit).0;
        let tick_unit = TickUnit::of(&unit, range.1);
        tick_unit.labels(&Scale::linear(range, (0.0, 100.0)).ticks(4, tick_unit.scale))
    }

    #[test]
    fn ticks_are_round_in_the_unit_people_read() {
        assert_eq!(labels((0.0, 2.1e6), "ns"), ["0", "1 ms", "2 ms"]);
        assert_eq!(
            labels((2000.0, 2300.0), "ns"),
            ["2.0 \u{b5}s", "2.1 \u{b5}s", "2.2 \u{b5}s", "2.3 \u{b5}s"]
        );
        assert_eq!(labels((0.0, 4.0 * 1024.0), "B"), ["0", "1 KiB", "2 KiB", "3 KiB", "4 KiB"]);
        assert_eq!(labels((0.0, 15_000.0), "op/s"), ["0", "5,000 op/s", "10,000 op/s", "15,000 op/s"]);
        assert_eq!(labels((0.0, 0.5), "ratio"), ["0", "20 %", "40 %"]);
    }

    #[test]
    fn broken_ranges_still_make_a_scale() {
        for range in [
            (f64::NAN, 1.0),
            (0.0, 0.0),
            (5.0, 5.0),
            (3.0, -3.0),
            (-f64::MAX, f64::MAX),
            (1e300, f64::INFINITY),
        ] {
            for scale in [Scale::linear(range, (0.0, 100.0)), Scale::log(range, (0.0, 100.0))] {
                assert!(scale.ticks(5, 1.0).len() <= 60);
                for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
                    assert!(scale.at(value).is_finite(), "{range:?} {value}");
                }
            }
        }
    }

    #[test]
    fn a_logarithmic_scale_puts_equal_factors_equally_far_apart() {
        let scale = Scale::log((1.0, 100.0), (0.0, 200.0));
        assert!((scale.at(10.0) - 100.0).abs() < 1e-9);
        assert_eq!(scale.ticks(8, 1.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
    }
}
