//! φ, how one measured number is judged: convex, differentiable, one function a file.

mod huber;
mod logistic;
mod one_sided;
mod poisson;
mod smoothed_hinge;
mod square;
mod squared_hinge;

pub use huber::Huber;
pub use logistic::Logistic;
pub use one_sided::OneSided;
pub use poisson::Poisson;
pub use smoothed_hinge::SmoothedHinge;
pub use square::Square;
pub use squared_hinge::SquaredHinge;

use std::{fmt, ops::Range};

use crate::Error;

/// A convex function φ(z, b) of a measured number z and its target b, with a slope that is Lipschitz in z.
pub trait Scalar: Send + Sync + fmt::Debug {
    /// Its name in specs and messages.
    fn name(&self) -> &'static str;

    /// φ, φ′ and φ″ at (z, b); where φ″ jumps, either side's.
    fn at(&self, z: f64, b: f64) -> [f64; 3];

    /// The curvature of a parabola that touches φ at z, for Gauss–Newton steps: φ″, or where that jumps to 0 the least that
    /// keeps the parabola above φ.
    fn model_curvature(&self, z: f64, b: f64) -> f64 {
        self.at(z, b)[2]
    }

    /// Bounds that hold for every z.
    fn bounds(&self, b: f64) -> Bounds;

    /// Whether φ″ is the same everywhere.
    fn is_quadratic(&self) -> bool {
        false
    }

    /// The same function with its kink rounded off over a width so many times as large; none if there is no kink behind it. The
    /// bound on |φ′|, relative to the function, must be the same: then so is T5's bound on γ.
    fn smoother(&self, _times: f64) -> Option<Box<dyn Scalar>> {
        None
    }

    /// The targets that it takes, in words; what [`Scalar::nearest_target`] leaves alone.
    fn targets(&self) -> &'static str {
        "any number"
    }

    /// The nearest target that it takes.
    fn nearest_target(&self, b: f64) -> f64 {
        b
    }

    /// Σ w·φ over slices, with slopes ← w·φ′. An empty slice of weights stands for ones.
    fn evaluate(&self, z: &[f64], b: &[f64], weights: &[f64], slopes: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (k, slope) in slopes.iter_mut().enumerate() {
            let w = weight(weights, k);
            let [value, first, _] = self.at(z[k], b[k]);
            *slope = w * first;
            sum += w * value;
        }
        sum
    }

    /// out ← w times the model's curvature over slices.
    fn model_curvatures(&self, z: &[f64], b: &[f64], weights: &[f64], out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            *out = weight(weights, k) * self.model_curvature(z[k], b[k]);
        }
    }

    /// curvatures ← w·φ″ over slices.
    fn curvatures(&self, z: &[f64], b: &[f64], weights: &[f64], curvatures: &mut [f64]) {
        for (k, curvature) in curvatures.iter_mut().enumerate() {
            *curvature = weight(weights, k) * self.at(z[k], b[k])[2];
        }
    }

    /// Σ w·φ(z(t)), and its first two derivatives by t, for z(t) = z + t·first + t²·second.
    fn along(&self, line: &Images<'_>, t: f64, b: &[f64], weights: &[f64]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for (k, &b) in b.iter().enumerate() {
            let (first, second) = (line.first[k], line.second[k]);
            let z = line.zeroth[k] + t * (first + t * second);
            let speed = first + 2.0 * t * second;
            let [value, slope, curvature] = self.at(z, b);
            let w = weight(weights, k);
            sums[0] += w * value;
            sums[1] += w * slope * speed;
            sums[2] += w * (curvature * speed * speed + 2.0 * slope * second);
        }
        sums
    }
}

/// What is known of φ(·, b) everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// |φ′| is at most this; ∞ if it is not bounded.
    pub slope: f64,
    /// φ″ is at least this …
    pub least_curvature: f64,
    /// … and at most this.
    pub curvature: f64,
    /// φ is at least this.
    pub infimum: f64,
}

/// The images of a line Z(t) = XXᵀ + t(XPᵀ + PXᵀ) + t²PPᵀ.
#[derive(Clone, Copy, Debug)]
pub struct Images<'a> {
    /// 𝒜(XXᵀ).
    pub zeroth: &'a [f64],
    /// 𝒜(XPᵀ + PXᵀ).
    pub first: &'a [f64],
    /// 𝒜(PPᵀ).
    pub second: &'a [f64],
}

impl Images<'_> {
    /// Those of some measurements.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let [zeroth, first, second] =
            [self.zeroth, self.first, self.second].map(|image| &image[range.clone()]);
        Self { zeroth, first, second }
    }
}

/// A positive and finite parameter.
pub(crate) fn positive(name: &str, value: f64) -> Result<f64, Error> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Error::Parameter { name: name.into(), value, range: "positive" })
}

#[inline]
fn weight(weights: &[f64], k: usize) -> f64 {
    if weights.is_empty() { 1.0 } else { weights[k] }
}
