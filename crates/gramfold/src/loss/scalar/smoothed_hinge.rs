//! The hinge [1 − bz]₊ for labels b = ±1, rounded off over a width μ: u²/(2μ) for 0 ≤ u ≤ μ and u − μ/2 beyond, u = 1 − bz.
//!
//! |φ′| ≤ 1 whatever μ is, so T5's bound on γ does not change while μ shrinks. The hinge itself has a kink, where
//! alternating minimisation sticks with X ≠ Y for every γ.

use super::{Bounds, Scalar, positive};
use crate::Error;

/// The Moreau envelope of the hinge; φ″ ≤ 1/μ.
#[derive(Clone, Copy, Debug)]
pub struct SmoothedHinge {
    width: f64,
}

impl SmoothedHinge {
    /// Rounded off over μ = `width` > 0.
    pub fn new(width: f64) -> Result<Self, Error> {
        Ok(Self { width: positive("width", width)? })
    }
}

impl Scalar for SmoothedHinge {
    fn name(&self) -> &'static str {
        "smoothed-hinge"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let short = (1.0 - b * z).max(0.0);
        let share = (short / self.width).min(1.0);
        let curved = short > 0.0 && share < 1.0;
        let curvature = if curved { 1.0 / self.width } else { 0.0 };
        [share * (short - 0.5 * self.width * share), -b * share, curvature]
    }

    fn model_curvature(&self, z: f64, b: f64) -> f64 {
        let short = 1.0 - b * z;
        if short > 0.0 { 1.0 / short.max(self.width) } else { 0.0 }
    }

    fn smoother(&self, times: f64) -> Option<Box<dyn Scalar>> {
        Some(Box::new(Self { width: times * self.width }))
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: 1.0, least_curvature: 0.0, curvature: 1.0 / self.width, infimum: 0.0 }
    }

    fn targets(&self) -> &'static str {
        "1 or -1"
    }

    fn nearest_target(&self, b: f64) -> f64 {
        if b < 0.0 { -1.0 } else { 1.0 }
    }
}
