//! The matrix as a picture: clusters side by side, many entries to a pixel.

use gramfold_linalg::{Mat, Symmetric};
use rayon::prelude::*;

use crate::rows;

/// The nodes by cluster, within a cluster by decreasing membership, then by index.
///
/// `memberships` is n×k, as from [`soft`](crate::soft). Entry p is the node at place p.
///
/// # Panics
/// If a label is not a column of `memberships`.
pub fn by_cluster(labels: &[usize], memberships: &Mat) -> Vec<usize> {
    let membership = |node: usize| memberships[(node, labels[node])];
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|&a, &b| {
        labels[a].cmp(&labels[b]).then(membership(b).total_cmp(&membership(a))).then(a.cmp(&b))
    });
    order
}

/// The mean of |a_ij| over each pair of bins of the reordered matrix, in O(stored entries).
///
/// Place p of n falls into bin ⌊p·bins/n⌋; more bins than nodes become n, none becomes one. What
/// is not stored counts as zero.
///
/// # Panics
/// If `order` is not a permutation of the nodes.
pub fn binned(matrix: &Symmetric, order: &[usize], bins: usize) -> Mat {
    let n = matrix.dim();
    assert_eq!(order.len(), n, "an order has a place for every node");
    let bins = bins.clamp(1, n.max(1));
    let mut bin_of = vec![usize::MAX; n];
    order.iter().enumerate().for_each(|(place, &node)| bin_of[node] = place * bins / n);
    assert!(bin_of.iter().all(|&bin| bin < bins), "an order has every node");
    // The places of bin b are those from ⌈b·n/bins⌉ up to the next.
    let start = |bin: usize| (bin * n).div_ceil(bins);
    let mut means = Mat::zeros(bins, bins);
    means.as_mut_slice().par_chunks_mut(bins).enumerate().for_each(|(bin, row)| {
        let height = start(bin + 1) - start(bin);
        for &node in &order[start(bin)..start(bin + 1)] {
            rows::for_each(matrix, node, |other, value| row[bin_of[other]] += value.abs());
        }
        for (other, mean) in row.iter_mut().enumerate() {
            let width = start(other + 1) - start(other);
            *mean /= (height * width).max(1) as f64;
        }
    });
    means
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Dense;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn strong_members_come_first() {
        let memberships =
            Mat::from_row_major(5, 2, vec![0.2, 0.8, 0.9, 0.1, 0.4, 0.6, 1.0, 0.0, 0.2, 0.8]);
        assert_eq!(by_cluster(&[1, 0, 1, 0, 1], &memberships), [3, 1, 0, 4, 2]);
    }

    #[test]
    fn bins_of_unequal_size_by_hand() {
        // Places 2, 0, 1 in two bins: {2, 0} and {1}.
        let rows = [[1.0, -2.0, 3.0], [-2.0, 4.0, 5.0], [3.0, 5.0, 6.0]];
        let matrix = Dense::symmetrised(Mat::from_fn(3, 3, |i, j| rows[i][j])).into();
        let means = binned(&matrix, &[2, 0, 1], 2);
        assert_eq!(means.as_slice(), [13.0 / 4.0, 3.5, 3.5, 4.0]);
        assert_eq!(binned(&matrix, &[0, 1, 2], 9)[(0, 1)], 2.0);
    }

    proptest! {
        #[test]
        fn the_weighted_mean_of_the_bins_is_the_mean(n in 1_usize..30, bins in 1_usize..30) {
            let matrix = Mat::from_fn(n, n, |i, j| ((i * j + i + j) as f64).sin());
            let sum: f64 = matrix.as_slice().iter().map(|v| v.abs()).sum();
            let order: Vec<usize> = (0..n).rev().collect();
            let means = binned(&Dense::symmetrised(matrix).into(), &order, bins);
            let bins = bins.min(n);
            prop_assert_eq!(means.rows(), bins);
            let mut counts = vec![0.0; bins];
            (0..n).for_each(|place| counts[place * bins / n] += 1.0);
            let mut total = 0.0;
            for i in 0..bins {
                for j in 0..bins {
                    prop_assert!((means[(i, j)] - means[(j, i)]).abs() < 1e-14);
                    total += means[(i, j)] * counts[i] * counts[j];
                }
            }
            prop_assert!((total - sum).abs() < 1e-10 * (1.0 + sum));
        }
    }
}
