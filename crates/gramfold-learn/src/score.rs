//! How well held-out values were predicted.

use gramfold::loss::scalar::Scalar;
use serde::{Deserialize, Serialize};

use crate::scale::median;

/// The standard normal quantile of a two-sided interval of 95 %.
const NORMAL_95: f64 = 1.959963984540054;

/// A value and the ends of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Errors of predictions, over all held-out observations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// How many there were.
    pub count: usize,
    /// The mean loss.
    pub loss: f64,
    /// The root of the mean squared error.
    pub rmse: Interval,
    /// The mean absolute error.
    pub mean_absolute: f64,
    /// The median absolute error, to which gross errors in what was observed do not matter.
    pub median_absolute: f64,
    /// Spearman's rank correlation; none where one side does not vary.
    pub spearman: Option<f64>,
    /// The share of signs that are right, where all observations are ±1.
    pub accuracy: Option<Interval>,
}

impl Score {
    /// Compares predictions with what was observed; at least one is needed.
    pub fn of(predicted: &[f64], observed: &[f64], loss: &dyn Scalar) -> Self {
        let count = observed.len();
        let n = count as f64;
        let errors: Vec<f64> = predicted.iter().zip(observed).map(|(p, b)| p - b).collect();
        let squares: Vec<f64> = errors.iter().map(|e| e * e).collect();
        let mean = squares.iter().sum::<f64>() / n;
        let variance = squares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        // The mean of the squares is nearly normal; its root has the roots of the ends.
        let half = NORMAL_95 * (variance / n).sqrt();
        let rmse = Interval {
            value: mean.sqrt(),
            low: (mean - half).max(0.0).sqrt(),
            high: (mean + half).sqrt(),
        };
        let signs = observed.iter().all(|b| b.abs() == 1.0);
        let right = predicted.iter().zip(observed).filter(|(p, b)| **p * **b > 0.0).count();
        let losses = predicted.iter().zip(observed).map(|(z, b)| loss.at(*z, *b)[0]);
        Self {
            count,
            loss: losses.sum::<f64>() / n,
            rmse,
            mean_absolute: errors.iter().map(|e| e.abs()).sum::<f64>() / n,
            median_absolute: median(errors.iter().map(|e| e.abs())),
            spearman: spearman(predicted, observed),
            accuracy: signs.then(|| wilson(right as f64, n)),
        }
    }
}

/// A share with Wilson's interval.
fn wilson(right: f64, n: f64) -> Interval {
    let (share, z) = (right / n, NORMAL_95);
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Interval { value: share, low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
}

/// Pearson's correlation of the ranks, those of equal values averaged.
fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (ranks(a), ranks(b));
    let mean = f64::midpoint(a.len() as f64, 1.0);
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    (scale > 0.0).then(|| product(&a, &b) / scale)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for same in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = first as f64 + f64::midpoint(same.len() as f64, 1.0);
        for &k in same {
            ranks[k] = rank;
        }
        first += same.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use gramfold::loss::scalar::Square;

    use super::*;

    /// SciPy: spearmanr([1, 2, 2, 5, 3], [2, 1, 3, 9, 4]) = 0.8207826816681233.
    #[test]
    fn the_rank_correlation_is_that_of_scipy() {
        let found = spearman(&[1.0, 2.0, 2.0, 5.0, 3.0], &[2.0, 1.0, 3.0, 9.0, 4.0]).unwrap();
        assert!((found - 0.820_782_681_668_123_3).abs() < 1e-14, "{found}");
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn errors_by_hand() {
        let score = Score::of(&[1.0, 2.0, 4.0], &[1.0, 3.0, 2.0], &Square);
        assert!((score.rmse.value - (5.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!(score.rmse.low < score.rmse.value && score.rmse.value < score.rmse.high);
        assert_eq!((score.count, score.mean_absolute, score.accuracy), (3, 1.0, None));
        assert_eq!((score.median_absolute, score.loss), (1.0, 2.5 / 3.0));
        let signs = Score::of(&[0.3, -2.0, 4.0, 1.0], &[1.0, 1.0, 1.0, 1.0], &Square);
        let accuracy = signs.accuracy.unwrap();
        // Wilson's interval of 3 of 4, as published tables have it.
        assert!((accuracy.low - 0.3006).abs() < 1e-4 && (accuracy.high - 0.9544).abs() < 1e-4);
    }

    /// The interval holds the true error in about 95 of 100 samples.
    #[test]
    fn the_interval_covers() {
        let mut state = 7_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let truth = (1.0_f64 / 12.0).sqrt();
        let covered = (0..400)
            .filter(|_| {
                let errors: Vec<f64> = (0..200).map(|_| uniform() - 0.5).collect();
                let rmse = Score::of(&errors, &[0.0; 200], &Square).rmse;
                rmse.low <= truth && truth <= rmse.high
            })
            .count();
        assert!((365..=396).contains(&covered), "{covered} of 400");
    }
}
