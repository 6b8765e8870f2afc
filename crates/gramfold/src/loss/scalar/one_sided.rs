//! φ(z, b) = ½[b − z]₊², which asks for z ≥ b, and ½[z − b]₊², which asks for z ≤ b.

use super::{Bounds, Scalar};

/// z should be on one side of b.
#[derive(Clone, Copy, Debug)]
pub enum OneSided {
    /// At least b.
    AtLeast,
    /// At most b.
    AtMost,
}

impl Scalar for OneSided {
    fn name(&self) -> &'static str {
        match self {
            Self::AtLeast => "at-least",
            Self::AtMost => "at-most",
        }
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let r = match self {
            Self::AtLeast => (z - b).min(0.0),
            Self::AtMost => (z - b).max(0.0),
        };
        [0.5 * r * r, r, f64::from(r != 0.0)]
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: f64::INFINITY, least_curvature: 0.0, curvature: 1.0, infimum: 0.0 }
    }
}
