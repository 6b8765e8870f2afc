//! The curvature product in single precision, for solvers that only ask roughly: an entry gathers half as many bytes, and an
//! instruction takes twice as many numbers.

use super::{Pattern, TOGETHER, motion::by_blocks};
use crate::{
    Mat,
    chunk::for_each,
    simd::{fma, multiversion},
};

/// Numbers that an instruction takes: rows are padded to whole ones.
const LANES: usize = 8;

/// Bytes of both factors that stay in the nearer caches.
const NEAR: usize = 1 << 18;

impl Pattern {
    /// [`Pattern::curvature_product`] to about six digits; `c` may be empty and stands for ones. False where there are too many
    /// columns, or numbers that single precision does not hold, and nothing was done.
    ///
    /// # Panics
    /// If there is not one curvature an entry, or the factors do not fit the pattern.
    pub fn rough_curvature_product(&self, c: &[f64], x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        let shape = (x.rows(), x.cols());
        assert!(shape == (v.rows(), v.cols()) && shape == (out.rows(), out.cols()), "one shape");
        assert!(x.rows() == self.dim(), "the shape of the pattern");
        assert!(c.is_empty() || c.len() == self.len(), "one curvature an entry");
        let r = x.cols();
        let kernel = match r.div_ceil(LANES) {
            1 => rough::<8>,
            2 => rough::<16>,
            3 => rough::<24>,
            4 => rough::<32>,
            _ => return false,
        };
        let width = r.next_multiple_of(LANES);
        // Numbers near one: others could leave the range.
        let (of_x, of_v) = (x.max_abs(), v.max_abs());
        let of_c = if c.is_empty() { 1.0 } else { c.iter().fold(0.0, |a: f64, c| a.max(c.abs())) };
        let scale = of_x * of_x * of_v * of_c;
        if !(scale.is_normal() && [of_x, of_v, of_c].iter().all(|size| size.recip().is_normal())) {
            return false;
        }
        let mut both = vec![0.0_f32; 2 * width * x.rows()];
        let rows = x.as_slice().chunks_exact(r).zip(v.as_slice().chunks_exact(r));
        for (both, (x, v)) in both.chunks_exact_mut(2 * width).zip(rows) {
            let (first, second) = both.split_at_mut(width);
            first.iter_mut().zip(x).for_each(|(out, x)| *out = (x / of_x) as f32);
            second.iter_mut().zip(v).for_each(|(out, v)| *out = (v / of_v) as f32);
        }
        let bytes = 2 * width * size_of::<f32>();
        for_each(out.as_mut_slice(), TOGETHER * r, |index, part| {
            let first = TOGETHER * index;
            let mut sums = vec![0.0_f32; part.len() / r * width];
            let starts = &self.starts[first..=first + part.len() / r];
            by_blocks(starts, &self.columns, self.dim(), NEAR / bytes, |ranges| {
                kernel(ranges, &self.columns, c, of_c.recip(), &both, first, &mut sums);
            });
            for (out, sums) in part.chunks_exact_mut(r).zip(sums.chunks_exact(width)) {
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out = scale * f64::from(*sum));
            }
        });
        true
    }
}

multiversion! {
    /// Rows of W numbers, a multiple of the lanes.
    fn rough<const W: usize>(
        ranges: &[[usize; 2]],
        columns: &[u32],
        c: &[f64],
        scale: f64,
        both: &[f32],
        first: usize,
        out: &mut [f32],
    ) {
        let (out, _) = out.as_chunks_mut::<W>();
        for ((out, range), i) in out.iter_mut().zip(ranges).zip(first..) {
            let (x, v) = both[2 * W * i..][..2 * W].split_at(W);
            let (mut own_x, mut own_v, mut sums) = ([0.0; W], [0.0; W], *out);
            own_x.copy_from_slice(x);
            own_v.copy_from_slice(v);
            for k in range[0]..range[1] {
                let (x, v) = both[columns[k] as usize * 2 * W..][..2 * W].split_at(W);
                let mut lanes = [0.0_f32; LANES];
                for (own, other) in [(&own_v, x), (&own_x, v)] {
                    let pairs = own.as_chunks::<LANES>().0.iter().zip(other.as_chunks::<LANES>().0);
                    for (a, b) in pairs {
                        for l in 0..LANES {
                            lanes[l] = fma::<FUSED, _>(a[l], b[l], lanes[l]);
                        }
                    }
                }
                let four: [f32; 4] = std::array::from_fn(|l| lanes[l] + lanes[l + 4]);
                let mut weight = (four[0] + four[2]) + (four[1] + four[3]);
                if let Some(c) = c.get(k) {
                    weight *= (c * scale) as f32;
                }
                let parts = sums.as_chunks_mut::<LANES>().0.iter_mut().zip(x.as_chunks::<LANES>().0);
                for (sums, x) in parts {
                    for l in 0..LANES {
                        sums[l] = fma::<FUSED, _>(weight, x[l], sums[l]);
                    }
                }
            }
            *out = sums;
        }
    }
}
