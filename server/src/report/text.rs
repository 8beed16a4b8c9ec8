//! The table for a terminal, at most 100 columns, no colours: CI logs keep it readable.

use std::fmt::Write as _;

use model::{FindingOutcome, ProfileComparison, Share, Suspect, Verdict};

use super::Links;
use super::rows::{cost, counts, finding_change, normalisation, sides};

/// Unchanged rows printed before the rest is counted only.
const QUIET_ROWS: usize = 12;

/// The whole report.
pub fn render(verdict: &Verdict, links: &Links) -> String {
    let mut out = format!("{}: {}\n", verdict.outcome.name().to_uppercase(), printable(&verdict.sentence));
    if let Some(baseline) = &verdict.baseline {
        let _ = writeln!(out, "compared with {}", printable(baseline));
    }
    out.push('\n');
    findings(&mut out, verdict);
    for comparison in &verdict.profiles {
        profile(&mut out, comparison);
    }
    for budget in &verdict.budgets {
        let _ = writeln!(
            out,
            "\nover budget: {} takes {} of {}, more than the {} allowed",
            printable(&budget.subject),
            Share(budget.share),
            printable(&budget.event),
            Share(budget.limit)
        );
        for (frame, share) in budget.frames.iter().take(5) {
            let _ = writeln!(out, "  {:>8}  {}", Share(*share).to_string(), printable(frame));
        }
    }
    for note in &verdict.notes {
        let _ = writeln!(out, "note: {}", printable(note));
    }
    if let Some(run) = &links.run {
        let _ = writeln!(out, "\n{run}");
    }
    out
}

fn findings(out: &mut String, verdict: &Verdict) {
    if verdict.findings.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}\n", counts(verdict));
    let quiet = |outcome| matches!(outcome, FindingOutcome::Unchanged | FindingOutcome::Informational);
    let mut quiet_left = QUIET_ROWS;
    let mut rows: Vec<[String; 5]> = Vec::new();
    let mut hidden = 0;
    for finding in &verdict.findings {
        if quiet(finding.outcome) {
            if quiet_left == 0 || finding.outcome == FindingOutcome::Informational {
                hidden += 1;
                continue;
            }
            quiet_left -= 1;
        }
        rows.push([
            cut(&finding.benchmark.to_string(), 36),
            cut(finding.measure.name.as_str(), 24),
            sides(finding),
            finding_change(finding),
            finding.confidence.name().to_owned(),
        ]);
    }
    table(out, &["benchmark", "measure", "baseline \u{2192} candidate", "change", "confidence"], &rows);
    if hidden > 0 {
        let _ = writeln!(out, "\u{2026} and {hidden} more unchanged or informational");
    }
}

fn table(out: &mut String, head: &[&str; 5], rows: &[[String; 5]]) {
    let mut widths = head.map(|cell| cell.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: [&str; 5]| {
        let padded: Vec<String> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count().min(width))))
            .collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    out.push_str(&line(*head));
    for row in rows {
        out.push_str(&line([&row[0], &row[1], &row[2], &row[3], &row[4]]));
    }
}

fn profile(out: &mut String, comparison: &ProfileComparison) {
    let _ = writeln!(out, "\nprofile, {}", printable(&normalisation(comparison)));
    for category in &comparison.categories {
        let delta = category.head - category.base;
        if category.base_share.max(category.head_share) >= 0.005 {
            let _ = writeln!(
                out,
                "  {:<16} {} \u{2192} {}  ({}{})",
                cut(category.category.name(), 16),
                cost(comparison, category.base),
                cost(comparison, category.head),
                if delta >= 0.0 { "+" } else { "" },
                cost(comparison, delta)
            );
        }
    }
    for suspect in comparison.suspects.iter().take(5) {
        out.push_str(&suspect_lines(comparison, suspect));
    }
    if !comparison.moved.is_empty() {
        let _ = writeln!(out, "  moved without changing the total: {} frames", comparison.moved.len());
    }
    for note in &comparison.quality {
        let _ = writeln!(out, "  note: {}", printable(note));
    }
}

fn suspect_lines(comparison: &ProfileComparison, suspect: &Suspect) -> String {
    let mut out = format!(
        "  suspect: {} ({}, {})\n           {} \u{2192} {}",
        printable(&suspect.frame),
        printable(suspect.category.name()),
        suspect.confidence.name(),
        cost(comparison, suspect.total_cost.0),
        cost(comparison, suspect.total_cost.1)
    );
    if let Some(share) = suspect.explained_share {
        let _ = write!(out, ", explains {} of the change", Share(share));
    }
    out.push('\n');
    if let Some(caller) = &suspect.called_from {
        let _ = writeln!(out, "           called from {}", printable(caller));
    }
    let parts: Vec<String> = suspect
        .of_which
        .iter()
        .filter(|(category, _)| *category != suspect.category)
        .take(4)
        .map(|(category, part)| format!("{} {}", printable(category.name()), Share(*part)))
        .collect();
    if !parts.is_empty() {
        let _ = writeln!(out, "           of which {}", parts.join(", "));
    }
    out
}

/// A text safe for a terminal and a log line: control characters (escape sequences among them) and bidirectional
/// overrides become a replacement character.
pub fn printable(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// At most `limit` characters, the end replaced by an ellipsis.
pub fn cut(text: &str, limit: usize) -> String {
    let clean = printable(text);
    if clean.chars().count() <= limit {
        return clean;
    }
    clean.chars().take(limit.saturating_sub(1)).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_and_overrides_are_made_visible() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}c\n"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}");
        assert_eq!(cut("abcdef", 4), "abc\u{2026}");
    }
}
