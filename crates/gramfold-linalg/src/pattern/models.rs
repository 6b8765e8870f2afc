//! The small model that each row of a block sees: its gradient and its curvature matrix.

use std::ops::Range;

use super::Pattern;
use crate::{Mat, by_width, multiversion, prefetch, wide::fma4};

/// Entries that are gathered at a time: their rows of a factor, twice, stay in the nearest cache.
const GATHERED: usize = 64;

impl Pattern {
    /// For each row i of `rows`: gradients ← Σ_j slopes_ij·y_j and grams ← Σ_j curvatures_ij·y_jy_jᵀ (r×r, whole), with the
    /// slopes and curvatures of these rows' entries. Without slopes there are no gradients.
    pub fn row_models(
        &self,
        rows: Range<usize>,
        slopes: &[f64],
        curvatures: &[f64],
        y: &Mat,
        gradients: &mut [f64],
        grams: &mut [f64],
    ) {
        let r = y.cols();
        let registers = r.div_ceil(4);
        let model = by_width!(registers, row_model, [1 2 3 4 5 6 7 8], row_model::<0>);
        let mut room = vec![[0.0; 4]; (2 * GATHERED + 4 * registers + 1) * registers];
        let base = self.starts[rows.start];
        let mut gradients = gradients.chunks_exact_mut(r);
        for (i, gram) in rows.zip(grams.chunks_exact_mut(r * r)) {
            let entries = self.row(i);
            let own = entries.start - base..entries.end - base;
            let slopes = if slopes.is_empty() { &[] } else { &slopes[own.clone()] };
            let (columns, curvatures) = (&self.columns[entries], &curvatures[own]);
            let gradient = gradients.next().unwrap_or_default();
            model(columns, slopes, curvatures, y.as_slice(), r, &mut room, gradient, gram);
        }
    }
}

multiversion! {
    /// The gradient and the curvature matrix of one row, for factors with P registers a row, or any number of them if P = 0. Rows
    /// are gathered into `room`, so that the tiles of the matrix stay in registers.
    #[allow(clippy::too_many_arguments)]
    fn row_model<const P: usize>(
        columns: &[u32],
        slopes: &[f64],
        curvatures: &[f64],
        y: &[f64],
        r: usize,
        room: &mut [[f64; 4]],
        gradient: &mut [f64],
        gram: &mut [f64],
    ) {
        let p = if P == 0 { r.div_ceil(4) } else { P };
        let (plain, rest) = room.split_at_mut(GATHERED * p);
        let (scaled, sums) = rest.split_at_mut(GATHERED * p);
        sums.fill([0.0; 4]);
        let (sum, sums) = sums.split_at_mut(p);
        // Those of a plain square need no second copy.
        let ones = curvatures.iter().all(|c| *c == 1.0);
        for (part, curvatures) in curvatures.chunks(GATHERED).enumerate() {
            let (from, count) = (part * GATHERED, curvatures.len());
            for &ahead in columns.iter().skip(from + GATHERED).take(GATHERED) {
                (0..r).step_by(8).for_each(|offset| prefetch(y, ahead as usize * r + offset));
            }
            let columns = &columns[from..from + count];
            for (&column, plain) in columns.iter().zip(plain.chunks_exact_mut(p)) {
                let row = &y[column as usize * r..];
                let plain = plain.as_flattened_mut();
                // Whole registers where there are such: what is behind a row goes into sums that are not asked for.
                match row.get(..4 * p) {
                    Some(row) => plain.copy_from_slice(row),
                    None => copy_last(&row[..r], plain),
                }
            }
            let plain = &plain[..count * p];
            if !ones {
                let rows = scaled.chunks_exact_mut(p).zip(plain.chunks_exact(p));
                for ((scaled, plain), c) in rows.zip(curvatures) {
                    for (scaled, plain) in scaled.iter_mut().zip(plain) {
                        *scaled = plain.map(|value| c * value);
                    }
                }
            }
            let left = if ones { plain } else { &scaled[..count * p] }.as_flattened();
            if !slopes.is_empty() {
                across::<FUSED, 1>(&slopes[from..from + count], 1, plain, p, 0, sum);
            }
            // On and above the diagonal, four rows at a time.
            for top in 0..p {
                across::<FUSED, 4>(&left[4 * top..], 4 * p, plain, p, top, &mut sums[4 * top * p..]);
            }
        }
        gradient.iter_mut().zip(sum.as_flattened()).for_each(|(gradient, sum)| *gradient = *sum);
        let sums = sums.as_flattened();
        for i in 0..r {
            for j in i..r {
                gram[i * r + j] = sums[4 * i * p + j];
                gram[j * r + i] = sums[4 * i * p + j];
            }
        }
    }
}

/// Apart, or the compiler would make one copy of both, of a length that it does not know.
#[cold]
#[inline(never)]
fn copy_last(row: &[f64], plain: &mut [f64]) {
    plain[..row.len()].copy_from_slice(row);
}

/// sums ← sums + leftᵀ·right for R columns of left, whose rows begin every `step`, and the registers of right from `from` on, in tiles
/// as wide as there are registers for.
#[inline(always)] // Or it would be compiled for the baseline.
#[allow(clippy::inline_always)]
fn across<const FUSED: bool, const R: usize>(
    left: &[f64],
    step: usize,
    right: &[[f64; 4]],
    p: usize,
    mut from: usize,
    sums: &mut [[f64; 4]],
) {
    while from < p {
        let (right, sums) = (&right[from..], &mut sums[from..]);
        let wide = match p - from {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        match wide {
            1 => tile::<FUSED, R, 1>(left, step, right, p, sums),
            2 => tile::<FUSED, R, 2>(left, step, right, p, sums),
            _ => tile::<FUSED, R, 3>(left, step, right, p, sums),
        }
        from += wide;
    }
}

/// The same for C registers of right.
#[inline(always)] // As above.
#[allow(clippy::inline_always)]
fn tile<const FUSED: bool, const R: usize, const C: usize>(
    left: &[f64],
    step: usize,
    right: &[[f64; 4]],
    p: usize,
    sums: &mut [[f64; 4]],
) {
    let mut tile = [[[0.0; 4]; C]; R];
    for (left, right) in left.chunks(step).zip(right.chunks(p)) {
        for (tile, left) in tile.iter_mut().zip(&left[..R]) {
            for (tile, right) in tile.iter_mut().zip(&right[..C]) {
                *tile = fma4::<FUSED>(&[*left; 4], right, *tile);
            }
        }
    }
    for (tile, sums) in tile.iter().zip(sums.chunks_mut(p)) {
        for (tile, sum) in tile.iter().zip(sums) {
            *sum = std::array::from_fn(|l| sum[l] + tile[l]);
        }
    }
}
