//! Passes over a pattern for two factors, X and a motion of it: an entry gathers the rows of both from one place.

use super::short_dot;
use crate::{Mat, add_scaled, by_width, fma, multiversion};

/// The rows of [`super::Pattern::curvature_product`] from the first on, added up: their entries, all columns and curvatures, both factors, (first, width).
pub(super) type Curving = fn(&[[usize; 2]], &[u32], &[f64], &[f64], (usize, usize), &mut [f64]);

pub(super) fn curving_kernel(width: usize) -> Curving {
    by_width!(width, curved, [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20], curved::<0>)
}

multiversion! {
    /// R columns, or any number of them if R = 0.
    fn curved<const R: usize>(
        ranges: &[[usize; 2]],
        columns: &[u32],
        c: &[f64],
        both: &[f64],
        rows: (usize, usize),
        out: &mut [f64],
    ) {
        let (first, width) = rows;
        let r = if R == 0 { width } else { R };
        let mut own = vec![0.0; 2 * r];
        for ((out, range), i) in out.chunks_exact_mut(r).zip(ranges).zip(first..) {
            cross(&both[2 * r * i..][..2 * r], &mut own);
            let (columns, c) = (&columns[range[0]..range[1]], &c[range[0]..range[1]]);
            if R == 0 {
                for (&column, c) in columns.iter().zip(c) {
                    let there = &both[column as usize * 2 * r..][..2 * r];
                    let weight = c * short_dot::<FUSED>(&own, there);
                    add_scaled::<FUSED, _>(weight, &there[..r], out);
                }
                continue;
            }
            // Sums in registers, and four entries at a time: a dot product takes its time.
            let mut sums = [0.0; R];
            sums.copy_from_slice(out);
            let ((columns, last_columns), (c, last_c)) = (columns.as_chunks::<4>(), c.as_chunks::<4>());
            for (columns, c) in columns.iter().zip(c) {
                let there = columns.map(|column| &both[column as usize * 2 * R..][..2 * R]);
                let mut weights = [0.0; 4];
                for e in 0..4 {
                    weights[e] = c[e] * short_dot::<FUSED>(&own[..2 * R], there[e]);
                }
                for e in 0..4 {
                    for l in 0..R {
                        sums[l] = fma::<FUSED, _>(weights[e], there[e][l], sums[l]);
                    }
                }
            }
            for (&column, c) in last_columns.iter().zip(last_c) {
                let there = &both[column as usize * 2 * R..][..2 * R];
                let weight = c * short_dot::<FUSED>(&own[..2 * R], there);
                for l in 0..R {
                    sums[l] = fma::<FUSED, _>(weight, there[l], sums[l]);
                }
            }
            out.copy_from_slice(&sums);
        }
    }
}

/// The rows of [`super::Pattern::line`] from the first on: their entries, all columns, both factors, (first, width), and which entry the
/// outputs begin with.
pub(super) type Lines =
    fn(&[[usize; 2]], &[u32], &[f64], (usize, usize), usize, &mut [f64], &mut [f64]);

pub(super) fn lines_kernel(width: usize) -> Lines {
    by_width!(width, lines, [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20], lines::<0>)
}

multiversion! {
    /// R columns, or any number of them if R = 0.
    fn lines<const R: usize>(
        ranges: &[[usize; 2]],
        columns: &[u32],
        both: &[f64],
        rows: (usize, usize),
        base: usize,
        one: &mut [f64],
        two: &mut [f64],
    ) {
        let (first, width) = rows;
        let r = if R == 0 { width } else { R };
        let mut own = vec![0.0; 2 * r];
        for (range, i) in ranges.iter().zip(first..) {
            cross(&both[2 * r * i..][..2 * r], &mut own);
            let here = range[0] - base..range[1] - base;
            let out = one[here.clone()].iter_mut().zip(&mut two[here]);
            for (&column, (one, two)) in columns[range[0]..range[1]].iter().zip(out) {
                let there = &both[column as usize * 2 * r..][..2 * r];
                *one = short_dot::<FUSED>(&own[..2 * r], there);
                *two = short_dot::<FUSED>(&own[..r], &there[r..]);
            }
        }
    }
}

/// Bytes of both factors that stay in the nearer caches.
const NEAR: usize = 1 << 19;

/// Rows of two factors of a width that stay there.
pub(super) fn near(width: usize) -> usize {
    NEAR / (2 * width * size_of::<f64>())
}

/// Calls `work` with the entries of the rows between consecutive `starts`, or where the factors of `dim` rows do not fit into the
/// cache with those in one `block` of columns after the other: an entry then gathers what others have gathered shortly before.
pub(super) fn by_blocks(
    starts: &[usize],
    columns: &[u32],
    dim: usize,
    block: usize,
    mut work: impl FnMut(&[[usize; 2]]),
) {
    let block = block.max(1);
    let mut ranges: Vec<[usize; 2]> = starts.windows(2).map(|w| [w[0], w[1]]).collect();
    if dim <= 2 * block {
        return work(&ranges);
    }
    for range in &mut ranges {
        range[1] = range[0];
    }
    for end in (block..dim + block).step_by(block) {
        for (range, ends) in ranges.iter_mut().zip(&starts[1..]) {
            let from = range[1];
            let count = columns[from..*ends].partition_point(|&column| (column as usize) < end);
            *range = [from, from + count];
        }
        work(&ranges);
    }
}

/// Rows of two factors side by side, so that one place is gathered for an entry.
pub(super) fn beside(x: &Mat, v: &Mat) -> Vec<f64> {
    let r = x.cols();
    let mut both = Vec::with_capacity(2 * r * x.rows());
    for (x, v) in x.as_slice().chunks_exact(r).zip(v.as_slice().chunks_exact(r)) {
        both.extend_from_slice(x);
        both.extend_from_slice(v);
    }
    both
}

/// (x, v) ↦ (v, x).
#[inline(always)] // Or it would be compiled for the baseline.
#[allow(clippy::inline_always)]
fn cross(both: &[f64], out: &mut [f64]) {
    let (x, v) = both.split_at(both.len() / 2);
    out[..v.len()].copy_from_slice(v);
    out[v.len()..].copy_from_slice(x);
}
