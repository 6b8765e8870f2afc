//! The unknown of the engine: one tall factor a block, seen as one long vector.

use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use crate::state::matrices;

/// R_1 … R_p with Z_b = R_bR_bᵀ; a nonnegative block has one column, z = u∘u.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Factors(#[serde(with = "matrices")] pub(super) Vec<Mat>);

impl Factors {
    /// Zeros of the same shapes.
    pub(super) fn zeros_like(&self) -> Self {
        Self(self.0.iter().map(|factor| Mat::zeros(factor.rows(), factor.cols())).collect())
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| a.copy_from(b));
    }

    pub(super) fn fill(&mut self, value: f64) {
        self.0.iter_mut().for_each(|factor| factor.as_mut_slice().fill(value));
    }

    pub(super) fn scale(&mut self, alpha: f64) {
        self.0.iter_mut().for_each(|factor| factor.scale(alpha));
    }

    /// self ← self + α·other.
    pub(super) fn axpy(&mut self, alpha: f64, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| a.axpy(alpha, b));
    }

    /// self ← α·self + other.
    pub(super) fn scale_add(&mut self, alpha: f64, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| a.zip(b, |a, b| alpha * a + b));
    }

    pub(super) fn dot(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).map(|(a, b)| a.dot(b)).sum()
    }

    pub(super) fn norm(&self) -> f64 {
        self.dot(self).sqrt()
    }

    pub(super) fn is_finite(&self) -> bool {
        self.0.iter().all(Mat::is_finite)
    }

    /// The largest number of columns.
    pub(super) fn rank(&self) -> usize {
        self.0.iter().map(Mat::cols).max().unwrap_or(0)
    }
}
