//! An answer: Z block by block, and the multipliers y.

use gramfold_linalg::Mat;

/// One block of Z.
#[derive(Clone, Debug)]
pub enum Primal {
    /// Z = RRᵀ.
    Factor(Mat),
    /// Z itself.
    Dense(Mat),
    /// The diagonal of a nonnegative block.
    Diagonal(Vec<f64>),
}

/// A primal-dual pair. The dual slack is never stored: it is C − Σ y_i A_i.
#[derive(Clone, Debug)]
pub struct Point {
    /// Z, block by block.
    pub primal: Vec<Primal>,
    /// y.
    pub dual: Vec<f64>,
}
