//! φ(z, b) = ½(z − b)².

use super::{Bounds, Scalar};

/// The squared error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Square;

impl Scalar for Square {
    fn name(&self) -> &'static str {
        "square"
    }

    fn at(&self, z: f64, b: f64) -> [f64; 3] {
        let r = z - b;
        [0.5 * r * r, r, 1.0]
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: f64::INFINITY, least_curvature: 1.0, curvature: 1.0, infimum: 0.0 }
    }

    fn is_quadratic(&self) -> bool {
        true
    }
}
