//! φ(z, b) = ½[1 − bz]₊² for labels b = ±1.

use super::{Bounds, Scalar};

/// Half the squared shortfall of the margin; φ″ ≤ 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaredHinge;

impl Scalar for SquaredHinge {
    fn name(&self) -> &'static str {
        "squared-hinge"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let short = (1.0 - b * z).max(0.0);
        [0.5 * short * short, -b * short, f64::from(short > 0.0)]
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: f64::INFINITY, least_curvature: 0.0, curvature: 1.0, infimum: 0.0 }
    }

    fn targets(&self) -> &'static str {
        "1 or -1"
    }

    fn nearest_target(&self, b: f64) -> f64 {
        if b < 0.0 { -1.0 } else { 1.0 }
    }
}
