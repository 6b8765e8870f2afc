//! The start from leading eigenvectors, turned towards the nonnegative orthant where it must lie there.

use gramfold_linalg::{Gram, Mat, multiply, symmetric_eigen};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{fit, rotation};
use crate::{Error, Problem, loss::Structure, regulariser::Shape};

/// Products of a block of random vectors with M before a look at its spectrum, and the degree of the
/// polynomial after it. A start needs directions, not eigenvectors: more products cost more than they save.
pub(crate) const POWERS: usize = 4;
pub(crate) const DEGREE: usize = 10;

/// Directions of the block that are smaller than this share of the largest are rounding.
const NEGLIGIBLE: f64 = 1e-12;

/// How much noise is mixed in, relative to a typical entry: a column that starts at zero would stay there.
pub(crate) const MIXED: f64 = 1e-3;

/// The leading eigenpairs of M = −∇f(0) (A, for the quadratic loss), roughly: X = V·diag(√λ), the best
/// rank-r answer without constraints, by a few products of M with random vectors.
///
/// XQ is as good for every rotation Q. A nonnegative problem takes the one that points the axes at r rows
/// far apart, and then the nonnegative part; on graphs with clusters that is close to a good local minimum.
pub fn spectral(problem: &Problem<'_>, seed: u64) -> Result<Mat, Error> {
    let (n, r) = (problem.dim(), problem.rank);
    let width = (r + 2 + r / 5).min(n);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut v = Mat::from_fn(n, width, |_, _| if random.random() { 1.0 } else { -1.0 });
    let mut image = Mat::zeros(n, width);
    for _ in 0..POWERS {
        apply(problem, &v, &mut image);
        let norm = image.norm();
        if norm > 0.0 && norm.is_finite() {
            image.scale(1.0 / norm);
        }
        std::mem::swap(&mut v, &mut image);
    }
    apply(problem, &v, &mut image);
    let not_finite = || Error::NotFinite { what: "gradient at zero" };
    let mut gram = Gram::new(width);
    let pairs = ritz(&gram.of(&v, &v).clone(), gram.of(&v, &image)).ok_or_else(not_finite)?;
    let mut before = v;
    if let Some(ends) = unwanted(&pairs.values) {
        v = filter(problem, ends, &mut before, image);
        image = before;
        apply(problem, &v, &mut image);
    } else {
        v = before;
    }
    let pairs = ritz(&gram.of(&v, &v).clone(), gram.of(&v, &image)).ok_or_else(not_finite)?;
    let coefficients = pairs.scaled(r);
    let mut x = Mat::zeros(n, r);
    multiply(1.0, &v, &coefficients, &mut x);
    let nonnegative = problem.regulariser.shape() == Shape::Nonnegative;
    if nonnegative && let Some(turn) = rotation::towards_rows(&x) {
        let mut turned = Mat::zeros(n, r);
        multiply(1.0, &x, &turn, &mut turned);
        x = turned;
    }
    // Where nothing is positive, noise is all there is.
    let typical = (x.norm_squared() / (n * r) as f64).sqrt();
    let typical = if typical > 0.0 { typical } else { 1.0 };
    for value in x.as_mut_slice() {
        let noise = MIXED * typical * random.random::<f64>();
        *value = if nonnegative { value.max(0.0) + noise } else { *value + noise };
    }
    fit(problem, &mut x);
    Ok(x)
}

/// out ← M·v.
fn apply(problem: &Problem<'_>, v: &Mat, out: &mut Mat) {
    if let Structure::Frobenius(a) = problem.loss.structure() {
        return a.apply(v, out);
    }
    let zero = Mat::zeros(v.rows(), problem.rank);
    problem.loss.evaluation(problem.rank).apply_symmetric(&zero, &zero, v, out);
    out.scale(-1.0);
}

/// The Ritz pairs of M in the span of V, largest first: values, and coefficients of vectors in V.
pub(crate) struct Ritz {
    pub(crate) values: Vec<f64>,
    coefficients: Mat,
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

/// The part of the spectrum to be damped: from −θ₁ to the smallest Ritz value; none if that is all of it.
pub(crate) fn unwanted(values: &[f64]) -> Option<(f64, f64)> {
    let (first, last) = (*values.first()?, *values.last()?);
    (first > 0.0 && last < 0.999 * first && last > -first).then_some((-first, last))
}

/// T(M)·V for the Chebyshev polynomial T of the interval, which is small on it and grows fast beyond, given
/// `image` = M·V.
fn filter(problem: &Problem<'_>, (low, high): (f64, f64), v: &mut Mat, mut image: Mat) -> Mat {
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low));
    image.zip(v, |image, v| (image - centre * v) / radius);
    let (mut now, mut image) = (image, Mat::zeros(v.rows(), v.cols()));
    let (scale, shift) = (2.0 / radius, 2.0 * centre / radius);
    for _ in 1..DEGREE {
        apply(problem, &now, &mut image);
        v.zip2(&image, &now, |before, image, now| scale * image - shift * now - before);
        std::mem::swap(v, &mut now);
    }
    let norm = now.norm();
    if norm > 0.0 && norm.is_finite() {
        now.scale(1.0 / norm);
    }
    now
}
