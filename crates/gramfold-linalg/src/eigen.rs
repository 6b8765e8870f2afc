//! Dense symmetric eigenproblems and rounding-safe positive definiteness, by faer.

use faer::{
    MatMut, Par, Spec,
    diag::Diag,
    dyn_stack::{MemBuffer, MemStack},
    linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch},
};

use crate::{Mat, square::cholesky};

/// A dense eigendecomposition.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// Eigenvalues, smallest first.
    pub values: Vec<f64>,
    /// Row i is the unit eigenvector of `values[i]`.
    pub vectors: Mat,
}

/// All eigenpairs of a dense symmetric matrix (lower triangle read); none if it is not finite.
///
/// On one thread: parallel rotations would make the bits depend on how many there are.
pub fn symmetric_eigen(matrix: &Mat) -> Option<Eigen> {
    let n = matrix.rows();
    let mut vectors = faer::Mat::<f64>::zeros(n, n);
    let values = decompose(matrix, Some(vectors.as_mut()))?;
    Some(Eigen { values, vectors: Mat::from_fn(n, n, |i, j| vectors[(j, i)]) })
}

/// The eigenvalues alone, in a third of the time.
pub fn symmetric_eigenvalues(matrix: &Mat) -> Option<Vec<f64>> {
    decompose(matrix, None)
}

fn decompose(matrix: &Mat, vectors: Option<MatMut<'_, f64>>) -> Option<Vec<f64>> {
    let n = matrix.rows();
    if n == 0 || !matrix.is_finite() {
        return (n == 0).then(Vec::new);
    }
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut values = Diag::<f64>::zeros(n);
    let mut memory =
        MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Spec::default()));
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(matrix.view(), values.as_mut(), vectors, Par::Seq, stack, Spec::default())
        .ok()?;
    let values = values.column_vector();
    Some((0..n).map(|i| values[i]).collect())
}

/// Proves that scale·M + shift·I is positive definite for every symmetric M with
/// ‖M − `computed`‖₂ ≤ `error`; |scale| ≤ 1.
///
/// If Cholesky runs to completion in floating point on the matrix less cI with
/// c ≥ error + (n+1)u/(1−2(n+1)u)·tr, the matrix is positive definite (Rump, "Verification of
/// positive definiteness", BIT 2006). `false` proves nothing.
pub fn is_positive_definite(computed: &Mat, scale: f64, shift: f64, error: f64) -> bool {
    proves_positive_definite(computed, scale, shift, error, &|| false)
}

/// As [`is_positive_definite`], but false if `stop` says so first.
pub fn proves_positive_definite(
    computed: &Mat,
    scale: f64,
    shift: f64,
    error: f64,
    stop: &(dyn Fn() -> bool + Sync),
) -> bool {
    let n = computed.rows();
    // ε is twice the unit roundoff u; the spare factor covers the slack's own rounding.
    let rounding = (n as f64 + 4.0) * f64::EPSILON;
    let trace: f64 = (0..n).map(|i| computed[(i, i)].abs() + shift.abs()).sum();
    let slack = error + rounding * trace;
    if !slack.is_finite() || !computed.is_finite() {
        return false;
    }
    let diagonal = |i: usize| scale * computed[(i, i)] + (shift - slack);
    if (0..n).any(|i| diagonal(i) <= 0.0) {
        return false;
    }
    let mut shifted =
        Mat::from_fn(n, n, |i, j| if i == j { diagonal(i) } else { scale * computed[(i, j)] });
    cholesky(shifted.as_mut_slice(), n, stop).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenpairs_of_a_known_matrix() {
        let m = Mat::from_row_major(2, 2, vec![2.0, 1.0, 1.0, 2.0]);
        let eigen = symmetric_eigen(&m).unwrap();
        assert!((eigen.values[0] - 1.0).abs() < 1e-14 && (eigen.values[1] - 3.0).abs() < 1e-14);
        assert!((eigen.vectors[(1, 0)] - eigen.vectors[(1, 1)]).abs() < 1e-14);
        assert!(symmetric_eigen(&Mat::zeros(0, 0)).unwrap().values.is_empty());
        assert!(symmetric_eigenvalues(&Mat::zeros(0, 0)).unwrap().is_empty());
        for n in [1, 7, 60] {
            let m = Mat::from_fn(n, n, |i, j| ((i * j + 2 * (i + j) + 1) as f64).sin());
            let (alone, both) = (symmetric_eigenvalues(&m).unwrap(), symmetric_eigen(&m).unwrap());
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12 * n as f64;
            assert_eq!(alone.len(), n);
            assert!(alone.iter().zip(&both.values).all(near));
        }
    }

    #[test]
    fn definiteness_is_claimed_only_with_room() {
        let m = Mat::from_row_major(2, 2, vec![2.0, 1.0, 1.0, 2.0]);
        assert!(is_positive_definite(&m, 1.0, 0.0, 0.0));
        assert!(is_positive_definite(&m, 1.0, 0.0, 0.9));
        assert!(!is_positive_definite(&m, 1.0, 0.0, 1.1));
        assert!(is_positive_definite(&m, -1.0, 3.1, 0.0));
        assert!(!is_positive_definite(&m, -1.0, 2.9, 0.0));
        let singular = Mat::from_row_major(2, 2, vec![1.0, 1.0, 1.0, 1.0]);
        assert!(!is_positive_definite(&singular, 1.0, 0.0, 0.0));
        let nan = Mat::from_row_major(1, 1, vec![f64::NAN]);
        assert!(!is_positive_definite(&nan, 1.0, 0.0, 0.0) && symmetric_eigen(&nan).is_none());
        assert!(symmetric_eigenvalues(&nan).is_none());
    }
}
