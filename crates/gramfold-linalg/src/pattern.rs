//! A sparse pattern that contains (j, i) wherever it contains (i, j), without values of its own: sampled products of tall
//! factors, products with values from outside, and the small curvature matrix that each row sees.

mod models;
mod motion;
mod places;
mod rough;

use std::{ops::Range, sync::OnceLock};

use rayon::prelude::*;

use crate::{
    Mat, by_width, chunk::for_each, fma, gather::gather, multiversion, prefetch, wide::fma4,
};
use motion::{beside, by_blocks, curving_kernel, lines_kernel, near};

/// Rows that one task handles.
const ROWS: usize = 64;

/// Rows that one task handles where blocks of columns come one after the other.
const TOGETHER: usize = 512;

/// Entries whose rows of a factor are still in a near cache when they are gathered again.
const NEAR: usize = 512;

/// Places between asking for a row of a factor and using it.
const AHEAD: usize = 8;

/// Bytes of a factor from which asking ahead pays: less stays in the nearer caches.
const FAR: usize = 1 << 18;

/// The places of a sparse matrix, row by row, each with its mirror image.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    starts: Vec<usize>,
    columns: Vec<u32>,
    /// Where the mirror image of each entry is, once that was asked for.
    mirror: OnceLock<Vec<u32>>,
}

impl Pattern {
    /// The dimension n.
    pub fn dim(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of stored entries, mirror images included.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Which stored entries row `i` has.
    pub fn row(&self, i: usize) -> Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    /// The column of every stored entry.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// out\[k\] ← values\[mirror of k\]: the values of the transpose.
    pub fn transpose(&self, values: &[f64], out: &mut [f64]) {
        let mirror = self.mirror();
        for_each(out, 1 << 14, |index, part| {
            let mirror = &mirror[index << 14..];
            part.iter_mut().zip(mirror).for_each(|(out, &k)| *out = values[k as usize]);
        });
    }

    /// out\[k\] ← (XYᵀ)_ij for the stored entry k at (i, j).
    ///
    /// # Panics
    /// If the factors do not fit the pattern.
    pub fn sample(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        assert_eq!((x.rows(), x.cols()), (y.rows(), y.cols()), "factors of one shape");
        assert!(x.rows() == self.dim() && out.len() == self.len(), "the shape of the pattern");
        self.by_rows(out, |rows, out| self.sample_rows(rows, x, y, out));
    }

    /// The same for the entries of some rows.
    fn sample_rows(&self, rows: Range<usize>, x: &Mat, y: &Mat, out: &mut [f64]) {
        let starts = &self.starts[rows.start..=rows.end];
        let kernel = sampling_kernel(x.cols());
        let r = x.cols();
        kernel(starts, &self.columns, &x.as_slice()[rows.start * r..], y.as_slice(), r, out);
    }

    /// image\[k\] ← (XXᵀ)_ij for the stored entry k, what `judge` makes of the images of some entries into slopes, and out ← S·X for
    /// the matrix S of the slopes, all in one pass; returns the sum of what `judge` returned.
    ///
    /// # Panics
    /// If the factors or the numbers do not fit the pattern.
    pub fn judged(
        &self,
        x: &Mat,
        judge: impl Fn(Range<usize>, &[f64], &mut [f64]) -> f64 + Sync,
        image: &mut [f64],
        slopes: &mut [f64],
        out: Option<&mut Mat>,
    ) -> f64 {
        assert!(x.rows() == self.dim() && image.len() == self.len(), "the shape of the pattern");
        assert_eq!(image.len(), slopes.len(), "as many of both");
        let (n, r) = (self.dim(), x.cols());
        let outs: Vec<Option<&mut [f64]>> = match out {
            Some(out) => {
                assert_eq!((out.rows(), out.cols()), (n, r), "factors of one shape");
                out.as_mut_slice().chunks_mut(ROWS * r).map(Some).collect()
            }
            None => (0..n.div_ceil(ROWS)).map(|_| None).collect(),
        };
        let images = self.parts(ROWS, image);
        let slopes = self.parts(ROWS, slopes).into_iter().map(|(_, slopes)| slopes);
        let parts: Vec<_> = images.into_iter().zip(slopes).zip(outs).collect();
        let sums = parts.into_par_iter().map(|(((rows, image), slopes), mut out)| {
            let base = self.starts[rows.start];
            let (mut sum, mut from) = (0.0, rows.start);
            while from < rows.end {
                let mut to = from + 1;
                while to < rows.end && self.starts[to + 1] - self.starts[from] <= NEAR {
                    to += 1;
                }
                let entries = self.starts[from]..self.starts[to];
                let own = entries.start - base..entries.end - base;
                let (image, slopes) = (&mut image[own.clone()], &mut slopes[own]);
                self.sample_rows(from..to, x, x, image);
                sum += judge(entries.clone(), image, slopes);
                if let Some(out) = &mut out {
                    let starts: Vec<usize> =
                        self.starts[from..=to].iter().map(|start| start - entries.start).collect();
                    let out = &mut out[(from - rows.start) * r..(to - rows.start) * r];
                    gather(&starts, &self.columns[entries], slopes, x.as_slice(), r, out);
                }
                from = to;
            }
            sum
        });
        // In their order, whoever took them.
        sums.collect::<Vec<f64>>().iter().sum()
    }

    /// Σ of what `sum` makes of (XXᵀ)_ij for the stored entries of some rows, which are not kept.
    ///
    /// # Panics
    /// If the factor does not fit the pattern.
    pub fn summed(
        &self,
        x: &Mat,
        sum: impl Fn(Range<usize>, &[f64]) -> [f64; 2] + Sync,
    ) -> [f64; 2] {
        assert_eq!(x.rows(), self.dim(), "the shape of the pattern");
        let sums = (0..self.dim()).into_par_iter().step_by(ROWS).map(|first| {
            let rows = first..(first + ROWS).min(self.dim());
            let entries = self.starts[rows.start]..self.starts[rows.end];
            let mut image = vec![0.0; entries.len()];
            self.sample_rows(rows, x, x, &mut image);
            sum(entries, &image)
        });
        // In their order, whoever took them.
        let sums: Vec<[f64; 2]> = sums.collect();
        sums.iter().fold([0.0; 2], |all, part| [all[0] + part[0], all[1] + part[1]])
    }

    /// out\[k\] ← rows_i·y_j for the stored entries (i, j) of `count` rows from `first` on, whose factor rows are given.
    pub fn sample_given(&self, first: usize, rows: &[f64], y: &Mat, out: &mut [f64]) {
        let r = y.cols();
        let starts = &self.starts[first..=first + rows.len() / r];
        sampling_kernel(r)(starts, &self.columns, rows, y.as_slice(), r, out);
    }

    /// out ← S·V for the matrix S with these values on the pattern.
    ///
    /// # Panics
    /// If there is not one value an entry.
    pub fn apply(&self, values: &[f64], v: &Mat, out: &mut Mat) {
        assert_eq!(values.len(), self.len(), "one value an entry");
        let width = v.cols();
        for_each(out.as_mut_slice(), 256 * width, |index, part| {
            gather(&self.starts[256 * index..], &self.columns, values, v.as_slice(), width, part);
        });
    }

    /// out_i ← Σ_j c_ij·(x_i·v_j + v_i·x_j)·x_j over the stored entries: what the curvatures c make of a motion V of X, in one
    /// pass.
    ///
    /// # Panics
    /// If there is not one curvature an entry, or the factors do not fit the pattern.
    pub fn curvature_product(&self, c: &[f64], x: &Mat, v: &Mat, out: &mut Mat) {
        let shape = (x.rows(), x.cols());
        assert!(shape == (v.rows(), v.cols()) && shape == (out.rows(), out.cols()), "one shape");
        assert!(x.rows() == self.dim() && c.len() == self.len(), "the shape of the pattern");
        let r = x.cols();
        let both = beside(x, v);
        let kernel = curving_kernel(r);
        for_each(out.as_mut_slice(), TOGETHER * r, |index, part| {
            let first = TOGETHER * index;
            part.fill(0.0);
            by_blocks(
                &self.starts[first..=first + part.len() / r],
                &self.columns,
                self.dim(),
                near(r),
                |ranges| {
                    kernel(ranges, &self.columns, c, &both, (first, r), part);
                },
            );
        });
    }

    /// one\[k\] ← (XPᵀ + PXᵀ)_ij and two\[k\] ← (PPᵀ)_ij for the stored entry k at (i, j), in one pass.
    ///
    /// # Panics
    /// If the factors do not fit the pattern.
    pub fn line(&self, x: &Mat, p: &Mat, one: &mut [f64], two: &mut [f64]) {
        assert_eq!((x.rows(), x.cols()), (p.rows(), p.cols()), "factors of one shape");
        assert!(x.rows() == self.dim() && one.len() == self.len(), "the shape of the pattern");
        assert_eq!(one.len(), two.len(), "as many of both");
        let r = x.cols();
        let (both, kernel) = (beside(x, p), lines_kernel(r));
        let work = |rows: Range<usize>, (one, two): (&mut [f64], &mut [f64])| {
            let starts = &self.starts[rows.start..=rows.end];
            by_blocks(starts, &self.columns, self.dim(), near(r), |ranges| {
                kernel(ranges, &self.columns, &both, (rows.start, r), starts[0], one, two);
            });
        };
        let ones = self.parts(TOGETHER, one);
        let twos = self.parts(TOGETHER, two).into_iter().map(|(_, two)| two);
        let parts: Vec<_> = ones.into_iter().zip(twos).collect();
        parts.into_par_iter().for_each(|((rows, one), two)| work(rows, (one, two)));
    }

    /// Calls `work` for chunks of rows with their part of `out`.
    fn by_rows(&self, out: &mut [f64], work: impl Fn(Range<usize>, &mut [f64]) + Sync) {
        self.parts(ROWS, out).into_par_iter().for_each(|(rows, part)| work(rows, part));
    }

    /// Chunks of so many rows, each with its part of `out`.
    fn parts<'a>(&self, count: usize, out: &'a mut [f64]) -> Vec<(Range<usize>, &'a mut [f64])> {
        let n = self.dim();
        let mut parts = Vec::with_capacity(n.div_ceil(count));
        let mut rest = out;
        for first in (0..n).step_by(count) {
            let rows = first..(first + count).min(n);
            let (part, after) = rest.split_at_mut(self.starts[rows.end] - self.starts[first]);
            parts.push((rows, part));
            rest = after;
        }
        parts
    }
}

/// a·b by four sums, which do not wait for each other.
#[inline(always)] // Or it would be compiled for the baseline.
#[allow(clippy::inline_always)]
fn short_dot<const FUSED: bool>(a: &[f64], b: &[f64]) -> f64 {
    let (a_full, a_tail) = a.as_chunks::<4>();
    let (b_full, b_tail) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a_full.iter().zip(b_full) {
        sums = fma4::<FUSED>(a, b, sums);
    }
    let mut sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    for (a, b) in a_tail.iter().zip(b_tail) {
        sum = fma::<FUSED, _>(*a, *b, sum);
    }
    sum
}

/// Samples the rows between consecutive starts: rows of x, all of y, the width, the entries of these rows.
type Sampling = fn(&[usize], &[u32], &[f64], &[f64], usize, &mut [f64]);

fn sampling_kernel(width: usize) -> Sampling {
    by_width!(
        width,
        dots,
        [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32],
        dots::<0>
    )
}

multiversion! {
    /// R columns, or any number of them if R = 0.
    fn dots<const R: usize>(
        starts: &[usize],
        columns: &[u32],
        x: &[f64],
        y: &[f64],
        width: usize,
        out: &mut [f64],
    ) {
        let r = if R == 0 { width } else { R };
        let base = starts[0];
        let far = size_of_val(y) > FAR;
        for (x, range) in x.chunks_exact(r).zip(starts.windows(2)) {
            let out = &mut out[range[0] - base..range[1] - base];
            for ((out, &column), k) in out.iter_mut().zip(&columns[range[0]..range[1]]).zip(range[0]..) {
                if far && let Some(&ahead) = columns.get(k + AHEAD) {
                    let at = ahead as usize * r;
                    prefetch(y, at);
                    if r > 8 {
                        prefetch(y, at + r - 1);
                    }
                    if r > 16 {
                        prefetch(y, at + 8);
                    }
                }
                *out = short_dot::<FUSED>(x, &y[column as usize * r..][..r]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
