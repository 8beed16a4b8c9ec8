//! One source for every reader's target: the binary's own name says which reader it drives.
//!
//! Whatever the bytes, a reader must return a value or one located error: no panic, no hang, no memory beyond its
//! limits, which are small here so that the fuzzer reaches them.
#![no_main]

use std::sync::LazyLock;

use formats::{At, Content, Hints, Limits, Sniff, read, readers, sniff};
use libfuzzer_sys::fuzz_target;

static HINTS: LazyLock<Hints> = LazyLock::new(|| {
    let program = std::env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let format = program.filter(|name| readers().any(|reader| reader.name == *name));
    assert!(format.is_some(), "the target's name is no reader's");
    Hints { format, file_name: Some("fuzz.txt".to_owned()), ..Hints::default() }
});

static LIMITS: LazyLock<Limits> = LazyLock::new(|| Limits {
    decompressed_bytes: 1 << 20,
    benchmarks: 100,
    measures: 50,
    observations: 1_000,
    json_values: 20_000,
    stack_depth: 500,
    frames: 2_000,
    nodes: 20_000,
    samples: 20_000,
    symbol_bytes: 256,
    warnings: 10,
});

fuzz_target!(|bytes: &[u8]| {
    let answers = sniff(bytes);
    assert!(answers.iter().all(|attempt| attempt.answer <= Sniff::Yes));
    match read(bytes, &HINTS, &LIMITS) {
        Ok(parsed) => check(&parsed.content),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(!matches!(&error.at, At::Field(field) if field.is_empty()));
        }
    }
});

/// What every reader promises of its values.
fn check(content: &Content) {
    let reports = match content {
        Content::Report(report) => vec![report],
        Content::History(points) => points.iter().map(|point| &point.report).collect(),
        Content::Profiles(profiles) => {
            for profile in profiles {
                let nodes = &profile.tree.nodes;
                assert!(nodes.len() <= LIMITS.nodes + 1);
                let in_order = nodes.iter().enumerate().all(|(i, node)| {
                    (node.parent == u32::MAX || (node.parent as usize) < i)
                        && (node.frame as usize) < profile.tree.frames.len()
                });
                assert!(in_order, "a caller stands behind its callee");
                assert!(nodes.iter().all(|node| node.self_weight.is_finite()), "a weight is no number");
            }
            return;
        }
    };
    for report in reports {
        assert!(report.benchmarks.len() <= LIMITS.benchmarks);
        for measurement in report.benchmarks.iter().flat_map(|benchmark| &benchmark.measurements) {
            assert!(!measurement.observations.is_empty(), "a measure without a reading");
            assert!(measurement.observations.iter().all(|value| value.is_finite()), "a reading is no number");
            assert!(measurement.figures.iter().all(|figure| figure.value.is_finite()));
        }
    }
}
