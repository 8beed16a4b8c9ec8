//! How long a large profile takes: 20,000 distinct raw frames of several runtimes on 100,000 paths.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use frames::{Rules, normalise};
use model::profile::Node;
use model::{CallTree, Category, Event, FrameInfo, Profile, Unit};

const N_FRAMES: u32 = 20_000;
const N_NODES: u32 = 100_000;

/// Raw names of the shapes that real profiles mix.
fn raw_name(i: u32) -> String {
    match i % 10 {
        0 => format!("java/util/concurrent/Worker{i}$Task.run_[j]"),
        1 => format!("org/example/app/Service{i}.lambda$handle$3_[i]"),
        2 => format!("github.com/example/app/pkg{i}.(*Server).Serve.func1.2"),
        3 => format!("runtime.mallocgc{i}"),
        4 => format!("_ZN3app6module{:06}17h{:016x}E", i, u64::from(i) * 7919),
        5 => format!("app::module{i}::handle::<alloc::vec::Vec<u8>>"),
        6 => format!("void Engine{i}::run<false>(std::vector<int, std::allocator<int> > const&, int)"),
        7 => format!("tcp_input_{i}.isra.0_[k]"),
        8 => format!("handler{i} (/srv/app/views.py:{i})"),
        _ => format!("__memmove_avx_unaligned_{i}"),
    }
}

fn profile() -> Profile {
    let frames = (0..N_FRAMES)
        .map(|i| FrameInfo { name: raw_name(i), module: None, file: None, category: Category::Other })
        .collect();
    let nodes = (0..N_NODES)
        .map(|i| Node {
            parent: if i < 10 { Node::ROOT } else { i / 3 },
            frame: i.wrapping_mul(2_654_435_761) % N_FRAMES,
            inlined: false,
            self_samples: 1,
            self_weight: 1.0,
        })
        .collect();
    Profile::new(Event { name: "cpu".to_owned(), unit: Unit::Nanoseconds }, CallTree { frames, nodes })
}

fn benches(c: &mut Criterion) {
    let rules = Rules::built_in();
    c.bench_function("compile built-in rules", |b| b.iter(Rules::built_in));
    let raw = profile();
    c.bench_function("normalise 100,000 nodes and 20,000 frames", |b| {
        b.iter_batched(|| raw.clone(), |profile| normalise(profile, &rules), BatchSize::LargeInput);
    });
    let names: Vec<String> = (0..100_000).map(|i| frames::canonical(&raw_name(i), None, None)).collect();
    c.bench_function("classify 100,000 names", |b| {
        b.iter(|| {
            names.iter().filter(|name| rules.category(black_box(name), None, None) != Category::Other).count()
        });
    });
}

criterion_group!(normalise_benches, benches);
criterion_main!(normalise_benches);
