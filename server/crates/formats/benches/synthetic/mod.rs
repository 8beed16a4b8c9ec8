//! A program that never was: its functions, its stacks, and what profilers would write of it.

use std::fmt::Write;

const N_NAMES: u64 = 5_000;

/// Numbers that are the same in every run (xorshift*, Vigna 2016).
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}

/// The program's functions.
pub(crate) fn names() -> Vec<String> {
    (0..N_NAMES).map(|i| format!("service.store.Mod{:03}.call{i:04}", i % 211)).collect()
}

/// Popularity after Zipf with exponent 1: the logarithm of the rank is uniform.
fn popular(random: &mut Seeded) -> u64 {
    let uniform = random.below(1 << 30) as f64 / f64::from(1 << 30);
    ((N_NAMES as f64).powf(uniform) as u64).min(N_NAMES - 1)
}

/// Stacks of one program, 20 to 80 frames deep: each leaves an earlier one near its end and calls on, which makes
/// about three new nodes a stack, as profiles of servers do.
pub(crate) fn stacks(random: &mut Seeded, n: usize, deepest: usize) -> Vec<Vec<u64>> {
    let mut stacks: Vec<Vec<u64>> = vec![(0..20).map(|_| popular(random)).collect()];
    while stacks.len() < n {
        let earlier = &stacks[random.below(stacks.len() as u64) as usize];
        let kept = earlier.len() - random.below(6).min(earlier.len() as u64 - 15) as usize;
        let mut stack = earlier[..kept].to_vec();
        let calls = 1 + random.below(6);
        stack.extend((0..calls).map(|_| popular(random)));
        stack.truncate(deepest);
        stacks.push(stack);
    }
    stacks
}

/// Folded text of 25,000 lines.
pub(crate) fn folded(sorted: bool) -> String {
    let (names, mut random) = (names(), Seeded(7));
    let stacks = stacks(&mut random, 25_000, 80);
    let mut lines: Vec<String> = stacks
        .into_iter()
        .map(|stack| {
            let frames: Vec<&str> =
                stack.into_iter().filter_map(|i| names.get(i as usize)).map(String::as_str).collect();
            frames.join(";")
        })
        .collect();
    if sorted {
        lines.sort();
    }
    let mut text = String::new();
    for line in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line} {}", 1 + random.below(90));
    }
    text
}

/// What `perf script` would print: a header and a stack a sample, innermost first, most stacks more than once.
pub(crate) fn perf_script(n_samples: usize) -> String {
    let (names, mut random) = (names(), Seeded(7));
    let stacks = stacks(&mut random, n_samples / 4, 60);
    let mut text = String::new();
    for sample in 0..n_samples {
        let comm = ["server", "worker 3", "java"][random.below(3) as usize];
        let thread = 4000 + random.below(8);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{comm} 4000/{thread} [00{}] {}.{:06}:    1003009 cpu-clock: ",
            sample % 8,
            100 + sample / 1000,
            sample % 1000 * 1000
        );
        let at = random.below(stacks.len() as u64) as usize;
        for frame in stacks.get(at).into_iter().flatten().rev() {
            let name = names.get(*frame as usize).map_or("", String::as_str);
            let (address, offset, library) = (0x7f00_0000_0000_u64 + frame * 4096, frame % 4000, frame % 23);
            let _ = writeln!(
                text,
                "\t    {address:x} {name}+0x{offset:x} (/usr/lib/x86_64-linux-gnu/libserver-{library}.so.1)"
            );
        }
        text.push('\n');
    }
    text
}
