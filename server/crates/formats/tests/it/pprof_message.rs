//! `profile.proto` as messages, to write pprof files with an encoder that is not ours to test.
//! Field numbers: google/pprof, `proto/profile.proto`.

use prost::Message;

/// A file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Profile {
    #[prost(message, repeated, tag = "1")]
    pub(crate) sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    pub(crate) string_table: Vec<String>,
    #[prost(int64, tag = "10")]
    pub(crate) duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    pub(crate) period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    pub(crate) period: i64,
    #[prost(int64, tag = "14")]
    pub(crate) default_sample_type: i64,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(crate) r#type: i64,
    #[prost(int64, tag = "2")]
    pub(crate) unit: i64,
}

/// A stack, leaf first.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    pub(crate) value: Vec<i64>,
}

/// A binary.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Mapping {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(int64, tag = "5")]
    pub(crate) filename: i64,
}

/// An address.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct Location {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) mapping_id: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) address: u64,
    #[prost(message, repeated, tag = "4")]
    pub(crate) line: Vec<Line>,
}

/// A function at an address.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Line {
    #[prost(uint64, tag = "1")]
    pub(crate) function_id: u64,
    #[prost(int64, tag = "2")]
    pub(crate) line: i64,
}

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Function {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(int64, tag = "2")]
    pub(crate) name: i64,
    #[prost(int64, tag = "3")]
    pub(crate) system_name: i64,
    #[prost(int64, tag = "4")]
    pub(crate) filename: i64,
}

/// A file whose location and function `i` (from 1) are both named `names[i - 1]`, with `samples/count` and
/// `cpu/nanoseconds`. Stacks are leaf first, with a count each; a sample is 10 ms.
pub(crate) fn of_stacks(names: Vec<String>, stacks: &[(Vec<u64>, i64)]) -> Profile {
    let ids = 1..=names.len() as u64;
    let strings = ["", "samples", "count", "cpu", "nanoseconds", "/usr/bin/app"];
    let first_name = strings.len().cast_signed() as i64 - 1;
    Profile {
        sample_type: vec![ValueType { r#type: 1, unit: 2 }, ValueType { r#type: 3, unit: 4 }],
        sample: stacks
            .iter()
            .map(|(stack, n)| Sample { location_id: stack.clone(), value: vec![*n, n * 10_000_000] })
            .collect(),
        mapping: vec![Mapping { id: 1, filename: 5 }],
        location: ids
            .clone()
            .map(|id| Location {
                id,
                mapping_id: 1,
                address: id * 64,
                line: vec![Line { function_id: id, line: 7 }],
            })
            .collect(),
        function: ids
            .map(|id| Function { id, name: first_name + id.cast_signed(), system_name: 0, filename: 0 })
            .collect(),
        string_table: strings.into_iter().map(str::to_owned).chain(names).collect(),
        duration_nanos: 1_000_000_000,
        period_type: Some(ValueType { r#type: 3, unit: 4 }),
        period: 10_000_000,
        default_sample_type: 0,
    }
}
