use super::*;
use crate::{Hints, Limits};

fn data() -> Data {
    let strings = ["", "cpu", "nanoseconds", "main", "work", "thread.name", "app"];
    let function = |name| Function { name, file: 0 };
    let dictionary = Dictionary {
        mappings: vec![Mapping { file: 0 }, Mapping { file: 6 }],
        locations: vec![
            Location::default(),
            Location { mapping: 1, address: 0, lines: vec![Line { function: 2 }, Line { function: 1 }] },
            Location { mapping: 1, address: 255, lines: Vec::new() },
        ],
        functions: vec![function(0), function(3), function(4)],
        strings: strings.iter().map(|text| text.as_bytes().to_vec()).collect(),
        attributes: vec![
            Attribute::default(),
            Attribute { key: 5, value: Some(AnyValue { text: Some("t1".to_owned()), number: None }) },
        ],
        stacks: vec![Stack::default(), Stack { locations: vec![2, 1] }],
    };
    let sample = |values: &[i64], timestamps: &[u64]| Sample {
        stack: 1,
        attributes: vec![1],
        values: values.to_vec(),
        timestamps: timestamps.to_vec(),
    };
    let profile = Profile {
        sample_type: Some(ValueType { kind: 1, unit: 2 }),
        samples: vec![sample(&[7, 8], &[1, 2]), sample(&[5], &[])],
        duration_ns: 9,
        period_type: Some(ValueType { kind: 1, unit: 2 }),
        period: 10,
    };
    let scope = Scope { profiles: vec![profile] };
    Data { resources: vec![Resource { scopes: vec![scope] }], dictionary: Some(dictionary) }
}

fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let (hints, limits) = (Hints::default(), Limits::default());
    read(Input { bytes, hints: &hints, limits: &limits })
}

#[test]
fn stacks_values_and_attributes_are_read_through_the_dictionary() {
    let bytes = data().encode_to_vec();
    assert_eq!(sniff(&bytes), Sniff::Yes);
    let Content::Profiles(profiles) = parse(&bytes).unwrap().content else { panic!("not profiles") };
    let profile = &profiles[0];
    assert_eq!((profile.tree.samples(), profile.tree.weight(), profile.period), (3, 20.0, Some(10.0)));
    let names: Vec<&str> = profile.tree.frames.iter().map(|frame| frame.name.as_str()).collect();
    assert_eq!(names, ["main", "work", "0xff"]);
    assert!(profile.tree.nodes[1].inlined && !profile.tree.nodes[2].inlined);
    assert_eq!((profile.labels[0].value.as_str(), profile.labels[0].weight), ("t1", 20.0));
}

#[test]
fn a_missing_row_is_an_error_and_another_version_is_named() {
    let mut dangling = data();
    dangling.dictionary.as_mut().unwrap().stacks.pop();
    assert!(parse(&dangling.encode_to_vec()).unwrap_err().to_string().contains("stack 1 does not exist"));
    assert!(parse(b"\x0a\x05zz").unwrap_err().to_string().contains("1.9 to 1.10"));
}
