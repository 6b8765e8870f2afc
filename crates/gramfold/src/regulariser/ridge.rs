//! h(X) = (λ/2)‖X‖².

use gramfold_linalg::Mat;

use super::{Regulariser, Shape, weight};
use crate::Error;

/// h(X) = (λ/2)‖X‖_F² = (λ/2)·tr XXᵀ, σ_h = λ; prox: v ↦ v / (1 + step·λ).
#[derive(Clone, Copy, Debug)]
pub struct Ridge {
    lambda: f64,
}

impl Ridge {
    /// λ must be nonnegative and finite.
    pub fn new(lambda: f64) -> Result<Self, Error> {
        Ok(Self { lambda: weight("ridge", lambda)? })
    }
}

impl Regulariser for Ridge {
    fn name(&self) -> &'static str {
        "ridge"
    }

    fn value(&self, x: &Mat) -> f64 {
        0.5 * self.lambda * x.norm_squared()
    }

    fn prox(&self, rows: &mut [f64], _: usize, step: f64) {
        let shrink = 1.0 + step * self.lambda;
        for v in rows {
            *v /= shrink;
        }
    }

    fn sigma(&self) -> f64 {
        self.lambda
    }

    fn shape(&self) -> Shape {
        Shape::Ridge { lambda: self.lambda }
    }
}
