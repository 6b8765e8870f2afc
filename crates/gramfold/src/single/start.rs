//! The starts of [`crate::start`], made in single precision: the same draws, so nearly the same starts.

use gramfold_linalg::{Csr, Mat, Single, multiply};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::matrix_of;
use crate::{
    Error, Problem,
    start::{
        Start,
        filter::{DEGREE, POWERS, Ritz, ritz, unwanted, width},
        rotation,
        spectral::MIXED,
    },
    tall::{quadratic_form, square},
};

/// X₀, scaled so that t ↦ ½‖A − t·X₀X₀ᵀ‖² is smallest at t = 1.
pub fn factor(problem: &Problem<'_>, start: Start, seed: u64) -> Result<Single, Error> {
    let a = matrix_of(problem)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut x = match start {
        Start::Random => Mat::from_fn(problem.dim(), problem.rank, |_, _| random.random()),
        Start::Spectral => spectral(a, problem.rank, &mut random)?,
    };
    let crate::loss::Structure::Frobenius(matrix) = problem.loss.structure() else {
        return Err(Error::NotFinite { what: "gradient at zero" });
    };
    let best = quadratic_form(matrix, &x) / square(&x).norm_squared();
    let fallback = 0.01 * problem.loss.constants().scale / x.norm_squared();
    x.scale(if best > 0.0 && best.is_finite() { best } else { fallback }.sqrt());
    Ok(Single::nearest(&x))
}

/// Leading eigenvectors, roughly, turned towards the nonnegative orthant and cut off there.
fn spectral(a: &Csr<f32>, r: usize, random: &mut Xoshiro256PlusPlus) -> Result<Mat, Error> {
    let n = a.dim();
    let width = width(r).min(n);
    let v = Single::from_fn(n, width, |_, _| random.random::<f64>() as f32);
    let (v, pairs) = leading(a, v).ok_or(Error::NotFinite { what: "gradient at zero" })?;
    let coefficients = pairs.scaled(r);
    let mut x = v.times(&coefficients);
    if let Some(turn) = rotation::towards_rows(&x) {
        drop(x);
        let mut turned = Mat::zeros(width, r);
        multiply(1.0, &coefficients, &turn, &mut turned);
        x = v.times(&turned);
    }
    drop(v);
    let typical = (x.norm_squared() / (n * r) as f64).sqrt();
    let typical = if typical > 0.0 { typical } else { 1.0 };
    for value in x.as_mut_slice() {
        *value = value.max(0.0) + MIXED * typical * random.random::<f64>();
    }
    Ok(x)
}

/// A block that nearly spans the leading eigenvectors, and the Ritz pairs in it. Three blocks are held.
fn leading(a: &Csr<f32>, mut v: Single) -> Option<(Single, Ritz)> {
    let mut image = Single::zeros(v.rows(), v.cols());
    for _ in 0..POWERS {
        a.apply_single(&v, &mut image);
        normalise(&mut image);
        std::mem::swap(&mut v, &mut image);
    }
    a.apply_single(&v, &mut image);
    let pairs = ritz(&v.gram(&v), &v.gram(&image))?;
    let Some((low, high)) = unwanted(&pairs.values) else { return Some((v, pairs)) };
    // The Chebyshev polynomial of the interval, as for the start in `f64`.
    let (centre, radius) = ((0.5 * (low + high)) as f32, (0.5 * (high - low)) as f32);
    image.zip(&v, |image, v| (image - centre * v) / radius);
    let (mut now, mut next) = (image, Single::zeros(v.rows(), v.cols()));
    for _ in 1..DEGREE {
        a.apply_single(&now, &mut next);
        next.zip(&now, |image, now| 2.0 * (image - centre * now) / radius);
        next.zip(&v, |next, v| next - v);
        std::mem::swap(&mut v, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    drop(v);
    normalise(&mut now);
    a.apply_single(&now, &mut next);
    let pairs = ritz(&now.gram(&now), &now.gram(&next))?;
    Some((now, pairs))
}

/// Makes one the largest entry of a block, far from overflow.
fn normalise(block: &mut Single) {
    let largest = block.as_slice().iter().fold(0.0_f32, |m, v| m.max(v.abs()));
    if largest > 0.0 && largest.is_finite() {
        block.scale(1.0 / largest);
    }
}
