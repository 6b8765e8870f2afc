//! An upper bound on λmax(sym ∇f) for f = ½‖Z − A‖² with a sparse A, proved by a sparse factorisation.
//!
//! With F = ½(X + Y) the symmetric part of XYᵀ is FFᵀ − ¼(X − Y)(X − Y)ᵀ ⪯ FFᵀ, so that λI + A − FFᵀ ≻ 0 proves
//! λ > λmax(sym XYᵀ − A). It is the Schur complement of [λI + A, sF; sFᵀ, s²I], which is sparse with A.

use gramfold_linalg::{Csr, Mat, SparseCholesky};

/// Rows up to which a factorisation is tried: finding out that the factor fills costs time, too.
const LARGEST: usize = 4096;

/// Multiplications that it may cost.
const AFFORDABLE: f64 = 5e8;

/// [λI + A, sF; sFᵀ, s²I] for any λ, with its pattern analysed.
pub(super) struct Bordered {
    cholesky: SparseCholesky,
    rows: usize,
    /// s².
    border: f64,
    /// Of the rounded border, in spectral norm.
    error: f64,
}

impl Bordered {
    /// For eigenvalues of about this size; none where the factorisation would be dear.
    pub(super) fn new(a: &Csr, x: &Mat, y: &Mat, size: f64) -> Option<Self> {
        let (n, k) = (x.rows(), x.cols());
        if n > LARGEST || !(size > 0.0 && size.is_finite()) {
            return None;
        }
        // A power of two: nothing is rounded by it.
        let scale = (0.5 * size.log2()).round().exp2();
        let mut entries = Vec::with_capacity(a.stored() / 2 + n * k);
        for i in 0..n {
            let upper = a.row(i).filter(|&(j, _)| j >= i);
            entries.extend(upper.map(|(j, value)| (i as u32, j as u32, value)));
            let (x, y) = (x.row(i), y.row(i));
            let mean = x.iter().zip(y).map(|(x, y)| 0.5 * scale * (x + y)).enumerate();
            let border = mean.filter(|(_, value)| *value != 0.0);
            entries.extend(border.map(|(j, value)| (i as u32, (n + j) as u32, value)));
        }
        let norm =
            entries.iter().filter(|e| e.1 as usize >= n).map(|e| e.2 * e.2).sum::<f64>().sqrt();
        let matrix = Csr::from_triangle(n + k, &entries).ok()?;
        let cholesky = SparseCholesky::analyse(&matrix)?;
        if cholesky.flops() > AFFORDABLE {
            return None;
        }
        let error = f64::EPSILON * norm;
        Some(Self { cholesky, rows: n, border: scale * scale, error })
    }

    /// Whether λ is proved to be above λmax.
    pub(super) fn is_above(&mut self, lambda: f64) -> bool {
        let Self { cholesky, rows, border, error } = self;
        cholesky.proves_positive_definite(|i| if i < *rows { lambda } else { *border }, *error)
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{accumulate, symmetric_eigen};

    use super::*;

    /// λmax of the symmetric part of XYᵀ − A.
    fn largest(a: &Csr, x: &Mat, y: &Mat) -> f64 {
        let n = x.rows();
        let mut matrix = Mat::from_fn(n, n, |i, j| -a.get(i, j));
        accumulate(0.5, x, &y.transposed(), &mut matrix);
        accumulate(0.5, y, &x.transposed(), &mut matrix);
        *symmetric_eigen(&matrix).unwrap().values.last().unwrap()
    }

    #[test]
    fn what_is_proved_is_true_and_nearly_all_that_is_true_is_proved() {
        for seed in 0..20_u32 {
            let (n, k) = (30 + seed, 1 + seed as usize % 4);
            let entries: Vec<_> = (0..n)
                .flat_map(|i| {
                    (0..3).map(move |s| (i, (i * (s + 2) + seed) % n, f64::from(s) - 0.7))
                })
                .collect();
            let a = Csr::symmetrised(n as usize, &entries).unwrap();
            let entry = |i: usize, j: usize| ((i * 7 + j * 13 + seed as usize) as f64).sin();
            let x = Mat::from_fn(n as usize, k, |i, j| entry(i, j).max(0.0));
            for y in [x.clone(), Mat::from_fn(n as usize, k, |i, j| x[(i, j)] + 1e-6 * entry(j, i))]
            {
                let exact = largest(&a, &x, &y);
                let mut bordered = Bordered::new(&a, &x, &y, exact.abs()).unwrap();
                assert!(!bordered.is_above(exact - 1e-9 * exact.abs()), "{seed}");
                assert!(bordered.is_above(exact + 1e-8 * exact.abs()), "{seed}");
                assert!(!bordered.is_above(f64::NAN) && !bordered.is_above(f64::INFINITY));
            }
        }
    }

    /// Far from X = Y the bound is that of the mean of the factors, which is larger.
    #[test]
    fn factors_that_differ_widen_the_bound() {
        let a = Csr::from_triangle(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
        let x = Mat::from_row_major(3, 1, vec![1.0, 0.0, 2.0]);
        let y = Mat::from_row_major(3, 1, vec![0.0, 3.0, 1.0]);
        let (exact, mean) = (largest(&a, &x, &y), Mat::from_row_major(3, 1, vec![0.5, 1.5, 1.5]));
        let folded = largest(&a, &mean, &mean);
        assert!(folded > exact + 0.1);
        let mut bordered = Bordered::new(&a, &x, &y, 1.0).unwrap();
        assert!(!bordered.is_above(folded - 1e-9) && bordered.is_above(folded + 1e-9));
    }
}
