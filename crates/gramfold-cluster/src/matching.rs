//! The assignment problem, by shortest augmenting paths.
//!
//! Kuhn's Hungarian method with dual potentials, one row a time (Jonker and Volgenant, Computing
//! 1987): O(r²c) for r ≤ c.

use gramfold_linalg::Mat;

/// The one-to-one matching of rows with columns of the largest total weight.
///
/// Entry i is the column of row i; with more rows than columns some rows have none. Weights are
/// finite, of any sign; every row or every column is matched, whichever are fewer.
///
/// ```
/// use gramfold_cluster::assignment;
/// use gramfold_linalg::Mat;
///
/// let weights = Mat::from_row_major(2, 2, vec![5.0, 4.0, 4.0, 1.0]);
/// assert_eq!(assignment(&weights), [Some(1), Some(0)]);
/// ```
pub fn assignment(weights: &Mat) -> Vec<Option<usize>> {
    if weights.rows() <= weights.cols() {
        return shortest_paths(weights).into_iter().map(Some).collect();
    }
    let mut matched = vec![None; weights.rows()];
    for (column, row) in shortest_paths(&weights.transposed()).into_iter().enumerate() {
        matched[row] = Some(column);
    }
    matched
}

/// The column of every row, for no more rows than columns.
fn shortest_paths(weights: &Mat) -> Vec<usize> {
    let (rows, cols) = (weights.rows(), weights.cols());
    // Potentials with −w_ij − u_i − v_j ≥ 0, and = 0 on matched pairs. Column `cols` is a dummy that
    // holds the row on its way in.
    let (mut u, mut v) = (vec![0.0; rows], vec![0.0; cols + 1]);
    let mut row_of: Vec<Option<usize>> = vec![None; cols + 1];
    for entering in 0..rows {
        row_of[cols] = Some(entering);
        let mut slack = vec![f64::INFINITY; cols];
        let mut previous = vec![cols; cols];
        let mut done = vec![false; cols + 1];
        let mut at = cols;
        // Dijkstra from the entering row to a free column, in reduced costs.
        while let Some(row) = row_of[at] {
            done[at] = true;
            let (mut nearest, mut step) = (cols, f64::INFINITY);
            for j in (0..cols).filter(|&j| !done[j]) {
                let reduced = -weights[(row, j)] - u[row] - v[j];
                if reduced < slack[j] {
                    (slack[j], previous[j]) = (reduced, at);
                }
                if slack[j] < step {
                    (nearest, step) = (j, slack[j]);
                }
            }
            for j in 0..=cols {
                if !done[j] {
                    slack[j] -= step;
                } else if let Some(row) = row_of[j] {
                    u[row] += step;
                    v[j] -= step;
                }
            }
            at = nearest;
        }
        while at != cols {
            row_of[at] = row_of[previous[at]];
            at = previous[at];
        }
    }
    let mut matched = vec![0; rows];
    for (column, row) in row_of[..cols].iter().enumerate() {
        if let Some(row) = *row {
            matched[row] = column;
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The best total over all matchings, row by row; a row may go without only if rows abound.
    fn brute_force(weights: &Mat, row: usize, free: &mut Vec<bool>, spare: usize) -> f64 {
        if row == weights.rows() {
            return 0.0;
        }
        let mut best = f64::NEG_INFINITY;
        if spare > 0 {
            best = brute_force(weights, row + 1, free, spare - 1);
        }
        for j in 0..weights.cols() {
            if free[j] {
                free[j] = false;
                best = best.max(weights[(row, j)] + brute_force(weights, row + 1, free, spare));
                free[j] = true;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_permutation_does_better(
            rows in 1_usize..6,
            cols in 1_usize..6,
            entries in prop::collection::vec(-5_i32..20, 25),
        ) {
            let weights = Mat::from_fn(rows, cols, |i, j| f64::from(entries[i * 5 + j]));
            let matched = assignment(&weights);
            let used: std::collections::BTreeSet<_> = matched.iter().flatten().collect();
            prop_assert_eq!(used.len(), rows.min(cols));
            let total: f64 = matched.iter().enumerate()
                .filter_map(|(i, j)| j.map(|j| weights[(i, j)])).sum();
            let spare = rows.saturating_sub(cols);
            prop_assert_eq!(total, brute_force(&weights, 0, &mut vec![true; cols], spare));
        }
    }

    #[test]
    fn a_large_diagonal_is_found_behind_a_permutation() {
        let n = 120;
        let weights =
            Mat::from_fn(
                n,
                n,
                |i, j| if (7 * i + 3) % n == j { 2.0 } else { ((i * j) % 5) as f64 / 4.0 },
            );
        let matched = assignment(&weights);
        assert!((0..n).all(|i| matched[i] == Some((7 * i + 3) % n)));
    }
}
