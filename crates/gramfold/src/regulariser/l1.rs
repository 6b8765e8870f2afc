//! h(X) = μ·Σ|x_ij|: few entries that are not zero.

use gramfold_linalg::Mat;

use super::{Regulariser, Shape, soft, weight};
use crate::Error;

/// μ times the sum of absolute entries; prox: towards zero by step·μ.
#[derive(Clone, Copy, Debug)]
pub struct L1 {
    mu: f64,
}

impl L1 {
    /// μ must be nonnegative and finite.
    pub fn new(mu: f64) -> Result<Self, Error> {
        Ok(Self { mu: weight("mu", mu)? })
    }
}

impl Regulariser for L1 {
    fn name(&self) -> &'static str {
        "l1"
    }

    fn value(&self, x: &Mat) -> f64 {
        self.mu * x.as_slice().iter().map(|v| v.abs()).sum::<f64>()
    }

    fn prox(&self, rows: &mut [f64], _: usize, step: f64) {
        for v in rows {
            *v = soft(*v, step * self.mu);
        }
    }

    fn shape(&self) -> Shape {
        Shape::Separable
    }
}
