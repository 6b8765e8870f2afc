//! What `factor` and `cluster` share: how a factorisation is run, and what is claimed of it.

mod run;

use gramfold::{Certificate, certificate::significant, linalg::Symmetric};
use serde::{Deserialize, Serialize};

use crate::learn::Fit;

pub(crate) use run::{Turn, Watch, run, run_kept};

/// What is claimed of a factorisation besides its objective and the bound on that. The loss is ½‖A − XXᵀ‖², and a pass over the
/// data a product of A with an n×r matrix.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Factorisation {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// ‖A − XXᵀ‖/‖A‖.
    pub(crate) relative_error: f64,
    pub(crate) gamma: f64,
    #[serde(with = "gramfold::extended")]
    pub(crate) threshold: f64,
    pub(crate) asymmetry: f64,
    /// The entries stored for the matrix.
    pub(crate) stored: usize,
}

impl Factorisation {
    pub(crate) fn of(matrix: &Symmetric, fit: Fit) -> Self {
        let Certificate { loss, gamma, threshold, asymmetry, .. } = fit.certificate;
        let (relative_error, stored) = (relative_error(loss, matrix), matrix.stored());
        Self { fit, relative_error, gamma, threshold, asymmetry, stored }
    }

    /// `relative error 0.745076`.
    pub(crate) fn error_in_words(&self) -> String {
        format!("relative error {}", significant(self.relative_error))
    }
}

/// ‖A − Z‖/‖A‖ from ½‖A − Z‖²; zero for a zero matrix.
fn relative_error(loss: f64, matrix: &Symmetric) -> f64 {
    let norm_squared = matrix.norm_squared();
    if norm_squared == 0.0 { 0.0 } else { (2.0 * loss / norm_squared).sqrt() }
}
