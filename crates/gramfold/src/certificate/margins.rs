//! How far γ must be above its threshold, and an objective above a lower bound, for a claim.

use gramfold_linalg::Mat;

use super::Spectrum;
use crate::{Problem, Split};

/// `optimal` allows a gap of this share of the objective and of what can be gained over X = 0 …
pub const OPTIMAL_RELATIVE: f64 = 1e-6;

/// … and of this share of f(0) − f*, below which rounding hides the difference.
pub const OPTIMAL_ROUNDING: f64 = 1e-12;

/// Theorem 1's threshold ½λmax(sym ∇f) − σ_h/4.
pub(super) fn threshold(problem: &Problem<'_>, spectrum: &Spectrum) -> f64 {
    0.5 * spectrum.high - 0.25 * problem.regulariser.sigma()
}

/// The gap between an objective and a lower bound that `optimal` allows.
pub(super) fn negligible(problem: &Problem<'_>, objective: f64, bound: f64) -> f64 {
    let scale = (problem.loss.at_zero() - problem.loss.constants().infimum).abs();
    let rounding = if scale.is_finite() { OPTIMAL_ROUNDING * scale } else { 0.0 };
    let zero = Mat::zeros(problem.dim(), 1);
    let at_zero = problem.loss.at_zero() + problem.regulariser.value(&zero);
    OPTIMAL_RELATIVE * objective.abs().min((at_zero - bound).abs()) + rounding
}

/// Whether no objective is lower than that of (X, X), whatever X, and the norm of the gradient is small enough for γ to be
/// above its threshold: then nothing is left that finer bounds on the spectrum would prove.
pub(super) fn is_least(problem: &Problem<'_>, split: &Split<'_>, gamma: f64, norm: f64) -> bool {
    let (x, h) = (split.x(), problem.regulariser);
    let objective = split.evaluation().precise_value(x, x) + h.value(x);
    let least = problem.loss.constants().infimum + h.infimum();
    0.5 * norm - 0.25 * h.sigma() < gamma
        && objective - least <= negligible(problem, objective, least)
}

/// γ − threshold, where it is proved to be positive.
pub(super) fn proved_margin(problem: &Problem<'_>, spectrum: &Spectrum, gamma: f64) -> Option<f64> {
    let margin = gamma - threshold(problem, spectrum);
    (margin > 0.0 && spectrum.proof.holds()).then_some(margin)
}
