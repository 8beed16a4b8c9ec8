//! The constants of a chunk: where each stands, found by its key, and read when somebody asks.

use super::chunk::{CHECKPOINT, Header};
use super::cursor::{Cursor, Text};
use super::metadata::{Kind, Types};
use crate::error::ParseError;

/// Types whose constants profiles need, by the last word of their name; packages differ between versions.
const WANTED: [&str; 8] =
    ["StackTrace", "Method", "Class", "Symbol", "String", "Thread", "ThreadState", "FrameType"];
/// How many constants may lead to a text: a symbol, its string, and one to spare.
const LONGEST_CHAIN: usize = 4;

/// The constants of one type: keys, rising, with the offsets of their values.
#[derive(Debug, Default, Clone)]
struct Pool {
    entries: Vec<(u64, u32)>,
}

/// All constants of a chunk that profiles need.
#[derive(Debug)]
pub(super) struct Pools<'a> {
    cursor: Cursor<'a>,
    pub(super) types: Types,
    /// By the index of the type.
    by_type: Vec<Pool>,
    string: Option<usize>,
}

/// The value of a constant's field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A whole number.
    Number(u64),
    /// A string in place.
    Text(String),
    /// Another constant: its type and its key.
    Constant(usize, u64),
}

impl<'a> Pools<'a> {
    /// Finds the constants of a chunk in all of its checkpoints. They are met in the order of the file instead of by
    /// their links, so that no chain of links can lead in a circle.
    pub(super) fn read(header: &Header, bytes: &'a [u8], types: Types) -> Result<Self, ParseError> {
        let wanted: Vec<bool> = types
            .classes
            .iter()
            .map(|class| WANTED.contains(&class.name.rsplit('.').next().unwrap_or_default()))
            .collect();
        let mut pools = vec![Pool::default(); types.classes.len()];
        let mut events = header.events(bytes);
        while let Some(event) = events.next()? {
            if event.kind == CHECKPOINT {
                checkpoint(event.fields, &types, &wanted, &mut pools)?;
            }
        }
        for pool in &mut pools {
            // Of a key that comes twice the later value counts.
            pool.entries.reverse();
            pool.entries.sort_by_key(|(key, _)| *key);
            pool.entries.dedup_by_key(|(key, _)| *key);
            pool.entries.shrink_to_fit();
        }
        let string = types.classes.iter().position(|class| class.name == "java.lang.String");
        Ok(Self { cursor: header.cursor(bytes, header.start), types, by_type: pools, string })
    }

    /// Which of the constants of a type has a key.
    pub(super) fn find(&self, class: usize, key: u64) -> Option<usize> {
        let entries = &self.by_type.get(class)?.entries;
        // Recorders number constants from zero or one without gaps, so the key often tells the place.
        let guess = usize::try_from(key.saturating_sub(1)).unwrap_or(usize::MAX);
        for index in [guess, guess.saturating_add(1)] {
            if entries.get(index).is_some_and(|(known, _)| *known == key) {
                return Some(index);
            }
        }
        entries.binary_search_by_key(&key, |(key, _)| *key).ok()
    }

    /// How many constants a type has.
    pub(super) fn len(&self, class: usize) -> usize {
        self.by_type.get(class).map_or(0, |pool| pool.entries.len())
    }

    /// A cursor at the value of a constant, by its place among its type's.
    pub(super) fn at(&self, class: usize, index: usize) -> Option<Cursor<'a>> {
        let (_, offset) = self.by_type.get(class)?.entries.get(index)?;
        Some(self.cursor.moved_to(*offset as usize))
    }

    /// The key of a constant, by its place among its type's.
    pub(super) fn key(&self, class: usize, index: usize) -> u64 {
        self.by_type.get(class).and_then(|pool| pool.entries.get(index)).map_or(0, |(key, _)| *key)
    }

    /// A field of a constant; `None` where the constant, the field or its value is missing.
    pub(super) fn value(&self, class: usize, key: u64, field: &str) -> Result<Option<Value>, ParseError> {
        let Some(mut cursor) = self.find(class, key).and_then(|index| self.at(class, index)) else {
            return Ok(None);
        };
        for known in self.types.classes.get(class).map(|class| class.fields.as_slice()).unwrap_or_default() {
            if known.name != field {
                self.types.skip_field(&mut cursor, known)?;
                continue;
            }
            if known.is_array {
                return Ok(None);
            }
            return Ok(match known.kind {
                Kind::Class(inner) if known.is_constant => Some(Value::Constant(inner, cursor.long()?)),
                Kind::Text if known.is_constant => self
                    .string
                    .map(|class| cursor.long().map(|key| Value::Constant(class, key)))
                    .transpose()?,
                Kind::Text => self.string_at(&mut cursor)?,
                Kind::Byte => Some(Value::Number(u64::from(cursor.byte()?))),
                Kind::Short => Some(Value::Number(cursor.short()?)),
                Kind::Int => Some(Value::Number(cursor.int()?)),
                Kind::Long => Some(Value::Number(cursor.long()?)),
                Kind::Float | Kind::Double | Kind::Class(_) => None,
            });
        }
        Ok(None)
    }

    /// The string at a cursor.
    pub(super) fn text_at(&self, cursor: &mut Cursor<'_>) -> Result<String, ParseError> {
        let value = self.string_at(cursor)?;
        self.text(value)
    }

    fn string_at(&self, cursor: &mut Cursor<'_>) -> Result<Option<Value>, ParseError> {
        Ok(match cursor.text()? {
            Text::Null => None,
            Text::Is(text) => Some(Value::Text(text)),
            Text::Constant(key) => self.string.map(|class| Value::Constant(class, key)),
        })
    }

    /// The text that a value is or leads to: of a constant its first string.
    pub(super) fn text(&self, value: Option<Value>) -> Result<String, ParseError> {
        let mut value = value;
        for _ in 0..LONGEST_CHAIN {
            let (class, key) = match value {
                Some(Value::Text(text)) => return Ok(text),
                Some(Value::Constant(class, key)) => (class, key),
                Some(Value::Number(_)) | None => return Ok(String::new()),
            };
            if Some(class) == self.string {
                let at = self.find(class, key).and_then(|index| self.at(class, index));
                value = at.map(|mut cursor| self.string_at(&mut cursor)).transpose()?.flatten();
            } else {
                let fields = self.types.classes.get(class).map(|class| class.fields.as_slice());
                let text = fields.unwrap_or_default().iter().find(|field| field.kind == Kind::Text);
                value = match text {
                    Some(field) => self.value(class, key, &field.name)?,
                    None => None,
                };
            }
        }
        Ok(String::new())
    }

    /// The text of a field of a constant, empty where it is missing.
    pub(super) fn text_of(&self, class: usize, key: u64, field: &str) -> Result<String, ParseError> {
        let value = self.value(class, key, field)?;
        self.text(value)
    }
}

fn checkpoint(
    mut cursor: Cursor<'_>,
    types: &Types,
    wanted: &[bool],
    pools: &mut [Pool],
) -> Result<(), ParseError> {
    // Start, duration, and the distance to the checkpoint before.
    for _ in 0..3 {
        cursor.long()?;
    }
    // What kind of checkpoint it is.
    cursor.skip(1)?;
    for _ in 0..cursor.int()? {
        let at = cursor;
        let id = cursor.long()?;
        let n = cursor.int()?;
        let class = types.index(id);
        let Some(class) = class else {
            return Err(at.invalid(format!("constants of a type {id} that the metadata does not describe")));
        };
        let is_string = types.classes.get(class).is_some_and(|class| class.name == "java.lang.String");
        for _ in 0..n {
            let key = cursor.long()?;
            let offset = u32::try_from(cursor.at()).map_err(|_| cursor.invalid("recordings beyond 4 GiB"))?;
            if is_string {
                cursor.skip_text()?;
            } else {
                types.skip(&mut cursor, class)?;
            }
            if wanted.get(class) == Some(&true)
                && let Some(pool) = pools.get_mut(class)
            {
                pool.entries.push((key, offset));
            }
        }
    }
    Ok(())
}
