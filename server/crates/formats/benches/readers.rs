//! Megabytes a second of every reader on the largest file of its format among the fixtures and, where it is there, the
//! corpus; beside it Python's `json` on the same bytes where the file is JSON and `python3` is on the path.
//!
//! A table and not criterion: a hundred readers at five seconds each would take longer than anyone waits. Each figure
//! is the best of the passes that fit into a quarter of a second, so small files show the reader warm.
//!
//! `-- --memory FILE` reads one file once and prints the most memory that the process held beyond the file itself
//! (Linux only), which is how the bounds on memory are checked.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use formats::{Hints, Limits, decompress, read};

const BUDGET: Duration = Duration::from_millis(250);

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else if !path.to_string_lossy().ends_with(".expected.json") {
            found.push(path);
        }
    }
}

/// The best of as many passes as fit, in seconds.
fn best(mut pass: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    while begin.elapsed() < BUDGET {
        let pass_begin = Instant::now();
        pass();
        best = best.min(pass_begin.elapsed().as_secs_f64());
    }
    best
}

/// Python's best time for the same bytes, in seconds; `None` without Python or where the file is not one document.
fn python(bytes: &[u8]) -> Option<f64> {
    const SCRIPT: &str = "import json,sys,time\n\
        text=sys.stdin.buffer.read()\n\
        end=time.perf_counter()+0.25\n\
        best=9e9\n\
        while time.perf_counter()<end:\n\
        \tt=time.perf_counter(); json.loads(text); best=min(best,time.perf_counter()-t)\n\
        print(best)";
    let mut child = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .ok()?;
    std::io::Write::write_all(&mut child.stdin.take()?, bytes).ok()?;
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// The most memory this process has held, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

fn memory(path: &str) {
    let Ok(bytes) = std::fs::read(path) else {
        println!("{path} cannot be read");
        return;
    };
    let before = peak();
    let parsed = read(&bytes, &Hints::default(), &Limits::default());
    let format = parsed.as_ref().map_or_else(ToString::to_string, |parsed| parsed.format.to_owned());
    if let (Some(before), Some(after)) = (before, peak()) {
        let beyond = after.saturating_sub(before);
        let times = beyond as f64 / bytes.len() as f64;
        println!("{format}: {} bytes, {beyond} bytes beyond the file, {times:.2} times", bytes.len());
    }
}

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--memory").skip(1);
    if let Some(path) = arguments.next() {
        memory(&path);
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["../../../fixtures/reports", "../../../fixtures/profiles", "../../../../shared/corpus"] {
        files(&root.join(folder), &mut found);
    }
    let limits = Limits::default();
    let mut largest: BTreeMap<&'static str, Vec<u8>> = BTreeMap::new();
    for path in found {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let small = Limits { decompressed_bytes: 64 << 20, ..Limits::default() };
        let Ok(plain) = decompress(&bytes, &small) else { continue };
        if let Ok(parsed) = read(&plain, &Hints::default(), &limits) {
            let known = largest.entry(parsed.format).or_default();
            if known.len() < plain.len() {
                *known = plain.into_owned();
            }
        }
    }
    println!("{:<28}{:>12}{:>12}{:>16}{:>8}", "reader", "bytes", "MB/s", "python json", "ratio");
    for (format, bytes) in largest {
        let hints = Hints { format: Some(format.to_owned()), ..Hints::default() };
        let ours = best(|| drop(black_box(read(black_box(&bytes), &hints, &limits))));
        let rate = |seconds: f64| bytes.len() as f64 / seconds / 1e6;
        let is_json =
            bytes.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|b| b"{[".contains(b));
        let (theirs, ratio) = match is_json.then(|| python(&bytes)).flatten() {
            Some(theirs) => (format!("{:.1}", rate(theirs)), format!("{:.1}", theirs / ours)),
            None => (String::new(), String::new()),
        };
        println!("{format:<28}{:>12}{:>12.1}{theirs:>16}{ratio:>8}", bytes.len(), rate(ours));
    }
}
