//! The lines of one report.

use model::Better;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::number::{Marks, number};
use crate::report::builder::Builder;
use crate::text::cut;

/// Bytes of a statement that are kept to name it.
const STATEMENT_BYTES: usize = 200;

/// One number of a section.
pub(super) struct Value {
    pub(super) at: usize,
    pub(super) measure: String,
    pub(super) unit: String,
    pub(super) number: f64,
    pub(super) better: Better,
}

/// What `--report-per-command` says of one statement.
pub(super) struct Statement {
    pub(super) at: usize,
    pub(super) text: String,
    pub(super) latency: f64,
    /// Failures and retries, as far as the version prints them.
    pub(super) counts: Vec<f64>,
}

/// The whole run, or one of its scripts.
pub(super) struct Section {
    pub(super) at: usize,
    pub(super) script: Option<String>,
    pub(super) values: Vec<Value>,
    /// Line, measure, name and milliseconds of a spread or a maximum.
    pub(super) figures: Vec<(usize, &'static str, String, f64)>,
    pub(super) statements: Vec<Statement>,
    is_listing: bool,
    /// How often each statement stands in the list.
    texts: FxHashMap<String, usize>,
}

impl Section {
    fn new(at: usize, script: Option<String>) -> Self {
        let (values, figures, statements) = (Vec::new(), Vec::new(), Vec::new());
        Self { at, script, values, figures, statements, is_listing: false, texts: FxHashMap::default() }
    }

    fn add(&mut self, at: usize, measure: &str, unit: &str, value: f64, better: Better) {
        let (measure, unit) = (measure.to_owned(), unit.to_owned());
        self.values.push(Value { at, measure, unit, number: value, better });
    }
}

/// One report.
pub(super) struct Report {
    pub(super) settings: Vec<(String, String)>,
    /// The whole run first, then the scripts; never empty.
    pub(super) sections: Vec<Section>,
    /// What stopped it.
    pub(super) error: Option<String>,
    type_seen: bool,
    scripts: FxHashSet<String>,
}

/// Settings by what the report calls them.
const SETTINGS: [&str; 12] = [
    "transaction type",
    "scaling factor",
    "partition method",
    "partitions",
    "query mode",
    "number of clients",
    "number of threads",
    "maximum number of tries",
    "duration",
    "number of transactions per client",
    "random seed",
    "number of tries",
];

/// Counts by what the report calls them: the measure, and which way is better.
const COUNTS: [(&str, &str, Better); 9] = [
    ("number of transactions actually processed", "transactions processed", Better::Neither),
    ("number of failed transactions", "failed transactions", Better::Lower),
    ("number of serialization failures", "serialization failures", Better::Lower),
    ("number of deadlock failures", "deadlock failures", Better::Lower),
    ("number of other failures", "other failures", Better::Lower),
    ("number of transactions retried", "retried transactions", Better::Lower),
    ("total number of retries", "retries", Better::Lower),
    ("number of transactions skipped", "skipped", Better::Lower),
    ("number of errors", "errors", Better::Lower),
];

impl Report {
    pub(super) fn new(at: usize) -> Self {
        Self {
            settings: Vec::new(),
            sections: vec![Section::new(at, None)],
            error: None,
            type_seen: false,
            scripts: FxHashSet::default(),
        }
    }

    /// Whether a line begins the next report: each has its head once.
    pub(super) fn begins_with(line: &str, last: Option<&Self>) -> bool {
        let line = line.trim();
        let whole = |report: &Self| report.sections.first().is_some_and(|s| !s.values.is_empty());
        let is_type = line.starts_with("transaction type:");
        if line.starts_with("pgbench (") {
            return last.is_none_or(|report| report.type_seen);
        }
        match last {
            None => is_type || line.starts_with("pgbench: ") || line.starts_with("number of "),
            Some(report) => is_type && report.type_seen && whole(report),
        }
    }

    pub(super) fn line(&mut self, builder: &mut Builder<'_>, at: usize, line: &str) {
        let is_known = self.script(at, line) || self.statement(at, line) || self.settings(line);
        if is_known || is_progress(line) || self.problem(builder, at, line) {
            return;
        }
        let bare = line.trim().trim_start_matches("- ").trim_start();
        let Some(section) = self.sections.last_mut() else { return };
        if bare.ends_with(':') && bare.starts_with("statement latencies in milliseconds") {
            section.is_listing = true;
        } else if value(section, at, bare).is_none() {
            builder.unknown_line(at, line);
        }
    }

    fn script(&mut self, at: usize, line: &str) -> bool {
        let named = line.trim_start().strip_prefix("SQL script ").and_then(|rest| rest.split_once(": "));
        let Some((number, name)) = named else { return false };
        let again = !self.scripts.insert(name.trim().to_owned());
        let name = if again { format!("{} ({number})", name.trim()) } else { name.trim().to_owned() };
        self.sections.push(Section::new(at, Some(name)));
        true
    }

    /// `         0.180           0           0  SELECT …`: a latency, counts, two blanks, the statement.
    fn statement(&mut self, at: usize, line: &str) -> bool {
        let Some(section) = self.sections.last_mut().filter(|section| section.is_listing) else {
            return false;
        };
        let mut rest = line.trim();
        let mut numbers = Vec::new();
        while let Some((word, more)) = rest.split_once(char::is_whitespace) {
            let Some(value) = number(word, Marks::Point).filter(|_| numbers.len() < 3) else { break };
            numbers.push(value);
            rest = more.trim_start();
        }
        let (Some((latency, counts)), false) = (numbers.split_first(), rest.is_empty()) else {
            section.is_listing = false;
            return false;
        };
        let text = cut(rest, STATEMENT_BYTES);
        let times = section.texts.entry(text.to_owned()).or_default();
        *times += 1;
        let text = if *times > 1 { format!("{text} ({times})") } else { text.to_owned() };
        section.statements.push(Statement { at, text, latency: *latency, counts: counts.to_vec() });
        true
    }

    fn settings(&mut self, line: &str) -> bool {
        let line = line.trim();
        if let Some(version) = line.strip_prefix("pgbench (") {
            let version = version.split([')', ' ', ',']).next().unwrap_or_default();
            self.settings.push(("pgbench".to_owned(), version.to_owned()));
            return true;
        }
        let Some((name, value)) = line.split_once(':') else { return false };
        if !SETTINGS.contains(&name) {
            return false;
        }
        self.type_seen |= name == "transaction type";
        self.settings.push((name.to_owned(), value.trim().to_owned()));
        true
    }

    /// What pgbench says in words: an error ends the run.
    fn problem(&mut self, builder: &mut Builder<'_>, at: usize, line: &str) -> bool {
        let line = line.trim();
        let error = ["pgbench: error: ", "pgbench: fatal: "].iter().find_map(|head| line.strip_prefix(head));
        if let Some(error) = error {
            self.error.get_or_insert_with(|| error.to_owned());
            return true;
        }
        if line == "Run was aborted; the above results are incomplete." {
            self.error.get_or_insert_with(|| line.to_owned());
            return true;
        }
        if let Some(rest) = line.strip_prefix("pgbench: ") {
            builder.warn(crate::error::At::Line(at), rest);
            return true;
        }
        false
    }
}

/// Lines that pgbench prints on the way and that say nothing about the result.
fn is_progress(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with("starting vacuum")
        || line.starts_with("progress: ")
        || line.starts_with("end.")
        || line.starts_with("- weight: ")
}

/// Reads one line with a number of the result; `None` where it is none.
fn value(section: &mut Section, at: usize, line: &str) -> Option<()> {
    let first = |text: &str| {
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | 'e' | '+')).unwrap_or(text.len());
        number(text.get(..end)?, Marks::Point)
    };
    if let Some((name, rest)) = line.split_once(':') {
        if let Some((_, measure, better)) = COUNTS.iter().find(|(known, ..)| *known == name) {
            section.add(at, measure, "count", first(rest.trim())?, *better);
            return Some(());
        }
        if name.starts_with("number of transactions above the ") && name.ends_with(" latency limit") {
            section.add(at, "above latency limit", "count", first(rest.trim())?, Better::Lower);
            return Some(());
        }
        if name == "rate limit schedule lag" {
            let (average, max) = rest.trim().strip_prefix("avg ")?.split_once(" (max ")?;
            section.add(at, name, "ms", first(average)?, Better::Lower);
            section.figures.push((
                at,
                "rate limit schedule lag",
                "rate limit schedule lag max".to_owned(),
                first(max)?,
            ));
            return Some(());
        }
    }
    if let Some((n, rest)) = line.split_once(" transactions (") {
        section.add(at, "transactions processed", "count", first(n)?, Better::Neither);
        let tps = rest.split_once("tps = ").and_then(|(_, tps)| first(tps));
        section.values.extend(tps.map(|value| Value {
            at,
            measure: "tps".to_owned(),
            unit: "1/s".to_owned(),
            number: value,
            better: Better::Higher,
        }));
        return Some(());
    }
    // Up to 9.5 a colon stands where later versions have an equals sign.
    let (name, rest) = line.split_once(" = ").or_else(|| line.split_once(": "))?;
    let value = first(rest.trim())?;
    match name.trim() {
        "tps" if rest.contains("including connections") => {
            section.add(at, "tps including connections", "1/s", value, Better::Higher);
        }
        "tps" => section.add(at, "tps", "1/s", value, Better::Higher),
        name @ ("latency average" | "initial connection time" | "average connection time") => {
            section.add(at, name, "ms", value, Better::Lower);
        }
        "latency stddev" => section.figures.push((at, "latency average", "latency stddev".to_owned(), value)),
        _ => return None,
    }
    Some(())
}

/// The settings in which reports of one file differ.
pub(super) fn differing(reports: &[Report]) -> Vec<String> {
    let Some((first, rest)) = reports.split_first() else { return Vec::new() };
    // How long it ran and with which seed is not what ran.
    let names = SETTINGS.iter().filter(|name| !matches!(**name, "duration" | "random seed"));
    let of = |report: &Report, name: &str| {
        report.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    names
        .filter(|name| rest.iter().any(|report| of(report, name) != of(first, name)))
        .map(|name| (*name).to_owned())
        .collect()
}
