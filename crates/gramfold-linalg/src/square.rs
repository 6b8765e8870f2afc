//! Products, Cholesky factors and inverses of square matrices, by faer, on any number of threads to the same bits.
//!
//! faer's own parallel kernels cut their work into as many parts as there are threads, and sums change with the parts. Here
//! every matrix is cut into strips of a fixed width, and each strip is one thread's.

use faer::{
    Accum, MatMut, MatRef, Par, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        cholesky::llt::{
            factor::{LltRegularization, cholesky_in_place, cholesky_in_place_scratch},
            inverse::{inverse, inverse_scratch},
        },
        matmul::matmul,
        triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place},
    },
};
use rayon::prelude::*;

use crate::Mat;

/// Strips of a product or an inverse: as few as keep several threads at work.
const STRIPS: usize = 8;
/// Columns of a panel of a factorisation, strips of what is below it, and the fewest rows of one.
const PANEL: usize = 128;
const BELOW: usize = 4;
const LEAST: usize = 256;
/// Rows up to which a second thread costs more than it saves, so that there is one strip.
const WHOLE: usize = 192;

/// Rows of a strip of a matrix with so many.
fn strip(rows: usize) -> usize {
    if rows <= WHOLE { WHOLE } else { rows.div_ceil(STRIPS).next_multiple_of(32) }
}

/// A factor of a product, as it is or transposed.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// M.
    Plain(&'a Mat),
    /// Mᵀ.
    Transposed(&'a Mat),
}

impl<'a> Operand<'a> {
    fn view(self) -> MatRef<'a, f64> {
        match self {
            Self::Plain(mat) => mat.view(),
            Self::Transposed(mat) => mat.view().transpose(),
        }
    }
}

/// out ← α·ab, or out + α·ab where `add` is true.
///
/// # Panics
/// If the shapes do not fit.
pub fn product(alpha: f64, a: Operand<'_>, b: Operand<'_>, add: bool, out: &mut Mat) {
    let (a, b) = (a.view(), b.view());
    let cols = out.cols();
    assert!(
        a.ncols() == b.nrows() && a.nrows() == out.rows() && b.ncols() == cols,
        "shapes of a product"
    );
    if cols == 0 {
        return;
    }
    let accum = if add { Accum::Add } else { Accum::Replace };
    let rows = strip(out.rows());
    let multiply = |(at, part): (usize, &mut [f64])| {
        let count = part.len() / cols;
        let part = MatMut::from_row_major_slice_mut(part, count, cols);
        matmul(part, accum, a.subrows(at * rows, count), b, alpha, Par::Seq);
    };
    out.as_mut_slice().par_chunks_mut(rows * cols).enumerate().for_each(multiply);
}

/// out ← Σ_r g_r v_rᵀ, n×n, of k vectors g_r and k vectors v_r, one after the other. On the calling thread.
///
/// # Panics
/// If the lengths do not fit.
pub fn sum_of_outer_products(g: &[f64], v: &[f64], n: usize, out: &mut [f64]) {
    if n == 0 {
        return;
    }
    let k = g.len() / n;
    let out = MatMut::from_row_major_slice_mut(out, n, n);
    let left = MatRef::from_column_major_slice(g, n, k);
    let right = MatRef::from_row_major_slice(v, k, n);
    matmul(out, Accum::Replace, left, right, 1.0, Par::Seq);
}

/// Why there is no factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFactor {
    /// The matrix is not numerically positive definite.
    Indefinite,
    /// Someone asked to stop.
    Stopped,
}

/// Replaces the upper triangle (row by row) of a symmetric n×n matrix M by that of R, M = RᵀR. What is below the diagonal is
/// neither read nor meaningful afterwards. `stop` is asked before each panel of columns.
///
/// # Errors
/// If M is not numerically positive definite, or `stop` says so.
pub fn cholesky(
    matrix: &mut [f64],
    n: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), NoFactor> {
    assert_eq!(matrix.len(), n * n, "a square matrix");
    let panel = if n <= WHOLE { WHOLE } else { PANEL };
    let scratch = cholesky_in_place_scratch::<f64>(panel.min(n), Par::Seq, Spec::default());
    let mut memory = MemBuffer::new(scratch);
    // Seen by columns, M = LLᵀ with L = Rᵀ below the diagonal.
    for first in (0..n).step_by(panel) {
        if stop() {
            return Err(NoFactor::Stopped);
        }
        let width = panel.min(n - first);
        let (done, rest) = matrix.split_at_mut(first * n);
        let done = MatRef::from_column_major_slice(done, n, first);
        let columns = MatMut::from_column_major_slice_mut(&mut rest[..width * n], n, width);
        let (_, below) = columns.split_at_row_mut(first);
        let (mut corner, below) = below.split_at_row_mut(width);
        let left = done.subrows(first, width);
        let right = left.transpose();
        if first > 0 {
            matmul(corner.as_mut(), Accum::Add, left, right, -1.0, Par::Seq);
        }
        let stack = MemStack::new(&mut memory);
        let regularisation = LltRegularization::default();
        cholesky_in_place(corner.as_mut(), regularisation, Par::Seq, stack, Spec::default())
            .map_err(|_| NoFactor::Indefinite)?;
        let corner = corner.as_ref();
        if !(0..width).all(|i| corner[(i, i)].is_finite()) {
            return Err(NoFactor::Indefinite);
        }
        let mut strips = Vec::new();
        let (mut below, mut at) = (below, first + width);
        let rows = (n - at).div_ceil(BELOW).next_multiple_of(32).max(LEAST);
        while at < n {
            let count = rows.min(n - at);
            let (strip, others) = below.split_at_row_mut(count);
            strips.push((at, strip));
            (below, at) = (others, at + count);
        }
        strips.into_par_iter().for_each(|(at, mut strip)| {
            if first > 0 {
                let left = done.subrows(at, strip.nrows());
                matmul(strip.as_mut(), Accum::Add, left, right, -1.0, Par::Seq);
            }
            solve_lower_triangular_in_place(corner, strip.transpose_mut(), Par::Seq);
        });
    }
    Ok(())
}

/// x ← M⁻¹x, for the R that [`cholesky`] made of M.
pub fn cholesky_solve(factor: &[f64], x: &mut [f64]) {
    let n = x.len();
    let lower = MatRef::from_column_major_slice(factor, n, n);
    let mut x = MatMut::from_column_major_slice_mut(x, n, 1);
    solve_lower_triangular_in_place(lower, x.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(lower.transpose(), x, Par::Seq);
}

/// The upper triangle of out ← M⁻¹, for the R that [`cholesky`] made of M; what is below the diagonal is zero or left over.
pub fn cholesky_inverse(factor: &Mat, out: &mut Mat) {
    let n = factor.rows();
    if n == 0 {
        return;
    }
    let lower = MatRef::from_column_major_slice(factor.as_slice(), n, n);
    if n <= WHOLE {
        let mut memory = MemBuffer::new(inverse_scratch::<f64>(n, Par::Seq));
        let out = MatMut::from_column_major_slice_mut(out.as_mut_slice(), n, n);
        return inverse(out, lower, Par::Seq, MemStack::new(&mut memory));
    }
    let rows = strip(n);
    out.as_mut_slice().par_chunks_mut(rows * n).enumerate().for_each(|(at, part)| {
        let first = at * rows;
        part.fill(0.0);
        part.iter_mut().skip(first).step_by(n + 1).for_each(|diagonal| *diagonal = 1.0);
        let count = part.len() / n;
        let part = MatMut::from_column_major_slice_mut(part, n, count);
        let (_, mut part) = part.split_at_row_mut(first);
        let rest = n - first;
        let lower = lower.submatrix(first, first, rest, rest);
        solve_lower_triangular_in_place(lower, part.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(lower.transpose(), part, Par::Seq);
    });
}
