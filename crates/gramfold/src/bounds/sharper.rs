//! T2 to T6: bounds that the paper does not have.

use gramfold_linalg::Mat;

use super::{
    Assumption, StartLevel,
    corollary1::{bounded_below, finite},
    data_spectrum,
};
use crate::{Problem, Shape, Split, Structure, certificate::gradient_spectrum};

/// T2: √(l_1(f(0) − f*)/2) − σ_h/4. Above it every critical point is symmetric, from any start.
pub fn from_zero(problem: &Problem<'_>) -> Result<f64, Assumption> {
    let constants = bounded_below(problem)?;
    if !problem.regulariser.is_least_at_zero() {
        return Err(Assumption("h least at 0"));
    }
    if problem.regulariser.sigma() < 0.0 {
        return Err(Assumption("h convex"));
    }
    let excess = problem.loss.at_zero() - constants.infimum;
    let root = (0.5 * constants.rank_one_smoothness * excess.max(0.0)).sqrt();
    Ok(root - 0.25 * problem.regulariser.sigma())
}

/// T3: −λmin(A)/2 − λ/4 for ½‖Z − A‖² with ridge or no regulariser, and γ > 0. Necessary and
/// sufficient.
pub fn frobenius(problem: &Problem<'_>) -> Result<f64, Assumption> {
    let Structure::Frobenius(a) = problem.loss.structure() else {
        return Err(Assumption("the quadratic loss"));
    };
    let lambda = ridge(problem)?;
    Ok((-0.5 * data_spectrum(a)?.low - 0.25 * lambda).max(0.0))
}

/// T4: ½λmax(∇f(0)) − λ/4 for ridge or no regulariser and f bounded below. Below it an asymmetric
/// critical point (U, −U) exists. Uses the Ritz value, which errs on the safe side here.
pub fn necessary(problem: &Problem<'_>) -> Result<f64, Assumption> {
    let lambda = ridge(problem)?;
    bounded_below(problem)?;
    let zero = || Mat::zeros(problem.dim(), problem.rank);
    let split = Split::new(problem, zero(), zero(), 0.0).expect("invariant: zero fits the problem");
    Ok((0.5 * gradient_spectrum(&split).ritz_high - 0.25 * lambda).max(0.0))
}

/// T5: half a bound on λmax(sym ∇f) that holds everywhere (slope L on a pattern M: L·ρ(M)), − σ_h/4.
pub fn lipschitz(problem: &Problem<'_>) -> Result<f64, Assumption> {
    match problem.loss.structure() {
        Structure::BoundedGradient(bound) => Ok(0.5 * bound - 0.25 * problem.regulariser.sigma()),
        Structure::Linear(c) => {
            Ok(0.5 * data_spectrum(c)?.high - 0.25 * problem.regulariser.sigma())
        }
        _ => Err(Assumption("a loss with bounded slopes")),
    }
}

/// T6: ½λmax(C) + √(l_q(c − q*)/2) − σ_h/4 for f = ⟨C, Z⟩ + q(Z) with C ⪰ 0.
pub fn linear_part(problem: &Problem<'_>, start: &StartLevel) -> Result<f64, Assumption> {
    let (c, excess) = match problem.loss.structure() {
        Structure::Linear(c) => (c, 0.0),
        Structure::WithLinear { c, infimum } => (c, finite(start.level(problem) - infimum)?),
        _ => return Err(Assumption("a linear part")),
    };
    let spectrum = data_spectrum(c)?;
    // Up to rounding at a zero eigenvalue, which moves the bound by as little.
    if spectrum.low < -1e-8 * spectrum.high.abs() {
        return Err(Assumption("C ⪰ 0"));
    }
    let smoothness = problem.loss.constants().smoothness;
    Ok(with_linear_part(spectrum.high, smoothness, excess, problem.regulariser.sigma()))
}

/// The formula of T6: `excess` is f(Z₀) + h(Y₀) − q* − h*, `smoothness` is l_q.
pub fn with_linear_part(lambda_max: f64, smoothness: f64, excess: f64, sigma_h: f64) -> f64 {
    0.5 * lambda_max + (0.5 * smoothness * excess.max(0.0)).sqrt() - 0.25 * sigma_h
}

fn ridge(problem: &Problem<'_>) -> Result<f64, Assumption> {
    match problem.regulariser.shape() {
        Shape::Ridge { lambda } => Ok(lambda),
        _ => Err(Assumption("a ridge or no regulariser")),
    }
}
