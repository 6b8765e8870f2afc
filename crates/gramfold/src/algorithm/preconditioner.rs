//! Roughly the inverse of the Hessian of X ↦ f(XXᵀ) + (λ/2)‖X‖², for the folded methods.

use gramfold_linalg::{Mat, multiply_rows, solve_each};
use rayon::prelude::*;

use crate::{
    Split,
    loss::{BlockForm, RowModels, Side},
};

/// Rows that one task inverts.
const ROWS: usize = 64;

/// Added to a row's curvature, relative to its mean, where it alone need not be definite.
const SHIFT: f64 = 1e-8;

/// What the block form tells of the curvature.
#[derive(Default)]
pub(super) struct Preconditioner {
    /// A weight for each column.
    columns: Vec<f64>,
    /// Or an r×r matrix for each row.
    rows: Vec<f64>,
    rank: usize,
}

impl Preconditioner {
    /// Whether there is one.
    pub(super) fn is_read(&self) -> bool {
        !(self.rows.is_empty() && self.columns.is_empty())
    }

    /// Reads the curvature at X = Y.
    pub(super) fn read(&mut self, split: &Split<'_>, lambda: f64) {
        let r = split.x().cols();
        self.rank = r;
        self.rows.clear();
        match split.evaluation().block(Side::X) {
            BlockForm::SharedGram { gram, .. } => {
                self.columns.clear();
                self.columns.extend((0..r).map(|j| inverse(2.0 * gram[(j, j)] + lambda)));
            }
            BlockForm::Rows { models, lipschitz } => {
                self.invert(models, lipschitz, split.x(), lambda);
            }
            form => {
                let squares = (0..r).map(|j| split.x().column(j).map(|x| x * x).sum::<f64>());
                let squares: Vec<f64> = squares.collect();
                let scale =
                    form.curvature() / squares.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
                self.columns.clear();
                self.columns
                    .extend(squares.iter().map(|square| inverse(2.0 * scale * square + lambda)));
            }
        }
    }

    /// rows ← (2G_i + λI)⁻¹; for a row without curvature, as one whose residuals are all on the straight part of a Huber
    /// function, the length of a safe gradient step.
    fn invert(&mut self, models: &dyn RowModels, lipschitz: f64, x: &Mat, lambda: f64) {
        let r = x.cols();
        let largest = 2.0 * lipschitz + lambda;
        let safe = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        self.rows.resize(x.rows() * r * r, 0.0);
        self.rows.par_chunks_mut(ROWS * r * r).enumerate().for_each(|(index, inverses)| {
            let first = index * ROWS;
            let count = inverses.len() / (r * r);
            let rows = &x.as_slice()[first * r..(first + count) * r];
            let (mut values, mut gradients) = (vec![0.0; count], vec![0.0; count * r]);
            let mut grams = vec![0.0; inverses.len()];
            models.models(first, rows, &mut values, &mut gradients, &mut grams);
            for (gram, inverse) in
                grams.chunks_exact_mut(r * r).zip(inverses.chunks_exact_mut(r * r))
            {
                let trace: f64 = (0..r).map(|j| gram[j * r + j]).sum();
                for value in &mut *gram {
                    *value *= 2.0;
                }
                let shift = lambda + SHIFT * trace / r as f64 + f64::MIN_POSITIVE;
                // r systems with the same matrix: one lane each.
                let matrices: Vec<f64> = (0..r).flat_map(|_| gram.iter().copied()).collect();
                inverse.fill(0.0);
                (0..r).for_each(|j| inverse[j * r + j] = 1.0);
                solve_each(&matrices, shift, r, inverse);
                let flat = trace + lambda <= SHIFT * largest;
                if flat || inverse.iter().any(|value| !value.is_finite()) {
                    inverse.fill(0.0);
                    (0..r).for_each(|j| inverse[j * r + j] = safe);
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
        for row in out.as_mut_slice().chunks_exact_mut(self.columns.len()) {
            row.iter_mut().zip(&self.columns).for_each(|(value, weight)| *value *= weight);
        }
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
