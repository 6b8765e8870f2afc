//! h = the indicator of low ≤ x_ij ≤ high.

use gramfold_linalg::Mat;

use super::{Regulariser, Shape};
use crate::Error;

/// Every entry in one interval; prox: the nearest point of it.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    low: f64,
    high: f64,
}

impl Bounded {
    /// low ≤ high, both finite.
    pub fn new(low: f64, high: f64) -> Result<Self, Error> {
        if low <= high && low.is_finite() && high.is_finite() {
            return Ok(Self { low, high });
        }
        let range = "not below the lower end";
        Err(Error::Parameter { name: "above".into(), value: high, range })
    }
}

impl Regulariser for Bounded {
    fn name(&self) -> &'static str {
        "box"
    }

    fn value(&self, x: &Mat) -> f64 {
        let inside = x.as_slice().iter().all(|v| (self.low..=self.high).contains(v));
        if inside { 0.0 } else { f64::INFINITY }
    }

    fn prox(&self, rows: &mut [f64], _: usize, _: f64) {
        for v in rows {
            *v = v.clamp(self.low, self.high); // A NaN stays one, to be seen.
        }
    }

    fn is_least_at_zero(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn shape(&self) -> Shape {
        Shape::Separable
    }
}
