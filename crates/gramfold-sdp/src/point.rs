//! An answer: Z block by block, and the multipliers y.

use gramfold::stored;
use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use crate::Cone;

/// One block of Z.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Primal {
    /// Z = RRᵀ.
    Factor(#[serde(with = "stored")] Mat),
    /// Z itself.
    Dense(#[serde(with = "stored")] Mat),
    /// The diagonal of a nonnegative block.
    Diagonal(Vec<f64>),
}

impl Primal {
    /// Z = 0, as a factor of one column where it is a matrix.
    pub(crate) fn zero(cone: &Cone) -> Self {
        match *cone {
            Cone::Semidefinite(n) => Self::Factor(Mat::zeros(n, 1)),
            Cone::Nonnegative(n) => Self::Diagonal(vec![0.0; n]),
        }
    }
}

/// A primal-dual pair. The dual slack is never stored: it is C − Σ y_i A_i.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Z, block by block.
    pub primal: Vec<Primal>,
    /// y.
    pub dual: Vec<f64>,
}
