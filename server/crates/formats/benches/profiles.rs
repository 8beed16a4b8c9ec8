//! How fast folded text and pprof become call trees, next to what the machine can do at all.
//!
//! Folded: 25,000 lines, 20 to 80 frames deep, 5,000 names with Zipf's popularity, as collapsers write them (sorted)
//! and shuffled, which no collapser does but which takes the shared beginnings of lines away. The yardsticks are
//! copying the bytes and looking for line ends a byte at a time. pprof: 100,000 different stacks of the same program.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use formats::{Hints, Limits};
use prost::Message;

#[path = "../tests/it/pprof_message.rs"]
mod pprof_message;
#[expect(dead_code, reason = "another bench uses the rest")]
mod synthetic;

use synthetic::{Seeded, folded, names, stacks};

fn pprof() -> Vec<u8> {
    let mut random = Seeded(7);
    let stacks: Vec<(Vec<u64>, i64)> = stacks(&mut random, 100_000, 40)
        .into_iter()
        .map(|stack| (stack.into_iter().rev().map(|i| i + 1).collect(), 1))
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
