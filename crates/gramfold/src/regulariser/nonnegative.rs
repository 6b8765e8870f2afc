//! h = δ₊, the indicator of X ≥ 0: symmetric NMF.

use gramfold_linalg::Mat;

use super::{Regulariser, Shape};

/// h(X) = 0 if X ≥ 0, +∞ otherwise; prox: v ↦ max(v, 0).
#[derive(Clone, Copy, Debug, Default)]
pub struct Nonnegative;

impl Regulariser for Nonnegative {
    fn name(&self) -> &'static str {
        "nonnegative"
    }

    fn value(&self, x: &Mat) -> f64 {
        // No early exit within a chunk, so that it can be vectorised; a NaN is not feasible.
        let infeasible = |chunk: &[f64]| chunk.iter().fold(false, |bad, v| bad | !v.ge(&0.0));
        if x.as_slice().chunks(1024).any(infeasible) { f64::INFINITY } else { 0.0 }
    }

    fn prox(&self, rows: &mut [f64], _: usize, _: f64) {
        // Not `max`: a NaN must stay a NaN, to be seen as divergence. A store in any case has no branch.
        for v in rows {
            *v = if *v < 0.0 { 0.0 } else { *v };
        }
    }

    fn shape(&self) -> Shape {
        Shape::Nonnegative
    }
}
