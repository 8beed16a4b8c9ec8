//! OpenTelemetry profiles as protobuf (`ProfilesData`, or the `ExportProfilesServiceRequest` of the same shape).
//!
//! The signal is in development and its messages change; this reads `v1development` as of opentelemetry-proto
//! 1.9 and 1.10, which async-profiler 4.5 writes: one dictionary for all profiles, stacks in a table, attributes by
//! index. Description: <https://github.com/open-telemetry/opentelemetry-proto>, `profiles/v1development`.

use model::profile::LabelWeight;
use model::{Event, Node, Profile as Read, Unit};
use prost::Message;
use rustc_hash::FxHashMap;

use super::sink::Sink;
use crate::error::{At, Kind, ParseError};
use crate::read::{Content, Input, Parsed, Reader, Sniff};
use crate::warnings::Warnings;

const NAME: &str = "otlp";
/// The versions read, for errors.
const PINNED: &str = "opentelemetry-proto 1.9 to 1.10, profiles/v1development";

/// OpenTelemetry profiles.
pub(super) const READER: Reader = Reader {
    name: NAME,
    about: "OpenTelemetry profiles (v1development as of proto 1.9 to 1.10)",
    sniff,
    read,
};

#[derive(Clone, PartialEq, Message)]
struct Data {
    #[prost(message, repeated, tag = "1")]
    resources: Vec<Resource>,
    #[prost(message, optional, tag = "2")]
    dictionary: Option<Dictionary>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<Scope>,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(message, repeated, tag = "2")]
    profiles: Vec<Profile>,
}

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, optional, tag = "1")]
    sample_type: Option<ValueType>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
    #[prost(uint64, tag = "4")]
    duration_ns: u64,
    #[prost(message, optional, tag = "5")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "6")]
    period: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(int32, tag = "2")]
    unit: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(int32, tag = "1")]
    stack: i32,
    #[prost(int32, repeated, tag = "2")]
    attributes: Vec<i32>,
    #[prost(int64, repeated, tag = "4")]
    values: Vec<i64>,
    #[prost(fixed64, repeated, tag = "5")]
    timestamps: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct Dictionary {
    #[prost(message, repeated, tag = "1")]
    mappings: Vec<Mapping>,
    #[prost(message, repeated, tag = "2")]
    locations: Vec<Location>,
    #[prost(message, repeated, tag = "3")]
    functions: Vec<Function>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    strings: Vec<Vec<u8>>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<Attribute>,
    #[prost(message, repeated, tag = "7")]
    stacks: Vec<Stack>,
}

#[derive(Clone, PartialEq, Message)]
struct Mapping {
    #[prost(int32, tag = "4")]
    file: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(int32, tag = "1")]
    mapping: i32,
    #[prost(uint64, tag = "2")]
    address: u64,
    #[prost(message, repeated, tag = "3")]
    lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(int32, tag = "1")]
    function: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(int32, tag = "1")]
    name: i32,
    #[prost(int32, tag = "3")]
    file: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(int32, tag = "1")]
    key: i32,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(string, optional, tag = "1")]
    text: Option<String>,
    #[prost(int64, optional, tag = "3")]
    number: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Stack {
    #[prost(int32, repeated, tag = "1")]
    locations: Vec<i32>,
}

/// The key and content of the first field, of which a head may hold only the beginning.
fn first_field(bytes: &[u8]) -> Option<(u8, &[u8], bool)> {
    let (key, mut rest) = bytes.split_first()?;
    let (mut len, mut shift) = (0_usize, 0_u32);
    loop {
        let (byte, behind) = rest.split_first()?;
        rest = behind;
        len |= usize::from(byte & 0x7F).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
        if shift > 56 {
            return None;
        }
    }
    Some((*key, rest.get(..len).unwrap_or(rest), rest.len() < len))
}

/// Resource profiles that hold scope profiles that hold a profile with a sample type; or the dictionary first.
fn sniff(head: &[u8]) -> Sniff {
    let is_it = match first_field(head) {
        Some((0x0A, resource, _)) => is_resource(resource),
        Some((0x12, dictionary, is_cut)) => is_dictionary(dictionary, is_cut),
        _ => false,
    };
    if is_it { Sniff::Yes } else { Sniff::No }
}

fn is_resource(mut inside: &[u8]) -> bool {
    let mut levels = 1;
    while let Some((key, field, is_cut)) = first_field(inside) {
        match key {
            // The resource, or the scope.
            0x0A if !is_cut && levels < 3 => inside = inside.get(skip(inside, field)..).unwrap_or_default(),
            0x12 if levels < 3 => {
                levels += 1;
                inside = field;
            }
            0x0A if levels == 3 => return !is_cut && ValueType::decode(field).is_ok(),
            _ => return false,
        }
    }
    false
}

/// Tables only, among them stacks, functions and strings.
fn is_dictionary(mut inside: &[u8], is_cut: bool) -> bool {
    let mut seen = [false; 8];
    while let Some((key, field, _)) = first_field(inside) {
        let number = usize::from(key >> 3);
        match seen.get_mut(number) {
            Some(seen) if number > 0 && key & 7 == 2 => *seen = true,
            _ => return false,
        }
        inside = inside.get(skip(inside, field)..).unwrap_or_default();
    }
    // The order of tables is free, so a head may hold the first ones only.
    let known = seen.iter().filter(|seen| **seen).count();
    if is_cut { known >= 2 } else { seen.get(5) == Some(&true) && known >= 4 }
}

/// Where the bytes behind a field start.
fn skip(bytes: &[u8], field: &[u8]) -> usize {
    let header = bytes.iter().skip(1).take_while(|byte| **byte & 0x80 != 0).count() + 2;
    header.saturating_add(field.len())
}

fn get<T>(table: &[T], index: i32) -> Option<&T> {
    usize::try_from(index).ok().and_then(|index| table.get(index))
}

fn dangling(at: At, what: &'static str, id: i32) -> ParseError {
    ParseError::new(NAME, at, Kind::Dangling { what, id: u64::try_from(id).unwrap_or(u64::MAX) })
}

impl Dictionary {
    fn string(&self, index: i32) -> String {
        get(&self.strings, index).map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
    }
}

fn read(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut warnings = Warnings::new(input.limits);
    let data = Data::decode(input.bytes).map_err(|error| {
        ParseError::new(NAME, At::File, Kind::Invalid(format!("{error}; read are {PINNED}")))
    })?;
    let dictionary = data.dictionary.unwrap_or_default();
    let profiles =
        data.resources.iter().flat_map(|resource| &resource.scopes).flat_map(|scope| &scope.profiles);
    let mut read = Vec::new();
    for (index, profile) in profiles.enumerate() {
        read.push(one(index, profile, &dictionary, &input, &mut warnings)?);
    }
    if read.is_empty() {
        let text = format!("there is no profile in it; read are {PINNED}");
        return Err(ParseError::new(NAME, At::File, Kind::Invalid(text)));
    }
    Ok(warnings.parsed(NAME, Content::Profiles(read)))
}

fn event(kind: Option<&ValueType>, dictionary: &Dictionary) -> (Event, f64) {
    let text = |index| dictionary.string(index);
    let (name, unit) = kind.map_or_else(Default::default, |kind| (text(kind.kind), text(kind.unit)));
    let unit = if unit.is_empty() || unit == "count" { "samples" } else { &unit };
    let name = if name.is_empty() { "samples".to_owned() } else { name };
    let (unit, scale) = Unit::parse(unit);
    (Event { name, unit }, scale)
}

fn one(
    index: usize,
    profile: &Profile,
    dictionary: &Dictionary,
    input: &Input<'_>,
    warnings: &mut Warnings,
) -> Result<Read, ParseError> {
    let (event, scale) = event(profile.sample_type.as_ref(), dictionary);
    let mut sink = Sink::new(NAME, input.limits);
    let mut places: FxHashMap<i32, u32> = FxHashMap::default();
    let mut labels: FxHashMap<i32, (u64, f64)> = FxHashMap::default();
    for (i, sample) in profile.samples.iter().enumerate() {
        let at = || At::Field(format!("profile {index}, sample {i}"));
        sink.count_stack(at, 0)?;
        let node = if let Some(node) = places.get(&sample.stack) {
            *node
        } else {
            let node = stack(sample.stack, dictionary, &mut sink, &at)?;
            places.insert(sample.stack, node);
            node
        };
        // No values: every timestamp stands for 1. No timestamps: every value is one sample at least.
        let sum = sample.values.iter().map(|value| *value as f64).sum::<f64>();
        let is_count = matches!(event.unit, Unit::Count(_));
        let (samples, weight) = match (sample.values.len(), sample.timestamps.len()) {
            (0, times) => (times as u64, times as f64),
            (_, 0) if is_count => (sum.abs() as u64, sum),
            (values, 0) => (values as u64, sum),
            (_, times) => (times as u64, sum),
        };
        sink.add(node, samples, weight * scale);
        for attribute in &sample.attributes {
            let slot = labels.entry(*attribute).or_default();
            *slot = (slot.0.saturating_add(samples), slot.1 + weight * scale);
        }
    }
    let mut read = Read::new(event, sink.finish(warnings));
    read.labels = heaviest(&labels, dictionary);
    read.duration_ns = Some(profile.duration_ns as f64).filter(|ns| *ns > 0.0);
    let (period_event, period_scale) = self::event(profile.period_type.as_ref(), dictionary);
    read.period = Some(profile.period as f64 * period_scale)
        .filter(|period| *period > 0.0 && period_event.unit == read.event.unit);
    Ok(read)
}

fn heaviest(labels: &FxHashMap<i32, (u64, f64)>, dictionary: &Dictionary) -> Vec<LabelWeight> {
    let mut found: Vec<LabelWeight> = labels
        .iter()
        .filter_map(|(index, (samples, weight))| {
            let attribute = get(&dictionary.attributes, *index)?;
            let value = attribute.value.as_ref()?;
            let value = value.text.clone().or_else(|| value.number.map(|number| number.to_string()))?;
            Some(LabelWeight {
                key: dictionary.string(attribute.key),
                value,
                samples: *samples,
                weight: *weight,
            })
        })
        .collect();
    found.sort_by(|a, b| {
        b.weight.total_cmp(&a.weight).then_with(|| (&a.key, &a.value).cmp(&(&b.key, &b.value)))
    });
    found.truncate(Read::MOST_LABELS);
    found
}

/// The node of a stack, whose locations stand leaf first; of the lines of a location the first is inlined deepest.
fn stack(
    index: i32,
    dictionary: &Dictionary,
    sink: &mut Sink<'_>,
    at: &dyn Fn() -> At,
) -> Result<u32, ParseError> {
    let stack = get(&dictionary.stacks, index).ok_or_else(|| dangling(at(), "stack", index))?;
    sink.count_stack(at, stack.locations.len())?;
    let mut node = Node::ROOT;
    for id in stack.locations.iter().rev() {
        let location = get(&dictionary.locations, *id).ok_or_else(|| dangling(at(), "location", *id))?;
        let module =
            get(&dictionary.mappings, location.mapping).map(|mapping| dictionary.string(mapping.file));
        let module = module.as_deref().filter(|module| !module.is_empty());
        if location.lines.is_empty() {
            let frame = sink.frame(at, &format!("{:#x}", location.address), module, None)?;
            node = sink.child(at, node, frame, false)?;
        }
        for (i, line) in location.lines.iter().rev().enumerate() {
            let function = get(&dictionary.functions, line.function)
                .ok_or_else(|| dangling(at(), "function", line.function))?;
            let (name, file) = (dictionary.string(function.name), dictionary.string(function.file));
            let frame = sink.frame(at, &name, module, Some(file.as_str()).filter(|file| !file.is_empty()))?;
            node = sink.child(at, node, frame, i > 0)?;
        }
    }
    Ok(node)
}

#[cfg(test)]
mod tests;
