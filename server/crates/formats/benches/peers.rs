//! Readers next to the tools that read the same files, in the same run: both in turn, and the median of the ratios of
//! neighbours, because a machine is seldom quiet. Times are of the processor where Linux tells them.
//!
//! - `perf script` text of about 30 MB against inferno's collapser, which ends with folded text where we end with a tree.
//! - Folded text against inferno's flame graph, the only reader of folded text that it has; it draws as well.
//! - A recording of the JDK against `jfr print` and `jfr summary`, where they are on the path and a recording is named by
//!   `JFR` in the environment or lies in the corpus. Their time holds the start of a virtual machine.

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use formats::{Hints, Limits};
use inferno::collapse::Collapse;

mod synthetic;

/// Rounds of each comparison.
const ROUNDS: usize = 7;
/// How often the recording is repeated, chunk after chunk, so that a virtual machine's start does not decide alone.
const REPEATED: usize = 20;

fn main() -> Result<(), std::io::Error> {
    let mut out = std::io::stdout().lock();
    let script = synthetic::perf_script(16_000);
    let mut peer = || {
        let mut folder = inferno::collapse::perf::Folder::from(inferno::collapse::perf::Options::default());
        let mut folded = Vec::new();
        let done = folder.collapse(script.as_bytes(), &mut folded);
        black_box((folded, done.is_ok()));
    };
    compare(
        &mut out,
        "perf script against inferno",
        script.len(),
        || read(script.as_bytes()),
        &mut peer,
        thread_time,
    )?;
    for (name, sorted) in
        [("folded, sorted, against inferno", true), ("folded, shuffled, against inferno", false)]
    {
        let text = synthetic::folded(sorted);
        let mut peer = || {
            let mut options = inferno::flamegraph::Options::default();
            let done = inferno::flamegraph::from_reader(&mut options, text.as_bytes(), std::io::sink());
            black_box(done.is_ok());
        };
        compare(&mut out, name, text.len(), || read(text.as_bytes()), &mut peer, thread_time)?;
    }
    let Some(recording) = recording() else { return writeln!(out, "no recording: name one by JFR") };
    let once = std::fs::read(recording)?;
    // Up to what a service reads by default.
    let times = (Limits::default().decompressed_bytes / once.len().max(1) / 2).clamp(1, REPEATED);
    for (what, bytes) in [("once", once.clone()), ("repeated", once.repeat(times))] {
        let path = std::env::temp_dir().join(format!("peers-{}.jfr", std::process::id()));
        std::fs::write(&path, &bytes)?;
        for tool in ["print", "summary"] {
            let mut peer = || {
                let run = Command::new("jfr")
                    .arg(tool)
                    .arg(&path)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                black_box(run.is_ok());
            };
            let name = format!("recording {what} against jfr {tool}");
            compare(&mut out, &name, bytes.len(), || read(&bytes), &mut peer, process_time)?;
        }
        std::fs::remove_file(path)?;
    }
    Ok(())
}

fn read(bytes: &[u8]) {
    let parsed = black_box(formats::read(black_box(bytes), &Hints::default(), &Limits::default()));
    assert!(parsed.is_ok(), "the reader refuses what it is timed on");
}

/// A recording to read: the one named, or a large one of the corpus.
fn recording() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../shared/corpus/profiles/jfr/speedscope-heavy.jfr");
    std::env::var_os("JFR").map(PathBuf::from).or(Some(corpus)).filter(|path| path.is_file())
}

fn compare(
    out: &mut impl Write,
    name: &str,
    bytes: usize,
    ours: impl Fn(),
    peer: &mut impl FnMut(),
    clock: fn() -> f64,
) -> Result<(), std::io::Error> {
    let timed = |run: &mut dyn FnMut(), clock: fn() -> f64| {
        let start = clock();
        run();
        clock() - start
    };
    let mut rounds: Vec<(f64, f64)> = Vec::new();
    for _ in 0..ROUNDS {
        // Ours is always in this thread, whose clock is the finer one.
        let own = timed(&mut || ours(), thread_time);
        rounds.push((own, timed(peer, clock)));
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let own = median(rounds.iter().map(|(own, _)| *own).collect());
    let other = median(rounds.iter().map(|(_, peer)| *peer).collect());
    let ratio = median(rounds.iter().map(|(own, peer)| peer / own).collect());
    let megabytes = bytes as f64 / 1e6;
    writeln!(
        out,
        "{name}: {megabytes:.1} MB, ours {:.2} ms ({:.0} MB/s), theirs {:.2} ms, {ratio:.1} times as fast",
        own * 1e3,
        megabytes / own,
        other * 1e3,
    )
}

/// Seconds that this thread has run, or the time of day where Linux does not tell.
fn thread_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(wall, |ns| ns / 1e9)
}

/// Seconds that finished children have run, in hundredths.
fn process_time() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").ok();
    let ticks = told.and_then(|text| {
        let fields: Vec<f64> =
            text.rsplit_once(')')?.1.split_whitespace().map(|word| word.parse().unwrap_or(0.0)).collect();
        Some(fields.get(13)? + fields.get(14)?)
    });
    ticks.map_or_else(wall, |ticks| ticks / 100.0)
}

fn wall() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
