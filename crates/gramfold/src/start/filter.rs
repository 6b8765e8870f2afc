//! Many leading eigenvectors, roughly: a block of random vectors under a Chebyshev polynomial of M.

use std::ops::ControlFlow;

use gramfold_linalg::{Gram, Mat, multiply, symmetric_eigen};

use super::spectral::{GoOn, Opening, apply};
use crate::{Error, Problem};

/// Products of a block of random vectors with M before a look at its spectrum, and the degree of the
/// polynomial after it. A start needs directions, not eigenvectors: more products cost more than they save.
pub(crate) const POWERS: usize = 4;
pub(crate) const DEGREE: usize = 10;

/// Columns to spare where some measurements are all that is known.
const MEASURED: usize = 5;

/// Directions of the block that are smaller than this share of the largest are rounding.
const NEGLIGIBLE: f64 = 1e-12;

/// V·diag(√λ) for the leading eigenpairs, roughly; none if it was not let go on.
pub(crate) fn leading(
    problem: &Problem<'_>,
    opening: Opening,
    go_on: &mut GoOn<'_>,
) -> Result<Option<Mat>, Error> {
    let Opening { first, mut v, mut image, .. } = opening;
    drop(first);
    let (n, r, width) = (problem.dim(), problem.rank, v.cols());
    let mut done = 2;
    let mut multiply_by = |v: &Mat, image: &mut Mat| {
        apply(problem, v, image);
        done += 1;
        go_on(f64::from(done) / (POWERS + DEGREE + 1) as f64, width as u64)
    };
    for _ in 1..POWERS {
        let norm = image.norm();
        if norm > 0.0 && norm.is_finite() {
            image.scale(1.0 / norm);
        }
        std::mem::swap(&mut v, &mut image);
        if multiply_by(&v, &mut image).is_break() {
            return Ok(None);
        }
    }
    let mut gram = Gram::new(width);
    let mut pairs = ritz(&gram.of(&v, &v).clone(), gram.of(&v, &image)).ok_or(Error::Overflow)?;
    if let Some(ends) = unwanted(&pairs.values).filter(|_| problem.sees_all()) {
        let mut before = v;
        let Some(filtered) = filter(&mut multiply_by, ends, &mut before, image) else {
            return Ok(None);
        };
        (v, image) = (filtered, before);
        if multiply_by(&v, &mut image).is_break() {
            return Ok(None);
        }
        pairs = ritz(&gram.of(&v, &v).clone(), gram.of(&v, &image)).ok_or(Error::Overflow)?;
    }
    let mut x = Mat::zeros(n, r);
    multiply(1.0, &v, &pairs.scaled(r), &mut x);
    Ok(Some(x))
}

/// Columns of the block for a problem: a few to spare. Eigenvectors of what some measurements make of M are not those of the
/// answer: a few more columns are worth more than precise ones.
pub(crate) fn width(problem: &Problem<'_>) -> usize {
    let rank = problem.rank;
    if problem.sees_all() { rank + 2 + rank / 5 } else { rank + MEASURED }
}

/// The Ritz pairs of M in the span of V, largest first: values, and coefficients of vectors in V.
pub(crate) struct Ritz {
    pub(crate) values: Vec<f64>,
    pub(crate) coefficients: Mat,
}

impl Ritz {
    /// The C (of r columns) that makes V·C the matrix of vectors √λ·u, with nothing where λ ≤ 0.
    pub(crate) fn scaled(&self, r: usize) -> Mat {
        let width = self.coefficients.rows();
        let mut scaled = Mat::zeros(width, r);
        for (j, value) in self.values.iter().enumerate().take(r).filter(|(_, value)| **value > 0.0)
        {
            for i in 0..width {
                scaled[(i, j)] = self.coefficients[(i, j)] * value.sqrt();
            }
        }
        scaled
    }
}

/// Rayleigh and Ritz, given VᵀV and VᵀMV.
pub(crate) fn ritz(square: &Mat, projected: &Mat) -> Option<Ritz> {
    let width = square.cols();
    // V·T has orthonormal columns: T is WΛ^-½ for VᵀV = WΛWᵀ, without what is rounding.
    let basis = symmetric_eigen(square)?;
    let largest = basis.values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..width).filter(|&i| basis.values[i] > NEGLIGIBLE * largest).collect();
    let t = Mat::from_fn(width, kept.len(), |i, j| {
        basis.vectors[(kept[j], i)] / basis.values[kept[j]].sqrt()
    });
    let mut half = Mat::zeros(width, kept.len());
    multiply(1.0, projected, &t, &mut half);
    let mut reduced = Mat::zeros(kept.len(), kept.len());
    multiply(1.0, &t.transposed(), &half, &mut reduced);
    let mut pairs = symmetric_eigen(&reduced)?;
    let last = kept.len().wrapping_sub(1);
    let vectors = Mat::from_fn(kept.len(), kept.len(), |i, j| pairs.vectors[(last - j, i)]);
    pairs.values.reverse();
    let mut coefficients = Mat::zeros(width, kept.len());
    multiply(1.0, &t, &vectors, &mut coefficients);
    Some(Ritz { values: pairs.values, coefficients })
}

/// The part of the spectrum to be damped: up to the smallest Ritz value, from there or from −θ₁; none if it is all of the
/// spectrum. It reaches to −½θ₁ at least: for a short interval the polynomial would leave nothing but θ₁, or overflow.
pub(crate) fn unwanted(values: &[f64]) -> Option<(f64, f64)> {
    let (first, last) = (*values.first()?, *values.last()?);
    (first > 0.0 && last < 0.999 * first).then_some((last.min(-first), last.max(-0.5 * first)))
}

/// T(M)·V for the Chebyshev polynomial T of the interval, which is small on it and grows fast beyond, given
/// `image` = M·V; none if `multiply_by`, which applies M, asks to stop.
pub(crate) fn filter(
    multiply_by: &mut dyn FnMut(&Mat, &mut Mat) -> ControlFlow<()>,
    (low, high): (f64, f64),
    v: &mut Mat,
    mut image: Mat,
) -> Option<Mat> {
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low));
    image.zip(v, |image, v| (image - centre * v) / radius);
    let (mut now, mut image) = (image, Mat::zeros(v.rows(), v.cols()));
    let (scale, shift) = (2.0 / radius, 2.0 * centre / radius);
    for _ in 1..DEGREE {
        if multiply_by(&now, &mut image).is_break() {
            return None;
        }
        v.zip2(&image, &now, |before, image, now| scale * image - shift * now - before);
        std::mem::swap(v, &mut now);
    }
    let norm = now.norm();
    if norm > 0.0 && norm.is_finite() {
        now.scale(1.0 / norm);
    }
    Some(now)
}
