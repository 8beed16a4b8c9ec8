//! The tables of a pprof: strings, functions, mappings, locations, and the header's scalars.

use std::collections::HashMap;

use super::proto::{Message, Value};
use super::{error, limit};
use crate::error::{At, Kind, ParseError};
use crate::limits::Limits;

/// Strings, locations and lines may outnumber functions by this much: a file's names, labels and call sites.
const TABLES_PER_FRAME: usize = 4;
/// More measurements of one program than any profiler takes.
const MOST_SAMPLE_TYPES: usize = 64;

/// A `ValueType`: indices of two strings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ValueType {
    pub(super) kind: u64,
    pub(super) unit: u64,
}

/// A `Function`: an identifier and indices of strings.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Function {
    id: u64,
    pub(super) name: u64,
    pub(super) system_name: u64,
    pub(super) file: u64,
}

/// A `Mapping`: a loaded binary.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mapping {
    id: u64,
    pub(super) file: u64,
}

/// A `Location`: a mapping and the functions at one address, innermost first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Location {
    pub(super) id: u64,
    pub(super) mapping: u64,
    pub(super) address: u64,
    first_line: usize,
    n_lines: usize,
}

/// Things with an identifier.
pub(super) trait Identified {
    /// What they are called in errors.
    const WHAT: &'static str;
    fn id(&self) -> u64;
}

impl Identified for Function {
    const WHAT: &'static str = "function";
    fn id(&self) -> u64 {
        self.id
    }
}

impl Identified for Mapping {
    const WHAT: &'static str = "mapping";
    fn id(&self) -> u64 {
        self.id
    }
}

impl Identified for Location {
    const WHAT: &'static str = "location";
    fn id(&self) -> u64 {
        self.id
    }
}

/// A table by identifier. Most writers number from 1 without gaps, which needs no map; the map of the others has a
/// random seed, because a file chooses its identifiers.
#[derive(Debug)]
pub(super) struct Table<T> {
    pub(super) items: Vec<T>,
    sparse: HashMap<u64, usize>,
}

impl<T: Identified> Table<T> {
    fn new(items: Vec<T>) -> Result<Self, ParseError> {
        let mut sparse = HashMap::new();
        let dense = (1..).zip(&items).all(|(id, item): (u64, &T)| item.id() == id);
        if !dense {
            for (i, item) in items.iter().enumerate() {
                if item.id() == 0 {
                    let text = format!("a {} has the identifier 0, which means none", T::WHAT);
                    return Err(error(At::Field(format!("{} {}", T::WHAT, i + 1)), Kind::Invalid(text)));
                }
                if sparse.insert(item.id(), i).is_some() {
                    let text = "two entries have this identifier".to_owned();
                    return Err(error(At::Field(format!("{} {}", T::WHAT, item.id())), Kind::Invalid(text)));
                }
            }
        }
        Ok(Self { items, sparse })
    }

    /// The index of an identifier.
    pub(super) fn position(&self, id: u64) -> Option<usize> {
        if self.sparse.is_empty() {
            usize::try_from(id).ok()?.checked_sub(1).filter(|index| *index < self.items.len())
        } else {
            self.sparse.get(&id).copied()
        }
    }

    /// The entry with an identifier.
    pub(super) fn get(&self, id: u64) -> Option<&T> {
        self.items.get(self.position(id)?)
    }
}

/// Everything in a pprof but its samples.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    strings: Vec<Message<'a>>,
    pub(super) sample_types: Vec<ValueType>,
    pub(super) functions: Table<Function>,
    pub(super) mappings: Table<Mapping>,
    pub(super) locations: Table<Location>,
    lines: Vec<u64>,
    pub(super) period_type: ValueType,
    pub(super) period: i64,
    pub(super) duration_ns: i64,
    /// Index of the string that names the sample type to show first; 0 for none.
    pub(super) default_type: u64,
    /// Index of the string of a pattern of frames to drop; 0 for none.
    pub(super) drop_frames: u64,
    pub(super) n_samples: usize,
}

/// The tables while they fill.
#[derive(Debug, Default)]
struct Filling<'a> {
    strings: Vec<Message<'a>>,
    sample_types: Vec<ValueType>,
    functions: Vec<Function>,
    mappings: Vec<Mapping>,
    locations: Vec<Location>,
    lines: Vec<u64>,
    period_type: ValueType,
    period: i64,
    duration_ns: i64,
    default_type: u64,
    drop_frames: u64,
    n_samples: usize,
}

impl<'a> Tables<'a> {
    /// Reads the tables and counts the samples, which come in a second walk because they may precede the tables.
    pub(super) fn read(mut message: Message<'a>, limits: &Limits) -> Result<Self, ParseError> {
        let mut filling = Filling::default();
        while let Some((number, value)) = message.field()? {
            filling.take(number, value, message.offset, limits)?;
        }
        filling.finish()
    }

    /// The text of a string; `whose` says who refers to it.
    pub(super) fn string(&self, index: u64, whose: impl Fn() -> String) -> Result<Message<'a>, ParseError> {
        let found = usize::try_from(index).ok().and_then(|index| self.strings.get(index));
        found.copied().ok_or_else(|| error(At::Field(whose()), Kind::Dangling { what: "string", id: index }))
    }

    /// The function identifiers at a location, innermost first; 0 where the writer knew none.
    pub(super) fn lines_of(&self, location: &Location) -> &[u64] {
        self.lines.get(location.first_line..location.first_line + location.n_lines).unwrap_or_default()
    }
}

impl<'a> Filling<'a> {
    fn take(
        &mut self,
        number: u64,
        value: Value<'a>,
        offset: usize,
        limits: &Limits,
    ) -> Result<(), ParseError> {
        let at = || At::Offset(offset);
        let entries = limits.frames.saturating_mul(TABLES_PER_FRAME);
        match number {
            1 => {
                if self.sample_types.len() == MOST_SAMPLE_TYPES {
                    return Err(error(
                        at(),
                        Kind::Invalid(format!("more than {MOST_SAMPLE_TYPES} sample types")),
                    ));
                }
                self.sample_types.push(value_type(value.message(offset)?)?);
            }
            2 => {
                if self.n_samples >= limits.samples {
                    return Err(limit(at(), "samples", limits.samples, "max_samples"));
                }
                value.message(offset)?;
                self.n_samples += 1;
            }
            3 => {
                if self.mappings.len() >= entries {
                    return Err(limit(at(), "mappings", entries, "max_frames"));
                }
                self.mappings.push(mapping(value.message(offset)?)?);
            }
            4 => {
                if self.locations.len() >= entries {
                    return Err(limit(at(), "locations", entries, "max_frames"));
                }
                let location = location(value.message(offset)?, &mut self.lines)?;
                self.locations.push(location);
                if self.lines.len() > entries {
                    return Err(limit(at(), "lines of locations", entries, "max_frames"));
                }
            }
            5 => {
                if self.functions.len() >= limits.frames {
                    return Err(limit(at(), "functions", limits.frames, "max_frames"));
                }
                self.functions.push(function(value.message(offset)?)?);
            }
            6 => {
                if self.strings.len() >= entries {
                    return Err(limit(at(), "strings", entries, "max_frames"));
                }
                self.strings.push(value.message(offset)?);
            }
            10 => self.duration_ns = value.number(offset)?.cast_signed(),
            11 => self.period_type = value_type(value.message(offset)?)?,
            12 => self.period = value.number(offset)?.cast_signed(),
            14 => self.default_type = value.number(offset)?,
            7 => self.drop_frames = value.number(offset)?,
            // The start time, comments, the page of documentation, and what comes later.
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Tables<'a>, ParseError> {
        if self.sample_types.is_empty() {
            return Err(error(At::File, Kind::Invalid("there are no sample types".to_owned())));
        }
        if self.strings.first().is_none_or(|first| !first.bytes.is_empty()) {
            let text = "string 0 must be there and empty".to_owned();
            return Err(error(At::Field("string 0".to_owned()), Kind::Invalid(text)));
        }
        Ok(Tables {
            strings: self.strings,
            sample_types: self.sample_types,
            functions: Table::new(self.functions)?,
            mappings: Table::new(self.mappings)?,
            locations: Table::new(self.locations)?,
            lines: self.lines,
            period_type: self.period_type,
            period: self.period,
            duration_ns: self.duration_ns,
            default_type: self.default_type,
            drop_frames: self.drop_frames,
            n_samples: self.n_samples,
        })
    }
}

fn value_type(mut message: Message<'_>) -> Result<ValueType, ParseError> {
    let mut value_type = ValueType::default();
    while let Some((number, value)) = message.field()? {
        match number {
            1 => value_type.kind = value.number(message.offset)?,
            2 => value_type.unit = value.number(message.offset)?,
            _ => {}
        }
    }
    Ok(value_type)
}

fn mapping(mut message: Message<'_>) -> Result<Mapping, ParseError> {
    let mut mapping = Mapping::default();
    while let Some((number, value)) = message.field()? {
        match number {
            1 => mapping.id = value.number(message.offset)?,
            5 => mapping.file = value.number(message.offset)?,
            _ => {}
        }
    }
    Ok(mapping)
}

fn function(mut message: Message<'_>) -> Result<Function, ParseError> {
    let mut function = Function::default();
    while let Some((number, value)) = message.field()? {
        match number {
            1 => function.id = value.number(message.offset)?,
            2 => function.name = value.number(message.offset)?,
            3 => function.system_name = value.number(message.offset)?,
            4 => function.file = value.number(message.offset)?,
            _ => {}
        }
    }
    Ok(function)
}

fn location(mut message: Message<'_>, lines: &mut Vec<u64>) -> Result<Location, ParseError> {
    let mut location = Location { first_line: lines.len(), ..Location::default() };
    while let Some((number, value)) = message.field()? {
        match number {
            1 => location.id = value.number(message.offset)?,
            2 => location.mapping = value.number(message.offset)?,
            3 => location.address = value.number(message.offset)?,
            4 => {
                let mut line = value.message(message.offset)?;
                let mut function = 0;
                while let Some((number, value)) = line.field()? {
                    if number == 1 {
                        function = value.number(line.offset)?;
                    }
                }
                lines.push(function);
            }
            _ => {}
        }
    }
    location.n_lines = lines.len() - location.first_line;
    Ok(location)
}
