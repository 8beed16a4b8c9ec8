//! Labels on samples: which sample carries which, within bounds.

use model::{LabelWeight, Profile};
use rustc_hash::FxHashMap;

use super::proto::Message;
use super::tables::Tables;
use crate::error::{At, ParseError};
use crate::limits::Limits;

/// Different labels that are kept; request identifiers would make one a sample.
const DIFFERENT: usize = 65_536;
/// Labels a sample has at most on average.
const PER_SAMPLE: usize = 4;

/// A label as the file has it: indices of key, text and unit, and the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Label {
    key: u64,
    text: u64,
    number: i64,
    unit: u64,
}

/// The labels of all samples.
#[derive(Debug, Default)]
pub(super) struct Labels {
    table: FxHashMap<Label, u32>,
    list: Vec<Label>,
    /// Sample and label, in the order of samples.
    carried: Vec<(u32, u32)>,
    /// Labels that found no room.
    pub(super) dropped: usize,
}

impl Labels {
    /// Adds a label of a sample.
    pub(super) fn push(
        &mut self,
        sample: usize,
        mut message: Message<'_>,
        limits: &Limits,
    ) -> Result<(), ParseError> {
        let mut label = Label::default();
        while let Some((number, value)) = message.field()? {
            match number {
                1 => label.key = value.number(message.offset)?,
                2 => label.text = value.number(message.offset)?,
                3 => label.number = value.number(message.offset)?.cast_signed(),
                4 => label.unit = value.number(message.offset)?,
                _ => {}
            }
        }
        let known = self.table.get(&label).copied();
        let full = self.carried.len() >= limits.samples.saturating_mul(PER_SAMPLE);
        if full || (known.is_none() && self.list.len() >= DIFFERENT) {
            self.dropped += 1;
            return Ok(());
        }
        let place = known.unwrap_or_else(|| {
            let place = self.list.len() as u32;
            self.table.insert(label, place);
            self.list.push(label);
            place
        });
        self.carried.push((sample as u32, place));
        Ok(())
    }

    /// The heaviest labels, given what each sample counts and weighs.
    pub(super) fn weights(
        &self,
        tables: &Tables<'_>,
        of: impl Fn(usize) -> (u64, f64),
    ) -> Result<Vec<LabelWeight>, ParseError> {
        let mut sums = vec![(0_u64, 0.0_f64); self.list.len()];
        for (sample, label) in &self.carried {
            let (count, weight) = of(*sample as usize);
            if let Some(sum) = sums.get_mut(*label as usize) {
                sum.0 = sum.0.saturating_add(count);
                sum.1 += weight;
            }
        }
        let mut order: Vec<(usize, (u64, f64))> =
            sums.into_iter().enumerate().filter(|(_, sum)| sum.1 != 0.0).collect();
        order.sort_by(|a, b| b.1.1.abs().total_cmp(&a.1.1.abs()).then(a.0.cmp(&b.0)));
        let heaviest = order.into_iter().take(Profile::MOST_LABELS);
        let named = heaviest.filter_map(|(place, sum)| Some((self.list.get(place)?, sum)));
        named.map(|(label, sum)| label.named(tables, sum)).collect()
    }
}

impl Label {
    fn named(&self, tables: &Tables<'_>, (samples, weight): (u64, f64)) -> Result<LabelWeight, ParseError> {
        let text = |index| {
            let string = tables.string(index, || "a label".to_owned())?;
            let text = String::from_utf8_lossy(string.bytes);
            Ok::<_, ParseError>(text.get(..text.floor_char_boundary(256)).unwrap_or_default().to_owned())
        };
        let value = match (self.text, self.unit) {
            (0, 0) => self.number.to_string(),
            (0, unit) => format!("{} {}", self.number, text(unit)?),
            (string, _) => text(string)?,
        };
        Ok(LabelWeight { key: text(self.key)?, value, samples, weight })
    }
}

/// Where labels stand, for a remark.
pub(super) fn at() -> At {
    At::Field("labels".to_owned())
}
