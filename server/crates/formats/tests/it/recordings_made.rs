//! Recordings written by hand: encodings, events and versions that the corpus lacks, and hostile ones.

use formats::{Content, Hints, Limits, ParseError, Parsed, read};
use model::Profile;
use proptest::prelude::*;

use crate::recording::{Bytes, CLASSES, Class, Text, checkpoint, chunk, event};

fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    read(bytes, &Hints::default(), &Limits::default())
}

fn profiles(bytes: &[u8]) -> Vec<Profile> {
    match parse(bytes).unwrap().content {
        Content::Profiles(profiles) => profiles,
        other => panic!("not profiles: {other:?}"),
    }
}

/// Each leaf's stack with its samples and weight.
fn stacks(profile: &Profile) -> Vec<(String, u64, f64)> {
    let tree = &profile.tree;
    let leaves = tree.nodes.iter().enumerate().filter(|(_, node)| node.self_samples > 0);
    leaves
        .map(|(i, node)| {
            let names: Vec<&str> =
                tree.path(i as u32).iter().map(|frame| tree.frames[*frame as usize].name.as_str()).collect();
            (names.join(";"), node.self_samples, node.self_weight)
        })
        .collect()
}

fn symbol(text: Text<'_>, compressed: bool) -> Bytes {
    Bytes::new(compressed).text(text)
}

/// Two methods, `a.B.main` and `a.B.work`, the second inlined into the first, and a function of a library.
fn constants(compressed: bool) -> Bytes {
    let new = || Bytes::new(compressed);
    let symbols = [
        (1, Text::Utf8("a/B")),
        (2, Text::Chars("main")),
        (3, Text::Latin1("work")),
        (4, Text::Constant(9)),
        (5, Text::Empty),
        (6, Text::Utf8("libc.so.6")),
        (7, Text::Utf8("write")),
        (8, Text::Utf8("()L;")),
        (9, Text::Utf8("[B")),
    ];
    let method = |class, name, descriptor| new().long(class).long(name).long(descriptor).byte(0);
    let frame = |method, kind| new().long(method).int(7).long(kind);
    let stack = |truncated, frames: &[Bytes]| {
        let out = new().byte(truncated).int(frames.len() as u64);
        frames.iter().fold(out, Bytes::then)
    };
    let pools = [
        (7, vec![(9, new().text(Text::Utf8("()V")))]),
        (11, symbols.iter().map(|(key, text)| (*key, symbol(*text, compressed))).collect()),
        (10, vec![(1, new().long(0).long(1)), (2, new().long(0).long(6)), (3, new().long(0).long(9))]),
        (12, vec![(1, method(1, 2, 4)), (2, method(1, 3, 4)), (3, method(2, 7, 8))]),
        (
            13,
            vec![
                (1, new().text(Text::Utf8("JIT compiled"))),
                (2, new().text(Text::Utf8("Inlined"))),
                (3, new().text(Text::Utf8("Kernel"))),
            ],
        ),
        (
            15,
            vec![
                (1, stack(0, &[frame(2, 2), frame(1, 1)])),
                (2, stack(1, &[frame(3, 1), frame(1, 1)])),
                (3, stack(0, &[])),
            ],
        ),
        (
            16,
            vec![
                (1, new().text(Text::Utf8("os")).text(Text::Utf8("java-1"))),
                (2, new().text(Text::Utf8("GC")).text(Text::Null)),
            ],
        ),
        (
            17,
            vec![(1, new().text(Text::Utf8("STATE_DEFAULT"))), (2, new().text(Text::Utf8("STATE_SLEEPING")))],
        ),
    ];
    checkpoint(&pools, compressed)
}

fn execution(thread: u64, stack: u64, state: u64, compressed: bool) -> Bytes {
    event(20, &Bytes::new(compressed).long(1).long(thread).long(stack).long(state), compressed)
}

#[test]
fn numbers_of_both_kinds_and_all_strings_are_read() {
    let both = [true, false].map(|compressed| {
        let events = [execution(1, 1, 1, compressed), constants(compressed), execution(2, 2, 1, compressed)];
        profiles(&chunk(&CLASSES, &events, compressed))
    });
    for found in &both {
        assert_eq!(found.len(), 1);
        assert_eq!(
            stacks(&found[0]),
            [("a.B.main;a.B.work".to_owned(), 1, 1.0), ("a.B.main;write".to_owned(), 1, 1.0)]
        );
        let inlined: Vec<bool> = found[0].tree.nodes.iter().map(|node| node.inlined).collect();
        assert_eq!(inlined, [false, true, false]);
        assert_eq!(found[0].tree.frames[2].module.as_deref(), Some("libc.so.6"));
        let labels: Vec<_> =
            found[0].labels.iter().map(|label| (label.key.as_str(), label.value.as_str())).collect();
        assert_eq!(labels, [("thread", "GC"), ("thread", "java-1"), ("state", "STATE_DEFAULT")]);
        // Half of the stacks are cut.
        assert!(found[0].partial);
        assert_eq!((found[0].event.name.as_str(), found[0].duration_ns), ("cpu", Some(2e9)));
    }
    assert_eq!(both[0], both[1]);
}

#[test]
fn states_tell_the_two_timers_apart() {
    let mut events = vec![constants(true)];
    events.extend([execution(1, 1, 1, true), execution(1, 1, 2, true), execution(1, 3, 2, true)]);
    let found = profiles(&chunk(&CLASSES, &events, true));
    let told: Vec<_> = found.iter().map(|profile| (profile.event.name.as_str(), stacks(profile))).collect();
    let wall = vec![("a.B.main;a.B.work".to_owned(), 1, 1.0), ("[no frames]".to_owned(), 1, 1.0)];
    assert_eq!(told, [("cpu", vec![("a.B.main;a.B.work".to_owned(), 1, 1.0)]), ("wall", wall)]);
}

#[test]
fn constants_hold_for_their_chunk_only() {
    let other = |compressed| {
        let new = || Bytes::new(compressed);
        let pools = [
            (11, vec![(1, symbol(Text::Utf8("other"), compressed))]),
            (12, vec![(5, new().long(0).long(1).long(0).byte(0))]),
            (15, vec![(1, new().byte(0).int(1).long(5).int(0).long(0))]),
        ];
        checkpoint(&pools, compressed)
    };
    let first = chunk(&CLASSES, &[constants(true), execution(1, 1, 0, true)], true);
    let second = chunk(&CLASSES, &[execution(1, 1, 0, false), other(false)], false);
    let found = profiles(&[first, second].concat());
    // The second chunk knows no states, so that its sample is one of the usual kind.
    let all: Vec<_> = found.iter().flat_map(stacks).map(|(stack, ..)| stack).collect();
    assert_eq!(all, ["other", "a.B.main;a.B.work"]);
    assert_eq!(found[0].duration_ns, Some(4e9));
}

#[test]
fn events_weigh_what_they_stand_for() {
    const EVENTS: [Class; 8] = [
        (
            30,
            "profiler.WallClockSample",
            &[("startTime", 5, ""), ("stackTrace", 15, "constant"), ("samples", 4, "")],
        ),
        (
            31,
            "jdk.CPUTimeSample",
            &[("stackTrace", 15, "constant"), ("failed", 6, ""), ("samplingPeriod", 5, "")],
        ),
        (
            32,
            "jdk.JavaMonitorEnter",
            &[("duration", 5, "ticks"), ("stackTrace", 15, "constant"), ("monitorClass", 10, "constant")],
        ),
        (
            33,
            "jdk.ObjectAllocationOutsideTLAB",
            &[("stackTrace", 15, "constant"), ("objectClass", 10, "constant"), ("allocationSize", 5, "")],
        ),
        (34, "profiler.Malloc", &[("stackTrace", 15, "constant"), ("address", 5, ""), ("size", 5, "")]),
        (
            35,
            "profiler.LiveObject",
            &[("stackTrace", 15, "constant"), ("objectClass", 10, "constant"), ("allocationSize", 5, "")],
        ),
        (36, "jdk.SystemProcess", &[("command", 7, "")]),
        (37, "profiler.Free", &[("address", 5, "")]),
    ];
    let new = || Bytes::new(true);
    let classes: Vec<Class> = CLASSES.iter().chain(&EVENTS).copied().collect();
    let events = [
        constants(true),
        event(30, &new().long(1).long(1).int(5), true),
        event(31, &new().long(1).byte(0).long(10_000_000), true),
        event(31, &new().long(0).byte(1).long(10_000_000), true),
        event(32, &new().long(300).long(1).long(1), true),
        event(33, &new().long(1).long(3).long(4096), true),
        event(34, &new().long(2).long(77).long(640), true),
        event(35, &new().long(1).long(3).long(24), true),
        event(36, &new().text(Text::Utf8("/bin/secret --token=x")), true),
        event(37, &new().long(77), true),
        event(99, &new().long(77), true),
    ];
    let bytes = chunk(&classes, &events, true);
    let found = profiles(&bytes);
    let told: Vec<_> = found
        .iter()
        .map(|profile| {
            let (stack, samples, weight) = stacks(profile).remove(0);
            (profile.event.name.as_str(), profile.event.unit.to_string(), stack, samples, weight)
        })
        .collect();
    let work = || "a.B.main;a.B.work".to_owned();
    let row = |name, unit: &str, stack, samples, weight| (name, unit.to_owned(), stack, samples, weight);
    assert_eq!(
        told,
        [
            row("cpu", "ns", work(), 1, 1e7),
            row("wall", "samples/op", work(), 5, 5.0),
            row("alloc_space", "B", work() + ";byte[]", 1, 4096.0),
            row("inuse_space", "B", work() + ";byte[]", 1, 24.0),
            row("lock", "ns", work() + ";a.B", 1, 300_000.0),
            row("nativemem", "B", "a.B.main;write".to_owned(), 1, 640.0),
        ]
    );
    let warnings = parse(&bytes).unwrap().warnings;
    let texts: Vec<&str> = warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert!(texts.contains(&"dropped, private data of the machine: 1 jdk.SystemProcess"), "{texts:?}");
    assert!(texts.contains(&"skipped: 1 of an undescribed type, 1 profiler.Free"), "{texts:?}");
    assert!(texts.contains(&"1 samples failed and have no stack"), "{texts:?}");
    assert!(!format!("{found:?}{texts:?}").contains("secret"));
}

#[test]
fn circles_end() {
    // A string that is itself, and methods that are not there.
    let new = || Bytes::new(true);
    let pools = [
        (7, vec![(1, new().text(Text::Constant(1)))]),
        (11, vec![(1, new().text(Text::Constant(1)))]),
        (12, vec![(1, new().long(0).long(1).long(1).byte(0))]),
        (15, vec![(1, new().byte(0).int(2).long(1).int(0).long(0).long(9).int(0).long(0))]),
    ];
    let found = profiles(&chunk(&CLASSES, &[checkpoint(&pools, true), execution(1, 1, 1, true)], true));
    assert_eq!(stacks(&found[0]), [("[unknown];[unknown]".to_owned(), 1, 1.0)]);

    let itself: Class = (40, "jdk.Knot", &[("knot", 40, "")]);
    let classes: Vec<Class> = CLASSES.iter().chain([&itself]).copied().collect();
    let error = parse(&chunk(&classes, &[constants(true)], true)).unwrap_err();
    assert!(error.to_string().contains("jdk.Knot holds itself"), "{error}");
}

#[test]
fn counts_beyond_the_bytes_are_located() {
    let new = || Bytes::new(true);
    let many = [(15, vec![(1, new().byte(0).int(u64::from(u32::MAX)).long(1))])];
    for (events, place) in [
        (vec![checkpoint(&many, true)], "byte "),
        (vec![event(1, &new().long(0).long(0).long(0).byte(1).int(1).long(55).int(1), true)], "byte "),
        (vec![new().int(0)], "byte "),
    ] {
        let error = parse(&chunk(&CLASSES, &events, true)).unwrap_err();
        assert!(error.to_string().contains(place), "{error}");
    }
    let limits = Limits { stack_depth: 1, ..Limits::default() };
    let bytes = chunk(&CLASSES, &[constants(true), execution(1, 1, 1, true)], true);
    assert!(read(&bytes, &Hints::default(), &limits).unwrap_err().to_string().contains("max_stack_depth"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Bytes and lines that resemble the formats: an error or a reading, never a panic.
    #[test]
    fn nonsense_never_panics(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        lines in proptest::collection::vec("(x 1 [0-9.]{1,4}: [0-9]{0,3} ?[a-z:]{0,8}:|\t ?[0-9a-f]{0,9} [a-z(+<)0-9]{0,9} ?\\(?[a-z )(]{0,5}|[fun]\\([0-9,-]{0,9}\\)|'[ -~]{0,5}',|const cpool = \\[|unpack\\(cpool\\);|--- [0-9]{1,3} ns \\([0-9.%)]{0,6}, [0-9] samples|  \\[ [0-9]\\] [a-z]{1,3}|)", 0..12),
        at in 68_usize..400,
    ) {
        let events = [constants(true), execution(1, 1, 1, true), execution(1, 2, 2, true)];
        let mut recording = chunk(&CLASSES, &events, true);
        for (offset, byte) in bytes.iter().enumerate().take(6) {
            let place = (at + offset * 97) % recording.len();
            recording[place] = *byte;
        }
        let text = lines.join("\n");
        for name in ["jfr", "perf-script", "async-profiler-html", "async-profiler-text", "folded"] {
            let hints = Hints { format: Some(name.to_owned()), ..Hints::default() };
            for input in [bytes.as_slice(), text.as_bytes(), recording.as_slice()] {
                let _ = read(input, &hints, &Limits::default());
            }
        }
        let _ = formats::sniff(text.as_bytes());
    }
}
