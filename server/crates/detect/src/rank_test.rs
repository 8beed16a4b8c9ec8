//! Mann–Whitney U, two-sided: exact for small samples, ties included, else the normal approximation.
//!
//! H. B. Mann and D. R. Whitney, Ann. Math. Stat. 18 (1947). With ties the null distribution is that of the sum of
//! mid-ranks over all ways to choose the first sample, counted by dynamic programming.

use rustc_hash::FxHashMap;
use statrs::distribution::{ContinuousCDF, Normal};

/// Up to this many values in both samples together the p-value is exact.
const EXACT_LIMIT: usize = 50;

/// Null distributions of samples without ties, made once per report.
#[derive(Debug, Default)]
pub(crate) struct NullTables {
    /// Cumulative probabilities by twice the rank sum of the first sample, by both sizes.
    untied: FxHashMap<(usize, usize), Vec<f64>>,
}

/// The two-sided test of two samples, both sorted and not empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankTest {
    /// Probability of ranks this far apart without a difference.
    pub(crate) p: f64,
    /// No value of one side reaches into the other's range.
    pub(crate) apart: bool,
}

/// Tests two sorted samples.
pub(crate) fn mann_whitney(first: &[f64], second: &[f64], tables: &mut NullTables) -> RankTest {
    let (n, m) = (first.len(), second.len());
    let ranks = MidRanks::of(first, second);
    let apart = match (first.last(), second.first(), second.last(), first.first()) {
        (Some(a1), Some(b0), Some(b1), Some(a0)) => a1 < b0 || b1 < a0,
        _ => false,
    };
    let p = if n == 0 || m == 0 || ranks.groups.len() < 2 {
        1.0
    } else if n + m > EXACT_LIMIT {
        normal_p(n, m, &ranks)
    } else if ranks.groups.len() == n + m {
        let table = tables.untied.entry((n, m)).or_insert_with(|| cumulative(n, &ranks.doubled));
        two_sided(table, n, m, ranks.sum_of_first)
    } else {
        two_sided(&cumulative(n, &ranks.doubled), n, m, ranks.sum_of_first)
    };
    RankTest { p, apart }
}

/// Ranks of two samples put together; doubled, so that mid-ranks are whole numbers.
struct MidRanks {
    /// The doubled mid-rank of every value, ascending.
    doubled: Vec<usize>,
    /// Sizes of groups of equal values.
    groups: Vec<usize>,
    /// Sum of the doubled mid-ranks of the first sample.
    sum_of_first: usize,
}

impl MidRanks {
    fn of(first: &[f64], second: &[f64]) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut ranks =
            Self { doubled: Vec::with_capacity(first.len() + second.len()), groups: vec![], sum_of_first: 0 };
        while i < first.len() || j < second.len() {
            let value = match (first.get(i), second.get(j)) {
                (Some(a), Some(b)) => a.min(*b),
                (Some(v), None) | (None, Some(v)) => *v,
                (None, None) => break,
            };
            let of_first = first[i..].iter().take_while(|v| **v == value).count();
            let of_second = second[j..].iter().take_while(|v| **v == value).count();
            let size = of_first + of_second;
            if size == 0 {
                break; // Only values that do not equal themselves, which callers have removed.
            }
            let doubled = 2 * ranks.doubled.len() + size + 1;
            ranks.doubled.extend(std::iter::repeat_n(doubled, size));
            ranks.groups.push(size);
            ranks.sum_of_first += of_first * doubled;
            i += of_first;
            j += of_second;
        }
        ranks
    }
}

/// Cumulative probabilities of the sum of `n` of the given ranks, by that sum.
fn cumulative(n: usize, doubled: &[usize]) -> Vec<f64> {
    let top: usize = doubled.iter().rev().take(n).sum();
    let width = top + 1;
    // ways[k * width + s]: how many choices of k ranks have the sum s.
    let mut ways = vec![0.0_f64; (n + 1) * width];
    ways[0] = 1.0;
    for (seen, &rank) in doubled.iter().enumerate() {
        for k in (1..=n.min(seen + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(k * width);
            let from = &fewer[(k - 1) * width..];
            for (to, ways) in more[rank.min(width)..width].iter_mut().zip(from) {
                *to += ways;
            }
        }
    }
    let counts = &ways[n * width..];
    let total: f64 = counts.iter().sum();
    let mut below = 0.0;
    counts
        .iter()
        .map(|count| {
            below += count / total;
            below
        })
        .collect()
}

/// The distribution of the doubled rank sum is symmetric about n (n + m + 1), ties or not only nearly so; twice the
/// smaller tail is the conservative choice.
fn two_sided(cumulative: &[f64], n: usize, m: usize, sum: usize) -> f64 {
    let at = |s: usize| cumulative.get(s).copied().unwrap_or(1.0);
    let lower = at(sum);
    let upper = 1.0 - sum.checked_sub(1).map_or(0.0, at);
    debug_assert!(n > 0 && m > 0, "both samples hold values");
    (2.0 * lower.min(upper)).clamp(0.0, 1.0)
}

fn normal_p(n: usize, m: usize, ranks: &MidRanks) -> f64 {
    let (a, b) = (n as f64, m as f64);
    let all = a + b;
    let mean = a * (all + 1.0) / 2.0;
    let ties: f64 = ranks.groups.iter().map(|&t| (t as f64).powi(3) - t as f64).sum();
    let variance = a * b / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    let distance = ((ranks.sum_of_first as f64 / 2.0 - mean).abs() - 0.5).max(0.0);
    if variance <= 0.0 {
        return 1.0;
    }
    (2.0 * Normal::standard().sf(distance / variance.sqrt())).clamp(0.0, 1.0)
}

/// How many of all pairwise differences may be left out at each end so that the rest is a 95 % interval of the
/// shift: the largest k with P(U < k) ≤ 2.5 %, by the untied distribution.
pub(crate) fn pairs_left_out(n: usize, m: usize, tables: &mut NullTables) -> usize {
    if n + m > EXACT_LIMIT {
        let pairs = n as f64 * m as f64;
        let deviation = (pairs * ((n + m) as f64 + 1.0) / 12.0).sqrt();
        return (pairs / 2.0 - 1.96 * deviation).max(0.0) as usize;
    }
    let untied: Vec<usize> = (1..=n + m).map(|rank| 2 * rank).collect();
    let table = tables.untied.entry((n, m)).or_insert_with(|| cumulative(n, &untied));
    let smallest = n * (n + 1);
    (0..n * m / 2).take_while(|k| table.get(smallest + 2 * k).is_some_and(|p| *p <= 0.025)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(first: &[f64], second: &[f64]) -> f64 {
        let (mut a, mut b) = (first.to_vec(), second.to_vec());
        a.sort_by(f64::total_cmp);
        b.sort_by(f64::total_cmp);
        mann_whitney(&a, &b, &mut NullTables::default()).p
    }

    #[test]
    fn exact_values_are_those_of_the_tables() {
        // Complete separation: 2 / C(10, 5) and 2 / C(20, 10).
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = (20..30).map(f64::from).collect();
        assert!((p(&low[..5], &high[..5]) - 2.0 / 252.0).abs() < 1e-12);
        assert!((p(&low, &high) - 2.0 / 184_756.0).abs() < 1e-12);
        // U = 2 for 5 and 5: P(U ≤ 2) = 4 / 252.
        assert!((p(&[1.0, 2.0, 3.0, 4.0, 7.0], &[5.0, 6.0, 8.0, 9.0, 10.0]) - 8.0 / 252.0).abs() < 1e-12);
    }

    #[test]
    fn ties_count_every_choice_once() {
        // Values 1 1 1 | 1 2 2: doubled mid-ranks 5 5 5 5 11 11, first sum 15, reached by C(4, 3) = 4 of 20.
        assert!((p(&[1.0, 1.0, 1.0], &[1.0, 2.0, 2.0]) - 8.0 / 20.0).abs() < 1e-12);
        assert_eq!(p(&[1.0, 1.0], &[1.0, 1.0]), 1.0);
    }

    #[test]
    fn the_approximation_meets_the_exact_test() {
        let a: Vec<f64> = (0..25).map(|i| f64::from(i * 7 % 25)).collect();
        let b: Vec<f64> = (0..25).map(|i| f64::from(i * 11 % 25) + 4.5).collect();
        let exact = p(&a, &b);
        let (mut a2, mut b2) = (a.clone(), b.clone());
        a2.sort_by(f64::total_cmp);
        b2.sort_by(f64::total_cmp);
        let near = normal_p(25, 25, &MidRanks::of(&a2, &b2));
        assert!((exact - near).abs() < 0.005, "{exact} {near}");
    }

    #[test]
    fn the_interval_leaves_out_what_the_tables_say() {
        let mut tables = NullTables::default();
        // Critical values of U at 5 % two-sided: 2 for 5 and 5, 23 for 10 and 10; k is one more.
        assert_eq!(pairs_left_out(5, 5, &mut tables), 3);
        assert_eq!(pairs_left_out(10, 10, &mut tables), 24);
        assert_eq!(pairs_left_out(3, 3, &mut tables), 0);
    }
}
