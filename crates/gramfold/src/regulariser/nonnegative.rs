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
        if x.as_slice().iter().all(|&v| v >= 0.0) { 0.0 } else { f64::INFINITY }
    }

    fn prox(&self, rows: &mut [f64], _: usize, _: f64) {
        // Not `max`: a NaN must stay a NaN, to be seen as divergence.
        for v in rows {
            if *v < 0.0 {
                *v = 0.0;
            }
        }
    }

    fn shape(&self) -> Shape {
        Shape::Nonnegative
    }
}
