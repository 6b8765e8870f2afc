//! φ(z, b) = b·log(b/z) − b + z for counts b ≥ 0 and a rate z ≥ ε; below ε it goes on as a parabola.
//!
//! The deviance itself is infinite for z ≤ 0, where the theorems need a number.

use super::{Bounds, Scalar, positive};
use crate::Error;

/// Half the Poisson deviance, made finite on all reals; φ″ ≤ max(b, ε)/ε².
#[derive(Clone, Copy, Debug)]
pub struct Poisson {
    least: f64,
}

impl Poisson {
    /// The deviance of a rate of at least ε = `least` > 0.
    pub fn new(least: f64) -> Result<Self, Error> {
        Ok(Self { least: positive("least", least)? })
    }
}

impl Scalar for Poisson {
    fn name(&self) -> &'static str {
        "poisson"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let rate = z.max(self.least);
        let entropy = if b > 0.0 { b * (b / rate).ln() } else { 0.0 };
        let (value, slope) = (entropy - b + rate, 1.0 - b / rate);
        if z >= self.least {
            return [value, slope, b / (rate * rate)];
        }
        let (curvature, below) = (self.bounds(b).curvature, z - rate);
        [value + below * (slope + 0.5 * below * curvature), slope + below * curvature, curvature]
    }

    fn bounds(&self, b: f64) -> Bounds {
        let curvature = b.max(self.least) / (self.least * self.least);
        // The parabola of a count below ε is lowest at z = b, where it is not below 0 either.
        Bounds { slope: f64::INFINITY, least_curvature: 0.0, curvature, infimum: 0.0 }
    }

    fn targets(&self) -> &'static str {
        "at least 0"
    }

    fn nearest_target(&self, b: f64) -> f64 {
        b.max(0.0)
    }
}
