//! How fast folded text and pprof become call trees, next to what the machine can do at all.
//!
//! Folded: 20 MB of about 1 kB lines, 50 frames deep, 5,000 names, as collapsers write them (sorted) and shuffled,
//! which no collapser does but which takes the shared beginnings of lines away. The yardsticks are copying the bytes
//! and looking for line ends a byte at a time. pprof: 100,000 samples 30 frames deep over 5,000 functions.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use formats::{Hints, Limits};
use prost::Message;

#[path = "../tests/it/pprof_message.rs"]
mod pprof_message;

const N_NAMES: u64 = 5_000;

/// Numbers that are the same in every run (xorshift*, Vigna 2016).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}

fn names() -> Vec<String> {
    (0..N_NAMES).map(|i| format!("service.store.Mod{:03}.call{i:04}", i % 211)).collect()
}

/// A stack of a program in which each function calls six others, the first of them mostly.
fn stack(random: &mut Seeded, depth: u64) -> Vec<u64> {
    let mut at = 0;
    let call = |level: u64, random: &mut Seeded| {
        let callee = if random.below(4) > 0 { 0 } else { 1 + random.below(5) };
        at = (at * 7 + callee * 911 + level * 13 + 1) % N_NAMES;
        at
    };
    let mut call = call;
    (0..depth).map(|level| call(level, random)).collect()
}

fn folded(sorted: bool) -> String {
    let (names, mut random) = (names(), Seeded(7));
    let (mut lines, mut bytes) = (Vec::new(), 0);
    while bytes < 20_000_000 {
        let depth = 30 + random.below(20);
        let stack: Vec<&str> = stack(&mut random, depth)
            .into_iter()
            .filter_map(|i| names.get(i as usize))
            .map(String::as_str)
            .collect();
        let line = stack.join(";");
        bytes += line.len() + 4;
        lines.push(line);
    }
    if sorted {
        lines.sort();
    }
    let mut text = String::with_capacity(bytes);
    for line in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line} {}", 1 + random.below(90));
    }
    text
}

fn pprof() -> Vec<u8> {
    let mut random = Seeded(7);
    let stacks: Vec<(Vec<u64>, i64)> = (0..100_000)
        .map(|_| {
            let mut stack: Vec<u64> = stack(&mut random, 30).into_iter().map(|i| i + 1).collect();
            stack.reverse();
            (stack, 1)
        })
        .collect();
    pprof_message::of_stacks(names(), &stacks).encode_to_vec()
}

fn read(bytes: &[u8]) -> formats::Parsed {
    #[expect(clippy::expect_used, reason = "a bench of a failure would be a lie")]
    formats::read(bytes, &Hints::default(), &Limits::default()).expect("generated input is sound")
}

fn profiles(criterion: &mut Criterion) {
    let (sorted, shuffled, pprof) = (folded(true), folded(false), pprof());

    let mut group = criterion.benchmark_group("folded");
    group.sample_size(10).throughput(Throughput::Bytes(sorted.len() as u64));
    group.bench_function("yardstick: copy", |b| {
        b.iter_batched(|| (), |()| black_box(sorted.as_bytes()).to_vec(), BatchSize::PerIteration);
    });
    group.bench_function("yardstick: line ends, a byte at a time", |b| {
        b.iter(|| black_box(sorted.as_bytes()).split(|byte| *byte == b'\n').count());
    });
    group.bench_function("sorted", |b| b.iter(|| read(black_box(sorted.as_bytes()))));
    group.throughput(Throughput::Bytes(shuffled.len() as u64));
    group.bench_function("shuffled", |b| b.iter(|| read(black_box(shuffled.as_bytes()))));
    group.finish();

    let mut group = criterion.benchmark_group("pprof");
    group.sample_size(10).throughput(Throughput::Elements(100_000));
    group.bench_function("100,000 samples", |b| b.iter(|| read(black_box(&pprof))));
    group.finish();
}

criterion_group!(benches, profiles);
criterion_main!(benches);
