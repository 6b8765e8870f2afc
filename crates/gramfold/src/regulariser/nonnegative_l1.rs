//! h(X) = μ·Σ x_ij over X ≥ 0.

use gramfold_linalg::Mat;

use super::{Nonnegative, Regulariser, Shape, weight};
use crate::Error;

/// Nonnegative, and few entries that are not zero; prox: v ↦ max(v − step·μ, 0).
#[derive(Clone, Copy, Debug)]
pub struct NonnegativeL1 {
    mu: f64,
}

impl NonnegativeL1 {
    /// μ must be nonnegative and finite.
    pub fn new(mu: f64) -> Result<Self, Error> {
        Ok(Self { mu: weight("mu", mu)? })
    }
}

impl Regulariser for NonnegativeL1 {
    fn name(&self) -> &'static str {
        "nonnegative-l1"
    }

    fn value(&self, x: &Mat) -> f64 {
        Nonnegative.value(x) + self.mu * x.as_slice().iter().sum::<f64>()
    }

    fn prox(&self, rows: &mut [f64], _: usize, step: f64) {
        for v in &mut *rows {
            *v -= step * self.mu;
        }
        Nonnegative.prox(rows, 1, step);
    }

    fn shape(&self) -> Shape {
        Shape::Separable
    }
}
