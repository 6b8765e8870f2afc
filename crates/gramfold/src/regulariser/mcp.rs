//! The minimax concave penalty: μ|x| − x²/(2θ) up to |x| = θμ, and θμ²/2 beyond, summed over entries.

use gramfold_linalg::Mat;

use super::{Regulariser, Shape, soft, weight};
use crate::{Error, loss::scalar::positive};

/// ℓ1 near zero, no bias far from it. Not convex, but h + (1/2θ)‖X‖² is: σ_h = −1/θ.
#[derive(Clone, Copy, Debug)]
pub struct Mcp {
    mu: f64,
    theta: f64,
}

impl Mcp {
    /// μ ≥ 0 and θ > 0, both finite.
    pub fn new(mu: f64, theta: f64) -> Result<Self, Error> {
        Ok(Self { mu: weight("mu", mu)?, theta: positive("theta", theta)? })
    }
}

impl Regulariser for Mcp {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn value(&self, x: &Mat) -> f64 {
        let each = x.as_slice().iter().map(|v| {
            let near = v.abs().min(self.theta * self.mu);
            near * (self.mu - near / (2.0 * self.theta))
        });
        each.sum()
    }

    fn prox(&self, rows: &mut [f64], _: usize, step: f64) {
        for v in rows {
            if v.abs() <= self.theta * self.mu {
                *v = soft(*v, step * self.mu) / (1.0 - step / self.theta);
            }
        }
    }

    fn sigma(&self) -> f64 {
        -1.0 / self.theta
    }

    fn shape(&self) -> Shape {
        Shape::Separable
    }
}
