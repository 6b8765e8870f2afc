//! ½Σ w(‖x_i − x_j‖² − d²)², and what Gauss–Newton needs of it.

use gramfold::linalg::Mat;

use super::weight;
use crate::Observations;

/// The distances, with their squares and weights.
pub(super) struct Stress<'a> {
    pub(super) pairs: &'a [(u32, u32)],
    pub(super) squares: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// Σ w·d⁴.
    total: f64,
}

impl<'a> Stress<'a> {
    pub(super) fn new(distances: &'a Observations) -> Self {
        let squares: Vec<f64> = distances.values.iter().map(|d| d * d).collect();
        let weights: Vec<f64> = distances.values.iter().map(|d| weight(*d)).collect();
        let total = squares.iter().zip(&weights).map(|(s, w)| w * s * s).sum();
        Self { pairs: &distances.places, squares, weights, total }
    }

    /// ‖x_i − x_j‖² − d² of each pair.
    pub(super) fn residuals(&self, x: &Mat, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.pairs.iter().zip(&self.squares).map(|(&(i, j), square)| {
            let pairs = x.row(i as usize).iter().zip(x.row(j as usize));
            pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() - square
        }));
    }

    /// The stress.
    pub(super) fn value(&self, x: &Mat) -> f64 {
        let mut residuals = Vec::new();
        self.residuals(x, &mut residuals);
        0.5 * residuals.iter().zip(&self.weights).map(|(r, w)| w * r * r).sum::<f64>()
    }

    /// The root of the mean squared residual, relative to the distances.
    pub(super) fn relative(&self, x: &Mat) -> f64 {
        if self.total == 0.0 { 0.0 } else { (2.0 * self.value(x) / self.total).sqrt() }
    }

    /// The root of the mean squared distance.
    pub(super) fn mean_distance(&self) -> f64 {
        (self.squares.iter().sum::<f64>() / self.squares.len().max(1) as f64).sqrt()
    }

    /// The mean of the diagonal of JᵀJ.
    pub(super) fn mean_curvature(&self, x: &Mat) -> f64 {
        let mut residuals = Vec::new();
        self.residuals(x, &mut residuals);
        let terms = residuals.iter().zip(&self.squares).zip(&self.weights);
        let trace: f64 = terms.map(|((r, s), w)| 8.0 * w * (r + s)).sum();
        trace / (x.rows() * x.cols()).max(1) as f64
    }
}
