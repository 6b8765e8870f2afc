//! Products of tall matrices of a few columns with square ones, which stay in registers: a general matrix product spends
//! most of its time on getting ready.

use crate::simd::{fma, multiversion};

/// Columns up to which this is faster than a general product.
pub(crate) const WIDEST: usize = 8;

/// out ← βout + α·XS for X and S of r columns each, 1 < r ≤ [`WIDEST`].
pub(crate) fn multiply(alpha: f64, x: &[f64], s: &[f64], r: usize, beta: f64, out: &mut [f64]) {
    match r {
        2 => product_of::<2>(alpha, x, s, beta, out),
        3 => product_of::<3>(alpha, x, s, beta, out),
        4 => product_of::<4>(alpha, x, s, beta, out),
        5 => product_of::<5>(alpha, x, s, beta, out),
        6 => product_of::<6>(alpha, x, s, beta, out),
        7 => product_of::<7>(alpha, x, s, beta, out),
        _ => product_of::<WIDEST>(alpha, x, s, beta, out),
    }
}

multiversion! {
    fn product_of<const R: usize>(alpha: f64, x: &[f64], s: &[f64], beta: f64, out: &mut [f64]) {
        let mut scaled = [[0.0; R]; R];
        for (scaled, s) in scaled.iter_mut().zip(s.chunks_exact(R)) {
            for (scaled, s) in scaled.iter_mut().zip(s) {
                *scaled = alpha * s;
            }
        }
        for (x, out) in x.as_chunks::<R>().0.iter().zip(out.as_chunks_mut::<R>().0) {
            let mut sums = [0.0; R];
            if beta != 0.0 {
                for (sum, out) in sums.iter_mut().zip(&*out) {
                    *sum = beta * out;
                }
            }
            for a in 0..R {
                for b in 0..R {
                    sums[b] = fma::<FUSED, _>(x[a], scaled[a][b], sums[b]);
                }
            }
            *out = sums;
        }
    }
}
