//! φ(z, b) = ½(z − b)².

use gramfold_linalg::dot;

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

    /// Without a sum that every term waits for.
    fn evaluate(&self, z: &[f64], b: &[f64], weights: &[f64], slopes: &mut [f64]) -> f64 {
        for ((slope, z), b) in slopes.iter_mut().zip(z).zip(b) {
            *slope = z - b;
        }
        if weights.is_empty() {
            return 0.5 * dot(slopes, slopes);
        }
        let each = slopes.iter_mut().zip(weights).map(|(slope, w)| {
            let residual = *slope;
            *slope *= w;
            *slope * residual
        });
        0.5 * each.sum::<f64>()
    }

    fn bounds(&self, _: f64) -> Bounds {
        Bounds { slope: f64::INFINITY, least_curvature: 1.0, curvature: 1.0, infimum: 0.0 }
    }

    fn is_quadratic(&self) -> bool {
        true
    }
}
