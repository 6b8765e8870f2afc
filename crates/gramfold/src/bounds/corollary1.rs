//! Corollary 1: computable from the start Y₀, for critical points that descent from it reaches.
//!
//! As printed both bounds use the wrong level: what descends is F, so f(Z̄) ≤ c = f(Z₀) + h(Y₀) − h*,
//! not f(Z₀). The corrected ones use c; the last needs no strong convexity.

use super::{Assumption, StartLevel};
use crate::{Problem, loss::Constants};

/// ½(‖∇f(Z₀)‖ + l_f·diam{f ≤ f(Z₀)}) − σ_h/4, as printed.
pub fn diameter_as_printed(problem: &Problem<'_>, start: &StartLevel) -> Result<f64, Assumption> {
    diameter_at(problem, start, start.loss)
}

/// ½(‖∇f(Z₀)‖ + l_f·diam{f ≤ c}) − σ_h/4.
pub fn diameter(problem: &Problem<'_>, start: &StartLevel) -> Result<f64, Assumption> {
    diameter_at(problem, start, start.level(problem))
}

/// l_f/√(2σ_f)·√[f(Z₀) + h(Y₀) − f*]₊ − σ_h/4, as printed.
pub fn level_as_printed(problem: &Problem<'_>, start: &StartLevel) -> Result<f64, Assumption> {
    level_at(problem, start.loss + start.regularisation)
}

/// l_f/√(2σ_f)·√(c − f*) − σ_h/4.
pub fn level(problem: &Problem<'_>, start: &StartLevel) -> Result<f64, Assumption> {
    level_at(problem, start.level(problem))
}

/// √(l_1(c − f*)/2) − σ_h/4: sharper by √(l_f/σ_f), and without strong convexity.
pub fn level_rank_one(problem: &Problem<'_>, start: &StartLevel) -> Result<f64, Assumption> {
    let constants = bounded_below(problem)?;
    let excess = finite(start.level(problem) - constants.infimum)?;
    let root = (0.5 * constants.rank_one_smoothness * excess.max(0.0)).sqrt();
    Ok(root - 0.25 * problem.regulariser.sigma())
}

fn diameter_at(problem: &Problem<'_>, start: &StartLevel, level: f64) -> Result<f64, Assumption> {
    let constants = strongly_convex(problem)?;
    // The level set lies in a ball around the minimiser of radius √(2(level − f*)/σ_f).
    let excess = finite(level - constants.infimum)?.max(0.0);
    let diameter = 2.0 * (2.0 * excess / constants.sigma).sqrt();
    let slope = start.gradient_norm + constants.smoothness * diameter;
    Ok(0.5 * slope - 0.25 * problem.regulariser.sigma())
}

fn level_at(problem: &Problem<'_>, level: f64) -> Result<f64, Assumption> {
    let constants = strongly_convex(problem)?;
    let excess = finite(level - constants.infimum)?.max(0.0);
    let root = constants.smoothness * (excess / (2.0 * constants.sigma)).sqrt();
    Ok(root - 0.25 * problem.regulariser.sigma())
}

pub(super) fn bounded_below(problem: &Problem<'_>) -> Result<Constants, Assumption> {
    let constants = problem.loss.constants();
    if constants.infimum.is_finite() { Ok(constants) } else { Err(Assumption("f bounded below")) }
}

fn strongly_convex(problem: &Problem<'_>) -> Result<Constants, Assumption> {
    let constants = bounded_below(problem)?;
    if constants.sigma > 0.0 { Ok(constants) } else { Err(Assumption("σ_f > 0")) }
}

pub(super) fn finite(level: f64) -> Result<f64, Assumption> {
    if level.is_finite() { Ok(level) } else { Err(Assumption("a start where h is finite")) }
}
