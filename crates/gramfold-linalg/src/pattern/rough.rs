//! The curvature product in single precision, for solvers that only ask roughly: an entry gathers half as many bytes, and an
//! instruction takes twice as many numbers.

use rayon::prelude::*;

use super::{FAR, Pattern};
use crate::{
    Mat, by_width, multiversion, prefetch,
    wide::{fma8, sum8},
};

/// Numbers that an instruction takes.
const LANES: usize = 8;

/// Rows that one task handles.
const ROWS: usize = 256;

/// Places between asking for a row of the factors and using it.
const AHEAD: usize = 16;

impl Pattern {
    /// [`Pattern::curvature_product`] to about six digits; `c` may be empty and stands for ones. False where there are too many
    /// columns, or numbers that single precision does not hold, and nothing was done. `room` is memory to be kept between calls.
    ///
    /// # Panics
    /// If there is not one curvature an entry, or the factors do not fit the pattern.
    pub fn rough_curvature_product(
        &self,
        c: &[f64],
        x: &Mat,
        v: &Mat,
        room: &mut Vec<[f32; 8]>,
        out: &mut Mat,
    ) -> bool {
        let shape = (x.rows(), x.cols());
        assert!(shape == (v.rows(), v.cols()) && shape == (out.rows(), out.cols()), "one shape");
        assert!(x.rows() == self.dim(), "the shape of the pattern");
        assert!(c.is_empty() || c.len() == self.len(), "one curvature an entry");
        let r = x.cols();
        // (x, v) side by side in whole registers.
        let width = (2 * r).div_ceil(LANES);
        let kernel = by_width!(width, rough, [1 2 3 4 5 6 7 8], return false);
        // Numbers near one: others could leave the range.
        let (of_x, of_v) = (x.max_abs(), v.max_abs());
        let of_c = if c.is_empty() { 1.0 } else { c.iter().fold(0.0, |a: f64, c| a.max(c.abs())) };
        let scale = of_x * of_x * of_v * of_c;
        if !(scale.is_normal() && [of_x, of_v, of_c].iter().all(|size| size.recip().is_normal())) {
            return false;
        }
        room.resize(width * x.rows(), [0.0; LANES]);
        let rows = x.as_slice().par_chunks(ROWS * r).zip(v.as_slice().par_chunks(ROWS * r));
        rows.zip(room.par_chunks_mut(ROWS * width)).for_each(|((x, v), both)| {
            let rows = x.chunks_exact(r).zip(v.chunks_exact(r));
            for (both, (x, v)) in both.chunks_exact_mut(width).zip(rows) {
                let both = both.as_flattened_mut();
                both[..r].iter_mut().zip(x).for_each(|(out, x)| *out = (x / of_x) as f32);
                both[r..2 * r].iter_mut().zip(v).for_each(|(out, v)| *out = (v / of_v) as f32);
                both[2 * r..].fill(0.0);
            }
        });
        let both = &room[..];
        out.as_mut_slice().par_chunks_mut(ROWS * r).enumerate().for_each(|(index, part)| {
            let first = ROWS * index;
            let starts = &self.starts[first..=first + part.len() / r];
            kernel(starts, &self.columns, c, [of_c.recip(), scale], both, (first, r), part);
        });
        true
    }
}

multiversion! {
    /// Rows of W registers, (x, v), and r numbers of each; out is multiplied by the second of the scales, c by the first.
    fn rough<const W: usize>(
        starts: &[usize],
        columns: &[u32],
        c: &[f64],
        scales: [f64; 2],
        both: &[[f32; LANES]],
        rows: (usize, usize),
        out: &mut [f64],
    ) {
        let (first, r) = rows;
        let far = size_of_val(both) > FAR;
        for ((out, range), i) in out.chunks_exact_mut(r).zip(starts.windows(2)).zip(first..) {
            // (v, x) of the row itself: one product with (x, v) of another.
            let mut own = [[0.0; LANES]; W];
            let here = both[W * i..][..W].as_flattened();
            own.as_flattened_mut()[..r].copy_from_slice(&here[r..2 * r]);
            own.as_flattened_mut()[r..2 * r].copy_from_slice(&here[..r]);
            // What is added up behind x is not asked for.
            let mut sums = [[0.0; LANES]; W];
            for k in range[0]..range[1] {
                if far && let Some(&ahead) = columns.get(k + AHEAD) {
                    (0..W).step_by(2).for_each(|at| prefetch(both, ahead as usize * W + at));
                }
                let there = &both[columns[k] as usize * W..][..W];
                let mut lanes = [0.0; LANES];
                for l in 0..W {
                    lanes = fma8::<FUSED>(&own[l], &there[l], lanes);
                }
                let mut weight = sum8::<FUSED>(lanes);
                if let Some(c) = c.get(k) {
                    let c = (c * scales[0]) as f32;
                    weight = weight.map(|weight| weight * c);
                }
                for l in 0..W.div_ceil(2) {
                    sums[l] = fma8::<FUSED>(&weight, &there[l], sums[l]);
                }
            }
            let sums = sums.as_flattened();
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = scales[1] * f64::from(*sum));
        }
    }
}
