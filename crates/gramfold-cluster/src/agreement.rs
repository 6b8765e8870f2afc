//! How far several labellings of the same nodes agree.

use rayon::prelude::*;

use crate::{Contingency, Error};

/// The mean adjusted Rand index over all pairs of labellings: 1 if all are the same partition.
///
/// ```
/// use gramfold_cluster::agreement;
///
/// let runs = [vec![0, 0, 1, 1], vec![1, 1, 0, 0], vec![0, 0, 1, 1]];
/// assert_eq!(agreement(&runs)?, 1.0);
/// # Ok::<(), gramfold_cluster::Error>(())
/// ```
pub fn agreement(labellings: &[Vec<usize>]) -> Result<f64, Error> {
    let count = labellings.len();
    if count < 2 {
        return Err(Error::TooFew { what: "labellings", given: count, needed: 2 });
    }
    let with_earlier = |i: usize| -> Result<f64, Error> {
        let earlier = labellings[..i].iter();
        earlier.map(|other| Ok(Contingency::new(&labellings[i], other)?.ari())).sum()
    };
    let sums: Result<Vec<f64>, Error> = (1..count).into_par_iter().map(with_earlier).collect();
    // Added up in order, whatever thread computed which.
    Ok(sums?.iter().sum::<f64>() / (count * (count - 1) / 2) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_over_three_pairs() {
        let runs = [vec![0, 0, 1, 1], vec![1, 1, 0, 0], vec![0, 1, 0, 1]];
        // 1 for the equal pair, −½ for each of the crossing ones.
        assert!((agreement(&runs).unwrap() - 0.0).abs() < 1e-15);
    }

    #[test]
    fn one_run_and_unequal_runs_are_refused() {
        assert!(agreement(&[vec![0]]).is_err());
        assert!(agreement(&[vec![0], vec![0, 1]]).is_err());
    }
}
