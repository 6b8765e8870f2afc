//! Corollary 2: symmetric NMF, f = ½‖Z − A‖² and h = δ₊.

use gramfold_linalg::Symmetric;

use super::{Assumption, data_spectrum};
use crate::{Problem, Shape, Structure};

/// −λmin(A) for single or orthogonal columns, as printed; false where it is negative.
pub fn balanced_columns_as_printed(problem: &Problem<'_>) -> Result<f64, Assumption> {
    Ok(-data_spectrum(symmetric_nmf(problem)?)?.low)
}

/// −λmin(A)/2, and γ > 0: for critical points with XᵀX = YᵀY diagonal, as single or orthogonal
/// columns have.
pub fn balanced_columns(problem: &Problem<'_>) -> Result<f64, Assumption> {
    Ok((0.5 * balanced_columns_as_printed(problem)?).max(0.0))
}

/// Any γ > 0 for one column and A ≥ 0.
pub fn single_column(problem: &Problem<'_>) -> Result<f64, Assumption> {
    let a = symmetric_nmf(problem)?;
    if problem.rank != 1 {
        return Err(Assumption("rank 1"));
    }
    if a.values().any(|v| v < 0.0) {
        return Err(Assumption("A ≥ 0"));
    }
    Ok(0.0)
}

fn symmetric_nmf<'a>(problem: &Problem<'a>) -> Result<&'a Symmetric, Assumption> {
    match (problem.loss.structure(), problem.regulariser.shape()) {
        (Structure::Frobenius(a), Shape::Nonnegative) => Ok(a),
        _ => Err(Assumption("the quadratic loss and nonnegativity")),
    }
}
