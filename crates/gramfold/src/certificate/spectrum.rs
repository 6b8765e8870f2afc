//! Extreme eigenvalues of an implicit symmetric matrix, with bounds in the right direction.
//!
//! A Ritz value is never beyond an extreme eigenvalue, so alone it proves nothing about one. What
//! turns it into a bound is a factorisation (rigorous), or the random start of Lanczos (probabilistic).

use gramfold_linalg::{
    Krylov, KrylovOptions, Mat, Which, failure_gap, is_positive_definite, multiply,
    symmetric_eigenvalues,
};
use serde::{Deserialize, Serialize};

/// n up to which the matrix is formed and its bounds are proved by Cholesky.
pub const DENSE: usize = 512;

/// n up to which a dense eigensolver is cheaper than Lanczos at both ends of the spectrum, and at one.
const EIGEN: usize = 256;
const EIGEN_AT_ONE: usize = 48;

/// The probability with which a probabilistic bound may fail.
pub const FAILURE: f64 = 1e-10;

/// Lanczos steps before a factorisation that only asks for a bound near the end.
const COARSE: usize = 60;

/// Lanczos steps for an estimate.
const GLANCE: usize = 8;

/// How far outside an approximate end, relative to the width, Cholesky is tried.
const STEPS: [f64; 8] = [1e-11, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 5e-2];

/// How a bound was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Proof {
    /// By a factorisation in floating point with its rounding accounted for.
    Rigorous,
    /// From random vectors; fails with at most this probability.
    Probabilistic {
        /// The probability of failure.
        failure: f64,
        /// What was done with the vectors.
        means: Means,
    },
    /// A Ritz value alone: it proves nothing.
    Estimate,
}

/// How random vectors prove something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Lanczos from one of them.
    Lanczos,
    /// A Chebyshev polynomial of several.
    Chebyshev,
    /// Both, for a claim that rests on several bounds.
    Both,
}

impl Proof {
    /// Whether a claim may rest on it.
    pub fn holds(self) -> bool {
        self != Self::Estimate
    }

    /// The weaker of two proofs, for a claim that rests on both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Estimate, _) | (_, Self::Estimate) => Self::Estimate,
            (
                Self::Probabilistic { failure: a, means },
                Self::Probabilistic { failure: b, means: other },
            ) => {
                let means = if means == other { means } else { Means::Both };
                Self::Probabilistic { failure: a + b, means }
            }
            (found @ Self::Probabilistic { .. }, _) | (_, found @ Self::Probabilistic { .. }) => {
                found
            }
            (Self::Rigorous, Self::Rigorous) => Self::Rigorous,
        }
    }
}

/// Bounds λmin ≥ low and λmax ≤ high, with the Ritz values between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// A lower bound on the smallest eigenvalue.
    #[serde(with = "crate::extended")]
    pub low: f64,
    /// The smallest Ritz value, not below λmin.
    #[serde(with = "crate::extended")]
    pub ritz_low: f64,
    /// The largest Ritz value, not above λmax.
    #[serde(with = "crate::extended")]
    pub ritz_high: f64,
    /// An upper bound on the largest eigenvalue.
    #[serde(with = "crate::extended")]
    pub high: f64,
    /// How `low` and `high` were obtained.
    pub proof: Proof,
}

/// A symmetric matrix known by its products, and how wrong they may be.
pub struct Operator<'a> {
    /// The dimension.
    pub dim: usize,
    /// out ← S·V.
    pub apply: &'a mut dyn FnMut(&Mat, &mut Mat),
    /// A bound on the spectral norm of the error of S as `apply` gives it.
    pub rounding: f64,
    /// Asked after products; once it says so, what follows is cut short and nothing is proved.
    pub stop: &'a dyn Fn() -> bool,
}

/// For an operator whose proofs may take their time.
pub fn never() -> bool {
    false
}

impl Spectrum {
    /// Bounds both ends of the spectrum.
    pub fn of(operator: &mut Operator<'_>, seed: u64) -> Self {
        Self::bound(operator, seed, true)
    }

    /// Bounds the upper end only, for half the factorisations; `low` is −∞.
    pub fn upper(operator: &mut Operator<'_>, seed: u64) -> Self {
        Self { low: f64::NEG_INFINITY, ..Self::bound(operator, seed, false) }
    }

    /// A few Lanczos steps, which bound nothing.
    pub(super) fn estimate(operator: &mut Operator<'_>, seed: u64) -> Self {
        let steps = GLANCE.min(operator.dim);
        let options = KrylovOptions::ends(steps, 1e-4);
        let Some(ritz) = Krylov::new(operator.dim, seed).run(operator.apply, None, options) else {
            return Self::nothing();
        };
        Self::unproved(ritz.values[1], ritz.values[0])
    }

    /// The same Ritz values, with a bound on the norm of the matrix as bounds on its ends.
    pub(super) fn within(self, norm: f64) -> Self {
        Self { low: -norm, high: norm, proof: Proof::Rigorous, ..self }
    }

    fn unproved(ritz_low: f64, ritz_high: f64) -> Self {
        Self { low: ritz_low, ritz_low, ritz_high, high: ritz_high, proof: Proof::Estimate }
    }

    /// Bounds the upper end by what `is_above` proves to be above it; none if that is nothing near it.
    pub(super) fn proved(
        operator: &mut Operator<'_>,
        seed: u64,
        is_above: &mut dyn FnMut(f64) -> bool,
    ) -> Option<Self> {
        let steps = COARSE.min(operator.dim);
        let options = KrylovOptions::ends(steps, 1e-4);
        let stop = operator.stop;
        let ritz =
            Krylov::new(operator.dim, seed).run_until(stop, operator.apply, None, options)?;
        let (ritz_high, ritz_low) = (ritz.values[0], *ritz.values.get(1)?);
        let width = (ritz_high - ritz_low).max(ritz_high.abs()).max(ritz_low.abs());
        let bounds =
            STEPS.iter().filter(|step| **step >= 1e-4).map(|step| ritz_high + width * step);
        let high = bounds.into_iter().find(|bound| stop() || is_above(*bound))?;
        if stop() {
            return Some(Self::unproved(ritz_low, ritz_high));
        }
        let low = f64::NEG_INFINITY;
        Some(Self { low, ritz_low, ritz_high, high, proof: Proof::Rigorous })
    }

    fn bound(operator: &mut Operator<'_>, seed: u64, both: bool) -> Self {
        let n = operator.dim;
        if n <= DENSE {
            let (matrix, rounding) = (dense(operator), operator.rounding);
            return Self::factorised(&matrix, rounding, seed, both).unwrap_or_else(Self::nothing);
        }
        // The number of steps is fixed beforehand, as the bound on the failure probability asks.
        let steps = affordable(n).min(n);
        let options = KrylovOptions::ends(steps, 0.0);
        let ritz = Krylov::new(n, seed).run_until(operator.stop, operator.apply, None, options);
        let Some(ritz) = ritz else { return Self::nothing() };
        let (ritz_high, ritz_low) = (ritz.values[0], ritz.values[1]);
        // With probability 1 − p each end is missed by at most ε·width (Kuczyński–Woźniakowski),
        // and the width itself by at most 2ε of it.
        let gap = failure_gap(n, ritz.steps, 0.5 * FAILURE);
        if gap >= 0.25 {
            return Self::unproved(ritz_low, ritz_high);
        }
        let slack = gap * (ritz_high - ritz_low) / (1.0 - 2.0 * gap) + operator.rounding;
        let proof = Proof::Probabilistic { failure: FAILURE, means: Means::Lanczos };
        Self { low: ritz_low - slack, ritz_low, ritz_high, high: ritz_high + slack, proof }
    }

    /// Bounds the upper end of a matrix that is known but for this rounding; `low` is −∞.
    pub(super) fn upper_of(matrix: &Mat, rounding: f64, seed: u64) -> Self {
        Self::factorised(matrix, rounding, seed, false).unwrap_or_else(Self::nothing)
    }

    /// Proves bounds a little outside the ends of a matrix, stepping out until Cholesky agrees; none if the matrix is not
    /// finite.
    fn factorised(matrix: &Mat, rounding: f64, seed: u64, both: bool) -> Option<Self> {
        let n = matrix.rows();
        let whole = n <= if both { EIGEN } else { EIGEN_AT_ONE };
        let (ritz_low, ritz_high) = if whole {
            let values = symmetric_eigenvalues(matrix)?;
            (*values.first()?, *values.last()?)
        } else {
            let (which, basis) = if both { (Which::Ends, 200) } else { (Which::Largest, 40) };
            let tolerance = if both { 1e-6 } else { 1e-3 };
            let options = KrylovOptions { which, wanted: 1, basis, steps: 200, tolerance };
            let mut apply = |v: &Mat, out: &mut Mat| multiply(1.0, matrix, v, out);
            let ritz = Krylov::new(n, seed).run(&mut apply, None, options)?;
            (ritz.lowest, ritz.values[0])
        };
        let width = (ritz_high - ritz_low).max(ritz_high.abs()).max(ritz_low.abs());
        let width = width.max(f64::MIN_POSITIVE);
        let prove = |sign: f64, end: f64| {
            // From next to nothing to a few per cent: the first step suffices for a converged end, whose error goes with the square of
            // its residual.
            let first = match (whole, both) {
                (true, _) => 0,
                (false, true) => 2,
                (false, false) => 4,
            };
            STEPS[first..].iter().find_map(|step| {
                // Rounding alone moves a vanishing matrix by more than any share of its width.
                let bound = end + sign * (width * step + 4.0 * rounding);
                is_positive_definite(matrix, -sign, sign * bound, rounding).then_some(bound)
            })
        };
        let low = if both { prove(-1.0, ritz_low) } else { Some(f64::NEG_INFINITY) };
        let Some((low, high)) = low.zip(prove(1.0, ritz_high)) else {
            return Some(Self::unproved(ritz_low, ritz_high));
        };
        Some(Self { low, ritz_low, ritz_high, high, proof: Proof::Rigorous })
    }

    /// Nothing is known of a matrix that is not finite.
    fn nothing() -> Self {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { low, ritz_low: high, ritz_high: low, high, proof: Proof::Estimate }
    }
}

/// Lanczos steps: 120, or what a gigabyte of basis holds.
fn affordable(n: usize) -> usize {
    ((1 << 27) / n.max(1)).clamp(2, 120)
}

/// All n² entries of the operator.
pub(super) fn dense(operator: &mut Operator<'_>) -> Mat {
    let n = operator.dim;
    let mut out = Mat::zeros(n, n);
    for from in (0..n).step_by(64) {
        let width = 64.min(n - from);
        let units = Mat::from_fn(n, width, |i, j| f64::from(i == from + j));
        let mut columns = Mat::zeros(n, width);
        (operator.apply)(&units, &mut columns);
        for i in 0..n {
            (0..width).for_each(|j| out[(i, from + j)] = columns[(i, j)]);
        }
    }
    // Only the symmetric part matters, and the two triangles may differ in their last bits.
    out.symmetrise();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_enclose_the_spectrum_tightly() {
        for n in [1, 2, 30, 300] {
            let m = Mat::from_fn(n, n, |i, j| ((i * j + 2 * (i + j) + 1) as f64).sin());
            let values = symmetric_eigenvalues(&m).unwrap();
            let mut apply = |v: &Mat, out: &mut Mat| gramfold_linalg::multiply(1.0, &m, v, out);
            let mut operator =
                Operator { dim: n, apply: &mut apply, rounding: 1e-13 * m.norm(), stop: &never };
            let spectrum = Spectrum::of(&mut operator, 7);
            assert_eq!(spectrum.proof, Proof::Rigorous);
            assert!(spectrum.low < values[0] && values[n - 1] < spectrum.high);
            let width = values[n - 1] - values[0] + values[0].abs();
            assert!(spectrum.high - values[n - 1] < 1e-4 * width, "{n}: {spectrum:?}");
            assert!(values[0] - spectrum.low < 1e-4 * width, "{n}: {spectrum:?}");
        }
    }

    #[test]
    fn a_large_matrix_gets_a_probabilistic_bound() {
        let n = DENSE + 1;
        let mut apply = |v: &Mat, out: &mut Mat| {
            for i in 0..n {
                for j in 0..v.cols() {
                    out[(i, j)] = (i as f64 / n as f64 - 0.5) * v[(i, j)];
                }
            }
        };
        let mut operator = Operator { dim: n, apply: &mut apply, rounding: 1e-14, stop: &never };
        let spectrum = Spectrum::of(&mut operator, 7);
        assert!(matches!(spectrum.proof, Proof::Probabilistic { .. }));
        assert!(spectrum.low <= -0.5 && spectrum.high >= 0.4995 && spectrum.high < 0.55);
    }
}
