//! Lower bounds on the optimum of min f(XXᵀ) + h(X): C1, C2, the rank bound and C7.
//!
//! With φ(Z) = f(Z) + (λ/2)tr Z, Z̄ = XXᵀ and S̃ = sym ∇f(Z̄) + (λ/2)I, convexity gives for Z ⪰ 0
//! φ(Z) ≥ φ(Z̄) − ⟨S̃, Z̄⟩ + ⟨S̃, Z⟩ + (σ_f/2)‖Z − Z̄‖². Each bound below minimises the right-hand side
//! over a set that contains every Z of interest.

use gramfold_linalg::{Mat, Symmetric, dot, multiply, symmetric_eigen};
use serde::{Deserialize, Serialize};

use super::{
    SEED, gradient_spectrum,
    leading::{self, Precision},
    nonnegative, small,
    spectrum::{Operator, Proof, Spectrum, dense, never},
};
use crate::{
    Split,
    loss::{Structure, rounding_of_gradient},
    regulariser::Shape,
};

/// n up to which full eigendecompositions are affordable in a certificate.
pub(super) const SPECTRAL: usize = 512;

/// A proved lower bound on the optimum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowerBound {
    /// The bound.
    pub value: f64,
    /// Which theorem gave it.
    pub method: Method,
    /// How its eigenvalues were bounded.
    pub proof: Proof,
}

/// Where a lower bound came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// C1: dual feasibility with a bound on the trace.
    Dual,
    /// C2: strong convexity pays for the negative part of the slack.
    StrongConvexity,
    /// The best rank-r matrix, by the eigenvalues of A (Eckart and Young).
    Rank,
    /// C7: the doubly nonnegative relaxation.
    DoublyNonnegative,
    /// What neither the loss nor the regulariser falls below, whatever X.
    Infimum,
}

/// The best bound that applies at the folded point (X, X) with the given objective.
pub(super) fn lower_bound(
    folded: &Split<'_>,
    objective: f64,
    gradient: &Spectrum,
    known: Option<Spectrum>,
    stop: &dyn Fn() -> bool,
) -> Option<LowerBound> {
    let shape = folded.problem().regulariser.shape();
    let mut bounds = match folded.problem().loss.structure() {
        Structure::Frobenius(a) => quadratic_bounds(a, shape, folded.x(), gradient, stop),
        _ => Vec::new(),
    };
    if let Shape::Ridge { lambda } = shape {
        let spectrum = known.unwrap_or_else(|| gradient_spectrum(folded));
        bounds.push(dual_bound(folded, lambda, objective, &spectrum));
        bounds.push(strong_convexity_bound(folded, lambda, objective));
    }
    let problem = folded.problem();
    bounds.push(Some(LowerBound {
        value: problem.loss.constants().infimum + problem.regulariser.infimum(),
        method: Method::Infimum,
        proof: Proof::Rigorous,
    }));
    best(bounds)
}

/// The bounds that the quadratic loss alone gives, given about the spectrum of its gradient.
pub(super) fn quadratic_bounds(
    a: &Symmetric,
    shape: Shape,
    x: &Mat,
    gradient: &Spectrum,
    stop: &dyn Fn() -> bool,
) -> Vec<Option<LowerBound>> {
    let mut bounds = Vec::new();
    // The gradient is XXᵀ − A.
    let ends = (-gradient.ritz_high, -gradient.ritz_low);
    let lambda = if let Shape::Ridge { lambda } = shape { lambda } else { 0.0 };
    if matches!(shape, Shape::Ridge { .. } | Shape::Nonnegative) {
        // Over X ≥ 0 the bound is not tight.
        let precision =
            if shape == Shape::Nonnegative { Precision::Rough } else { Precision::Fine };
        bounds.push(rank_bound(a, x, lambda, ends, precision, stop));
    }
    if shape == Shape::Nonnegative && !stop() {
        let known = best(bounds.clone()).map_or(0.0, |bound| bound.value);
        bounds.push(nonnegative::bound(a, x, known));
    }
    bounds
}

/// The best of those that are proved.
pub(super) fn best(bounds: Vec<Option<LowerBound>>) -> Option<LowerBound> {
    bounds
        .into_iter()
        .flatten()
        .filter(|bound| bound.proof.holds() && bound.value.is_finite())
        .max_by(|a, b| a.value.total_cmp(&b.value))
}

/// ½‖A‖² − ½Σ_{i≤r} [λ_i − λ/2]₊², with upper bounds on the r largest eigenvalues λ_i of A.
fn rank_bound(
    a: &Symmetric,
    x: &Mat,
    lambda: f64,
    ends: (f64, f64),
    precision: Precision,
    stop: &dyn Fn() -> bool,
) -> Option<LowerBound> {
    let (tops, proof) = if a.dim() <= SPECTRAL {
        (small::at_most(a, x, precision)?, Proof::Rigorous)
    } else {
        leading::at_most(a, x, ends, precision, stop)?
    };
    let captured: f64 = tops.iter().map(|top| (top - 0.5 * lambda).max(0.0).powi(2)).sum();
    let norm_squared = a.norm_squared();
    // A sum of squares over a tree with leaves of 8192 in 32 lanes: at most 256 + depth roundings.
    let rounding = (288.0 + (a.stored() as f64).log2()) * f64::EPSILON * norm_squared;
    let value = 0.5 * (norm_squared - captured) - rounding;
    Some(LowerBound { value, method: Method::Rank, proof })
}

/// A bound on tr Z for every competitor Z, that is rank ≤ r with φ(Z) ≤ the objective, and how it is proved.
fn trace_bound(folded: &Split<'_>, lambda: f64, objective: f64) -> Option<(f64, Proof)> {
    let problem = folded.problem();
    let constants = problem.loss.constants();
    let ridge = (lambda > 0.0 && constants.infimum.is_finite())
        .then(|| 2.0 * (objective - constants.infimum) / lambda);
    let sublevel = match problem.loss.structure() {
        Structure::Frobenius(_) => {
            // ‖Z − A‖ ≤ √(2φ), and tr Z ≤ √r·‖Z‖ for a PSD matrix of rank r.
            let radius = constants.scale + (2.0 * objective).max(0.0).sqrt();
            Some(((problem.rank as f64).sqrt() * radius, Proof::Rigorous))
        }
        // ⟨C, Z⟩ ≥ λmin(C)·tr Z, and the rest of f has a bound of its own.
        Structure::WithLinear { c, infimum } if lambda > 0.0 && infimum.is_finite() => {
            let spectrum = spectrum_of(c);
            let floor = 0.5 * lambda + spectrum.low.min(0.0);
            (floor > 0.0).then(|| ((objective - infimum) / floor, spectrum.proof))
        }
        _ => None,
    };
    let ridge = ridge.map(|bound| (bound, Proof::Rigorous));
    let proved = [ridge, sublevel].into_iter().flatten().filter(|(_, proof)| proof.holds());
    proved.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The ends of the spectrum of a matrix.
fn spectrum_of(c: &Symmetric) -> Spectrum {
    let mut apply = |v: &Mat, out: &mut Mat| c.apply(v, out);
    let rounding = rounding_of_gradient(1, 0.0, c.norm_squared().sqrt());
    let stop = &never;
    Spectrum::of(&mut Operator { dim: c.dim(), apply: &mut apply, rounding, stop }, SEED)
}

/// ⟨S̃, Z̄⟩ = ⟨S̃X, X⟩.
fn complementarity(folded: &Split<'_>, lambda: f64) -> f64 {
    let (x, evaluation) = (folded.x(), folded.evaluation());
    let mut image = Mat::zeros(x.rows(), x.cols());
    evaluation.apply_symmetric(x, x, x, &mut image);
    image.dot(x) + 0.5 * lambda * x.norm_squared()
}

/// C1: φ(Z̄) − ⟨S̃, Z̄⟩ + R·min(0, λmin(S̃)), with tr Z ≤ R; without an R only if λmin(S̃) ≥ 0.
fn dual_bound(
    folded: &Split<'_>,
    lambda: f64,
    objective: f64,
    spectrum: &Spectrum,
) -> Option<LowerBound> {
    let negative = (spectrum.low + 0.5 * lambda).min(0.0);
    let (payment, proof) = if negative < 0.0 {
        let (trace, proof) = trace_bound(folded, lambda, objective)?;
        (trace * negative, proof.and(spectrum.proof))
    } else {
        (0.0, spectrum.proof)
    };
    // What the three terms may have been rounded by.
    let size = folded.x().norm_squared();
    let constants = folded.problem().loss.constants();
    let length = (folded.x().rows() + folded.x().cols() + 8) as f64;
    let terms = objective.abs() + (constants.scale + size + 0.5 * lambda) * size + payment.abs();
    let rounding = 4.0 * length * f64::EPSILON * terms
        + folded.evaluation().rounding(folded.x(), folded.x()) * size;
    let value = objective - complementarity(folded, lambda) + payment - rounding;
    Some(LowerBound { value, method: Method::Dual, proof })
}

/// C2: with S̃ = P + N, P ⪰ 0 the positive part: φ(Z̄) − ⟨P, Z̄⟩ − ‖N‖²/(2σ_f).
fn strong_convexity_bound(folded: &Split<'_>, lambda: f64, objective: f64) -> Option<LowerBound> {
    let problem = folded.problem();
    let sigma = problem.loss.constants().sigma;
    let n = problem.dim();
    if sigma <= 0.0 || n > SPECTRAL {
        return None;
    }
    let (x, evaluation) = (folded.x(), folded.evaluation());
    let rounding = evaluation.rounding(x, x);
    let mut apply = |v: &Mat, out: &mut Mat| evaluation.apply_symmetric(x, x, v, out);
    let mut slack = dense(&mut Operator { dim: n, apply: &mut apply, rounding, stop: &never });
    (0..n).for_each(|i| slack[(i, i)] += 0.5 * lambda);
    let eigen = symmetric_eigen(&slack)?;
    let mut along = Mat::zeros(n, x.cols());
    multiply(1.0, &eigen.vectors, x, &mut along);
    let (mut positive, mut negative) = (0.0, 0.0);
    for (i, &value) in eigen.values.iter().enumerate() {
        if value > 0.0 {
            positive += value * dot(along.row(i), along.row(i));
        } else {
            negative += value * value;
        }
    }
    // The computed P is PSD up to the eigensolver's backward error, paid for by the trace.
    let backward = rounding + 16.0 * n as f64 * f64::EPSILON * slack.norm();
    let (trace, proof) = trace_bound(folded, lambda, objective)?;
    let value = objective
        - positive
        - negative / (2.0 * sigma)
        - backward * (trace + x.norm_squared() + slack.norm() / sigma);
    Some(LowerBound { value, method: Method::StrongConvexity, proof })
}
