//! Products of tall matrices with a single column, where packing for a matrix product costs more than it saves.

use crate::{add_scaled, add_scaled4, fma, multiversion};

/// Rows summed side by side: a sum of r terms waits for each of its additions.
const SIDE_BY_SIDE: usize = 8;

multiversion! {
    /// sum ← sum + Xᵀv for the rows of X (of length r) that `v` has entries for.
    pub(crate) fn add_transposed<const UNUSED: usize>(x: &[f64], r: usize, v: &[f64], sum: &mut [f64]) {
        let (fours, last) = v.as_chunks::<4>();
        let (rows, rest) = x.split_at(fours.len() * 4 * r);
        for (weights, rows) in fours.iter().zip(rows.chunks_exact(4 * r)) {
            let (a, rows) = rows.split_at(r);
            let (b, rows) = rows.split_at(r);
            let (c, d) = rows.split_at(r);
            add_scaled4::<FUSED, _>(*weights, [a, b, c, d], sum);
        }
        for (weight, row) in last.iter().zip(rest.chunks_exact(r)) {
            add_scaled::<FUSED, _>(*weight, row, sum);
        }
    }
}

multiversion! {
    /// out ← βout + α·Xs for the rows of X (of the length of `s`).
    pub(crate) fn multiply<const UNUSED: usize>(alpha: f64, x: &[f64], s: &[f64], beta: f64, out: &mut [f64]) {
        let r = s.len();
        let (eights, last) = out.as_chunks_mut::<SIDE_BY_SIDE>();
        let (rows, rest) = x.split_at(eights.len() * SIDE_BY_SIDE * r);
        for (out, rows) in eights.iter_mut().zip(rows.chunks_exact(SIDE_BY_SIDE * r)) {
            let mut sums = [0.0; SIDE_BY_SIDE];
            for (j, s) in s.iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(r)) {
                    *sum = fma::<FUSED, _>(*s, row[j], *sum);
                }
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = if beta == 0.0 { alpha * sum } else { fma::<FUSED, _>(alpha, sum, beta * *out) };
            }
        }
        for (out, row) in last.iter_mut().zip(rest.chunks_exact(r)) {
            let sum = s.iter().zip(row).fold(0.0, |sum, (s, x)| fma::<FUSED, _>(*s, *x, sum));
            *out = if beta == 0.0 { alpha * sum } else { fma::<FUSED, _>(alpha, sum, beta * *out) };
        }
    }
}
