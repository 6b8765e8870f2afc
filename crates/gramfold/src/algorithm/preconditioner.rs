//! Roughly the inverse of the Hessian of X ↦ f(XXᵀ) + (λ/2)‖X‖², for the folded methods.

use gramfold_linalg::{Gram, Mat, dot, invert_each, multiply_rows, symmetric_eigen};
use rayon::prelude::*;

use crate::{BlockForm, Side, Split, loss::RowModels};

/// Rows that one task inverts.
const ROWS: usize = 64;

/// Added to a row's curvature, relative to its mean, where it alone need not be definite.
const SHIFT: f64 = 1e-8;

/// Entries of all rows' matrices above which a row is given one number, the mean of its matrix's diagonal: reading more
/// than the cache holds would cost more than it saves.
const ROOM: usize = 1 << 22;

/// The least diagonal of ∇f that a row is given, relative to their mean, and at all.
const LEAST_SHARE: f64 = 0.1;
const LEAST: f64 = 1e-12;

/// Axes of X with less than this share of the mean count as if they had it where a motion is measured.
const FAINT: f64 = 1e-3;

/// What the block form tells of the curvature.
#[derive(Default)]
pub(super) struct Preconditioner {
    /// A weight for each column.
    columns: Vec<f64>,
    /// Or an r×r matrix for each row.
    rows: Vec<f64>,
    /// Or a weight for each row.
    weights: Vec<f64>,
    /// The mean curvature of each row, where it has a matrix of its own: what damping is measured by.
    means: Vec<f64>,
    rank: usize,
}

impl Preconditioner {
    /// Whether there is one.
    pub(super) fn is_read(&self) -> bool {
        !(self.rows.is_empty() && self.columns.is_empty())
    }

    /// Forgets what was read, for a factor with r columns.
    fn clear(&mut self, r: usize) {
        self.rank = r;
        for read in [&mut self.columns, &mut self.rows, &mut self.weights, &mut self.means] {
            read.clear();
        }
    }

    /// Reads the curvature at X = Y.
    pub(super) fn read(&mut self, split: &Split<'_>, lambda: f64) {
        self.read_damped(split, lambda, 0.0);
    }

    /// The same, and where each row has a matrix of its own with a share of its mean curvature added to it.
    pub(super) fn read_damped(&mut self, split: &Split<'_>, lambda: f64, damping: f64) {
        let r = split.x().cols();
        self.clear(r);
        match split.evaluation().block(Side::X) {
            BlockForm::SharedGram { gram, .. } => {
                self.columns.extend((0..r).map(|j| inverse(2.0 * gram[(j, j)] + lambda)));
            }
            BlockForm::Rows(models) => self.invert(models, split, lambda, damping),
            _ => {
                let squares = (0..r).map(|j| split.x().column(j).map(|x| x * x).sum::<f64>());
                let squares: Vec<f64> = squares.collect();
                let largest = squares.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
                let scale = split.evaluation().lipschitz(Side::X) / largest;
                self.columns
                    .extend(squares.iter().map(|square| inverse(2.0 * scale * square + lambda)));
            }
        }
    }

    /// The same row by row where a quadratic loss can tell: (4H_i + 2d_iI + λI)⁻¹ for the block H_i of its Hessian on row i
    /// and the diagonal d of ∇f.
    ///
    /// True if that is what was read, and not [`Preconditioner::read`]'s, which may be off by a factor.
    ///
    /// The Hessian of X ↦ f(XXᵀ) is 2∇f⊗I + 4Σ_k c_k·vec(A_kX)vec(A_kX)ᵀ: stiff along what the measurements of a row pull,
    /// soft elsewhere.
    pub(super) fn read_rows(&mut self, split: &Split<'_>, lambda: f64) -> bool {
        let (n, r) = (split.x().rows(), split.x().cols());
        let BlockForm::Quadratic(block) = split.evaluation().block(Side::X) else {
            self.read(split, lambda);
            return false;
        };
        let mut diagonal = vec![0.0; n];
        if !split.evaluation().gradient_diagonal(&mut diagonal) {
            self.read(split, lambda);
            return false;
        }
        let mean = diagonal.iter().map(|d| d.abs()).sum::<f64>() / n.max(1) as f64;
        let shift = |d: f64| 2.0 * d.max(LEAST_SHARE * mean).max(LEAST) + lambda;
        self.clear(r);
        if n * r * r > ROOM {
            self.weights.resize(n, 0.0);
            block.row_curvatures(&mut self.weights);
            for (weight, d) in self.weights.iter_mut().zip(diagonal) {
                *weight = 1.0 / (4.0 * *weight + shift(d));
            }
            return true;
        }
        self.rows.resize(n * r * r, 0.0);
        if !block.row_grams(&mut self.rows) {
            self.read(split, lambda);
            return false;
        }
        self.rows.iter_mut().for_each(|value| *value *= 4.0);
        let shifts: Vec<f64> = diagonal.into_iter().map(shift).collect();
        let trace = |gram: &[f64]| (0..r).map(|j| gram[j * r + j]).sum::<f64>();
        let traces: Vec<f64> = self.rows.chunks_exact(r * r).map(trace).collect();
        invert_each(&mut self.rows, &shifts, r);
        let rows = self.rows.chunks_exact_mut(r * r).zip(shifts.iter().zip(&traces));
        for (inverse, (shift, trace)) in rows {
            // The shift may be lost in rounding, where the sum of all curvatures is not.
            if inverse.iter().any(|value| !value.is_finite()) {
                scaled_identity(1.0 / (trace + shift), r, inverse);
            }
        }
        true
    }

    /// rows ← (2G_i + λI)⁻¹; for a row without curvature, as one whose residuals are all on the straight part of a Huber
    /// function, the length of a safe gradient step.
    fn invert(&mut self, models: &dyn RowModels, split: &Split<'_>, lambda: f64, damping: f64) {
        let (x, r) = (split.x(), split.x().cols());
        let largest = 2.0 * split.evaluation().lipschitz(Side::X) + lambda;
        let safe = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        self.rows.resize(x.rows() * r * r, 0.0);
        self.means.resize(x.rows(), 0.0);
        let parts = self.rows.par_chunks_mut(ROWS * r * r).zip(self.means.par_chunks_mut(ROWS));
        parts.enumerate().for_each(|(index, (inverses, means))| {
            let first = index * ROWS;
            let count = inverses.len() / (r * r);
            let rows = &x.as_slice()[first * r..(first + count) * r];
            models.grams(first, rows, inverses);
            for (mean, gram) in means.iter_mut().zip(inverses.chunks_exact(r * r)) {
                *mean = 2.0 * (0..r).map(|j| gram[j * r + j]).sum::<f64>() / r as f64;
            }
            // (2G + λI)⁻¹ = ½(G + ½λI)⁻¹.
            let share = SHIFT + damping;
            let shift = |mean: &f64| 0.5 * (lambda + share * mean) + f64::MIN_POSITIVE;
            let shifts: Vec<f64> = means.iter().map(shift).collect();
            invert_each(inverses, &shifts, r);
            for (inverse, mean) in inverses.chunks_exact_mut(r * r).zip(means) {
                for value in inverse.iter_mut() {
                    *value *= 0.5;
                }
                let flat = *mean + lambda <= SHIFT * largest;
                if flat || inverse.iter().any(|value| !value.is_finite()) {
                    scaled_identity(safe, r, inverse);
                }
            }
        });
    }

    /// out ← P·V.
    pub(super) fn apply(&self, v: &Mat, out: &mut Mat) {
        if !self.rows.is_empty() {
            return multiply_rows(&self.rows, v, out);
        }
        out.copy_from(v);
        if !self.weights.is_empty() {
            let rows = out.as_mut_slice().chunks_exact_mut(self.rank).zip(&self.weights);
            return rows.for_each(|(row, weight)| row.iter_mut().for_each(|v| *v *= weight));
        }
        for row in out.as_mut_slice().chunks_exact_mut(self.columns.len()) {
            row.iter_mut().zip(&self.columns).for_each(|(value, weight)| *value *= weight);
        }
    }

    /// Whether each row has a matrix of its own, by whose mean a step can be damped.
    pub(super) fn has_rows(&self) -> bool {
        !self.means.is_empty()
    }

    /// out ← out + damping·D·V for the mean curvatures D of the rows.
    pub(super) fn damp(&self, damping: f64, v: &Mat, out: &mut Mat) {
        let rows = v.as_slice().chunks_exact(self.rank).zip(&self.means);
        for (out, (v, mean)) in out.as_mut_slice().chunks_exact_mut(self.rank).zip(rows) {
            out.iter_mut().zip(v).for_each(|(out, v)| *out += damping * mean * v);
        }
    }

    /// ⟨V, D·V⟩.
    pub(super) fn damped(&self, v: &Mat) -> f64 {
        let rows = v.as_slice().chunks_exact(self.rank).zip(&self.means);
        rows.map(|(v, mean)| mean * v.iter().map(|v| v * v).sum::<f64>()).sum()
    }

    /// The diagonal of P at (i, j).
    pub(super) fn weight(&self, i: usize, j: usize) -> f64 {
        if self.rows.is_empty() {
            return self.columns[j];
        }
        let r = self.rank;
        self.rows[(i * r + j) * r + j]
    }
}

fn inverse(value: f64) -> f64 {
    1.0 / value.max(f64::MIN_POSITIVE)
}

/// matrix ← scale·I.
fn scaled_identity(scale: f64, r: usize, matrix: &mut [f64]) {
    matrix.fill(0.0);
    (0..r).for_each(|j| matrix[j * r + j] = scale);
}

/// ‖(X − at)(XᵀX)^-½‖/√r, the share by which X has moved, along all its axes alike: a preconditioner is as old as that, however
/// large the other axes are.
pub(super) fn motion(at: &Mat, x: &Mat, between: &mut Mat) -> f64 {
    let r = x.cols();
    between.copy_from(x);
    between.axpy(-1.0, at);
    let (mut own, mut moved) = (Gram::new(r), Gram::new(r));
    let Some(axes) = symmetric_eigen(own.of(x, x)) else { return f64::INFINITY };
    let moved = moved.of(between, between);
    let faint = FAINT * axes.values.iter().sum::<f64>() / r as f64;
    let along = |axis: &[f64]| (0..r).map(|i| axis[i] * dot(moved.row(i), axis)).sum::<f64>();
    let shares = axes.values.iter().enumerate();
    let sum: f64 = shares.map(|(k, v)| along(axes.vectors.row(k)) / v.max(faint)).sum();
    (sum / r as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_count_along_all_axes_alike() {
        let axis = |i: usize, j: usize| if i % 3 == j { 1.0 } else { 0.0 };
        let motion = |sizes: [f64; 3], by: [f64; 3]| {
            let x = Mat::from_fn(12, 3, |i, j| axis(i, j) * sizes[j]);
            let before = Mat::from_fn(12, 3, |i, j| x[(i, j)] * (1.0 - by[j]));
            motion(&before, &x, &mut Mat::zeros(12, 3))
        };
        let sizes = [30.0, 3.0, 10.0];
        assert_eq!(motion(sizes, [0.0; 3]), 0.0);
        assert!((motion(sizes, [0.1; 3]) - 0.1).abs() < 1e-12);
        for by in [[0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]] {
            assert!((motion(sizes, by) - 0.3 / 3.0_f64.sqrt()).abs() < 1e-12);
        }
        // One that has next to nothing may move as it likes.
        assert!(motion([30.0, 1e-6, 10.0], [0.0, 9.0, 0.0]) < 1e-4);
    }
}
