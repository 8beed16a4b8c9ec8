//! Many comparisons at once: Benjamini and Hochberg's false discovery rate, J. R. Stat. Soc. B 57 (1995).

/// The share of false discoveries that a report accepts.
pub(crate) const RATE: f64 = 0.05;

/// Adjusted p-values in the order given: the smallest rate at which each would be called a discovery.
pub(crate) fn adjust(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; n];
    let mut smallest = 1.0_f64;
    for (rank, &at) in order.iter().enumerate().rev() {
        smallest = smallest.min(p_values[at] * n as f64 / (rank + 1) as f64);
        adjusted[at] = smallest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjustment_follows_the_paper() {
        let adjusted = adjust(&[0.01, 0.04, 0.03, 0.005]);
        for (got, want) in adjusted.iter().zip([0.02, 0.04, 0.04, 0.02]) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
    }

    #[test]
    fn one_comparison_needs_no_adjustment() {
        assert_eq!(adjust(&[0.03]), vec![0.03]);
        assert!(adjust(&[]).is_empty());
    }
}
