//! Rigorous upper bounds on the leading eigenvalues of a small A.
//!
//! If βI + VSVᵀ − A ≻ 0 for a diagonal S ⪰ 0, the eigenvalues of A are in their order at most those of βI + VSVᵀ (Weyl), which are β + ‖VᵀV‖·s_i
//! at most. With Ritz vectors V, β between the wanted eigenvalues and the rest, and S a little more than the Ritz values are above β, one Cholesky
//! factorisation proves all but the last digits of what an eigendecomposition tells, for a small part of its time.

use std::ops::ControlFlow;

use gramfold_linalg::{
    Gram, Mat, Symmetric, accumulate, is_positive_definite, multiply, symmetric_eigen,
};

use super::{
    leading::{self, Precision},
    ritz,
};
use crate::start;

/// Rounds of a filter.
const ROUNDS: usize = 8;

impl Precision {
    /// How much of ‖A‖² the sum of the squared bounds may be too large by, rounding apart.
    fn loose(self) -> f64 {
        match self {
            Self::Fine => 1e-12,
            Self::Rough => 1e-5,
        }
    }
}

/// Rows for each vector of the block from which on this is less work than an eigendecomposition.
const ROWS: usize = 4;

/// On as many eigenvalues as X has columns, the largest first; none if A is not finite.
pub(super) fn at_most(a: &Symmetric, x: &Mat, precision: Precision) -> Option<Vec<f64>> {
    by_ritz_vectors(a, x, precision.loose()).or_else(|| by_decomposition(a, x.cols()))
}

/// From Ritz vectors in the span of X and some random columns, filtered until they will do; none if they will not.
fn by_ritz_vectors(a: &Symmetric, x: &Mat, loose: f64) -> Option<Vec<f64>> {
    let (n, rank) = (a.dim(), x.cols());
    let width = leading::width(rank);
    if ROWS * width > n {
        return None;
    }
    let mut apply = |v: &Mat, image: &mut Mat| {
        a.apply(v, image);
        ControlFlow::Continue(())
    };
    let mut gram = Gram::new(width);
    let mut v = ritz::opening(x, width);
    for _ in 0..ROUNDS {
        let mut image = Mat::zeros(n, v.cols());
        a.apply(&v, &mut image);
        let pairs = start::ritz(&gram.of(&v, &v).clone(), gram.of(&v, &image))?;
        // Fewer where columns were much alike.
        let found = pairs.values.len();
        if found <= rank {
            return None;
        }
        let (mut vectors, mut images) = (Mat::zeros(n, found), Mat::zeros(n, found));
        multiply(1.0, &v, &pairs.coefficients, &mut vectors);
        multiply(1.0, &image, &pairs.coefficients, &mut images);
        if let Some(bounds) = proved(a, &pairs.values, (&vectors, &images), rank, loose) {
            return Some(bounds);
        }
        let ends = start::unwanted(&pairs.values)?;
        v = start::filter(&mut apply, ends, &mut vectors, images)?;
        scale_columns(&mut v);
    }
    None
}

/// What Ritz pairs prove; none where that is not enough.
fn proved(
    a: &Symmetric,
    values: &[f64],
    (vectors, images): (&Mat, &Mat),
    rank: usize,
    loose: f64,
) -> Option<Vec<f64>> {
    let (n, width) = (vectors.rows(), vectors.cols());
    let (last, rest) = (values[rank - 1], values[width - 1]);
    let beta = 0.5 * (last + rest);
    // All that are above β: those that are not wanted may be bounded as poorly as they come.
    let used = values.iter().take_while(|value| **value > beta).count();
    let mut squares = vec![0.0; used];
    for (vector, image) in vectors.as_slice().chunks(width).zip(images.as_slice().chunks(width)) {
        for (j, square) in squares.iter_mut().enumerate() {
            *square += (image[j] - values[j] * vector[j]).powi(2);
        }
    }
    // What rounding may do to VSVᵀ − A, and what the factorisation takes off the diagonal for itself, twice.
    let above: f64 = values[..used].iter().map(|value| value - beta).sum();
    let norm = a.norm_squared().sqrt();
    let size = 2.0 * above + norm + n as f64 * beta.abs();
    let error = 4.0 * (used + 8) as f64 * f64::EPSILON * size;
    let margin = 2.0 * (error + (n + 4) as f64 * f64::EPSILON * (size + (n as f64).sqrt() * norm));
    let gap = beta - rest - margin;
    // The Schur complement of β − B ⪰ gap, where the squares of the residuals e_i make EᵀE ⪯ w·diag ‖e_i‖².
    let raised = squares.iter().map(|square| 2.0 * used as f64 * square / gap + margin);
    let shares: Vec<f64> =
        values.iter().zip(raised).map(|(value, raised)| value - beta + raised).collect();
    let mut leading = shares.clone();
    leading.sort_unstable_by(|a, b| b.total_cmp(a));
    leading.truncate(rank);
    let excess = values.iter().zip(&leading).map(|(v, s)| 2.0 * v.abs() * (beta + s - v - margin));
    let is_near = excess.sum::<f64>() <= loose * norm * norm;
    if !(gap > 0.0 && is_near && shares.iter().sum::<f64>() <= 2.0 * above) {
        return None;
    }
    let scaled = Mat::from_fn(n, used, |i, j| vectors[(i, j)] * shares[j].sqrt());
    let mut matrix = a.to_dense();
    matrix.scale(-1.0);
    accumulate(1.0, &scaled, &scaled.transposed(), &mut matrix);
    if !is_positive_definite(&matrix, 1.0, beta, error) {
        return None;
    }
    let basis = Mat::from_fn(n, used, |i, j| vectors[(i, j)]);
    let defect = Gram::new(used).of(&basis, &basis).distance(&Mat::identity(used));
    let length = 1.0 + defect + 2.0 * (n + used) as f64 * f64::EPSILON;
    Some(leading.iter().map(|share| beta + length * share + margin).collect())
}

fn scale_columns(v: &mut Mat) {
    let norms: Vec<f64> =
        (0..v.cols()).map(|j| v.column(j).map(|v| v * v).sum::<f64>().sqrt()).collect();
    for row in v.as_mut_slice().chunks_exact_mut(norms.len()) {
        row.iter_mut().zip(&norms).for_each(|(v, norm)| *v /= norm);
    }
}

/// The r largest eigenvalues from a dense decomposition A ≈ VΛVᵀ, each raised by what the residual
/// ‖A − VΛVᵀ‖ and the loss of orthogonality ‖VᵀV − I‖ allow (Weyl).
fn by_decomposition(a: &Symmetric, rank: usize) -> Option<Vec<f64>> {
    let matrix = a.to_dense();
    let n = matrix.rows();
    let eigen = symmetric_eigen(&matrix)?;
    let v = eigen.vectors.transposed();
    let mut product = Mat::zeros(n, n);
    multiply(1.0, &matrix, &v, &mut product);
    // ‖AV − VΛ‖ bounds the backward error up to the orthogonality of V.
    let mut scaled = v.clone();
    for i in 0..n {
        let row = scaled.row_mut(i);
        row.iter_mut().zip(&eigen.values).for_each(|(entry, value)| *entry *= value);
    }
    let residual = product.distance(&scaled);
    multiply(1.0, &eigen.vectors, &v, &mut product);
    let defect = product.distance(&Mat::identity(n));
    let norm = matrix.norm();
    let rounding = 8.0 * n as f64 * f64::EPSILON * norm;
    let slack = (residual + defect * norm + rounding) / (1.0 - defect).max(0.5);
    Some(eigen.values.iter().rev().take(rank).map(|value| value + slack).collect())
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Dense};

    use super::*;

    /// Rings of clusters with noise, seen through their indicators, noise and nothing.
    #[test]
    fn bounds_are_above_the_eigenvalues_by_next_to_nothing() {
        for seed in 0..6_usize {
            let (n, rank) = (60 + 25 * seed, 2 + seed % 4);
            let noise = |i: usize, j: usize| (((i * j + i + j + seed) * 7) as f64).sin();
            let full = Mat::from_fn(n, n, |i, j| {
                f64::from(i % rank == j % rank) / (1.0 + (i % rank) as f64) + 0.1 * noise(i, j)
            });
            let near = (0..n as u32).flat_map(|i| (1..6).map(move |k| (i, (i + k) % n as u32)));
            let near: Vec<_> = near.map(|(i, j)| (i, j, 1.0 + noise(i as usize, 3))).collect();
            for a in [
                Symmetric::from(Dense::symmetrised(full)),
                Symmetric::from(Csr::symmetrised(n, &near).unwrap()),
            ] {
                let eigen = symmetric_eigen(&a.to_dense()).unwrap();
                let scale = 1e-8 * eigen.values[n - 1];
                for (x, is_good) in [
                    (Mat::from_fn(n, rank, |i, j| f64::from(i % rank == j)), true),
                    (Mat::from_fn(n, rank, |i, j| noise(i, j).abs()), false),
                ] {
                    let decomposed = by_decomposition(&a, rank).unwrap();
                    let ritz = |precision: Precision| by_ritz_vectors(&a, &x, precision.loose());
                    let fine = [ritz(Precision::Fine), Some(decomposed)];
                    // A ring has no clusters, and a poor X may leave too few columns apart.
                    let expected = is_good && matches!(a, Symmetric::Dense(_));
                    assert!(fine[0].is_some() || !expected, "{seed}");
                    for bounds in fine.into_iter().flatten() {
                        assert_eq!(bounds.len(), rank);
                        for (i, bound) in bounds.iter().enumerate() {
                            let exact = eigen.values[n - 1 - i];
                            let above = bound - exact;
                            assert!(above >= -1e-12 && above <= scale, "{seed} {i}: {above:e}");
                        }
                    }
                    let rough = ritz(Precision::Rough);
                    assert!(rough.is_some() || !expected, "{seed}");
                    let mut excess = 0.0;
                    for (bound, exact) in rough.iter().flatten().zip(eigen.values.iter().rev()) {
                        assert!(*bound >= exact - 1e-12, "{seed}: {bound} {exact}");
                        excess += bound * bound - exact * exact;
                    }
                    let allowed = 2.0 * Precision::Rough.loose() * a.norm_squared();
                    assert!(excess <= allowed, "{seed}: {excess:e} {allowed:e}");
                }
                assert!(at_most(&a, &Mat::zeros(n, rank), Precision::Fine).is_some());
            }
        }
    }
}
