//! The comment for a pull request. It stands alone without images, is cut well below GitHub's 65,536 characters,
//! and no name in it can become markup, a link, a mention or an end of a table.

use std::fmt::Write as _;

use model::{FindingOutcome, Outcome, ProfileComparison, Share, Verdict};

use super::Links;
use super::rows::{cost, counts, finding_change, normalisation, sides};

/// Findings shown before a link takes over.
const ROWS: usize = 3;
/// Names and sentences longer than this are cut: a comment is for reading.
const TEXT: usize = 400;
/// GitHub refuses more than 65,536 characters; this leaves room for a marker and a signature.
const LIMIT: usize = 60_000;

/// The whole comment.
pub fn render(verdict: &Verdict, links: &Links) -> String {
    let mut out = headline(verdict);
    if let Some(baseline) = &verdict.baseline {
        let _ = writeln!(out, "\nCompared with {}.", escape(baseline));
    }
    changes(&mut out, verdict, links);
    for comparison in &verdict.profiles {
        suspects(&mut out, comparison);
    }
    budgets(&mut out, verdict);
    details(&mut out, verdict, links);
    if let Some(run) = &links.run {
        let _ = writeln!(out, "\n[Full comparison with charts and flame graphs]({run})");
    }
    if out.len() > LIMIT {
        // Only hostile input gets here: every list above is short and every name is cut.
        let mut end = LIMIT;
        while !out.is_char_boundary(end) {
            end -= 1;
        }
        out.truncate(end);
        out.push_str("\n\u{2026}\n");
    }
    out
}

fn headline(verdict: &Verdict) -> String {
    let (action, mark) = match verdict.outcome {
        _ if !verdict.budgets.is_empty() => ("please look", "\u{26a0}\u{fe0f}"),
        Outcome::Regressed | Outcome::Mixed => ("please look", "\u{26a0}\u{fe0f}"),
        Outcome::Improved => ("no action needed", "\u{1f680}"),
        Outcome::Unchanged => ("no action needed", "\u{2705}"),
        Outcome::Unstable | Outcome::Inconclusive => ("could not judge", "\u{2754}"),
        Outcome::NoBaseline => ("nothing to compare with yet", "\u{2754}"),
    };
    format!(
        "### {mark} perfblame: {action}\n\n**{}** {}\n",
        capital(verdict.outcome.name()),
        escape(&verdict.sentence)
    )
}

fn changes(out: &mut String, verdict: &Verdict, links: &Links) {
    let changed: Vec<_> = verdict
        .findings
        .iter()
        .filter(|f| matches!(f.outcome, FindingOutcome::Regressed | FindingOutcome::Failed))
        .chain(verdict.with_outcome(FindingOutcome::Improved))
        .collect();
    if changed.is_empty() {
        return;
    }
    out.push_str("\n| benchmark | measure | baseline \u{2192} candidate | change | confidence |\n|---|---|---|---:|---|\n");
    for finding in changed.iter().take(ROWS) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            escape(&finding.benchmark.to_string()),
            escape(finding.measure.name.as_str()),
            escape(&sides(finding)),
            escape(&finding_change(finding)),
            finding.confidence.name()
        );
    }
    if changed.len() > ROWS {
        let more = changed.len() - ROWS;
        match &links.run {
            Some(run) => _ = writeln!(out, "\n[{more} more changes]({run})"),
            None => _ = writeln!(out, "\n{more} more changes below."),
        }
    }
}

fn suspects(out: &mut String, comparison: &ProfileComparison) {
    if comparison.suspects.is_empty() {
        return;
    }
    out.push_str("\n**Which code did it**\n\n");
    for suspect in comparison.suspects.iter().take(ROWS) {
        let _ = write!(
            out,
            "- {} ({}): {} \u{2192} {}",
            symbol(&suspect.frame),
            escape(suspect.category.name()),
            cost(comparison, suspect.total_cost.0),
            cost(comparison, suspect.total_cost.1)
        );
        if let Some(share) = suspect.explained_share {
            let _ = write!(out, ", explains **{}** of the change", Share(share));
        }
        if let Some(caller) = &suspect.called_from {
            let _ = write!(out, "; called from {}", symbol(caller));
        }
        let parts: Vec<String> = suspect
            .of_which
            .iter()
            .filter(|(category, _)| *category != suspect.category)
            .take(3)
            .map(|(category, part)| format!("{} {}", escape(category.name()), Share(*part)))
            .collect();
        if !parts.is_empty() {
            let _ = write!(out, "; of which {}", parts.join(", "));
        }
        out.push('\n');
    }
}

fn budgets(out: &mut String, verdict: &Verdict) {
    for budget in verdict.budgets.iter().take(ROWS) {
        let _ = writeln!(
            out,
            "\n**Over budget:** {} takes {} of {}, more than the {} allowed.",
            escape(&budget.subject),
            Share(budget.share),
            escape(&budget.event),
            Share(budget.limit)
        );
    }
}

fn details(out: &mut String, verdict: &Verdict, links: &Links) {
    let _ = write!(out, "\n<details><summary>Details</summary>\n\n{}\n", escape(&counts(verdict)));
    let rest = verdict.findings.iter().filter(|f| {
        !matches!(f.outcome, FindingOutcome::Unchanged | FindingOutcome::Informational | FindingOutcome::New)
    });
    let mut rows = 0;
    for finding in rest {
        if rows == 0 {
            out.push_str("\n| benchmark | measure | values | change | why |\n|---|---|---|---:|---|\n");
        }
        rows += 1;
        if rows > 50 {
            out.push_str("\n\u{2026} more on the page.\n");
            break;
        }
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            escape(&finding.benchmark.to_string()),
            escape(finding.measure.name.as_str()),
            escape(&sides(finding)),
            escape(&finding_change(finding)),
            escape(&finding.reason)
        );
    }
    for comparison in &verdict.profiles {
        let _ = writeln!(out, "\nProfile, {}.", escape(&normalisation(comparison)));
        for note in comparison.quality.iter().take(10) {
            let _ = writeln!(out, "- {}", escape(note));
        }
    }
    for note in verdict.notes.iter().take(20) {
        let _ = writeln!(out, "- {}", escape(note));
    }
    if let Some(command) = &links.reproduce {
        let _ = writeln!(out, "\nThe same verdict again: {}", code(command));
    }
    out.push_str("\n</details>\n");
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect::<String>() + ".")
}

/// Text that Markdown and the HTML inside it show as it is: punctuation that means something is escaped, `<`, `>`
/// and `&` become entities, `@` and `#` get a word joiner so that nobody is mentioned and no issue linked, and
/// addresses do not become links.
pub fn escape(text: &str) -> String {
    let clean = super::text::cut(text, TEXT);
    let mut out = String::with_capacity(clean.len() + 16);
    for c in clean.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' | '#' => {
                out.push(c);
                out.push('\u{2060}');
            }
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out.replace("://", ":\u{2060}//").replace("www.", "www\u{2060}.")
}

/// A frame as a code span; escaped instead where it holds what a careless renderer could take for markup.
fn symbol(frame: &str) -> String {
    if frame.contains(['<', '>', '&', '`', '|', '@']) { escape(frame) } else { code(frame) }
}

/// A code span around any text: the fence is longer than any run of backticks inside.
fn code(text: &str) -> String {
    let text = super::text::cut(text, TEXT);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup_mentions_or_cells() {
        assert_eq!(escape("<img src=x>|@all `x` #1"), "&lt;img src=x&gt;\\|@\u{2060}all \\`x\\` #\u{2060}1");
        assert_eq!(escape("https://x.test"), "https:\u{2060}//x.test");
        assert_eq!(code("a``b"), "```a``b```");
    }
}
