//! What is known about the weights besides the lines: the sender's hints and Austin's `# key: value` comments.

use model::Unit;

use crate::read::Hints;

/// Facts about a folded file; each is absent until somebody said it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::profile) struct Header {
    /// The event's name.
    pub(in crate::profile) event: Option<String>,
    /// The unit of the weights and the factor to it.
    pub(super) unit: Option<(Unit, f64)>,
    /// Nanoseconds between two samples.
    pub(super) period: Option<f64>,
    /// Nanoseconds that the profiler ran.
    pub(super) duration_ns: Option<f64>,
    /// Every line is one sample, as the profiler took it.
    pub(super) sample_a_line: bool,
    /// Austin has said that it wrote the file.
    pub(super) is_austin: bool,
}

impl Header {
    /// What a flame graph says of its widths. Those in "samples" are what the folded text behind it had, so they say
    /// nothing.
    pub(in crate::profile) fn from_picture(counted: Option<&str>) -> Self {
        let unit =
            counted.map(Unit::parse).filter(|(unit, _)| matches!(unit, Unit::Nanoseconds | Unit::Bytes));
        Self { unit, ..Self::default() }
    }

    /// Takes a comment into account. Only Austin's are understood (its manual, "Output format"): the mode names the
    /// event, times are in microseconds, memory in bytes, and each line is one sample.
    pub(super) fn read_comment(&mut self, comment: &str) {
        let Some((key, value)) = comment.split_once(": ") else { return };
        let micros = || value.parse::<f64>().ok().filter(|us| us.is_finite() && *us > 0.0).map(|us| us * 1e3);
        match key {
            "austin" => self.is_austin = true,
            "mode" if self.is_austin => {
                self.sample_a_line = true;
                let unit = if value == "memory" { Unit::Bytes } else { Unit::Nanoseconds };
                let scale = if unit == Unit::Nanoseconds { 1e3 } else { 1.0 };
                self.event = Some(value.to_owned());
                self.unit = Some((unit, scale));
            }
            "interval" if self.is_austin => self.period = micros(),
            "duration" if self.is_austin => self.duration_ns = micros(),
            _ => {}
        }
    }

    /// What the sender said outranks what the file says.
    pub(in crate::profile) fn overridden_by(mut self, hints: &Hints) -> Self {
        if let Some(event) = &hints.event {
            self.event = Some(event.clone());
        }
        if let Some(unit) = &hints.unit {
            self.unit = Some(Unit::parse(unit));
        }
        if let Some(period) = hints.period.filter(|period| *period > 0.0) {
            self.period = Some(period * self.unit.as_ref().map_or(1.0, |(_, scale)| *scale));
        }
        self
    }
}

/// Whether a unit counts profiler ticks, so that a weight is a number of samples.
pub(super) fn is_tick(unit: &Unit) -> bool {
    matches!(unit, Unit::Count(of) if of.is_empty() || of == "samples")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn austin(comments: &[&str]) -> Header {
        let mut header = Header::default();
        for comment in comments {
            header.read_comment(comment);
        }
        header
    }

    #[test]
    fn austin_names_event_unit_interval_and_duration() {
        let header = austin(&["austin: 3.3.0", "interval: 100", "mode: wall", "duration: 23873"]);
        assert_eq!(header.event.as_deref(), Some("wall"));
        assert_eq!(header.unit, Some((Unit::Nanoseconds, 1e3)));
        assert_eq!((header.period, header.duration_ns), (Some(1e5), Some(23_873_000.0)));
        assert!(header.sample_a_line);
        assert_eq!(austin(&["austin: 3", "mode: memory"]).unit, Some((Unit::Bytes, 1.0)));
    }

    #[test]
    fn other_comments_say_nothing_and_hints_outrank() {
        assert_eq!(austin(&["mode: wall", "interval: 5", "hello"]), Header::default());
        let hints = Hints { event: Some("lock".into()), unit: Some("us".into()), ..Hints::default() };
        let header = austin(&["austin: 3.3.0", "mode: wall"]).overridden_by(&hints);
        assert_eq!((header.event.as_deref(), header.unit), (Some("lock"), Some((Unit::Nanoseconds, 1e3))));
    }
}
