//! HdrHistogram's interval log (`.hlog`): a line an interval, each with a compressed histogram; jHiccup and
//! cassandra-stress write it. Intervals are added up, tag by tag.
//!
//! Written from the log format 1.1 to 1.3 and the V2 encoding of <https://github.com/HdrHistogram/HdrHistogram>
//! (`HistogramLogWriter`, `AbstractHistogram.decodeFromByteBuffer`).

use std::collections::BTreeMap;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{LOG, MEAN, MEASURES, NAME, NO_UNIT, Said, distribution};
use crate::csv::Rows;
use crate::error::{At, Kind, ParseError};
use crate::number::lines;
use crate::read::{Input, Parsed, Sniff};
use crate::report::builder::Builder;
use crate::text::{excerpt, text};

/// What every compressed V2 histogram begins with in base64: the cookie 0x1c849314 of which four bits may differ.
const BEGINS: &str = "HISTFAAA";
const COMPRESSED: u32 = 0x1c84_9304;
const PLAIN: u32 = 0x1c84_9303;
/// Bits of a cookie that say the width of words and not what it is.
const WIDTH: u32 = 0xf0;
/// Bytes of one histogram; five digits over all of u64 take less.
const MOST_BYTES: u64 = 16 << 20;

pub(super) fn sniff(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let is_log = |line: &str| {
        line.starts_with("#[Histogram log format version") || line.contains("Interval_Compressed_Histogram")
    };
    let has_histogram =
        head.lines().any(|line| line.rsplit(',').next().is_some_and(|c| c.starts_with(BEGINS)));
    if head.lines().any(is_log) || has_histogram { Sniff::Yes } else { Sniff::No }
}

pub(super) fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(LOG.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut tags: BTreeMap<String, (usize, Counts)> = BTreeMap::new();
    for (at, line) in lines(&text) {
        if line.starts_with(['#', '"']) || line.trim().is_empty() {
            continue;
        }
        let cells =
            Rows::new(LOG.name, line, ',').next().transpose()?.map(|row| row.cells).unwrap_or_default();
        let (tag, cells) = match cells.split_first() {
            Some((first, rest)) if first.starts_with("Tag=") => (first.trim_start_matches("Tag="), rest),
            _ => ("", cells.as_slice()),
        };
        let [_, _, _, histogram] = cells else {
            builder.unknown_line(at, line);
            continue;
        };
        let (_, counts) = tags.entry(tag.to_owned()).or_insert_with(|| (at, Counts::default()));
        if let Err(why) = counts.add(histogram.trim()) {
            builder.warn(At::Line(at), format!("{why}, the interval is skipped: {:?}", excerpt(histogram)));
        }
        if counts.0.len() > input.limits.json_values {
            let limit = input.limits.json_values as u64;
            let kind = Kind::Limit { what: "values of the histogram", limit, setting: "max_json_values" };
            return Err(builder.error(At::Line(at), kind));
        }
    }
    let unit = input.hints.unit.as_deref().unwrap_or(NO_UNIT);
    for (tag, (at, counts)) in tags.into_iter().filter(|(_, (_, counts))| !counts.0.is_empty()) {
        let parameters = (!tag.is_empty()).then(|| ("tag".to_owned(), tag)).into_iter().collect();
        let Some(key) = builder.key(At::Line(at), NAME, parameters) else { continue };
        distribution(&mut builder, &key, unit, &counts.said(at))?;
    }
    builder.finish(None)
}

/// The lowest and the highest of values that a histogram does not tell apart.
type Range = (u64, u64);

/// How often values were recorded.
#[derive(Default)]
struct Counts(BTreeMap<Range, u64>);

impl Counts {
    /// Adds a histogram in base64. Nothing is added when it is damaged.
    fn add(&mut self, text: &str) -> Result<(), &'static str> {
        let bytes = STANDARD.decode(text).map_err(|_| "this is no base64")?;
        let mut outer = Bytes(&bytes);
        if outer.u32()? & !WIDTH != COMPRESSED {
            return Err("this is no compressed histogram of the V2 encoding");
        }
        outer.u32()?;
        let mut plain = Vec::new();
        let inflated = flate2::read::ZlibDecoder::new(outer.0).take(MOST_BYTES).read_to_end(&mut plain);
        inflated.map_err(|_| "the compressed histogram is damaged")?;
        for (range, count) in decoded(&plain)? {
            let known = self.0.entry(range).or_default();
            *known = known.saturating_add(count);
        }
        Ok(())
    }

    /// What the library would print of it.
    fn said(&self, at: usize) -> Vec<Said> {
        let total = self.0.values().fold(0_u64, |sum, count| sum.saturating_add(*count));
        let middle = |(low, high): &Range| (low + (high - low).div_ceil(2)) as f64;
        let over_all = |of: &dyn Fn(f64) -> f64| {
            let sum: f64 = self.0.iter().map(|(range, count)| of(middle(range)) * *count as f64).sum();
            sum / total as f64
        };
        let mean = over_all(&|value| value);
        let deviation = over_all(&|value| (value - mean) * (value - mean)).sqrt();
        let highest = self.0.keys().next_back().map_or(0, |(_, high)| *high);
        let mut said: Vec<Said> = MEASURES
            .iter()
            .map(|percent| (at, (format!("p{percent}"), self.at_percentile(*percent, total), false)))
            .collect();
        said.push((at, (MEAN.to_owned(), mean, false)));
        said.push((at, ("stddev".to_owned(), deviation, false)));
        said.push((at, ("max".to_owned(), highest as f64, false)));
        said.push((at, ("total count".to_owned(), total as f64, true)));
        said
    }

    /// The highest value that is not told from the one at a percentile, as the library gives it.
    fn at_percentile(&self, percent: f64, total: u64) -> f64 {
        let wanted = ((percent / 100.0 * total as f64).ceil() as u64).max(1);
        let mut passed = 0_u64;
        let at = self.0.iter().find(|(_, count)| {
            passed = passed.saturating_add(**count);
            passed >= wanted
        });
        at.or_else(|| self.0.iter().next_back()).map_or(0.0, |((_, high), _)| *high as f64)
    }
}

/// Numbers of the network's byte order from the front.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or("the histogram is cut off")?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, &'static str> {
        self.take().map(u64::from_be_bytes)
    }

    /// A zigzag number of seven bits a byte, of which the ninth has eight.
    fn zigzag(&mut self) -> Result<i64, &'static str> {
        let mut value = 0_u64;
        for place in 0..9 {
            let [byte] = self.take()?;
            let bits = if place == 8 { byte } else { byte & 0x7f };
            value |= u64::from(bits) << (7 * place);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }
}

/// Ranges of values and how often they were recorded.
fn decoded(plain: &[u8]) -> Result<Vec<(Range, u64)>, &'static str> {
    let mut bytes = Bytes(plain);
    if bytes.u32()? & !WIDTH != PLAIN {
        return Err("this is no histogram of the V2 encoding");
    }
    let length = bytes.u32()? as usize;
    let offset = bytes.u32()?;
    let digits = bytes.u32()?;
    let lowest = bytes.u64()?;
    let (_highest, _ratio) = (bytes.u64()?, bytes.u64()?);
    if offset != 0 || digits > 5 || lowest == 0 {
        return Err("the histogram's header is not one that is read");
    }
    let layout = Layout::new(digits, lowest);
    bytes.0 = bytes.0.get(..length).ok_or("the histogram is cut off")?;
    let (mut index, mut found) = (0_u64, Vec::new());
    while !bytes.0.is_empty() {
        let count = bytes.zigzag()?;
        if count < 0 {
            // So many zeros in a row.
            index = index.checked_add(count.unsigned_abs()).ok_or("the histogram is damaged")?;
            continue;
        }
        if count > 0 {
            found.push((layout.range(index).ok_or("the histogram is damaged")?, count.unsigned_abs()));
        }
        index += 1;
    }
    Ok(found)
}

/// How values lie in the counts: buckets of which each is twice as wide as the one before.
struct Layout {
    /// The power of two of the smallest difference.
    unit: u32,
    /// The power of two of half the counts of a bucket.
    half: u32,
}

impl Layout {
    fn new(digits: u32, lowest: u64) -> Self {
        let wanted = 2 * 10_u64.pow(digits);
        Self { unit: lowest.ilog2(), half: wanted.next_power_of_two().ilog2() - 1 }
    }

    /// The lowest and the highest value of one count; `None` beyond 64 bits.
    fn range(&self, index: u64) -> Option<Range> {
        let half = 1_u64 << self.half;
        let bucket = (index >> self.half).saturating_sub(1);
        let within = if index < half { index } else { (index & (half - 1)) + half };
        let shift = u32::try_from(bucket).ok()?.checked_add(self.unit)?;
        let width = 1_u64.checked_shl(shift)?;
        let low = within.checked_mul(width)?;
        Some((low, low.checked_add(width - 1)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hints, Limits};

    #[test]
    fn damaged_intervals_are_remarks_and_no_panic() {
        let good = "HISTFAAAAbh4nC2SsWobURBFNfe9ZVmW5SGWxSyyEEIIY1zEwaQ2RmBImdJ1ytT6gzSpXBiVgRh";
        for histogram in [good, "", "HISTFAAA", "AAAA", "x", &"A".repeat(400)] {
            let text = format!("#[Histogram log format version 1.2]\n1.0,1.0,2.0,{histogram}\n");
            let error = crate::read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap_err();
            assert!(error.to_string().contains("line 2"), "{error}");
        }
    }

    #[test]
    fn counts_lie_in_buckets_that_double_in_width() {
        let layout = Layout::new(3, 1);
        assert_eq!((layout.unit, layout.half), (0, 10));
        for (index, range) in [(0, (0, 0)), (2047, (2047, 2047)), (2048, (2048, 2049)), (3072, (4096, 4099))]
        {
            assert_eq!(layout.range(index), Some(range));
        }
        assert_eq!(layout.range(u64::MAX), None);
    }
}
