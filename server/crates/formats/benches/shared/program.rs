//! A made-up program whose stacks look like a server's, the same in every run.

pub(crate) const N_NAMES: u64 = 5_000;

/// Numbers that are the same in every run (xorshift*, Vigna 2016).
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}

/// Names of its functions.
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
