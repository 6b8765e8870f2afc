//! The start from leading eigenvectors, turned towards the nonnegative orthant where it must lie there.

use std::ops::ControlFlow;

use gramfold_linalg::{Mat, dot, multiply};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{filter, fit, krylov, make_feasible, rotation};
use crate::{Error, Problem, regulariser::Shape};

/// How much noise is mixed in, relative to a typical entry: a column that starts at zero would stay there.
pub(crate) const MIXED: f64 = 1e-3;

/// The leading eigenpairs of M = −∇f(0) (A, for the quadratic loss), roughly: X = V·diag(√λ), the best
/// rank-r answer without constraints, by a few products of M with random vectors.
///
/// XQ is as good for every rotation Q. A nonnegative problem takes the one that points the axes at r rows
/// far apart, and then the nonnegative part; on graphs with clusters that is close to a good local minimum.
pub fn spectral(problem: &Problem<'_>, seed: u64) -> Result<Mat, Error> {
    let whole = Spectral::begin(problem, seed).finish(&mut |_, _| ControlFlow::Continue(()));
    let mut x = whole?.expect("invariant: nothing stops it");
    fit(problem, &mut x);
    Ok(x)
}

/// Asked after each product, with the share of the work that is done and the columns that were multiplied, whether to
/// go on.
pub(crate) type GoOn<'a> = dyn FnMut(f64, u64) -> ControlFlow<()> + 'a;

/// A spectral start that is being made: two products are done.
pub(crate) struct Spectral<'p> {
    problem: &'p Problem<'p>,
    random: Xoshiro256PlusPlus,
    opening: Opening,
}

/// Random vectors V₀, V₁ = M·V₀/s with ‖V₁‖ = ‖V₀‖, and M·V₁.
pub(crate) struct Opening {
    pub(crate) first: Mat,
    pub(crate) v: Mat,
    pub(crate) image: Mat,
    pub(crate) scale: f64,
}

impl<'p> Spectral<'p> {
    /// Takes the first steps.
    pub(crate) fn begin(problem: &'p Problem<'p>, seed: u64) -> Self {
        let (n, rank) = (problem.dim(), problem.rank);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let few = krylov::is_cheaper(problem);
        let width = if few { rank } else { filter::width(problem) };
        let first = draw(problem, width.min(n), &mut random);
        let mut v = Mat::zeros(n, first.cols());
        apply(problem, &first, &mut v);
        let ratio = v.norm() / first.norm();
        let scale = if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
        v.scale(1.0 / scale);
        let mut image = Mat::zeros(n, v.cols());
        apply(problem, &v, &mut image);
        Self { problem, random, opening: Opening { first, v, image, scale } }
    }

    /// Columns multiplied by M so far.
    pub(crate) fn columns_multiplied(&self) -> u64 {
        2 * self.opening.v.cols() as u64
    }

    /// What is known already, as an answer.
    pub(crate) fn rough(&self) -> Option<Rough> {
        Rough::of(self.problem, &self.opening)
    }

    /// The start, still to be scaled ([`Split::rescale`](crate::Split)) for ½‖A − Z‖²; none if it was not let go on.
    pub(crate) fn finish(self, go_on: &mut GoOn<'_>) -> Result<Option<Mat>, Error> {
        let Self { problem, mut random, opening } = self;
        let leading = if krylov::is_cheaper(problem) {
            krylov::leading(problem, opening, go_on)?
        } else {
            filter::leading(problem, opening, go_on)?
        };
        let Some(mut x) = leading else { return Ok(None) };
        let (n, r) = (problem.dim(), problem.rank);
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
        if problem.sees_all() {
            make_feasible(problem, &mut x);
        } else {
            fit(problem, &mut x);
        }
        Ok(Some(x))
    }
}

/// One column among zeros: √θ·u, with u = V₁·1 (a step of the power method) made a unit vector, and θ = uᵀAu.
pub(crate) struct Rough {
    column: Vec<f64>,
    /// ‖X‖.
    pub(crate) norm: f64,
    /// f there.
    pub(crate) loss: f64,
}

impl Rough {
    /// For ½‖A − XXᵀ‖² over X ≥ 0 alone, where it costs next to nothing (f is ½‖A‖² − ½θ²), and where u is nonnegative.
    fn of(problem: &Problem<'_>, opening: &Opening) -> Option<Self> {
        if !problem.sees_all() || problem.regulariser.shape() != Shape::Nonnegative {
            return None;
        }
        let sums = |m: &Mat| -> Vec<f64> {
            m.as_slice().chunks_exact(m.cols()).map(|row| row.iter().sum()).collect()
        };
        let (mut column, image) = (sums(&opening.v), sums(&opening.image));
        let square = dot(&column, &column);
        let value = dot(&column, &image) / square;
        if column.iter().any(|u| *u < 0.0) || !(value > 0.0 && value.is_finite()) {
            return None;
        }
        let scale = (value / square).sqrt();
        for u in &mut column {
            *u *= scale;
        }
        let loss = problem.loss.at_zero() - 0.5 * value * value;
        Some(Self { column, norm: value.sqrt(), loss })
    }

    /// X.
    pub(crate) fn factor(self, rank: usize) -> Mat {
        Mat::from_fn(self.column.len(), rank, |i, j| if j == 0 { self.column[i] } else { 0.0 })
    }
}

/// Random vectors to begin with: nonnegative for a nonnegative problem, where the first eigenvector mostly is.
fn draw(problem: &Problem<'_>, count: usize, random: &mut Xoshiro256PlusPlus) -> Mat {
    let nonnegative = problem.regulariser.shape() == Shape::Nonnegative;
    Mat::from_fn(problem.dim(), count, |_, _| {
        if nonnegative {
            random.random()
        } else if random.random() {
            1.0
        } else {
            -1.0
        }
    })
}

/// out ← M·v.
pub(crate) fn apply(problem: &Problem<'_>, v: &Mat, out: &mut Mat) {
    problem.loss.pull(v, out);
}
