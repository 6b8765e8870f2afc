//! Theorem 1: at a critical point (X̄, Ȳ).

use gramfold_linalg::Mat;

use super::{Assumption, proved};
use crate::{Split, certificate::Spectrum};

/// Exactness: X̄ = Ȳ if γ > ½λmax(sym ∇f(X̄Ȳᵀ)) − σ_h/4. Uses the upper bound on λmax.
pub fn exactness(spectrum: &Spectrum, sigma_h: f64) -> Result<f64, Assumption> {
    proved(spectrum)?;
    Ok(0.5 * spectrum.high - 0.25 * sigma_h)
}

/// Proximity: ‖X̄ − Ȳ‖² ≤ ε if γ ≥ tr(DᵀGD)/(2ε) − σ_h/4, with D = X̄ − Ȳ and γ > 0.
pub fn proximity(split: &Split<'_>, epsilon: f64) -> Result<f64, Assumption> {
    if epsilon <= 0.0 || epsilon.is_nan() {
        return Err(Assumption("ε > 0"));
    }
    let mut d: Mat = split.x().clone();
    d.axpy(-1.0, split.y());
    let curvature = split.evaluation().curvature_along_difference(split.x(), split.y(), &d);
    Ok(curvature / (2.0 * epsilon) - 0.25 * split.problem().regulariser.sigma())
}
