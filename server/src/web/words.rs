//! Words, signs and classes that pages share: every judgement is said by a word and a sign, and only then coloured.

use chrono::{DateTime, SecondsFormat, Utc};
use model::quantity::{signed_percent, significant};
use model::verdict::Normalisation;
use model::{Better, Category, Change, Confidence, FindingOutcome, Outcome, Quantity, Unit};

/// A small label with a sign, coloured by its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chip {
    /// Suffix of the CSS class `chip-…`.
    pub(crate) tone: &'static str,
    /// The sign before the word, so that colour is never the only cue.
    pub(crate) sign: &'static str,
    /// The word.
    pub(crate) label: &'static str,
    /// What it means, for a tooltip.
    pub(crate) meaning: &'static str,
}

const fn chip(tone: &'static str, sign: &'static str, label: &'static str, meaning: &'static str) -> Chip {
    Chip { tone, sign, label, meaning }
}

/// The chip of a run's verdict; a run without one is still being judged.
pub(crate) fn outcome_chip(outcome: Option<Outcome>) -> Chip {
    match outcome {
        None => chip("quiet", "…", "not judged yet", "The verdict is still being computed"),
        Some(Outcome::Regressed) => chip("worse", "▼", "regressed", "Something got worse"),
        Some(Outcome::Improved) => {
            chip("better", "▲", "improved", "Something got better and nothing got worse")
        }
        Some(Outcome::Mixed) => chip("mixed", "◆", "mixed", "Some got worse and some better; never averaged"),
        Some(Outcome::Unchanged) => chip("quiet", "=", "unchanged", "Nothing moved past its floor"),
        Some(Outcome::Unstable) => chip("unsure", "≈", "unstable", "Too noisy to judge either way"),
        Some(Outcome::Inconclusive) => chip("unsure", "?", "inconclusive", "Too little data to judge"),
        Some(Outcome::NoBaseline) => chip("unsure", "∅", "no baseline", "Nothing to compare with"),
    }
}

/// The chip of one finding.
pub(crate) fn finding_chip(outcome: FindingOutcome) -> Chip {
    match outcome {
        FindingOutcome::Regressed => chip("worse", "▼", "regressed", "Worse, past the floor"),
        FindingOutcome::Improved => chip("better", "▲", "improved", "Better, past the floor"),
        FindingOutcome::Unchanged => chip("quiet", "=", "unchanged", "Within the floor or the noise"),
        FindingOutcome::Unstable => chip("unsure", "≈", "unstable", "Too noisy to judge"),
        FindingOutcome::Inconclusive => chip("unsure", "?", "inconclusive", "Too little data to judge"),
        FindingOutcome::New => chip("mixed", "+", "new", "Only the candidate has it"),
        FindingOutcome::Missing => chip("unsure", "−", "missing", "Only the baseline has it"),
        FindingOutcome::Failed => chip("worse", "✕", "failed", "It ran and failed"),
        FindingOutcome::Informational => {
            chip("quiet", "i", "for information", "No direction of it is better")
        }
    }
}

/// The chip of a confidence.
pub(crate) fn confidence_chip(confidence: Confidence) -> Chip {
    match confidence {
        Confidence::Confirmed => chip(
            "plain",
            "●",
            "confirmed",
            "Past the floor and significant after correction for many comparisons",
        ),
        Confidence::Likely => {
            chip("plain", "◐", "likely", "Past the floor, without statistics that could confirm it")
        }
        Confidence::Noise => chip("plain", "○", "noise", "Within the noise or below the floor"),
    }
}

/// A change in words: sign, number, and whether it is for the better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangeText {
    /// Suffix of the CSS class: `worse`, `better` or `quiet`.
    pub(crate) tone: &'static str,
    /// `▲` more, `▼` less, `=` the same.
    pub(crate) sign: &'static str,
    /// `−47.2 %`.
    pub(crate) number: String,
    /// `worse`, `better`, or nothing where no direction is better.
    pub(crate) word: &'static str,
}

/// The words for a relative change of a measure. An unchanged finding stays quiet even where its number moved.
pub(crate) fn change_text(relative: f64, better: Better, outcome: FindingOutcome) -> ChangeText {
    let judged = matches!(outcome, FindingOutcome::Regressed | FindingOutcome::Improved);
    let word = match better {
        Better::Neither => "",
        Better::Higher | Better::Lower if relative == 0.0 => "",
        Better::Higher | Better::Lower if Change { relative }.is_worse(better) => "worse",
        Better::Higher | Better::Lower => "better",
    };
    ChangeText {
        tone: if judged && !word.is_empty() { word } else { "quiet" },
        sign: direction_sign(relative),
        number: signed_percent(relative),
        word,
    }
}

/// Which way is better, in words.
pub(crate) fn better_words(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
        Better::Neither => "for information",
    }
}

fn direction_sign(value: f64) -> &'static str {
    if value > 0.0 {
        "▲"
    } else if value < 0.0 {
        "▼"
    } else {
        "="
    }
}

/// A change of cost: more is worse, always.
pub(crate) fn cost_change(delta: f64, unit: &Unit, normalisation: &Normalisation) -> ChangeText {
    let (tone, word) = match delta {
        d if d > 0.0 => ("worse", "more"),
        d if d < 0.0 => ("better", "less"),
        _ => ("quiet", "same"),
    };
    let sign = if delta < 0.0 { '\u{2212}' } else { '+' };
    let number = match unit {
        // A difference of two shares is in percentage points, never in percent.
        Unit::Ratio => format!("{sign}{} pp", significant_2(delta.abs() * 100.0)),
        _ => format!("{sign}{}", cost(delta.abs(), unit, normalisation)),
    };
    ChangeText { tone, sign: direction_sign(delta), number, word }
}

fn significant_2(value: f64) -> String {
    if value >= 9.995 { format!("{value:.1}") } else { format!("{value:.2}") }
}

/// A cost in the unit of its comparison.
pub(crate) fn cost(value: f64, unit: &Unit, normalisation: &Normalisation) -> String {
    let quantity = Quantity { value, unit };
    match normalisation {
        Normalisation::RelativeTime { .. } | Normalisation::Share => {
            format!("{} %", significant_2(value * 100.0))
        }
        // Counted things say "an operation" themselves.
        Normalisation::WeightPerOperation if matches!(unit, Unit::Count(of) if !of.is_empty()) => {
            quantity.to_string()
        }
        Normalisation::TimePerOperation { .. } | Normalisation::WeightPerOperation => {
            format!("{quantity}/op")
        }
    }
}

/// How costs were made comparable, as a sentence for the head of a comparison.
pub(crate) fn normalisation_sentence(normalisation: &Normalisation) -> String {
    match normalisation {
        Normalisation::TimePerOperation { benchmark, measure } => {
            format!("Costs are the share of the profile times the time per operation ({measure} of {benchmark}).")
        }
        Normalisation::RelativeTime { benchmarks } => format!(
            "Costs are parts of the baseline's time: the share of the profile times the relative time over {}.",
            counted(*benchmarks, "benchmark")
        ),
        Normalisation::WeightPerOperation => {
            "Costs are the profile's weight divided by the operations that the profiled runs did.".to_owned()
        }
        Normalisation::Share => {
            "Costs are shares of each profile: no benchmark says how much work was done, so a larger share may be \
             less time."
                .to_owned()
        }
    }
}

/// The class of a category's colour; the project's own categories share one.
pub(crate) fn category_class(category: &Category) -> &str {
    match category {
        Category::User(_) => "user",
        built_in => built_in.name(),
    }
}

/// A whole number with thousands separators.
pub(crate) fn whole(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 run`, `2 runs`, `no runs`.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    match n {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", whole(n as u64)),
    }
}

/// A share as a percentage with at most three digits.
pub(crate) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{} %", significant_3(share * 100.0)) } else { "–".to_owned() }
}

/// A share as a whole percentage, for headlines.
pub(crate) fn whole_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0).replace('-', "\u{2212}")
}

fn significant_3(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
    .replace('-', "\u{2212}")
}

/// A probability: three digits, or an upper bound where it is tiny.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { significant(p) }
}

/// An instant, for people: how long ago, with the exact time beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct When {
    /// `3 hours ago`.
    pub(crate) relative: String,
    /// `2026-12-01 10:00 UTC`.
    pub(crate) absolute: String,
    /// RFC 3339, for `datetime`.
    pub(crate) machine: String,
}

/// Says when `at` was, seen from `now`.
pub(crate) fn when(at: DateTime<Utc>, now: DateTime<Utc>) -> When {
    let seconds = (now - at).num_seconds();
    let relative = match seconds {
        i64::MIN..=-60 => "in the future".to_owned(),
        -59..=59 => "just now".to_owned(),
        60..=3_599 => ago(seconds / 60, "minute"),
        3_600..=86_399 => ago(seconds / 3_600, "hour"),
        86_400..=2_591_999 => ago(seconds / 86_400, "day"),
        2_592_000..=31_535_999 => ago(seconds / 2_592_000, "month"),
        _ => ago(seconds / 31_536_000, "year"),
    };
    When {
        relative,
        absolute: at.format("%Y-%m-%d %H:%M UTC").to_string(),
        machine: at.to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

fn ago(n: i64, noun: &str) -> String {
    format!("{n} {noun}{} ago", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_says_better_or_worse_by_the_measure_and_not_by_its_sign() {
        let slower = change_text(-0.472, Better::Higher, FindingOutcome::Regressed);
        assert_eq!((slower.tone, slower.sign, slower.word), ("worse", "▼", "worse"));
        let faster = change_text(-0.472, Better::Lower, FindingOutcome::Improved);
        assert_eq!((faster.tone, faster.sign, faster.word), ("better", "▼", "better"));
    }

    #[test]
    fn an_unchanged_finding_is_never_coloured() {
        assert_eq!(change_text(-0.029, Better::Higher, FindingOutcome::Unchanged).tone, "quiet");
        assert_eq!(change_text(0.3, Better::Neither, FindingOutcome::Informational).word, "");
    }

    #[test]
    fn a_difference_of_shares_is_in_points() {
        let text = cost_change(-0.15, &Unit::Ratio, &Normalisation::Share);
        assert_eq!((text.number.as_str(), text.word), ("−15.0 pp", "less"));
    }

    #[test]
    fn every_outcome_has_its_own_sign_and_word() {
        let all = [
            None,
            Some(Outcome::Regressed),
            Some(Outcome::Improved),
            Some(Outcome::Mixed),
            Some(Outcome::Unchanged),
            Some(Outcome::Unstable),
            Some(Outcome::Inconclusive),
            Some(Outcome::NoBaseline),
        ];
        let signs: std::collections::BTreeSet<_> = all.iter().map(|o| outcome_chip(*o).sign).collect();
        let words: std::collections::BTreeSet<_> = all.iter().map(|o| outcome_chip(*o).label).collect();
        assert_eq!((signs.len(), words.len()), (all.len(), all.len()));
        assert_ne!(outcome_chip(Some(Outcome::NoBaseline)).tone, "better");
    }

    #[test]
    fn times_read_as_people_say_them() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        for (seconds, text) in [
            (5, "just now"),
            (90, "1 minute ago"),
            (7_300, "2 hours ago"),
            (90_000, "1 day ago"),
            (-500, "in the future"),
        ] {
            assert_eq!(when(now - chrono::TimeDelta::seconds(seconds), now).relative, text);
        }
        assert_eq!(when(now, now).absolute, "2027-01-15 08:00 UTC");
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(
            [counted(0, "run"), counted(1, "run"), counted(1_234, "run")],
            ["no runs", "1 run", "1,234 runs"]
        );
    }
}
