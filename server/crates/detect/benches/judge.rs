//! How long a verdict takes: a large suite of benchmarks, and two large profiles.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use model::{
    Benchmark, BenchmarkKey, BenchmarkName, Better, CallTreeBuilder, Event, Measure, MeasureName,
    Measurement, Node, Policy, Profile, RunData, Status, Unit,
};

/// A small generator with a fixed seed (xorshift), so that every run measures the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn suite(numbers: &mut Numbers, benchmarks: usize, observations: usize) -> RunData {
    let measure = Measure {
        name: MeasureName::parse("ns/op").expect("a name"),
        unit: Unit::Nanoseconds,
        better: Better::Lower,
    };
    let benchmark = |i: usize, numbers: &mut Numbers| Benchmark {
        key: BenchmarkKey {
            name: BenchmarkName::parse(&format!("package/benchmark-{i}")).expect("a name"),
            parameters: std::collections::BTreeMap::default(),
        },
        kind: None,
        status: Status::Ok,
        measurements: vec![Measurement::new(
            measure.clone(),
            (0..observations).map(|_| 1000.0 * (1.0 + 0.05 * numbers.unit())).collect(),
        )],
    };
    RunData { benchmarks: (0..benchmarks).map(|i| benchmark(i, numbers)).collect(), profiles: vec![] }
}

/// About `nodes` nodes over 5,000 functions, 30 deep on average.
fn profile(numbers: &mut Numbers, nodes: usize, extra: bool) -> Profile {
    let mut builder = CallTreeBuilder::new();
    let frames: Vec<u32> =
        (0..5000).map(|i| builder.frame(&format!("main.function{i}"), None, None)).collect();
    let new = builder.frame("main.added", None, None);
    while builder.n_nodes() < nodes {
        let mut at = Node::ROOT;
        let depth = 10 + numbers.next() % 40;
        for level in 0..depth {
            // Near the root paths are shared, further down they fan out.
            let width = 1 + (level * level * level / 8).min(4999);
            let frame = (level * 97 + numbers.next() % width) % 5000;
            at = builder.child(at, frames[frame as usize], false);
        }
        if extra && numbers.next().is_multiple_of(10) {
            at = builder.child(at, new, false);
        }
        builder.add(at, 1 + numbers.next() % 5, 1.0);
    }
    Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Count("samples".to_owned()) }, builder.finish())
}

fn judge(c: &mut Criterion) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let policy = Policy::default();
    let (base, head) = (suite(&mut numbers, 2000, 10), suite(&mut numbers, 2000, 10));
    c.bench_function("2,000 benchmarks of 10 observations", |b| {
        b.iter(|| detect::judge(Some(black_box(&base)), black_box(&head), &policy));
    });
    let run = |profile| RunData { benchmarks: vec![], profiles: vec![profile] };
    let base = run(profile(&mut numbers, 100_000, false));
    let head = run(profile(&mut numbers, 100_000, true));
    c.bench_function("two profiles of 100,000 nodes", |b| {
        b.iter(|| detect::judge(Some(black_box(&base)), black_box(&head), &policy));
    });
}

criterion_group!(benches, judge);
criterion_main!(benches);
