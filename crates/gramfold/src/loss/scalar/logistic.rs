//! φ(z, b) = log(1 + e^{−bz}) for labels b = ±1.

use super::{Bounds, Scalar};

/// The logistic function of the margin; |φ′| ≤ 1, φ″ ≤ ¼.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logistic;

impl Scalar for Logistic {
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let margin = b * z;
        // e^{−|m|} never overflows: log(1 + e^{−m}) = log(1 + e^{−|m|}) + max(−m, 0).
        let small = (-margin.abs()).exp();
        let wrong = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
        [small.ln_1p() + (-margin).max(0.0), -b * wrong, wrong * (1.0 - wrong)]
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: 1.0, least_curvature: 0.0, curvature: 0.25, infimum: 0.0 }
    }

    fn targets(&self) -> &'static str {
        "1 or -1"
    }

    fn nearest_target(&self, b: f64) -> f64 {
        if b < 0.0 { -1.0 } else { 1.0 }
    }
}
