//! A rotation that turns rows of a factor towards the axes.

use gramfold_linalg::{Mat, dot, multiply, symmetric_eigen};

/// The rotation Q that turns r rows of X (n×r) that are long and far from each other as near to the positive
/// axes as a rotation can; none if X is not finite or has not r rows.
///
/// With C those rows, Q is the orthogonal factor of the polar decomposition of Cᵀ, so that CQ is positive
/// semidefinite (after Damle, Minden and Ying, who find clusters in eigenvectors this way).
pub(crate) fn towards_rows(x: &Mat) -> Option<Mat> {
    let r = x.cols();
    if x.rows() < r {
        return None;
    }
    let rows = apart(x);
    let c = Mat::from_fn(r, r, |i, j| x[(rows[i], j)]);
    // Q = Cᵀ(CCᵀ)^-½; what C does not reach is left alone.
    let mut square = Mat::zeros(r, r);
    multiply(1.0, &c, &c.transposed(), &mut square);
    let eigen = symmetric_eigen(&square)?;
    let largest = eigen.values.last().copied().unwrap_or(0.0);
    // The roots of the square roots of the inverse, so that the two halves are one matrix.
    let half = Mat::from_fn(r, r, |k, i| {
        let value = eigen.values[k];
        if value > 1e-12 * largest { eigen.vectors[(k, i)] / value.sqrt().sqrt() } else { 0.0 }
    });
    let mut inverse_root = Mat::zeros(r, r);
    multiply(1.0, &half.transposed(), &half, &mut inverse_root);
    let mut q = Mat::zeros(r, r);
    multiply(1.0, &c.transposed(), &inverse_root, &mut q);
    Some(q)
}

/// Rows among which those far apart are looked for: half of them the longest, half of them anywhere.
const CANDIDATES: usize = 8192;

/// r rows, each the farthest from the span of those before it (QR with pivoting of Xᵀ).
fn apart(x: &Mat) -> Vec<usize> {
    if x.rows() <= CANDIDATES {
        return farthest(x);
    }
    // Long rows are those of small or dense clusters, and a sample has rows of the others; spaced by the golden ratio,
    // which no order of the nodes keeps step with.
    let mut rows: Vec<(f64, usize)> = (0..x.rows()).map(|i| (dot(x.row(i), x.row(i)), i)).collect();
    let half = CANDIDATES / 2;
    rows.select_nth_unstable_by(half, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let anywhere =
        |i: usize| ((i as f64 * 0.618_033_988_749_895).fract() * x.rows() as f64) as usize;
    let longest = rows[..half].iter().map(|&(_, i)| i);
    let mut candidates: Vec<usize> = longest.chain((0..half).map(anywhere)).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let few = Mat::from_fn(candidates.len(), x.cols(), |i, j| x[(candidates[i], j)]);
    farthest(&few).into_iter().map(|i| candidates[i]).collect()
}

fn farthest(x: &Mat) -> Vec<usize> {
    let r = x.cols();
    let mut left: Vec<f64> = (0..x.rows()).map(|i| dot(x.row(i), x.row(i))).collect();
    let mut axes: Vec<Vec<f64>> = Vec::with_capacity(r);
    let mut chosen = Vec::with_capacity(r);
    let mut along = Mat::zeros(x.rows(), 1);
    for _ in 0..r {
        let farthest = (0..x.rows()).fold(0, |best, i| if left[i] > left[best] { i } else { best });
        let mut axis = x.row(farthest).to_vec();
        for _ in 0..2 {
            // Twice is enough for orthogonality.
            for before in &axes {
                let along = dot(before, &axis);
                axis.iter_mut().zip(before).for_each(|(a, b)| *a -= along * b);
            }
        }
        let norm = dot(&axis, &axis).sqrt();
        if norm > 0.0 {
            for a in &mut axis {
                *a /= norm;
            }
        }
        multiply(1.0, x, &Mat::from_row_major(r, 1, axis.clone()), &mut along);
        left.iter_mut().zip(along.as_slice()).for_each(|(left, along)| *left -= along * along);
        left[farthest] = f64::NEG_INFINITY;
        axes.push(axis);
        chosen.push(farthest);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clusters that someone has rotated are found again, up to the order of the columns.
    #[test]
    fn a_rotated_partition_is_turned_back() {
        let (n, r) = (30, 3);
        let partition = Mat::from_fn(n, r, |i, j| f64::from(i % r == j));
        let (c, s) = (0.6, 0.8);
        let plane = Mat::from_row_major(3, 3, vec![c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0]);
        let other = Mat::from_row_major(3, 3, vec![1.0, 0.0, 0.0, 0.0, -s, c, 0.0, c, s]);
        let (mut once, mut x) = (Mat::zeros(n, r), Mat::zeros(n, r));
        multiply(1.0, &partition, &plane, &mut once);
        multiply(1.0, &once, &other, &mut x);
        let q = towards_rows(&x).unwrap();
        let mut turned = Mat::zeros(n, r);
        multiply(1.0, &x, &q, &mut turned);
        for i in 0..n {
            let mut row = turned.row(i).to_vec();
            row.sort_by(f64::total_cmp);
            assert!((row[2] - 1.0).abs() < 1e-12 && row[0].abs() + row[1].abs() < 1e-12, "{row:?}");
        }
    }

    /// A cluster that is rare, and one whose rows are short, among more rows than are looked at.
    #[test]
    fn few_candidates_are_enough() {
        let (n, r) = (5 * CANDIDATES, 3);
        let cluster = |i: usize| if i % 1000 == 7 { 2 } else { i % 2 };
        let partition = Mat::from_fn(n, r, |i, j| {
            f64::from(cluster(i) == j) * [1.0, 0.1, 5.0][j] * (1.0 + (i as f64).sin().abs())
        });
        let mut found: Vec<usize> = apart(&partition).into_iter().map(cluster).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2]);
    }

    #[test]
    fn the_result_is_a_rotation() {
        let x = Mat::from_fn(40, 5, |i, j| ((i * i + 3 * j * j + i * j) as f64).sin());
        let q = towards_rows(&x).unwrap();
        let mut square = Mat::zeros(5, 5);
        multiply(1.0, &q.transposed(), &q, &mut square);
        assert!(square.distance(&Mat::identity(5)) < 1e-6, "{square:?}");
    }
}
