//! Files that hold several sides at once: which columns there are and which one is taken.

use model::{BenchmarkKey, Kind};

use crate::error::{At, Kind as ErrorKind, ParseError};
use crate::read::Parsed;
use crate::report::builder::{Builder, Reading};
use crate::text::excerpt;

/// Columns of one file; a file that compares more is not a comparison that people read.
const MAX_COLUMNS: usize = 256;

/// The columns of a file in order of appearance, and the choice among them.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    labels: Vec<String>,
}

impl Columns {
    /// The index of a label, new where it is not known.
    pub(crate) fn place(&mut self, builder: &Builder<'_>, at: At, label: &str) -> Result<usize, ParseError> {
        if let Some(place) = self.labels.iter().position(|known| known == label) {
            return Ok(place);
        }
        if self.labels.len() >= MAX_COLUMNS {
            let kind = ErrorKind::Invalid(format!("there are more than {MAX_COLUMNS} columns"));
            return Err(builder.error(at, kind));
        }
        self.labels.push(label.to_owned());
        Ok(self.labels.len() - 1)
    }

    /// The column that a label or a number from 1 names; the last one when nothing is asked for.
    fn choose(&self, builder: &Builder<'_>, wanted: Option<&str>) -> Result<usize, ParseError> {
        let Some(wanted) = wanted.map(str::trim).filter(|wanted| !wanted.is_empty()) else {
            return Ok(self.labels.len().saturating_sub(1));
        };
        let by_number =
            || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|place| *place < self.labels.len());
        self.labels.iter().position(|label| label == wanted).or_else(by_number).ok_or_else(|| {
            let text = format!(
                "there is no column {:?}; there are {}",
                excerpt(wanted),
                excerpt(&self.labels.join(", "))
            );
            builder.error(At::File, ErrorKind::Invalid(text))
        })
    }
}

/// One value of one side.
#[derive(Debug)]
pub(crate) struct Cell {
    /// The index of its column in [`Columns`].
    pub(crate) column: usize,
    /// The line it stands in.
    pub(crate) line: usize,
    /// The benchmark.
    pub(crate) key: BenchmarkKey,
    /// The measure's name.
    pub(crate) measure: String,
    /// The unit as `Unit::parse` reads it.
    pub(crate) unit: String,
    /// The value in that unit.
    pub(crate) value: f64,
}

/// How the cells of a file become observations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taking<'a> {
    /// The column asked for.
    pub(crate) wanted: Option<&'a str>,
    /// The kind of all benchmarks.
    pub(crate) kind: Option<Kind>,
    /// Whether each value stands for several readings.
    pub(crate) summarised: bool,
}

/// Puts the cells of the chosen column into the builder and finishes it.
pub(crate) fn take(
    mut builder: Builder<'_>,
    columns: Columns,
    cells: &[Cell],
    taking: Taking<'_>,
) -> Result<Parsed, ParseError> {
    let chosen = columns.choose(&builder, taking.wanted)?;
    for cell in cells.iter().filter(|cell| cell.column == chosen) {
        let reading = Reading {
            measure: &cell.measure,
            unit: &cell.unit,
            value: cell.value,
            better: None,
            summarised: taking.summarised,
        };
        builder.observe(At::Line(cell.line), &cell.key, taking.kind, reading)?;
    }
    builder.finish(Some((columns.labels, chosen)))
}
