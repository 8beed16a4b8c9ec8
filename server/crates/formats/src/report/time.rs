//! GNU `time` (its default line, `-v`, `-p`) and the `time` of shells (bash, zsh, dash's `-p` form).
//!
//! Descriptions: <https://www.gnu.org/software/time/>, bash's `TIMEFORMAT`, zsh's `TIMEFMT`. `kbytes` and `k` are KiB
//! (getrusage's `ru_maxrss` on Linux). Files repeat blocks when a command was timed several times; each is a reading.

use std::collections::BTreeMap;

use model::{BenchmarkKey, Better, Kind};

use crate::error::{At, ParseError};
use crate::number::{Marks, clock_seconds, lines, number};
use crate::read::{Input, Parsed, Reader, Sniff};
use crate::report::builder::{Builder, Reading};
use crate::text::text;

pub(super) const GNU: Reader =
    Reader { name: "gnu-time", about: "GNU time, its default line and -v", sniff: sniff_gnu, read: read_gnu };
pub(super) const SHELL: Reader = Reader {
    name: "shell-time",
    about: "the time of bash, zsh and POSIX shells",
    sniff: sniff_shell,
    read: read_shell,
};

/// The benchmark's name where the output does not say what was timed.
const UNNAMED: &str = "command";
const KIND: Option<Kind> = Some(Kind::EndToEnd);

fn sniff_gnu(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let verbose = head.contains("Command being timed: ") || head.contains("Elapsed (wall clock) time");
    if verbose || head.lines().any(|line| default_line(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

/// `0.02user 0.00system 0:00.20elapsed 13%CPU (0avgtext+0avgdata 10216maxresident)k` as (name, value, unit).
fn default_line(line: &str) -> Option<Vec<(&'static str, f64, &'static str)>> {
    if !(line.contains("user ") && line.contains("system ") && line.contains("elapsed")) {
        return None;
    }
    let mut values = Vec::new();
    for word in line.split([' ', '(', ')', '+']) {
        let seconds = |suffix: &str| number(word.strip_suffix(suffix)?, Marks::Point);
        if let Some(value) = seconds("user") {
            values.push(("user", value, "s"));
        } else if let Some(value) = seconds("system") {
            values.push(("system", value, "s"));
        } else if let Some(value) = word.strip_suffix("elapsed").and_then(clock_seconds) {
            values.push(("elapsed", value, "s"));
        } else if let Some(value) = seconds("%CPU") {
            values.push(("cpu", value, "%"));
        } else if let Some(value) = seconds("maxresident") {
            values.push(("maxresident", value, "KiB"));
        }
    }
    (values.len() >= 3).then_some(values)
}

/// `0inputs+0outputs (0major+2137minor)pagefaults 0swaps`.
fn second_line(line: &str) -> Vec<(&'static str, f64)> {
    const NAMES: [(&str, &str); 5] = [
        ("inputs", "inputs"),
        ("outputs", "outputs"),
        ("major", "major pagefaults"),
        ("minor", "minor pagefaults"),
        ("swaps", "swaps"),
    ];
    if !line.contains("pagefaults") {
        return Vec::new();
    }
    let words = line.split([' ', '(', ')', '+']);
    let value = |word: &str| {
        NAMES
            .iter()
            .find_map(|(suffix, name)| Some((*name, number(word.strip_suffix(suffix)?, Marks::Point)?)))
    };
    words.filter_map(value).collect()
}

/// `Label (unit): value` of `-v`; the label of the clock holds colons itself.
fn verbose(line: &str) -> Option<(&str, f64, &'static str)> {
    let (label, value) = line.trim().rsplit_once(": ")?;
    if label.starts_with("Elapsed (wall clock) time") {
        return Some(("Elapsed (wall clock) time", clock_seconds(value)?, "s"));
    }
    let (name, unit) = match label.rsplit_once(" (") {
        Some((name, "seconds)")) => (name, "s"),
        Some((name, "kbytes)")) => (name, "KiB"),
        Some((name, "bytes)")) => (name, "B"),
        _ => (label, "count"),
    };
    let unit = if value.ends_with('%') { "%" } else { unit };
    Some((name, number(value.trim_end_matches('%'), Marks::Point)?, unit))
}

fn better(measure: &str) -> Better {
    // What a run did and what the machine is: no judgement. Everything else costs.
    let neutral =
        ["Page size", "Exit status", "Percent of CPU", "Signals", "Socket", "cpu", "inputs", "outputs"];
    if neutral.iter().any(|word| measure.starts_with(word)) { Better::Neither } else { Better::Lower }
}

fn read_gnu(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(GNU.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    let mut key: Option<BenchmarkKey> = builder.key(At::File, UNNAMED, BTreeMap::new());
    let mut failed = None;
    for (at, line) in lines(&text) {
        let said = line.trim();
        if let Some(command) = said.strip_prefix("Command being timed: ") {
            key = builder.key(At::Line(at), command.trim_matches('"'), BTreeMap::new());
        } else if said.starts_with("Command exited with") || said.starts_with("Command terminated by") {
            failed = Some(said.to_owned());
        } else if let Some(key) = &key {
            gnu_line(&mut builder, at, key, line)?;
            let ends = said.starts_with("Exit status:") || !second_line(line).is_empty();
            if let Some(why) = failed.take_if(|_| ends) {
                builder.fail(key, KIND, &why)?;
            }
        }
    }
    builder.finish(None)
}

fn gnu_line(builder: &mut Builder<'_>, at: usize, key: &BenchmarkKey, line: &str) -> Result<(), ParseError> {
    let mut values: Vec<(&str, f64, &str)> = default_line(line).unwrap_or_default();
    values.extend(second_line(line).into_iter().map(|(name, value)| (name, value, "count")));
    // Verbose lines are indented by a tab; what the command itself printed is not.
    if values.is_empty() && line.starts_with(['\t', ' ']) {
        values.extend(verbose(line));
    }
    for (measure, value, unit) in values {
        let reading = Reading::raw(measure, unit, value).towards(better(measure));
        builder.observe(At::Line(at), key, KIND, reading)?;
    }
    Ok(())
}

/// `real 0m0.093s`, `real 0.09`, `0m0,012s` under a locale with a decimal comma.
fn shell_line(line: &str) -> Option<(&str, f64)> {
    let (name, value) = line.trim().split_once(char::is_whitespace)?;
    if !matches!(name, "real" | "user" | "sys") {
        return None;
    }
    Some((name, shell_seconds(value.trim())?))
}

fn shell_seconds(value: &str) -> Option<f64> {
    let marks = if value.contains(',') { Marks::DecimalComma } else { Marks::Point };
    let mut seconds = 0.0;
    let mut rest = value;
    for (mark, scale) in [('h', 3600.0), ('m', 60.0)] {
        if let Some((part, behind)) = rest.split_once(mark) {
            seconds += number(part, marks)? * scale;
            rest = behind;
        }
    }
    Some(seconds + number(rest.trim_end_matches('s'), marks)?).filter(|seconds| *seconds >= 0.0)
}

/// zsh: `sleep 1  0.00s user 0.01s system 0% cpu 1.005 total`.
fn zsh_line(line: &str) -> Option<(&str, [f64; 3])> {
    let (before, total) = line.trim_end().strip_suffix(" total")?.rsplit_once(" cpu ")?;
    let (before, system) = before.rsplit_once(" system ")?.0.rsplit_once(" user ")?;
    let (command, user) = before.trim_end().rsplit_once(' ').unwrap_or(("", before.trim()));
    let total = shell_seconds(total).or_else(|| clock_seconds(total))?;
    Some((command.trim(), [total, shell_seconds(user)?, shell_seconds(system)?]))
}

fn sniff_shell(head: &[u8]) -> Sniff {
    let head = String::from_utf8_lossy(head);
    let names: Vec<&str> = head.lines().filter_map(shell_line).map(|(name, _)| name).collect();
    let is_posix = ["real", "user", "sys"].iter().all(|name| names.contains(name));
    if is_posix || head.lines().any(|line| zsh_line(line).is_some()) { Sniff::Yes } else { Sniff::No }
}

fn read_shell(input: Input<'_>) -> Result<Parsed, ParseError> {
    let mut builder = Builder::new(SHELL.name, input.limits);
    let text = text(&input, &mut builder.warnings);
    for (at, line) in lines(&text) {
        let (name, values) = match (shell_line(line), zsh_line(line)) {
            (Some((measure, seconds)), _) => (UNNAMED, vec![(measure, seconds)]),
            (_, Some((command, seconds))) => {
                let name = if command.is_empty() { UNNAMED } else { command };
                (name, ["real", "user", "sys"].into_iter().zip(seconds).collect())
            }
            // The command's own output is anybody's.
            _ => continue,
        };
        let Some(key) = builder.key(At::Line(at), name, BTreeMap::new()) else { continue };
        for (measure, seconds) in values {
            let reading = Reading::raw(measure, "s", seconds).towards(Better::Lower);
            builder.observe(At::Line(at), &key, KIND, reading)?;
        }
    }
    builder.finish(None)
}

#[cfg(test)]
mod tests {
    use model::Status;

    use crate::limits::Limits;
    use crate::read::{Content, Hints, Report, read as read_any};

    fn report(text: &str) -> Report {
        match read_any(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap().content {
            Content::Report(report) => report,
            _ => panic!("a report"),
        }
    }

    #[test]
    fn repeated_blocks_are_readings_of_one_command() {
        let report = report(
            "\nreal\t0m1,500s\nuser\t0m0,012s\nsys\t0m0,004s\n\nreal\t1m2.5s\nuser\t0m0.1s\nsys\t0m0.0s\n",
        );
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1.5e9, 62.5e9]);
    }

    #[test]
    fn zsh_names_the_command() {
        let report = report("sleep 1  0.00s user 0.01s system 0% cpu 1.500 total\n");
        assert_eq!(report.benchmarks[0].key.to_string(), "sleep 1");
        assert_eq!(report.benchmarks[0].measurements[0].observations, [1.5e9]);
    }

    #[test]
    fn a_command_that_failed_keeps_its_times_and_says_how() {
        let text = "Command exited with non-zero status 3\n0.02user 0.00system 0:00.20elapsed 13%CPU (0avgtext+0avgdata 10216maxresident)k\n\
                    0inputs+8outputs (0major+2137minor)pagefaults 0swaps\n";
        let report = report(text);
        assert!(matches!(&report.benchmarks[0].status, Status::Failed(why) if why.ends_with("status 3")));
        let memory =
            report.benchmarks[0].measurements.iter().find(|m| m.measure.name.as_str() == "maxresident");
        assert_eq!(memory.unwrap().observations, [10216.0 * 1024.0]);
    }
}
