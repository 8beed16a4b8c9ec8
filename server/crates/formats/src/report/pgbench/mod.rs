//! pgbench: the report that PostgreSQL's benchmark prints at the end of a run, from 9.x to 18.
//!
//! See <https://www.postgresql.org/docs/current/pgbench.html>. A report has a section for the whole run and, with several
//! scripts, one for each (`SQL script 1: …` and lines that begin with ` - `). Progress lines are on standard error
//! and mix with it. Several reports in one file are repetitions; settings in which they differ are parameters.

mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use model::{Better, Kind};

use crate::error::{At, ParseError};
use crate::number::lines;
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::report::entry::Entry;
use crate::text::text;

use report::{Report, Section, Value};

pub(super) const READER: Reader =
    Reader { name: "pgbench", about: "the report of PostgreSQL's pgbench", sniff, read };

const NAME: &str = "pgbench";
const KIND: Option<Kind> = Some(Kind::EndToEnd);

fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines().map(str::trim_start);
    let telling = |line: &str| {
        line.starts_with("number of transactions actually processed:")
            || line.starts_with("pgbench: error:")
            || (line.starts_with("pgbench (") && line.contains(')'))
    };
    if lines.any(telling) { Sniff::Yes } else { Sniff::No }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(READER.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut reports: Vec<Report> = Vec::new();
    for (at, line) in lines(&text) {
        if Report::begins_with(line, reports.last()) {
            reports.push(Report::new(at));
        }
        match reports.last_mut() {
            Some(report) => report.line(&mut builder, at, line),
            None => builder.unknown_line(at, line),
        }
    }
    let settings = report::differing(&reports);
    for report in &reports {
        keep(&mut builder, report, &settings)?;
    }
    builder.finish(None)
}

fn keep(builder: &mut Builder<'_>, report: &Report, settings: &[String]) -> Result<(), ParseError> {
    let mut parameters = BTreeMap::new();
    for (name, value) in &report.settings {
        if settings.contains(name) {
            parameters.insert(name.clone(), value.clone());
        } else {
            builder.fact(name, value);
        }
    }
    for section in &report.sections {
        let mut parameters = parameters.clone();
        if let Some(script) = &section.script {
            parameters.insert("script".to_owned(), script.clone());
        }
        keep_section(builder, section, &parameters, report.error.as_deref())?;
    }
    Ok(())
}

fn keep_section(
    builder: &mut Builder<'_>,
    section: &Section,
    parameters: &BTreeMap<String, String>,
    error: Option<&str>,
) -> Result<(), ParseError> {
    let at = At::Line(section.at);
    let Some(mut entry) = Entry::new(builder, at, NAME, parameters.clone(), KIND) else { return Ok(()) };
    for Value { at, measure, unit, number: value, better } in &section.values {
        entry.at = At::Line(*at);
        let reading =
            Reading { measure, unit, value: *value, better: Some(*better), summarised: unit == "ms" };
        entry.observe(reading)?;
    }
    for (at, measure, name, value) in &section.figures {
        entry.at = At::Line(*at);
        if entry.builder.has(&entry.key, measure) {
            entry.figure(measure, name, "ms", *value);
        } else {
            entry.observe(Reading::summary(name, "ms", *value).towards(Better::Neither))?;
        }
    }
    if section.script.is_none()
        && let Some(error) = error
    {
        entry.fail(error)?;
    }
    for statement in &section.statements {
        let mut parameters = parameters.clone();
        parameters.insert("statement".to_owned(), statement.text.clone());
        let at = At::Line(statement.at);
        let Some(mut entry) = Entry::new(builder, at, NAME, parameters, KIND) else { continue };
        entry.observe(Reading::summary("latency average", "ms", statement.latency).towards(Better::Lower))?;
        for (name, count) in ["failures", "retries"].iter().zip(&statement.counts) {
            entry.observe(Reading::raw(name, "count", *count).towards(Better::Lower))?;
        }
    }
    Ok(())
}
