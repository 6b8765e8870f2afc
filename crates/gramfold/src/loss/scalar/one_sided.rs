//! φ(z, b) = ½[b − z]₊², which asks for z ≥ b, and ½[z − b]₊², which asks for z ≤ b.

use super::{Bounds, Scalar};

/// z should be at least b.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtLeast;

/// z should be at most b.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtMost;

const BOUNDS: Bounds =
    Bounds { slope: f64::INFINITY, least_curvature: 0.0, curvature: 1.0, infimum: 0.0 };

impl Scalar for AtLeast {
    fn name(&self) -> &'static str {
        "at-least"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let r = (z - b).min(0.0);
        [0.5 * r * r, r, f64::from(r < 0.0)]
    }

    fn bounds(&self, _: f64) -> Bounds {
        BOUNDS
    }
}

impl Scalar for AtMost {
    fn name(&self) -> &'static str {
        "at-most"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let r = (z - b).max(0.0);
        [0.5 * r * r, r, f64::from(r > 0.0)]
    }

    fn bounds(&self, _: f64) -> Bounds {
        BOUNDS
    }
}
