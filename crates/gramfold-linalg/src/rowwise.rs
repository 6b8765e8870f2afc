//! Every row times its own small symmetric matrix: block-diagonal preconditioners.

use crate::{
    Mat,
    chunk::{ROWS, for_each},
    fma, multiversion,
};

/// Row i of out ← row i of V times the i-th of the r×r symmetric matrices stored one after the other.
///
/// # Panics
/// If there is not one matrix a row.
pub fn multiply_rows(matrices: &[f64], v: &Mat, out: &mut Mat) {
    let r = v.cols();
    assert_eq!(matrices.len(), v.rows() * r * r, "one r×r matrix a row");
    assert_eq!((v.rows(), r), (out.rows(), out.cols()), "the shape of v");
    for_each(out.as_mut_slice(), ROWS * r, |index, part| {
        let from = index * ROWS;
        let rows = part.len() / r;
        let matrices = &matrices[from * r * r..(from + rows) * r * r];
        product::<0>(matrices, &v.as_slice()[from * r..(from + rows) * r], r, part);
    });
}

multiversion! {
    fn product<const UNUSED: usize>(matrices: &[f64], v: &[f64], r: usize, out: &mut [f64]) {
        let rows = v.chunks_exact(r).zip(out.chunks_exact_mut(r));
        for ((v, out), matrix) in rows.zip(matrices.chunks_exact(r * r)) {
            out.fill(0.0);
            for (v, column) in v.iter().zip(matrix.chunks_exact(r)) {
                for (out, entry) in out.iter_mut().zip(column) {
                    *out = fma::<FUSED, _>(*v, *entry, *out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_meet_their_own_matrices() {
        for (n, r) in [(1, 1), (5, 3), (1100, 9)] {
            let entry = |i: usize, a: usize, b: usize| ((i + a * b + a + b) as f64).sin();
            let matrices: Vec<f64> =
                (0..n * r * r).map(|at| entry(at / (r * r), at / r % r, at % r)).collect();
            let v = Mat::from_fn(n, r, |i, j| ((i + 2 * j) as f64).cos());
            let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
            multiply_rows(&matrices, &v, &mut out);
            let naive = Mat::from_fn(n, r, |i, b| (0..r).map(|a| v[(i, a)] * entry(i, a, b)).sum());
            assert!(out.distance(&naive) < 1e-12 * (1.0 + naive.norm()));
        }
    }
}
