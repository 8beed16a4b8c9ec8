//! A pprof file of about 20 MB read into a call tree with every function's self and total, next to what `go tool pprof
//! -top` takes for the same file in the same run. Says so and ends where there is no `go`.

#![expect(clippy::print_stdout, reason = "the ratio is the result")]

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::Instant;

use formats::{Content, Hints, Limits};
use prost::Message;

#[path = "../tests/it/pprof_message.rs"]
mod pprof_message;
#[path = "shared/program.rs"]
mod program;

use program::{Seeded, names, stacks};

const ROUNDS: usize = 5;

fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn ours(bytes: &[u8]) {
    let parsed = formats::read(bytes, &Hints::default(), &Limits::default());
    let Ok(formats::Parsed { content: Content::Profiles(profiles), .. }) = parsed else {
        println!("our own reader refused the file");
        return;
    };
    for profile in profiles {
        black_box(profile.tree.frame_costs());
    }
}

fn main() -> std::io::Result<()> {
    let mut random = Seeded(7);
    let stacks: Vec<(Vec<u64>, i64)> = stacks(&mut random, 300_000, 40)
        .into_iter()
        .map(|stack| (stack.into_iter().rev().map(|i| i + 1).collect(), 1))
        .collect();
    let bytes = pprof_message::of_stacks(names(), &stacks).encode_to_vec();
    let path = std::env::temp_dir().join(format!("perfblame-bench-{}.pb", std::process::id()));
    std::fs::write(&path, &bytes)?;
    let theirs = || {
        Command::new("go")
            .args(["tool", "pprof", "-top", "-nodecount=30"])
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    println!("{} stacks, {:.1} MB", stacks.len(), bytes.len() as f64 / 1e6);
    if theirs() {
        // Alternating, so that a busy moment of the machine falls on both.
        let mut times = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            times[0] = times[0].min(seconds(|| ours(&bytes)));
            times[1] = times[1].min(seconds(|| {
                theirs();
            }));
        }
        let [ours, theirs] = times;
        println!("perfblame {ours:.3} s, go tool pprof -top {theirs:.3} s, ratio {:.1}", theirs / ours);
    } else {
        println!("skipped: there is no `go` that can run `go tool pprof`");
    }
    std::fs::remove_file(&path)
}
