//! φ(z, b) = ½r² for |r| ≤ δ and δ(|r| − δ/2) beyond, r = z − b: a few wild targets do little harm.

use super::{Bounds, Scalar, positive};
use crate::Error;

/// The Huber function; |φ′| ≤ δ.
#[derive(Clone, Copy, Debug)]
pub struct Huber {
    delta: f64,
}

impl Huber {
    /// Residuals beyond δ > 0 count in proportion, not squared.
    pub fn new(delta: f64) -> Result<Self, Error> {
        Ok(Self { delta: positive("delta", delta)? })
    }
}

impl Scalar for Huber {
    fn name(&self) -> &'static str {
        "huber"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let r = z - b;
        let slope = r.clamp(-self.delta, self.delta);
        // ½r² inside and δ|r| − ½δ² outside are one formula in the clamped residual.
        [slope * (r - 0.5 * slope), slope, f64::from(slope == r)]
    }

    fn model_curvature(&self, z: f64, b: f64) -> f64 {
        (self.delta / (z - b).abs()).min(1.0)
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: self.delta, least_curvature: 0.0, curvature: 1.0, infimum: 0.0 }
    }
}
