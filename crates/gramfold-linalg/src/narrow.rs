//! Products of tall matrices of a few columns with small ones and with each other, which stay in registers: a general matrix
//! product spends most of its time on getting ready.

use crate::simd::{fma, multiversion};

/// Columns up to which this is faster than a general product.
pub(crate) const WIDEST: usize = 8;

/// Columns of the other factor up to which this holds.
pub(crate) const OTHER: usize = 16;

/// sum ← sum + XᵀY for the rows of X and Y, which have r and 1 < s ≤ [`WIDEST`] columns.
pub(crate) fn add_transposed(x: &[f64], r: usize, y: &[f64], s: usize, sum: &mut [f64]) {
    match s {
        2 if r == 2 => square_of::<2>(x, y, sum),
        3 if r == 3 => square_of::<3>(x, y, sum),
        4 if r == 4 => square_of::<4>(x, y, sum),
        2 => transposed_of::<2>(x, r, y, sum),
        3 => transposed_of::<3>(x, r, y, sum),
        4 => transposed_of::<4>(x, r, y, sum),
        5 => transposed_of::<5>(x, r, y, sum),
        6 => transposed_of::<6>(x, r, y, sum),
        7 => transposed_of::<7>(x, r, y, sum),
        _ => transposed_of::<WIDEST>(x, r, y, sum),
    }
}

multiversion! {
    fn transposed_of<const S: usize>(x: &[f64], r: usize, y: &[f64], sum: &mut [f64]) {
        // Four rows at a time: a sum that goes through memory after each waits for the store.
        let (fours, last) = y.as_chunks::<S>().0.as_chunks::<4>();
        let sums = sum.as_chunks_mut::<S>().0;
        let (rows, rest) = x.split_at(fours.len() * 4 * r);
        for (y, rows) in fours.iter().zip(rows.chunks_exact(4 * r)) {
            let (a, rows) = rows.split_at(r);
            let (b, rows) = rows.split_at(r);
            let (c, d) = rows.split_at(r);
            for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                for l in 0..S {
                    let first = fma::<FUSED, _>(*a, y[0][l], sum[l]);
                    let second = fma::<FUSED, _>(*b, y[1][l], first);
                    let third = fma::<FUSED, _>(*c, y[2][l], second);
                    sum[l] = fma::<FUSED, _>(*d, y[3][l], third);
                }
            }
        }
        for (y, row) in last.iter().zip(rest.chunks_exact(r)) {
            for (sum, x) in sums.iter_mut().zip(row) {
                for l in 0..S {
                    sum[l] = fma::<FUSED, _>(*x, y[l], sum[l]);
                }
            }
        }
    }
}

multiversion! {
    /// The same for X and Y of R columns each, which are so few that four sums must take turns: each waits for itself.
    fn square_of<const R: usize>(x: &[f64], y: &[f64], sum: &mut [f64]) {
        let (fours, last) = x.as_chunks::<R>().0.as_chunks::<4>();
        let (fours_y, last_y) = y.as_chunks::<R>().0.as_chunks::<4>();
        let mut sums = [[[0.0; R]; R]; 4];
        for (x, y) in fours.iter().zip(fours_y) {
            for turn in 0..4 {
                for a in 0..R {
                    for b in 0..R {
                        sums[turn][a][b] = fma::<FUSED, _>(x[turn][a], y[turn][b], sums[turn][a][b]);
                    }
                }
            }
        }
        for (x, y) in last.iter().zip(last_y) {
            for a in 0..R {
                for b in 0..R {
                    sums[0][a][b] = fma::<FUSED, _>(x[a], y[b], sums[0][a][b]);
                }
            }
        }
        for (a, sum) in sum.as_chunks_mut::<R>().0.iter_mut().enumerate() {
            for b in 0..R {
                sum[b] += (sums[0][a][b] + sums[1][a][b]) + (sums[2][a][b] + sums[3][a][b]);
            }
        }
    }
}

/// out ← βout + α·XS for X of r ≤ [`OTHER`] columns and S of 1 < c ≤ [`WIDEST`].
pub(crate) fn multiply_by(
    alpha: f64,
    (x, r): (&[f64], usize),
    (s, c): (&[f64], usize),
    beta: f64,
    out: &mut [f64],
) {
    if r == c {
        return multiply(alpha, x, s, r, beta, out);
    }
    match c {
        2 => other_of::<2>(alpha, x, r, s, beta, out),
        3 => other_of::<3>(alpha, x, r, s, beta, out),
        4 => other_of::<4>(alpha, x, r, s, beta, out),
        5 => other_of::<5>(alpha, x, r, s, beta, out),
        6 => other_of::<6>(alpha, x, r, s, beta, out),
        7 => other_of::<7>(alpha, x, r, s, beta, out),
        _ => other_of::<WIDEST>(alpha, x, r, s, beta, out),
    }
}

multiversion! {
    fn other_of<const C: usize>(alpha: f64, x: &[f64], r: usize, s: &[f64], beta: f64, out: &mut [f64]) {
        let mut scaled = [[0.0; C]; OTHER];
        for (scaled, s) in scaled.iter_mut().zip(s.chunks_exact(C)) {
            for (scaled, s) in scaled.iter_mut().zip(s) {
                *scaled = alpha * s;
            }
        }
        for (x, out) in x.chunks_exact(r).zip(out.as_chunks_mut::<C>().0) {
            let mut sums = [0.0; C];
            if beta != 0.0 {
                for (sum, out) in sums.iter_mut().zip(&*out) {
                    *sum = beta * out;
                }
            }
            for (x, scaled) in x.iter().zip(&scaled) {
                for l in 0..C {
                    sums[l] = fma::<FUSED, _>(*x, scaled[l], sums[l]);
                }
            }
            *out = sums;
        }
    }
}

/// out ← βout + α·XS for X and S of r columns each, 1 < r ≤ [`WIDEST`].
fn multiply(alpha: f64, x: &[f64], s: &[f64], r: usize, beta: f64, out: &mut [f64]) {
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
