//! The verdict in one English sentence, the same wherever it is shown.

use std::collections::BTreeSet;

use model::profile::Category;
use model::quantity::signed_percent;
use model::verdict::{Confidence, Finding, FindingOutcome, Outcome, Presence, Suspect};
use model::{Kind, Share, Unit};

use crate::headline::is_whole;
use crate::judge::Judged;
use crate::policy::Nature;
use crate::report::{Conclusion, Parts, deciding};

/// Puts a conclusion in words.
pub(crate) fn sentence(parts: &Parts, conclusion: Conclusion) -> String {
    let mut text = match conclusion.outcome {
        Outcome::Mixed => mixed(parts),
        Outcome::Regressed => moved(parts, FindingOutcome::Regressed),
        Outcome::Improved => moved(parts, FindingOutcome::Improved),
        Outcome::Unchanged => unchanged(parts),
        Outcome::Unstable => doubtful(parts, FindingOutcome::Unstable, "Too noisy to judge"),
        Outcome::Inconclusive => inconclusive(parts),
        Outcome::NoBaseline => no_baseline(parts),
    };
    if let Some(worst) = parts.breaches.first() {
        let breach = &worst.breach;
        let clause = format!(
            "{} takes {} of the {} profile, over its budget of {}",
            breach.subject,
            Share(breach.share),
            breach.event,
            Share(breach.limit)
        );
        text = if text.is_empty() { capital(&clause) } else { format!("{text}; {clause}") };
    }
    text.push('.');
    text
}

/// `Throughput of read fell 47.2 % (likely: one reading a side)`, how many more, and what explains it.
fn moved(parts: &Parts, outcome: FindingOutcome) -> String {
    let mut found = deciding(parts, outcome);
    let Some(lead) = found.next() else { return String::new() };
    let mut others: BTreeSet<_> = found.map(|judged| &judged.finding.benchmark).collect();
    others.remove(&lead.finding.benchmark);
    let direction = if outcome == FindingOutcome::Regressed { "worse" } else { "better" };
    let more = match others.len() {
        0 => String::new(),
        1 => format!(", and 1 more benchmark got {direction}"),
        n => format!(", and {n} more benchmarks got {direction}"),
    };
    let why = explanation(parts).map(|why| format!("; {why}")).unwrap_or_default();
    format!("{} ({}){more}{why}", capital(&change(&lead.finding)), surety(&lead.finding))
}

/// The first suspect with its part of the change.
fn explanation(parts: &Parts) -> Option<String> {
    let suspects = parts.profiles.iter().flat_map(|profile| &profile.suspects);
    let suspect = suspects
        .filter(|suspect| suspect.explained_share.is_some_and(|share| share > 0.0))
        .max_by(|a, b| a.explained_share.unwrap_or(0.0).total_cmp(&b.explained_share.unwrap_or(0.0)))?;
    let share = suspect.explained_share?;
    let part = if share >= 0.995 { "all".to_owned() } else { format!("{:.0} %", share * 100.0) };
    Some(format!("{} explains {part} of it", culprit(suspect)))
}

/// `logging entered from PagerReads$Pager.logPage`, or the frame alone where it has no category.
fn culprit(suspect: &Suspect) -> String {
    match &suspect.category {
        Category::Other => suspect.frame.clone(),
        category => format!("{} entered from {}", activity(category), suspect.frame),
    }
}

/// What a program does when its frames are of a category.
fn activity(category: &Category) -> &str {
    match category {
        Category::Copy => "copying",
        Category::Gc => "garbage collection",
        Category::Lock => "locking",
        Category::Io => "I/O",
        Category::Checksum => "checksums",
        Category::Crypto => "encryption",
        Category::Exceptions => "exception handling",
        Category::Regex => "regular expressions",
        Category::Jit => "compiling at run time",
        Category::Scheduler => "scheduling",
        Category::Idle => "waiting",
        other => other.name(),
    }
}

/// `throughput of read fell 47.2 %`.
fn change(finding: &Finding) -> String {
    let subject = subject(finding);
    match finding.change {
        None => format!("{subject} went {}", finding.reason),
        Some(change) if change >= 9.0 => {
            format!("{subject} rose to {} of what it was", signed_percent(change))
        }
        Some(change) => {
            let verb = if change < 0.0 { "fell" } else { "rose" };
            format!("{subject} {verb} {}", signed_percent(change.abs()).trim_start_matches('+'))
        }
    }
}

/// `throughput of read`; `total throughput` where the benchmark is the whole of others.
fn subject(finding: &Finding) -> String {
    if is_whole(&finding.benchmark) && finding.benchmark.parameters.is_empty() {
        return format!("{} {}", finding.benchmark, spoken(finding));
    }
    format!("{} of {}", spoken(finding), finding.benchmark)
}

/// A measure as people say it.
fn spoken(finding: &Finding) -> String {
    let measure = &finding.measure;
    let name = measure.name.as_str();
    match (Nature::of(measure), &measure.unit) {
        (Nature::Rate, Unit::PerSecond(_) | Unit::BytesPerSecond) => "throughput".to_owned(),
        (Nature::Centre, Unit::Nanoseconds)
            if ["ns/op", "sec/op", "time", "mean", "median"].contains(&name) =>
        {
            "time per operation".to_owned()
        }
        _ => name.to_owned(),
    }
}

/// `confirmed: 10 readings a side`, `likely: one reading a side`: what the confidence rests on.
fn surety(finding: &Finding) -> String {
    let confidence = finding.confidence.name();
    let read = match (finding.base, finding.head) {
        _ if finding.reason.contains("summary") => "one summary a side".to_owned(),
        (Some(base), Some(head)) if base.n == 1 && head.n == 1 => "one reading a side".to_owned(),
        (Some(base), Some(head)) if base.n == head.n => format!("{} readings a side", base.n),
        (Some(base), Some(head)) => format!("{} against {} readings", base.n, head.n),
        _ => return confidence.to_owned(),
    };
    format!("{confidence}: {read}")
}

/// Two kinds that went different ways are told by kind; else the largest of each side.
fn mixed(parts: &Parts) -> String {
    by_kind(parts).unwrap_or_else(|| {
        let worse = moved(parts, FindingOutcome::Regressed);
        let better = deciding(parts, FindingOutcome::Improved).next();
        let better = better
            .map(|judged| format!("{} ({})", change(&judged.finding), judged.finding.confidence.name()));
        match (worse.is_empty(), better) {
            (true, Some(better)) => capital(&better),
            (false, Some(better)) => format!("{worse}, while {better}"),
            (_, None) => worse,
        }
    })
}

fn by_kind(parts: &Parts) -> Option<String> {
    let of = |kind: Kind, outcome| {
        deciding(parts, outcome).filter(move |judged| judged.finding.kind == Some(kind)).collect::<Vec<_>>()
    };
    let (worse, better) = (FindingOutcome::Regressed, FindingOutcome::Improved);
    let whole = [of(Kind::EndToEnd, worse), of(Kind::EndToEnd, better)];
    let micro = [of(Kind::Micro, worse), of(Kind::Micro, better)];
    let (went, other, lead, rest) = match (whole, micro) {
        ([w, b], [mw, mb]) if b.is_empty() && mw.is_empty() && !w.is_empty() && !mb.is_empty() => {
            ("regressed", "improved", w, mb)
        }
        ([w, b], [mw, mb]) if w.is_empty() && mb.is_empty() && !b.is_empty() && !mw.is_empty() => {
            ("improved", "regressed", b, mw)
        }
        _ => return None,
    };
    let head = lead.first()?;
    let change = head.finding.change.map_or_else(|| head.finding.reason.clone(), signed_percent);
    Some(format!(
        "The end-to-end {} {went} while the {} {other}: {} {change} ({}) against {}",
        plural("benchmark", benchmarks(&lead)),
        plural("micro-benchmark", benchmarks(&rest)),
        spoken(&head.finding),
        head.finding.confidence.name(),
        range(parts, &rest)
    ))
}

/// `+8 % to +18 %` over the headlines of the same kind and direction, those under the floor included.
fn range(parts: &Parts, decided: &[&Judged]) -> String {
    let Some(first) = decided.first() else { return String::new() };
    let better = first.finding.measure.better;
    let upward = first.finding.change.unwrap_or(0.0) > 0.0;
    let alike = |judged: &&Judged| {
        judged.is_headline
            && judged.finding.kind == first.finding.kind
            && judged.finding.measure.better == better
    };
    let changes = parts.judged.iter().filter(alike).filter_map(|judged| judged.finding.change);
    let mut changes: Vec<f64> =
        changes.filter(|change| *change != 0.0 && (*change > 0.0) == upward).collect();
    changes.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    match (changes.first(), changes.last()) {
        (Some(a), Some(b)) if a != b => format!("{} to {}", signed_percent(*a), signed_percent(*b)),
        (Some(a), _) => signed_percent(*a),
        _ => first.finding.reason.clone(),
    }
}

fn benchmarks(judged: &[&Judged]) -> usize {
    judged.iter().map(|judged| &judged.finding.benchmark).collect::<BTreeSet<_>>().len()
}

fn plural(word: &str, n: usize) -> String {
    if n == 1 { word.to_owned() } else { format!("{word}s") }
}

fn unchanged(parts: &Parts) -> String {
    let headlines: Vec<&Judged> = parts
        .judged
        .iter()
        .filter(|j| j.is_headline && j.finding.outcome == FindingOutcome::Unchanged)
        .collect();
    let size = |judged: &Judged| judged.finding.change.map_or(0.0, f64::abs);
    let largest = headlines.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    let text = match (headlines.len(), largest) {
        (_, None) => "Nothing that was compared changed".to_owned(),
        (1, Some(only)) => format!(
            "{} is unchanged ({}, {})",
            capital(&subject(&only.finding)),
            only.finding.change.map_or_else(String::new, signed_percent),
            only.finding.reason
        ),
        (n, Some(largest)) if size(largest) > 0.0 => format!(
            "None of {n} benchmarks changed past its floor; the largest change is {} ({})",
            largest.finding.change.map_or_else(String::new, signed_percent),
            subject(&largest.finding)
        ),
        (n, Some(_)) => format!("None of {n} benchmarks changed"),
    };
    match quiet_suspect(parts) {
        Some(suspect) => format!("{text}, but {suspect}"),
        None => text,
    }
}

/// A frame whose share surely rose although no benchmark could see it.
fn quiet_suspect(parts: &Parts) -> Option<String> {
    let mut suspects = parts.profiles.iter().flat_map(|p| p.suspects.iter().map(move |s| (p, s)));
    let (profile, suspect) =
        suspects.find(|(_, s)| s.confidence == Confidence::Confirmed && s.delta > 0.0)?;
    let how = match suspect.presence {
        Presence::New => format!("is new with {}", Share(suspect.share.1)),
        _ => format!("grew from {} to {}", Share(suspect.share.0), Share(suspect.share.1)),
    };
    Some(format!("{} {how} of the {} profile", suspect.frame, profile.event))
}

fn doubtful(parts: &Parts, outcome: FindingOutcome, opening: &str) -> String {
    let found = parts.judged.iter().find(|judged| judged.is_headline && judged.finding.outcome == outcome);
    let Some(lead) = found else { return opening.to_owned() };
    format!("{opening}: {}: {}", subject(&lead.finding), lead.finding.reason)
}

fn inconclusive(parts: &Parts) -> String {
    if let Some(failed) = parts.judged.iter().find(|judged| judged.finding.outcome == FindingOutcome::Failed)
    {
        return format!("{} failed, so the run cannot be called fine", failed.finding.benchmark);
    }
    if parts.judged.iter().any(|judged| judged.finding.outcome == FindingOutcome::Inconclusive) {
        return doubtful(parts, FindingOutcome::Inconclusive, "Too few readings to judge");
    }
    match quiet_suspect(parts) {
        Some(suspect) => format!("No benchmark has both sides, but {suspect}"),
        None => "Nothing to judge: no benchmark has both sides".to_owned(),
    }
}

fn no_baseline(parts: &Parts) -> String {
    let n = parts.judged.iter().map(|judged| &judged.finding.benchmark).collect::<BTreeSet<_>>().len();
    match n {
        0 => "No baseline to compare with".to_owned(),
        n => format!("No baseline to compare with; {n} {} recorded", plural("benchmark", n)),
    }
}

/// The text with a capital first letter.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
