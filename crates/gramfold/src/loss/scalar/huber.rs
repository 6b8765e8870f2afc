//! φ(z, b) = ½r² for |r| ≤ δ and δ(|r| − δ/2) beyond, r = z − b: a few wild targets do little harm.

use super::{Bounds, Scalar, positive};
use crate::Error;

/// The Huber function; |φ′| ≤ δ.
#[derive(Clone, Copy, Debug)]
pub struct Huber {
    delta: f64,
    /// φ″ inside: 1, and less where the kink of δ|r| is rounded off over a larger width.
    curvature: f64,
}

impl Huber {
    /// Residuals beyond δ > 0 count in proportion, not squared.
    pub fn new(delta: f64) -> Result<Self, Error> {
        Ok(Self { delta: positive("delta", delta)?, curvature: 1.0 })
    }
}

impl Scalar for Huber {
    fn name(&self) -> &'static str {
        "huber"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let r = z - b;
        let whole = self.curvature * r;
        let slope = whole.clamp(-self.delta, self.delta);
        let curvature = if slope == whole { self.curvature } else { 0.0 };
        // ½r² inside and δ|r| − ½δ² outside are one formula in the clamped residual.
        [slope * (r - 0.5 * slope / self.curvature), slope, curvature]
    }

    fn model_curvature(&self, z: f64, b: f64) -> f64 {
        (self.delta / (z - b).abs()).min(self.curvature)
    }

    fn smoother(&self, times: f64) -> Option<Box<dyn Scalar>> {
        Some(Box::new(Self { curvature: self.curvature / times, ..*self }))
    }

    fn bounds(&self, _: f64) -> Bounds {
        let Self { delta, curvature } = *self;
        Bounds { slope: delta, least_curvature: 0.0, curvature, infimum: 0.0 }
    }
}
