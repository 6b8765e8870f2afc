//! A few entries of a product of tall factors: what XYᵀ has on a sparse pattern, without forming it.

use crate::{Mat, chunk::for_each, fma, multiversion};

/// Entries that one task computes.
const ENTRIES: usize = 2048;

/// out\[s\] ← ½(XYᵀ + YXᵀ) at (`rows`\[s\], `cols`\[s\]).
///
/// # Panics
/// If an index is not a row of the factors, or the lengths differ.
pub fn sample(rows: &[u32], cols: &[u32], x: &Mat, y: &Mat, out: &mut [f64]) {
    assert!(rows.len() == out.len() && cols.len() == out.len(), "one entry a place");
    assert_eq!((x.rows(), x.cols()), (y.rows(), y.cols()), "factors of one shape");
    let same = std::ptr::eq(x, y);
    for_each(out, ENTRIES, |index, part| {
        let from = index * ENTRIES;
        let (rows, cols) = (&rows[from..from + part.len()], &cols[from..from + part.len()]);
        if same {
            square::<8>(rows, cols, x.as_slice(), x.cols(), part);
        } else {
            mixed::<8>(rows, cols, x.as_slice(), y.as_slice(), x.cols(), part);
        }
    });
}

multiversion! {
    fn square<const L: usize>(rows: &[u32], cols: &[u32], x: &[f64], r: usize, out: &mut [f64]) {
        for ((out, &i), &j) in out.iter_mut().zip(rows).zip(cols) {
            let (a, b) = (&x[i as usize * r..][..r], &x[j as usize * r..][..r]);
            let (a_full, a_tail) = a.as_chunks::<L>();
            let (b_full, b_tail) = b.as_chunks::<L>();
            let mut sums = [0.0; L];
            for (a, b) in a_full.iter().zip(b_full) {
                for l in 0..L {
                    sums[l] = fma::<FUSED, _>(a[l], b[l], sums[l]);
                }
            }
            let mut sum = sums.iter().sum::<f64>();
            for (a, b) in a_tail.iter().zip(b_tail) {
                sum = fma::<FUSED, _>(*a, *b, sum);
            }
            *out = sum;
        }
    }
}

multiversion! {
    fn mixed<const L: usize>(
        rows: &[u32],
        cols: &[u32],
        x: &[f64],
        y: &[f64],
        r: usize,
        out: &mut [f64],
    ) {
        for ((out, &i), &j) in out.iter_mut().zip(rows).zip(cols) {
            let (i, j) = (i as usize * r, j as usize * r);
            let (a_full, a_tail) = x[i..][..r].as_chunks::<L>();
            let (b_full, b_tail) = y[j..][..r].as_chunks::<L>();
            let (c_full, c_tail) = x[j..][..r].as_chunks::<L>();
            let (d_full, d_tail) = y[i..][..r].as_chunks::<L>();
            let mut sums = [0.0; L];
            for (((a, b), c), d) in a_full.iter().zip(b_full).zip(c_full).zip(d_full) {
                for l in 0..L {
                    sums[l] = fma::<FUSED, _>(a[l], b[l], fma::<FUSED, _>(c[l], d[l], sums[l]));
                }
            }
            let mut sum = sums.iter().sum::<f64>();
            for (((a, b), c), d) in a_tail.iter().zip(b_tail).zip(c_tail).zip(d_tail) {
                sum = fma::<FUSED, _>(*a, *b, fma::<FUSED, _>(*c, *d, sum));
            }
            *out = 0.5 * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_match_the_whole_product() {
        for (n, r) in [(1, 1), (7, 3), (40, 8), (90, 21)] {
            let x = Mat::from_fn(n, r, |i, j| ((i * 3 + j) as f64).sin());
            let y = Mat::from_fn(n, r, |i, j| ((i + 5 * j) as f64).cos());
            let places: Vec<(u32, u32)> =
                (0..n as u32).flat_map(|i| (i..n as u32).map(move |j| (i, j))).collect();
            let (rows, cols): (Vec<u32>, Vec<u32>) = places.into_iter().unzip();
            let mut out = vec![f64::NAN; rows.len()];
            for (x, y) in [(&x, &y), (&x, &x)] {
                sample(&rows, &cols, x, y, &mut out);
                for ((&i, &j), &found) in rows.iter().zip(&cols).zip(&out) {
                    let (i, j) = (i as usize, j as usize);
                    let entry = |i: usize, j: usize| -> f64 {
                        x.row(i).iter().zip(y.row(j)).map(|(a, b)| a * b).sum()
                    };
                    let expected = 0.5 * (entry(i, j) + entry(j, i));
                    assert!((found - expected).abs() < 1e-12 * (1.0 + r as f64));
                }
            }
        }
    }
}
