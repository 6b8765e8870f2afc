//! The rank of a block of Z, as far as its eigenvalues tell.

use gramfold_linalg::{Gram, Mat, symmetric_eigen};

use crate::{Allowance, Primal};

/// Eigenvalues below this share of the largest count as zero.
const NEGLIGIBLE: f64 = 1e-6;

/// The rank of a semidefinite block, the number of positive entries of a nonnegative one. Where the time ends before it is
/// known, the number of rows.
pub(super) fn of(primal: &Primal, time: &Allowance<'_>) -> usize {
    match primal {
        Primal::Diagonal(z) => {
            let largest = z.iter().copied().fold(0.0, f64::max);
            z.iter().filter(|z| **z > NEGLIGIBLE * largest).count()
        }
        Primal::Factor(r) => {
            // RᵀR has the eigenvalues of RRᵀ that are not zero.
            let gram = Gram::new(r.cols()).of(r, r).clone();
            let values = symmetric_eigen(&gram).map(|eigen| eigen.values).unwrap_or_default();
            let largest = values.last().copied().unwrap_or(0.0);
            values.iter().filter(|value| **value > NEGLIGIBLE * largest).count()
        }
        Primal::Dense(z) => pivoted(z, time),
    }
}

/// Steps of a Cholesky factorisation with the largest pivot first until what is left is negligible: n·r² operations
/// where a decomposition would take n³.
fn pivoted(z: &Mat, time: &Allowance<'_>) -> usize {
    let n = z.rows();
    let mut left: Vec<f64> = (0..n).map(|i| z[(i, i)]).collect();
    let trace: f64 = left.iter().sum();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    while columns.len() < n && left.iter().sum::<f64>() > NEGLIGIBLE * trace {
        if columns.len() % 64 == 63 && time.is_over() {
            return n;
        }
        let pivot = (0..n).max_by(|&i, &j| left[i].total_cmp(&left[j])).unwrap_or(0);
        if left[pivot] <= 0.0 || left[pivot].is_nan() {
            break;
        }
        let root = left[pivot].sqrt();
        let mut column: Vec<f64> = (0..n).map(|i| 0.5 * (z[(i, pivot)] + z[(pivot, i)])).collect();
        for earlier in &columns {
            let factor = earlier[pivot];
            column.iter_mut().zip(earlier).for_each(|(c, e)| *c -= factor * e);
        }
        for (c, left) in column.iter_mut().zip(&mut left) {
            *c /= root;
            *left = (*left - *c * *c).max(0.0);
        }
        left[pivot] = 0.0;
        columns.push(column);
    }
    columns.len()
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::dot;

    use super::*;

    fn of(primal: &Primal) -> usize {
        super::of(primal, &Allowance::UNLIMITED)
    }

    #[test]
    fn every_form_has_the_same_rank() {
        let (n, r) = (12, 3);
        let x = Mat::from_fn(n, r, |i, j| ((i * (j + 1) + 1) as f64).sin());
        let wide = Mat::from_fn(n, r + 2, |i, j| if j < r { x[(i, j)] } else { 1e-6 * x[(i, 0)] });
        let z = Mat::from_fn(n, n, |i, j| dot(x.row(i), x.row(j)));
        assert_eq!(of(&Primal::Factor(x)), r);
        assert_eq!(of(&Primal::Factor(wide)), r);
        assert_eq!(of(&Primal::Dense(z)), r);
        assert_eq!(of(&Primal::Dense(Mat::zeros(4, 4))), 0);
        assert_eq!(of(&Primal::Factor(Mat::zeros(4, 2))), 0);
        assert_eq!(of(&Primal::Diagonal(vec![0.0, 2.0, 1e-9])), 1);
    }
}
