//! How far γ must be above its threshold, and an objective above a lower bound, for a claim.

use gramfold_linalg::Mat;

use super::Spectrum;
use crate::{Problem, Split, Structure};

/// `optimal` allows a gap of this share of the objective and of what can be gained over X = 0 …
pub const OPTIMAL_RELATIVE: f64 = 1e-6;

/// … and of this share of f(0) − f*, below which rounding hides the difference; where a linear part has no f*, of what is left
/// without it.
pub const OPTIMAL_ROUNDING: f64 = 1e-12;

/// Theorem 1's threshold ½λmax(sym ∇f) − σ_h/4.
pub(super) fn threshold(problem: &Problem<'_>, spectrum: &Spectrum) -> f64 {
    0.5 * spectrum.high - 0.25 * problem.regulariser.sigma()
}

/// The gap between an objective and a lower bound that `optimal` allows.
pub(super) fn negligible(problem: &Problem<'_>, objective: f64, bound: f64) -> f64 {
    let rounding = rounding(problem);
    let rounding = if rounding.is_finite() { rounding } else { 0.0 };
    let zero = Mat::zeros(problem.dim(), 1);
    let at_zero = problem.loss.at_zero() + problem.regulariser.value(&zero);
    OPTIMAL_RELATIVE * objective.abs().min((at_zero - bound).abs()) + rounding
}

/// What rounding may hide of f.
fn rounding(problem: &Problem<'_>) -> f64 {
    let mut least = problem.loss.constants().infimum;
    if least == f64::NEG_INFINITY
        && let Structure::WithLinear { infimum, .. } = problem.loss.structure()
    {
        least = infimum;
    }
    OPTIMAL_ROUNDING * (problem.loss.at_zero() - least).abs()
}

/// A bound on ‖∇f‖_F at (X, X), where no objective is lower than the one there, whatever X, and the bound is small enough for γ to
/// be above its threshold: then nothing is left that finer bounds on the spectrum would prove. A convex f has
/// ‖∇f‖² ≤ 2l_f(f − f*).
pub(super) fn norm_at_least(problem: &Problem<'_>, split: &Split<'_>, gamma: f64) -> Option<f64> {
    let (x, h, constants) = (split.x(), problem.regulariser, problem.loss.constants());
    let loss = split.evaluation().precise_value(x, x);
    let (objective, least) = (loss + h.value(x), constants.infimum + h.infimum());
    let above = (loss - constants.infimum).max(0.0) + rounding(problem);
    let norm = (2.0 * constants.smoothness * above).sqrt();
    let proved = 0.5 * norm - 0.25 * h.sigma() < gamma;
    let is_least = objective - least <= negligible(problem, objective, least);
    (proved && is_least).then_some(norm)
}

/// γ − threshold, where it is proved to be positive.
pub(super) fn proved_margin(problem: &Problem<'_>, spectrum: &Spectrum, gamma: f64) -> Option<f64> {
    let margin = gamma - threshold(problem, spectrum);
    (margin > 0.0 && spectrum.proof.holds()).then_some(margin)
}
