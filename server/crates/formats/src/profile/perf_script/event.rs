//! What perf's events count.

use model::Unit;

/// An event without its modifiers (`cycles:uppp` counts what `cycles` counts). Tracepoints keep their colon.
pub(super) fn short_name(event: &str) -> &str {
    // perf-record(1) and perf-list(1) name these letters.
    let is_modifier = |byte: u8| b"ukhHGIDpPSWebR".contains(&byte);
    match event.rsplit_once(':') {
        Some((name, modifiers)) if !name.is_empty() && modifiers.bytes().all(is_modifier) => name,
        _ => event,
    }
}

/// The unit of an event's periods. perf's clocks tick in nanoseconds.
pub(super) fn unit(event: &str) -> Unit {
    let name = short_name(event);
    let ends = |word: &str| {
        name == word || name.ends_with(&format!("-{word}")) || name.contains(&format!("/{word}/"))
    };
    match name {
        "cpu-clock" | "task-clock" | "offcpu-time" => Unit::Nanoseconds,
        _ if ends("cycles") => Unit::Cycles,
        _ if ends("instructions") => Unit::Instructions,
        _ => Unit::Count(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_change_neither_name_nor_unit() {
        for (event, name, counted) in [
            ("cycles:uppp", "cycles", "cycles"),
            ("cpu_core/cycles/P", "cpu_core/cycles/P", "cycles"),
            ("ref-cycles:k", "ref-cycles", "cycles"),
            ("task-clock:ppp", "task-clock", "ns"),
            ("cpu-clock:", "cpu-clock", "ns"),
            ("instructions:u", "instructions", "instructions"),
            ("sched:sched_switch", "sched:sched_switch", "sched:sched_switch/op"),
            ("page-faults", "page-faults", "page-faults/op"),
        ] {
            assert_eq!((short_name(event), unit(event).to_string().as_str()), (name, counted), "{event}");
        }
    }
}
