//! Products of tall and small matrices: Grams XᵀY and tall·small.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

use crate::{
    Mat,
    chunk::{self, ROWS},
    column, narrow,
};

/// XᵀY for tall X and Y, with the partial sums of its chunks kept between calls.
#[derive(Clone, Debug)]
pub struct Gram {
    result: Mat,
    partials: Vec<f64>,
}

impl Gram {
    /// Room for an r×r result.
    pub fn new(rank: usize) -> Self {
        Self { result: Mat::zeros(rank, rank), partials: Vec::new() }
    }

    /// Computes XᵀY (r×s) for X (n×r) and Y (n×s).
    pub fn of(&mut self, x: &Mat, y: &Mat) -> &Mat {
        debug_assert_eq!(x.rows(), y.rows());
        let (n, r, s) = (x.rows(), x.cols(), y.cols());
        let size = r * s;
        if (self.result.rows(), self.result.cols()) != (r, s) {
            self.result = Mat::zeros(r, s);
        }
        self.partials.resize(size * n.div_ceil(ROWS), 0.0);
        chunk::for_each(&mut self.partials, size, |index, partial| {
            let rows = ROWS.min(n - index * ROWS);
            let from = index * ROWS;
            let x = &x.as_slice()[from * r..(from + rows) * r];
            let y = &y.as_slice()[from * s..(from + rows) * s];
            transposed_product(x, r, y, s, partial);
        });
        self.result.as_mut_slice().fill(0.0);
        for partial in self.partials.chunks_exact(size) {
            self.result.as_mut_slice().iter_mut().zip(partial).for_each(|(sum, p)| *sum += p);
        }
        &self.result
    }
}

/// out ← XᵀY for the rows of X and Y that one task handles, which have r and s columns.
pub(crate) fn transposed_product(x: &[f64], r: usize, y: &[f64], s: usize, out: &mut [f64]) {
    let narrow = s == 1 || s <= narrow::WIDEST && r <= narrow::OTHER;
    if narrow {
        out.fill(0.0);
    }
    match (narrow, s) {
        (true, 1) => column::add_transposed::<0>(x, r, y, out),
        (true, _) => narrow::add_transposed(x, r, y, s, out),
        (false, _) => {
            let x = MatRef::from_row_major_slice(x, x.len() / r, r);
            let y = MatRef::from_row_major_slice(y, y.len() / s, s);
            let out = MatMut::from_row_major_slice_mut(out, r, s);
            matmul(out, Accum::Replace, x.transpose(), y, 1.0, Par::Seq);
        }
    }
}

/// out ← A·Bᵀ in single precision for the rows of A and of B, each `width` long, one after the other; `out` is row-major. One
/// thread.
///
/// # Panics
/// If the slices do not fit each other.
pub fn row_products(a: &[f32], b: &[f32], width: usize, out: &mut [f32]) {
    let (m, n) = (a.len() / width, b.len() / width);
    let a = MatRef::from_row_major_slice(a, m, width);
    let b = MatRef::from_row_major_slice(b, n, width);
    let out = MatMut::from_row_major_slice_mut(out, m, n);
    matmul(out, Accum::Replace, a, b.transpose(), 1.0, Par::Seq);
}

/// out ← α·X·S for tall X (n×r) and small S (r×s).
pub fn multiply(alpha: f64, x: &Mat, s: &Mat, out: &mut Mat) {
    product(Accum::Replace, alpha, x, s, out);
}

/// out ← out + α·X·S for tall X (n×r) and small S (r×s).
pub fn accumulate(alpha: f64, x: &Mat, s: &Mat, out: &mut Mat) {
    product(Accum::Add, alpha, x, s, out);
}

/// out ← X·S − L for tall X (n×r) and L (n×s) and small S (r×s), in one pass.
pub fn multiply_less(x: &Mat, s: &Mat, l: &Mat, out: &mut Mat) {
    let (r, cols) = (x.cols(), s.cols());
    debug_assert_eq!((r, x.rows(), cols), (s.rows(), out.rows(), out.cols()));
    chunk::for_each(out.as_mut_slice(), ROWS * cols, |index, part| {
        let from = index * ROWS;
        let l = &l.as_slice()[from * cols..from * cols + part.len()];
        part.iter_mut().zip(l).for_each(|(out, l)| *out = -l);
        let x = &x.as_slice()[from * r..(from + part.len() / cols) * r];
        product_of_part(Accum::Add, 1.0, (x, r), s, part);
    });
}

fn product(accum: Accum, alpha: f64, x: &Mat, s: &Mat, out: &mut Mat) {
    let (r, cols) = (x.cols(), s.cols());
    debug_assert_eq!((r, x.rows(), cols), (s.rows(), out.rows(), out.cols()));
    chunk::for_each(out.as_mut_slice(), ROWS * cols, |index, part| {
        let from = index * ROWS * r;
        let x = &x.as_slice()[from..from + part.len() / cols * r];
        product_of_part(accum, alpha, (x, r), s, part);
    });
}

/// out ← α·X·S, or that added to it, for rows of X that one task handles, which have r columns.
fn product_of_part(accum: Accum, alpha: f64, (x, r): (&[f64], usize), s: &Mat, out: &mut [f64]) {
    let cols = s.cols();
    let beta = if accum == Accum::Add { 1.0 } else { 0.0 };
    if cols == 1 {
        return column::multiply::<0>(alpha, x, s.as_slice(), beta, out);
    }
    if cols <= narrow::WIDEST && r <= narrow::OTHER {
        return narrow::multiply_by(alpha, (x, r), (s.as_slice(), cols), beta, out);
    }
    let rows = out.len() / cols;
    let x = MatRef::from_row_major_slice(x, rows, r);
    let out = MatMut::from_row_major_slice_mut(out, rows, cols);
    matmul(out, accum, x, s.view(), alpha, Par::Seq);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_rows_match_a_naive_loop() {
        for (m, n, width) in [(1, 1, 1), (3, 5, 2), (37, 20, 65)] {
            let a: Vec<f32> = (0..m * width).map(|i| (i as f32 * 0.7).sin()).collect();
            let b: Vec<f32> = (0..n * width).map(|i| (i as f32 * 0.3).cos()).collect();
            let mut out = vec![f32::NAN; m * n];
            row_products(&a, &b, width, &mut out);
            for (i, row) in a.chunks(width).enumerate() {
                for (j, other) in b.chunks(width).enumerate() {
                    let naive: f32 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                    assert!((out[i * n + j] - naive).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn products_of_any_widths_match_naive_loops() {
        for (n, r, c) in [(5, 1, 2), (1026, 3, 2), (7, 2, 3), (1030, 16, 8), (9, 17, 8), (40, 5, 9)]
        {
            let x = Mat::from_fn(n, r, |i, j| ((i * 3 + j) as f64).sin());
            let y = Mat::from_fn(n, c, |i, j| ((i + 5 * j) as f64).cos());
            let naive = Mat::from_fn(r, c, |a, b| (0..n).map(|i| x[(i, a)] * y[(i, b)]).sum());
            assert!(Gram::new(1).of(&x, &y).distance(&naive) < 1e-10 * (1.0 + naive.norm()));
            let mut out = y.clone();
            accumulate(-0.5, &x, &naive, &mut out);
            let expected = Mat::from_fn(n, c, |i, b| {
                y[(i, b)] - 0.5 * (0..r).map(|a| x[(i, a)] * naive[(a, b)]).sum::<f64>()
            });
            assert!(out.distance(&expected) < 1e-10 * (1.0 + expected.norm()), "{n} {r} {c}");
            multiply_less(&x, &naive, &y, &mut out);
            let expected = Mat::from_fn(n, c, |i, b| {
                (0..r).map(|a| x[(i, a)] * naive[(a, b)]).sum::<f64>() - y[(i, b)]
            });
            assert!(out.distance(&expected) < 1e-10 * (1.0 + expected.norm()), "{n} {r} {c}");
        }
    }

    #[test]
    fn grams_and_products_match_naive_loops() {
        for (n, r) in [(1, 1), (3, 5), (1024, 4), (700, 2), (40, 8), (2500, 9)] {
            let x = Mat::from_fn(n, r, |i, j| ((i * 3 + j) as f64).sin());
            let y = Mat::from_fn(n, r, |i, j| ((i + 5 * j) as f64).cos());
            let naive = Mat::from_fn(r, r, |a, b| (0..n).map(|i| x[(i, a)] * y[(i, b)]).sum());
            let mut gram = Gram::new(r);
            assert!(gram.of(&x, &y).distance(&naive) < 1e-10 * (1.0 + naive.norm()));

            let naive_product =
                Mat::from_fn(n, r, |i, b| (0..r).map(|a| x[(i, a)] * naive[(a, b)]).sum());
            let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
            multiply(2.0, &x, &naive, &mut out);
            accumulate(-1.0, &x, &naive, &mut out);
            assert!(out.distance(&naive_product) < 1e-10 * (1.0 + naive_product.norm()));

            // A single column has kernels of its own.
            let v = Mat::from_fn(n, 1, |i, _| y[(i, 0)]);
            let first = Mat::from_fn(r, 1, |a, _| naive[(a, 0)]);
            assert!(gram.of(&x, &v).distance(&first) < 1e-10 * (1.0 + first.norm()));
            let naive_column = Mat::from_fn(n, 1, |i, _| naive_product[(i, 0)]);
            let mut out = Mat::from_fn(n, 1, |_, _| f64::NAN);
            multiply(2.0, &x, &first, &mut out);
            accumulate(-1.0, &x, &first, &mut out);
            assert!(out.distance(&naive_column) < 1e-10 * (1.0 + naive_column.norm()));
        }
    }
}
