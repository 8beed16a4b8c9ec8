//! The line that begins a sample: process, thread, processor, time, period and event, most of them optional.

use super::frame;

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header<'a> {
    /// The process's name as the kernel knows it; blanks and digits are legal in it.
    pub(super) comm: &'a str,
    /// Seconds on the recorder's clock.
    pub(super) time: Option<f64>,
    /// How many events the sample stands for.
    pub(super) period: Option<u64>,
    /// The event with its modifiers, without the final colon; empty where it was not printed.
    pub(super) event: &'a str,
    /// What follows the event: a frame (without stacks), or the fields of a tracepoint.
    pub(super) rest: &'a str,
}

/// Reads a header: `java 123/125 [001] 12.345678:    1003009 cpu-clock:u: `.
///
/// The name may hold blanks and digits, so the first number after which everything fits is the process.
pub(super) fn parse(line: &str) -> Option<Header<'_>> {
    let line = line.trim_end();
    let start = line.len() - line.trim_start().len();
    let mut from = start;
    while let Some((at, token, after)) = next_token(line, from) {
        from = after;
        if is_process(token)
            && let Some(header) = fields(line, after)
            // Without a process's name (`-F pid,time,…`) only a time makes numbers a header.
            && (at > start || (header.time.is_some() && !header.event.is_empty()))
        {
            return Some(Header { comm: line.get(start..at)?.trim(), ..header });
        }
    }
    None
}

/// Reads a line that stands before frames and is no header of the usual form: a process's name alone, or with its
/// number and a period (`-F comm,pid,period,…`).
pub(super) fn parse_bare(line: &str) -> Header<'_> {
    let line = line.trim();
    let mut header = Header { comm: line, time: None, period: None, event: "", rest: "" };
    let mut numbers = Vec::new();
    while let Some((before, number)) =
        header.comm.rsplit_once([' ', '\t']).filter(|(_, number)| is_process(number))
    {
        header.comm = before.trim_end();
        numbers.push(number);
    }
    // From the right: period, then process; a lone number is the process.
    if let [period, _, ..] = numbers.as_slice() {
        header.period = period.parse().ok();
    }
    header
}

fn fields<'a>(line: &'a str, from: usize) -> Option<Header<'a>> {
    let mut header = Header { comm: "", time: None, period: None, event: "", rest: "" };
    let mut token = next_token(line, from);
    let step = |token: Token<'a>| token.and_then(|(_, _, after)| next_token(line, after));
    let mut has_processor = false;
    if token.is_some_and(|(_, text, _)| is_processor(text)) {
        has_processor = true;
        token = step(token);
    }
    // Flags of interrupts and migrations (`d.h1.`) and of the processor's mode (`K`) stand before the time only.
    if token.is_some_and(|(_, text, after)| {
        is_flags(text)
            && next_token(line, after).is_some_and(|(_, next, _)| time(next).is_some() || is_processor(next))
    }) {
        token = step(token);
    }
    if token.is_some_and(|(_, text, _)| is_processor(text)) {
        has_processor = true;
        token = step(token);
    }
    if let Some(seconds) = token.and_then(|(_, text, _)| time(text)) {
        header.time = Some(seconds);
        token = step(token);
    }
    // A number is the period if an event follows or nothing does; it could be an address, too.
    if let Some((_, digits, after)) = token
        && is_number(digits)
        && next_token(line, after).is_none_or(|(_, next, _)| is_event(next))
    {
        header.period = digits.parse().ok();
        token = step(token);
    }
    match token {
        Some((_, text, after)) if is_event(text) => {
            header.event = text.strip_suffix(':')?;
            header.rest = line.get(after..)?.trim();
            // `id: 5  cpu: 0` is no event, but tracepoints have fields.
            let is_alone = header.time.is_none() && !has_processor;
            if is_alone && !header.rest.is_empty() && !frame::is_frame(header.rest) {
                return None;
            }
        }
        // Without the event a frame, a time or a processor makes it a header.
        Some((at, ..)) => {
            header.rest = line.get(at..)?.trim();
            if !frame::is_frame(header.rest) && !frame::is_bare(header.rest) {
                return None;
            }
        }
        None if header.time.is_some() || (has_processor && header.period.is_some()) => {}
        None => return None,
    }
    Some(header)
}

/// Where a token begins, the token, and where it ends.
type Token<'a> = Option<(usize, &'a str, usize)>;

/// The first token behind `from`.
fn next_token(line: &str, from: usize) -> Token<'_> {
    let rest = line.get(from..)?;
    let text = rest.trim_start();
    let start = from + (rest.len() - text.len());
    let token = text.split([' ', '\t']).next().filter(|token| !token.is_empty())?;
    Some((start, token, start + token.len()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `123`, `123/125`, and `-1` for a process that perf did not see start.
fn is_process(text: &str) -> bool {
    let number = |text: &str| is_number(text.strip_prefix('-').unwrap_or(text));
    text.split_once('/').map_or_else(|| number(text), |(process, thread)| number(process) && number(thread))
}

fn is_processor(text: &str) -> bool {
    text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(is_number)
}

fn is_flags(text: &str) -> bool {
    let is_mode = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_flags = text.len() >= 4
        && text.contains('.')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'#' | b'-'));
    is_mode || is_flags
}

fn time(text: &str) -> Option<f64> {
    let digits = text.strip_suffix(':')?;
    let (seconds, fraction) = digits.split_once('.')?;
    (is_number(seconds) && is_number(fraction)).then(|| digits.parse().ok()).flatten()
}

/// Whether a token is an event with its colon. Names begin with a letter: `cycles:u:`, `r1a8:`, `cpu/event=0x3c/u:`.
fn is_event(token: &str) -> bool {
    token.len() > 1
        && token.ends_with(':')
        && token.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header<'a>(comm: &'a str, time: Option<f64>, period: Option<u64>, event: &'a str) -> Header<'a> {
        Header { comm, time, period, event, rest: "" }
    }

    #[test]
    fn fields_may_be_missing() {
        for (line, expected) in [
            ("java 19983 cycles:", header("java", None, None, "cycles")),
            ("node-v011 31912 cpu-clock: ", header("node-v011", None, None, "cpu-clock")),
            ("a 5/6 [000] 1.5: cpu-clock: \r", header("a", Some(1.5), None, "cpu-clock")),
            (
                "perf 47118 [011] 51499.088689:          1 page-faults: ",
                header("perf", Some(51_499.088_689), Some(1), "page-faults"),
            ),
            (
                "swapper     0 [012] 2281339.604067:   20834821 cycles:uppp:",
                header("swapper", Some(2_281_339.604_067), Some(20_834_821), "cycles:uppp"),
            ),
            (
                "C2 CompilerThre 5/7 [1] 1.0: 7 cpu_core/cycles/P:",
                header("C2 CompilerThre", Some(1.0), Some(7), "cpu_core/cycles/P"),
            ),
            ("Thread 12 3456 [000] 1.0: cycles:", header("Thread 12", Some(1.0), None, "cycles")),
            (":-1 -1 [000] 1.0: cycles:", header(":-1", Some(1.0), None, "cycles")),
            ("x 1 [000] d.h1. 1.0: 3 cycles:", header("x", Some(1.0), Some(3), "cycles")),
            ("x 1 K [000] 1.0: 3 cycles:", header("x", Some(1.0), Some(3), "cycles")),
            ("x 1 U     1.0: 3 cycles:", header("x", Some(1.0), Some(3), "cycles")),
            ("12/12 1.0: page-faults: ", header("", Some(1.0), None, "page-faults")),
            ("x 1 [000] 1.0:", header("x", Some(1.0), None, "")),
            ("x 1 2.000000:  5 sched:sched_switch:", header("x", Some(2.0), Some(5), "sched:sched_switch")),
        ] {
            assert_eq!(parse(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn frames_and_fields_may_follow() {
        let line =
            "   dd  1234 [000] 12.3:  1 cycles:  ffffffff8103d0ca native_write+0xa ([kernel.kallsyms])";
        assert_eq!(parse(line).unwrap().rest, "ffffffff8103d0ca native_write+0xa ([kernel.kallsyms])");
        assert_eq!(parse("dd 18199  ffffffff81d7d62a read_zero").unwrap().rest, "ffffffff81d7d62a read_zero");
        assert_eq!(parse("dd 18199  558070035990 [unknown]").unwrap().rest, "558070035990 [unknown]");
        assert_eq!(parse("x 0 [0] 1.2: sched:sched_switch: prev_comm=a b").unwrap().rest, "prev_comm=a b");
    }

    #[test]
    fn names_alone_can_stand_before_frames() {
        let bare = |line| (parse_bare(line).comm, parse_bare(line).period);
        assert_eq!(bare("python3 "), ("python3", None));
        assert_eq!(bare("Web Content 18234          7 "), ("Web Content", Some(7)));
        assert_eq!(bare("python3 18234/18235"), ("python3", None));
        assert_eq!(bare("12"), ("12", None));
    }

    #[test]
    fn other_lines_are_no_headers() {
        for line in [
            "",
            "java",
            "# cmdline : perf 1 2:",
            "\tffffffff8103d0ca f (m)",
            "1 2 3",
            "a b c:",
            "BenchmarkX-2  100  11 ns/op",
            "PASS 5: ok",
            "... id: 101  idx: 0  cpu: 0",
            "..._id: 4 idx: 1 cpu: 2",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
