//! What each column is: by its head, and by what stands in it.

use std::collections::BTreeMap;

use crate::csv::Row;
use crate::error::At;
use crate::number::{Marks, is_not_a_number};
use crate::report::heads::{COUNTERS, NAMES, canonical, is_dimension, split_head};
use crate::warnings::Warnings;

use super::{Sheet, any_number};

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Name,
    Parameter,
    Measure,
    /// The measure's name, in the long form.
    Metric,
    Unit,
    Commit,
    Date,
    Branch,
    Testbed,
    /// Numbers the repetitions, or is empty.
    Nothing,
}

/// The columns of a table.
pub(super) struct Table {
    columns: Vec<(Column, String)>,
    /// Measure and unit by head.
    measures: BTreeMap<String, (String, String)>,
    pub(super) marks: Marks,
}

const COMMITS: [&str; 8] =
    ["commit", "commit_id", "commit_hash", "git_commit", "sha", "git_sha", "revision", "git_revision"];
const DATES: [&str; 8] = [
    "date",
    "datetime",
    "timestamp",
    "commit_date",
    "commit_time",
    "started_at",
    "committed_at",
    "created_at",
];
const BRANCHES: [&str; 3] = ["branch", "git_branch", "ref"];
const TESTBEDS: [&str; 4] = ["testbed", "machine", "host", "hostname"];
const METRICS: [&str; 3] = ["metric", "measure", "measurement"];

fn by_head(head: &str, numeric: bool) -> Option<Column> {
    let head = canonical(head);
    let head = head.as_str();
    Some(if COMMITS.contains(&head) {
        Column::Commit
    } else if DATES.contains(&head) {
        Column::Date
    } else if BRANCHES.contains(&head) {
        Column::Branch
    } else if TESTBEDS.contains(&head) {
        Column::Testbed
    } else if COUNTERS.contains(&head) || head.is_empty() {
        Column::Nothing
    } else if numeric {
        if is_dimension(head) { Column::Parameter } else { Column::Measure }
    } else if METRICS.contains(&head) {
        Column::Metric
    } else if matches!(head, "unit" | "units") {
        Column::Unit
    } else {
        return None;
    })
}

/// Of each column, whether most of what stands in it is numbers. A column without anything is none.
fn numeric(sheet: &Sheet<'_>, marks: Marks) -> Vec<bool> {
    let mut counts = vec![(0_usize, 0_usize); sheet.head.cells.len()];
    for row in sheet.whole_rows() {
        for ((numbers, filled), cell) in counts.iter_mut().zip(&row.cells) {
            let cell = cell.trim();
            *filled += usize::from(!cell.is_empty());
            *numbers += usize::from(any_number(cell, marks).is_some() || is_not_a_number(cell));
        }
    }
    counts.into_iter().map(|(numbers, filled)| numbers * 2 > filled).collect()
}

impl Table {
    pub(super) fn new(sheet: &Sheet<'_>, marks: Marks, warnings: &mut Warnings) -> Self {
        let mut columns: Vec<(Column, String)> = Vec::with_capacity(sheet.head.cells.len());
        let mut texts = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for (index, (head, numeric)) in sheet.head.cells.iter().zip(numeric(sheet, marks)).enumerate() {
            let name = head.trim().to_owned();
            let mut column = by_head(&name, numeric);
            if !name.is_empty() && !seen.insert(name.clone()) {
                warnings.add(At::Line(1), format!("a second column {name:?} is skipped"));
                column = Some(Column::Nothing);
            }
            if column.is_none() {
                texts.push(index);
            }
            columns.push((column.unwrap_or(Column::Parameter), name));
        }
        let place =
            |known: &str| texts.iter().find(|at| columns.get(**at).is_some_and(|c| canonical(&c.1) == known));
        let named = NAMES.iter().find_map(|known| place(known)).or_else(|| texts.first()).copied();
        if let Some((column, _)) = named.and_then(|at| columns.get_mut(at)) {
            *column = Column::Name;
        }
        let mut named: BTreeMap<String, usize> = BTreeMap::new();
        for (_, head) in &columns {
            *named.entry(split_head(head).0.to_owned()).or_default() += 1;
        }
        let measures = columns.iter().map(|(_, head)| {
            let (name, unit) = split_head(head);
            // Two heads that differ in their unit only keep it in their names.
            let twice = named.get(name).is_some_and(|times| *times > 1);
            (head.clone(), ((if twice { head } else { name }).to_owned(), unit.into_owned()))
        });
        let measures = measures.collect();
        Self { columns, measures, marks }
    }

    pub(super) fn has(&self, wanted: Column) -> bool {
        self.columns.iter().any(|(column, _)| *column == wanted)
    }

    pub(super) fn all(&self, wanted: Column) -> impl Iterator<Item = (usize, &str)> {
        let of_kind = move |(_, (column, _)): &(usize, &(Column, String))| *column == wanted;
        self.columns.iter().enumerate().filter(of_kind).map(|(index, (_, head))| (index, head.as_str()))
    }

    /// What stands in the first column of a kind.
    pub(super) fn text<'r>(&self, row: &'r Row<'_>, wanted: Column) -> Option<&'r str> {
        self.all(wanted).next().map(|(index, _)| row.cell(index).trim())
    }

    /// The measure's name and unit by its head.
    pub(super) fn measure<'t>(&'t self, head: &'t str) -> (&'t str, &'t str) {
        self.measures.get(head).map_or((head, ""), |(name, unit)| (name, unit))
    }
}
