//! The start from leading eigenvectors, turned towards the nonnegative orthant where it must lie there.

use std::ops::ControlFlow;

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
    let whole = Block::draw(problem, seed).leading(problem, &mut |_, _| ControlFlow::Continue(()));
    Ok(whole?.expect("invariant: nothing stops it"))
}

/// The random block that a spectral start is made from, and its product with M.
pub(crate) struct Block {
    v: Mat,
    image: Mat,
    rank: usize,
    random: Xoshiro256PlusPlus,
}

/// Asked after each product, with the share of the work that is done and the products so far, whether to go on.
type GoOn<'a> = dyn FnMut(f64, f64) -> ControlFlow<()> + 'a;

impl Block {
    /// Draws it: nonnegative for a nonnegative problem, so that its first columns are a start themselves.
    pub(crate) fn draw(problem: &Problem<'_>, seed: u64) -> Self {
        let (n, rank) = (problem.dim(), problem.rank);
        let width = width(rank).min(n);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let nonnegative = problem.regulariser.shape() == Shape::Nonnegative;
        let v = Mat::from_fn(n, width, |_, _| {
            if nonnegative {
                random.random()
            } else if random.random() {
                1.0
            } else {
                -1.0
            }
        });
        let mut image = Mat::zeros(n, width);
        apply(problem, &v, &mut image);
        Self { v, image, rank, random }
    }

    /// Products with M so far, counted in columns over the rank.
    pub(crate) fn products(&self) -> f64 {
        self.v.cols() as f64 / self.rank as f64
    }

    /// The first columns, scaled as [`super::random`] scales, and f there; for ½‖A − XXᵀ‖² over X ≥ 0 alone, where
    /// that costs next to nothing.
    pub(crate) fn random(&self, problem: &Problem<'_>) -> Option<(Mat, f64)> {
        let quadratic = matches!(problem.loss.structure(), Structure::Frobenius(_));
        let (n, r) = (self.v.rows(), self.rank.min(self.v.cols()));
        if !quadratic || problem.regulariser.shape() != Shape::Nonnegative || r < self.rank {
            return None;
        }
        let mut gram = Gram::new(self.v.cols());
        let along: f64 = {
            let projected = gram.of(&self.v, &self.image);
            (0..r).map(|j| projected[(j, j)]).sum()
        };
        let square = gram.of(&self.v, &self.v);
        let size: f64 = (0..r * r).map(|at| square[(at / r, at % r)].powi(2)).sum();
        let scale = along / size;
        if !(scale > 0.0 && scale.is_finite()) {
            return None;
        }
        let factor = Mat::from_fn(n, r, |i, j| scale.sqrt() * self.v[(i, j)]);
        Some((factor, problem.loss.at_zero() - 0.5 * scale * along))
    }

    /// The start; none if it was not let go on.
    pub(crate) fn leading(
        self,
        problem: &Problem<'_>,
        go_on: &mut GoOn<'_>,
    ) -> Result<Option<Mat>, Error> {
        let Self { mut v, mut image, rank: r, mut random } = self;
        let (n, width) = (v.rows(), v.cols());
        let mut done = 1;
        let mut multiply_by = |v: &Mat, image: &mut Mat| {
            apply(problem, v, image);
            done += 1;
            let share = f64::from(done) / (POWERS + DEGREE + 2) as f64;
            go_on(share, f64::from(done) * width as f64 / r as f64)
        };
        for _ in 0..POWERS {
            let norm = image.norm();
            if norm > 0.0 && norm.is_finite() {
                image.scale(1.0 / norm);
            }
            std::mem::swap(&mut v, &mut image);
            if multiply_by(&v, &mut image).is_break() {
                return Ok(None);
            }
        }
        let not_finite = || Error::NotFinite { what: "gradient at zero" };
        let mut gram = Gram::new(width);
        let mut pairs =
            ritz(&gram.of(&v, &v).clone(), gram.of(&v, &image)).ok_or_else(not_finite)?;
        if let Some(ends) = unwanted(&pairs.values) {
            let mut before = v;
            let Some(filtered) = filter(&mut multiply_by, ends, &mut before, image) else {
                return Ok(None);
            };
            (v, image) = (filtered, before);
            if multiply_by(&v, &mut image).is_break() {
                return Ok(None);
            }
            pairs = ritz(&gram.of(&v, &v).clone(), gram.of(&v, &image)).ok_or_else(not_finite)?;
        }
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
        Ok(Some(x))
    }
}

/// Columns of the block for a rank: a few to spare.
pub(crate) fn width(rank: usize) -> usize {
    rank + 2 + rank / 5
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
/// `image` = M·V; none if `multiply_by`, which applies M, asks to stop.
fn filter(
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
