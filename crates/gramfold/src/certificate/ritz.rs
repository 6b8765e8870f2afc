//! Ritz pairs, and where they are looked for: in a Krylov space, beside columns that are nearly known, near a factor.

use gramfold_linalg::{Gram, Krylov, KrylovOptions, Mat, Symmetric, accumulate, multiply};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{chebyshev, leading::Leading, spectrum::Operator};
use crate::start;

/// What the start of Lanczos vectors beside others is drawn from.
const STARTS: u64 = 3;

/// Residuals of Lanczos vectors beside others, relative to the norm of the matrix, at most.
const NEAR: f64 = 1e-3;

/// Numbers that all blocks of the space may hold that X and random columns span with their products.
const LARGEST: usize = 1 << 25;

impl Leading {
    /// By Lanczos from a random vector.
    pub fn by_lanczos(operator: &mut Operator<'_>, options: KrylovOptions) -> Option<Self> {
        let mut krylov = Krylov::new(operator.dim, 1);
        let ritz = krylov.run_until(operator.stop, operator.apply, None, options)?;
        let vectors = ritz.vectors.transposed();
        let mut image = Mat::zeros(vectors.rows(), vectors.cols());
        (operator.apply)(&vectors, &mut image);
        let beyond = *ritz.values.last()?;
        Some(Self { values: ritz.values, vectors, image, lowest: ritz.lowest, beyond })
    }

    /// In the span of some columns, which is thought to be near that of leading eigenvectors, and of Lanczos vectors beside it: those find
    /// an eigenvalue that is there many times only once.
    pub fn beside(
        operator: &mut Operator<'_>,
        known: &Mat,
        options: KrylovOptions,
    ) -> Option<Self> {
        let n = operator.dim;
        let inside = Self::within(operator, known.clone(), 0.0)?;
        let vectors = &inside.vectors;
        let mut gram = Gram::new(vectors.cols());
        let mut start = chebyshev::widened(&chebyshev::draw(n, STARTS));
        accumulate(-1.0, vectors, &gram.of(vectors, &start).clone(), &mut start);
        let mut image = Mat::zeros(n, start.cols());
        (operator.apply)(&start, &mut image);
        // Rounding brings the known vectors back: they are sent to the far end of the spectrum.
        let far = 2.0 * image.norm() / start.norm();
        let start: Vec<f64> = start.column(0).collect();
        let mut along = Mat::zeros(vectors.cols(), 1);
        let mut apply = |v: &Mat, out: &mut Mat| {
            (operator.apply)(v, out);
            along.copy_from(gram.of(vectors, out));
            along.axpy(far, gram.of(vectors, v));
            accumulate(-1.0, vectors, &along, out);
        };
        let mut krylov = Krylov::new(n, 1);
        let ritz = krylov.run_until(operator.stop, &mut apply, Some(&start), options)?;
        // Those far from eigenvectors would only say that less is beside them than there is.
        let scale = ritz.values.first().copied().unwrap_or(0.0).abs().max(ritz.lowest.abs());
        let near: Vec<usize> =
            (0..ritz.values.len()).filter(|&j| ritz.residuals[j] <= NEAR * scale).collect();
        let old = inside.vectors.cols();
        let all = Mat::from_fn(n, old + near.len(), |i, j| {
            if j < old { inside.vectors[(i, j)] } else { ritz.vectors[(near[j - old], i)] }
        });
        Self::within(operator, all, ritz.lowest)
    }

    /// In the span of some columns.
    fn within(operator: &mut Operator<'_>, columns: Mat, lowest: f64) -> Option<Self> {
        let mut image = Mat::zeros(columns.rows(), columns.cols());
        (operator.apply)(&columns, &mut image);
        let Self { vectors, .. } = Self::of_span(columns, &image, lowest)?;
        // Once more: they are orthonormal to the last digits now, and so are Ritz pairs.
        let mut image = Mat::zeros(vectors.rows(), vectors.cols());
        (operator.apply)(&vectors, &mut image);
        Self::of_span(vectors, &image, lowest)
    }

    /// Of the span of some columns, given A times them.
    fn of_span(columns: Mat, image: &Mat, lowest: f64) -> Option<Self> {
        let mut gram = Gram::new(columns.cols());
        let square = gram.of(&columns, &columns).clone();
        let pairs = start::ritz(&square, gram.of(&columns, image))?;
        let turned = |m: &Mat| {
            let mut out = Mat::zeros(m.rows(), pairs.values.len());
            multiply(1.0, m, &pairs.coefficients, &mut out);
            out
        };
        let vectors = turned(&columns);
        drop(columns); // All of these are large.
        let beyond = *pairs.values.last()?;
        Some(Self { image: turned(image), vectors, values: pairs.values, lowest, beyond })
    }
}

/// In the span of V, AV, …, for V = X and some random columns: a good factor has the leading eigenvectors nearly in its span. As
/// many pairs as are wanted, or fewer where the space has no more. The spectrum of A − XXᵀ is thought to be between the ends.
pub(super) fn near(
    a: &Symmetric,
    x: &Mat,
    wanted: usize,
    blocks: usize,
    (lowest, highest): (f64, f64),
    stop: &dyn Fn() -> bool,
) -> Option<Leading> {
    let n = x.rows();
    // The dense eigenproblem of the space is to cost about as much as its products.
    let affordable = (a.stored() as f64).sqrt() as usize / wanted;
    let blocks = affordable.min(n / wanted).min(LARGEST / (n * wanted)).clamp(1, blocks);
    let first = opening(x, wanted);
    let mut vectors = Mat::zeros(n, wanted);
    a.apply(&first, &mut vectors);
    let ratio = vectors.norm() / first.norm();
    let scale = if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
    vectors.scale(1.0 / scale);
    let mut space = start::Space::new(first, vectors, scale);
    for _ in 1..blocks {
        if stop() {
            return None;
        }
        let mut image = Mat::zeros(n, wanted);
        a.apply(space.last(), &mut image);
        space.push(image);
    }
    let pairs = space.ritz()?;
    let found = pairs.values.len().min(wanted);
    let vectors = space.combined(&Mat::from_fn(pairs.coefficients.rows(), found, |i, j| {
        pairs.coefficients[(i, j)]
    }));
    drop(space);
    let mut image = Mat::zeros(n, found);
    a.apply(&vectors, &mut image);
    // Once more in their own span: they are orthonormal to the last digits now, and so are Ritz pairs.
    let found = Leading::of_span(vectors, &image, lowest)?;
    let beyond = found.beyond.min(highest);
    Some(Leading { beyond, ..found })
}

/// X and random columns as large as its own, which also take the place of those that are zero.
pub(super) fn opening(x: &Mat, width: usize) -> Mat {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let typical = (x.norm_squared() / (x.rows() * x.cols()) as f64).sqrt();
    let typical = if typical > 0.0 { typical } else { 1.0 };
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let given: Vec<bool> = (0..x.cols()).map(|j| x.column(j).any(|entry| entry != 0.0)).collect();
    let is_given = |j: usize| given.get(j).is_some_and(|given| *given);
    Mat::from_fn(x.rows(), width, |i, j| if is_given(j) { x[(i, j)] } else { typical * normal() })
}
