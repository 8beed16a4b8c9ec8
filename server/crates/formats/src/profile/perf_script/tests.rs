use model::{Event, Profile, Unit};

use super::read::read;
use crate::error::{Kind, ParseError};
use crate::limits::Limits;
use crate::read::{Content, Hints, Input, Parsed};

fn parsed_with(text: &str, hints: &Hints) -> Result<Parsed, ParseError> {
    read(Input { bytes: text.as_bytes(), hints, limits: &Limits::default() })
}

fn profiles(text: &str) -> (Vec<Profile>, Vec<String>) {
    let parsed = parsed_with(text, &Hints::default()).unwrap();
    let warnings =
        parsed.warnings.iter().map(|warning| format!("{}: {}", warning.at, warning.text)).collect();
    match parsed.content {
        Content::Profiles(profiles) => (profiles, warnings),
        _ => unreachable!("this reader makes profiles"),
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

#[test]
fn stacks_are_turned_round_and_merged() {
    let text = "x 1 1.0: 5 cpu-clock: \n\tff0 leaf+0x1f (/bin/x)\n\tfe0 main (/bin/x)\n\ny z 2 2.5: 7 cpu-clock: \r\n\tff0 leaf+0x1f (/bin/x)\r\n\r\nx 1 3.0: 5 cpu-clock: \n\tfff leaf+0x20 (/bin/x)\n\tfe0 main (/bin/x)\n";
    let (profiles, warnings) = profiles(text);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(stacks(&profiles[0]), [("x;main;leaf".to_owned(), 2, 10.0), ("y_z;leaf".to_owned(), 1, 7.0)]);
    assert_eq!(profiles[0].event, Event { name: "cpu-clock".to_owned(), unit: Unit::Nanoseconds });
    assert_eq!((profiles[0].period, profiles[0].duration_ns), (None, Some(2e9)));
}

#[test]
fn events_are_never_added_up() {
    let text = "x 1 1.0: 5 cycles:u: \n\tff f (/x)\n\nx 1 1.0: 3 instructions:u: \n\tff f (/x)\n\nx 1 1.0: 2 cycles:k: \n\tff g (/x)\n\n";
    let (found, _) = profiles(text);
    let told: Vec<_> = found.iter().map(|p| (p.event.name.as_str(), p.tree.weight())).collect();
    assert_eq!(told, [("cycles", 7.0), ("instructions", 3.0)]);
    let hints = Hints { event: Some("instructions".to_owned()), ..Hints::default() };
    let Content::Profiles(hinted) = parsed_with(text, &hints).unwrap().content else { unreachable!() };
    assert_eq!(hinted[0].event.name, "instructions");
}

#[test]
fn without_a_period_a_sample_is_one() {
    let (profiles, _) = profiles("x 1 cycles:\nff f (/x)\nfe g (/x)\n\nx 1 cycles:\nff f (/x)\n");
    assert_eq!(profiles[0].event.unit, Unit::Count("samples".to_owned()));
    assert_eq!(stacks(&profiles[0]), [("x;g;f".to_owned(), 1, 1.0), ("x;f".to_owned(), 1, 1.0)]);
}

#[test]
fn samples_without_stacks_are_lines() {
    let text = "   dd  9 [000] 1.0:  4 cycles:  ffff f+0x1 ([kernel.kallsyms])\n   dd  9 [001] 1.1:  4 cycles:  ffff f+0x1 ([kernel.kallsyms])\n";
    assert_eq!(stacks(&profiles(text).0[0]), [("dd;f".to_owned(), 2, 8.0)]);
}

#[test]
fn chains_and_marks_are_inlined_frames() {
    let text = "java 1 1.0: 1 cycles: \n\tff Lj/A;::a->Lj/B;::b->Lj/C;::c (/tmp/perf-1.map)\n\tfe r (inlined)\n\tfe main (/x)\n\n";
    let (profiles, _) = profiles(text);
    assert_eq!(stacks(&profiles[0])[0].0, "java;main;r;j/A:::a;j/B:::b;j/C:::c");
    let inlined: Vec<bool> = profiles[0].tree.nodes.iter().map(|node| node.inlined).collect();
    assert_eq!(inlined, [false, false, true, false, true, true]);
}

#[test]
fn odd_lines_are_told() {
    let text = "\tff8105bf3a foo ([kernel.kallsyms])\n\t4005d0 main (/usr/bin/x)\n\nx 1 1.0: 5 cycles: \n\nx 1 1.0: 5 cycles: \n\t  WEIRD\n\n";
    let (profiles, warnings) = profiles(text);
    assert_eq!(stacks(&profiles[0]), [("main;foo".to_owned(), 1, 1.0)]);
    assert_eq!(stacks(&profiles[1]), [("x".to_owned(), 1, 5.0)]);
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert!(profiles[0].partial);
}

#[test]
fn known_lines_between_frames_are_silent() {
    let text = "# ========\n# hostname : x\nx 1 1.0: PERF_RECORD_COMM exec: x:1/1\nx 1 1.0: 5 sched:sched_switch: prev_comm=x ==> next_comm=y\n\tff f+0x1 (/x)\n\t  f.c:12\n\tfe [unknown] (/tmp/y (deleted))\n\t 0x1/0x2/P/-/-/0 0x3/0x4/P/-/-/0\n\n";
    let (profiles, warnings) = profiles(text);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(stacks(&profiles[0]), [("x;[y];f".to_owned(), 1, 5.0)]);
    let unknown = profiles[0].tree.frames.iter().find(|frame| frame.name == "[y]").unwrap();
    assert_eq!(unknown.module.as_deref(), Some("/tmp/y"));
}

#[test]
fn nothing_is_an_error_and_too_much_is_a_limit() {
    let none = parsed_with("# ========\n# hostname : x\n", &Hints::default()).unwrap_err();
    assert_eq!(none.kind, Kind::Empty);
    let limits = Limits { stack_depth: 2, ..Limits::default() };
    let text = "x 1 1.0: 5 cycles: \n\tff f (/x)\n\tfe g (/x)\n\tfd h (/x)\n\n";
    let input = Input { bytes: text.as_bytes(), hints: &Hints::default(), limits: &limits };
    assert!(matches!(read(input).unwrap_err().kind, Kind::Limit { setting: "max_stack_depth", .. }));
}
