//! h(X) = μ·Σ|x_ij| + (λ/2)‖X‖², few entries that are not zero; with λ = 0 the ℓ1 norm alone.

use gramfold_linalg::Mat;

use super::{Regulariser, Shape, soft, weight};
use crate::Error;

/// ℓ1 and ridge together, σ_h = λ; prox: the one after the other.
#[derive(Clone, Copy, Debug)]
pub struct ElasticNet {
    name: &'static str,
    mu: f64,
    lambda: f64,
}

impl ElasticNet {
    /// μ and λ must be nonnegative and finite.
    pub fn new(mu: f64, lambda: f64) -> Result<Self, Error> {
        let (mu, lambda) = (weight("mu", mu)?, weight("lambda", lambda)?);
        Ok(Self { name: "elastic-net", mu, lambda })
    }

    /// μ must be nonnegative and finite.
    pub fn l1(mu: f64) -> Result<Self, Error> {
        Ok(Self { name: "l1", mu: weight("mu", mu)?, lambda: 0.0 })
    }
}

impl Regulariser for ElasticNet {
    fn name(&self) -> &'static str {
        self.name
    }

    fn value(&self, x: &Mat) -> f64 {
        let absolute: f64 = x.as_slice().iter().map(|v| v.abs()).sum();
        self.mu * absolute + 0.5 * self.lambda * x.norm_squared()
    }

    fn prox(&self, rows: &mut [f64], _: usize, step: f64) {
        for v in rows {
            *v = soft(*v, step * self.mu) / (1.0 + step * self.lambda);
        }
    }

    fn sigma(&self) -> f64 {
        self.lambda
    }

    fn shape(&self) -> Shape {
        Shape::Separable
    }
}
