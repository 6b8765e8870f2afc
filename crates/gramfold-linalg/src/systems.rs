//! A small positive definite system for each row: x_i·H_i = b_i. Eight rows at a time, one a vector lane.

// A helper that is not inlined would be compiled for the baseline, whoever calls it.
#![allow(clippy::inline_always)]

use crate::{fma, multiversion};

/// Systems that are solved together.
const TOGETHER: usize = 8;

/// Solves x_i·(H_i + shift·I) = b_i in place for each row b_i of `rows`, given the r×r matrices one after the other (lower
/// triangles are read). A row whose matrix has a pivot that is not positive becomes NaN, to be seen.
///
/// # Panics
/// If there is not one r×r matrix a row.
pub fn solve_each(matrices: &[f64], shift: f64, r: usize, rows: &mut [f64]) {
    assert_eq!(matrices.len(), rows.len() * r, "one r×r matrix a row");
    let mut lower = vec![[0.0; TOGETHER]; r * r];
    let mut right = vec![[0.0; TOGETHER]; r];
    let parts = rows.chunks_mut(TOGETHER * r).zip(matrices.chunks(TOGETHER * r * r));
    for (rows, matrices) in parts {
        eight::<TOGETHER>(matrices, shift, r, &mut lower, &mut right, rows);
    }
}

/// H_i ← (H_i + shift_i·I)⁻¹ in place for r×r matrices one after the other (lower triangles are read, whole ones written). One that
/// has a pivot that is not positive becomes NaN, to be seen.
///
/// # Panics
/// If there is not one shift a matrix.
pub fn invert_each(matrices: &mut [f64], shifts: &[f64], r: usize) {
    assert_eq!(matrices.len(), shifts.len() * r * r, "one shift an r×r matrix");
    let mut lower = vec![[0.0; TOGETHER]; r * r];
    for (matrices, shifts) in matrices.chunks_mut(TOGETHER * r * r).zip(shifts.chunks(TOGETHER)) {
        inverses::<TOGETHER>(matrices, shifts, r, &mut lower);
    }
}

multiversion! {
    fn inverses<const L: usize>(matrices: &mut [f64], shifts: &[f64], r: usize, lower: &mut [[f64; L]]) {
        for (l, (matrix, shift)) in matrices.chunks_exact(r * r).zip(shifts).enumerate() {
            load::<L>(matrix, *shift, r, l % L, lower);
        }
        factorise::<FUSED, L>(r, lower);
        // C ← C⁻¹, column by column from the left: the diagonal holds reciprocals already.
        for j in 0..r {
            for i in j + 1..r {
                let mut sum = [0.0; L];
                for k in j..i {
                    let (a, b) = (lower[i * r + k], lower[k * r + j]);
                    subtract::<FUSED, L>(&a, &b, &mut sum);
                }
                let pivot = lower[i * r + i];
                for l in 0..L {
                    sum[l] *= pivot[l];
                }
                lower[i * r + j] = sum;
            }
        }
        // H⁻¹ = C⁻ᵀ·C⁻¹.
        for i in 0..r {
            for j in 0..=i {
                let mut sum = [0.0; L];
                for k in i..r {
                    let (a, b) = (&lower[k * r + i], &lower[k * r + j]);
                    for l in 0..L {
                        sum[l] = fma::<FUSED, _>(a[l], b[l], sum[l]);
                    }
                }
                for (l, matrix) in matrices.chunks_exact_mut(r * r).enumerate() {
                    matrix[i * r + j] = sum[l % L];
                    matrix[j * r + i] = sum[l % L];
                }
            }
        }
    }
}

/// Puts a matrix, shifted, into a lane.
#[inline(always)]
fn load<const L: usize>(matrix: &[f64], shift: f64, r: usize, l: usize, lower: &mut [[f64; L]]) {
    for i in 0..r {
        for j in 0..=i {
            lower[i * r + j][l] = matrix[i * r + j];
        }
        lower[i * r + i][l] += shift;
    }
}

/// Row by row, H = C·Cᵀ with the reciprocals of the diagonal of C in its place.
#[inline(always)]
fn factorise<const FUSED: bool, const L: usize>(r: usize, lower: &mut [[f64; L]]) {
    for i in 0..r {
        let (above, below) = lower.split_at_mut(i * r);
        let own = &mut below[..r];
        for j in 0..i {
            let mut sum = own[j];
            let other = &above[j * r..j * r + r];
            for k in 0..j {
                subtract::<FUSED, L>(&own[k], &other[k], &mut sum);
            }
            for l in 0..L {
                sum[l] *= other[j][l];
            }
            own[j] = sum;
        }
        let mut pivot = own[i];
        for entry in &own[..i] {
            subtract::<FUSED, L>(entry, entry, &mut pivot);
        }
        for l in 0..L {
            // The root of a negative number is NaN, and the reciprocal of 0 makes one below.
            own[i][l] = 1.0 / pivot[l].sqrt();
        }
    }
}

multiversion! {
    fn eight<const L: usize>(
        matrices: &[f64],
        shift: f64,
        r: usize,
        lower: &mut [[f64; L]],
        right: &mut [[f64; L]],
        rows: &mut [f64],
    ) {
        for (l, matrix) in matrices.chunks_exact(r * r).enumerate() {
            load::<L>(matrix, shift, r, l % L, lower);
        }
        for (l, row) in rows.chunks_exact(r).enumerate() {
            right.iter_mut().zip(row).for_each(|(lane, value)| lane[l % L] = *value);
        }
        factorise::<FUSED, L>(r, lower);
        for i in 0..r {
            let (done, rest) = right.split_at_mut(i);
            let row = &lower[i * r..i * r + r];
            for (solved, entry) in done.iter().zip(row) {
                subtract::<FUSED, L>(solved, entry, &mut rest[0]);
            }
            for l in 0..L {
                rest[0][l] *= row[i][l];
            }
        }
        for i in (0..r).rev() {
            let (head, solved) = right.split_at_mut(i + 1);
            let current = &mut head[i];
            for (k, solved) in solved.iter().enumerate() {
                subtract::<FUSED, L>(solved, &lower[(i + 1 + k) * r + i], current);
            }
            for l in 0..L {
                current[l] *= lower[i * r + i][l];
            }
        }
        for (l, row) in rows.chunks_exact_mut(r).enumerate() {
            row.iter_mut().zip(&*right).for_each(|(value, lane)| *value = lane[l % L]);
        }
    }
}

/// sum ← sum − a∘b.
#[inline(always)]
fn subtract<const FUSED: bool, const L: usize>(a: &[f64; L], b: &[f64; L], sum: &mut [f64; L]) {
    for l in 0..L {
        sum[l] = fma::<FUSED, _>(-a[l], b[l], sum[l]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_solves_its_own_system() {
        for (n, r) in [(1, 1), (3, 4), (8, 7), (19, 20), (9, 33)] {
            let entry = |i: usize, a: usize, k: usize| ((i * 5 + a * r + k) as f64).sin();
            let mut matrices = vec![0.0; n * r * r];
            for (at, value) in matrices.iter_mut().enumerate() {
                let (i, a, b) = (at / (r * r), at / r % r, at % r);
                *value = (0..r).map(|k| entry(i, a, k) * entry(i, b, k)).sum();
            }
            let b: Vec<f64> = (0..n * r).map(|at| (at as f64).cos()).collect();
            let mut x = b.clone();
            solve_each(&matrices, 0.3, r, &mut x);
            for (i, (x, b)) in x.chunks(r).zip(b.chunks(r)).enumerate() {
                for (a, b) in b.iter().enumerate() {
                    let row = &matrices[i * r * r + a * r..][..r];
                    let product: f64 =
                        row.iter().zip(x).map(|(h, x)| h * x).sum::<f64>() + 0.3 * x[a];
                    assert!((product - b).abs() < 1e-9 * (1.0 + b.abs()), "n = {n}, r = {r}");
                }
            }
        }
    }

    #[test]
    fn each_matrix_is_inverted() {
        for (n, r) in [(1, 1), (3, 4), (8, 7), (19, 20)] {
            let entry = |i: usize, a: usize, k: usize| ((i * 5 + a * r + k) as f64).sin();
            let of = |i: usize, a: usize, b: usize| {
                (0..r).map(|k| entry(i, a, k) * entry(i, b, k)).sum::<f64>()
            };
            let at = |at: usize| of(at / (r * r), at / r % r, at % r);
            let mut matrices: Vec<f64> = (0..n * r * r).map(at).collect();
            let shifts: Vec<f64> = (0..n).map(|i| 0.3 + i as f64).collect();
            invert_each(&mut matrices, &shifts, r);
            for (i, inverse) in matrices.chunks(r * r).enumerate() {
                for a in 0..r {
                    for b in 0..r {
                        let product: f64 = (0..r)
                            .map(|k| {
                                (of(i, a, k) + f64::from(a == k) * shifts[i]) * inverse[k * r + b]
                            })
                            .sum();
                        assert!((product - f64::from(a == b)).abs() < 1e-9, "n = {n}, r = {r}");
                    }
                }
            }
        }
        let mut singular = vec![1.0, 2.0, 2.0, 1.0];
        invert_each(&mut singular, &[0.0], 2);
        assert!(singular.iter().any(|value| value.is_nan()));
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_seen() {
        let mut rows = vec![1.0, 1.0, 3.0, 6.0];
        let matrices = [1.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0, 2.0];
        solve_each(&matrices, 0.0, 2, &mut rows);
        assert!(rows[0].is_nan() && rows[1].is_nan());
        assert!((rows[2] - 3.0).abs() < 1e-15 && (rows[3] - 3.0).abs() < 1e-15);
    }
}
