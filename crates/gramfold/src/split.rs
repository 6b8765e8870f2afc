//! The state of a run: the pair (X, Y) and γ, with f evaluated at XYᵀ.

mod known;
mod residuals;

use gramfold_linalg::Mat;

use crate::{
    Error, Memory, Problem,
    block::BlockProblem,
    loss::{Evaluation, Line, Side},
};
use known::{Known, once};

/// A factor below this share of the loss's own scale counts as zero, in relative measures.
const NEGLIGIBLE: f64 = 1e-8;

/// A factor below this counts as zero where the loss has no scale: products of four entries are soon too small for
/// double precision.
const VANISHED: f64 = 1e-65;

/// No curvature is taken to be less than this: that of a factor which vanished, and its inverse is still a number.
const FLAT: f64 = 1e-200;

/// The split problem aBMF at (X, Y): F = f(XYᵀ) + ½h(X) + ½h(Y) + (γ/2)‖X − Y‖².
pub struct Split<'p> {
    problem: Problem<'p>,
    evaluation: Box<dyn Evaluation + 'p>,
    x: Mat,
    /// Y, and nothing where the factors are folded.
    y: Mat,
    /// Whether Y is X, to the last bit.
    folded: bool,
    /// Whether f was evaluated at these factors, and not followed along lines to them.
    fresh: bool,
    gamma: f64,
    /// Room for a step over one block.
    trial: Mat,
    known: Known,
    /// Columns that evaluations no longer held have multiplied by the data matrix.
    columns: u64,
}

impl<'p> Split<'p> {
    /// Evaluates f at (X, Y); both must have the problem's shape and be finite.
    pub fn new(problem: &Problem<'p>, x: Mat, y: Mat, gamma: f64) -> Result<Self, Error> {
        let (dim, rank) = (problem.dim(), problem.rank);
        check(problem, &x, &y)?;
        let mut evaluation = problem.loss.evaluation(rank);
        let folded = x == y;
        if folded {
            evaluation.folded(&x);
        } else {
            evaluation.moved(Side::X, &x);
            evaluation.moved(Side::Y, &y);
        }
        let trial = Mat::zeros(dim, rank);
        let known = Known::default();
        let problem = *problem;
        let y = if folded { nothing() } else { y };
        let fresh = true;
        Ok(Self { problem, evaluation, x, y, folded, fresh, gamma, trial, known, columns: 0 })
    }

    /// X and Y, once nothing else is needed.
    pub(crate) fn into_factors(self) -> (Mat, Mat) {
        let Self { x, y, folded, evaluation, trial, .. } = self;
        drop((evaluation, trial)); // Before anything is copied.
        let y = if folded { x.clone() } else { y };
        (x, y)
    }

    /// The problem.
    pub fn problem(&self) -> &Problem<'p> {
        &self.problem
    }

    /// X.
    pub fn x(&self) -> &Mat {
        &self.x
    }

    /// Y.
    pub fn y(&self) -> &Mat {
        if self.folded { &self.x } else { &self.y }
    }

    /// Whether X = Y to the last bit.
    pub fn is_folded(&self) -> bool {
        self.folded
    }

    /// γ.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Changes γ.
    pub fn set_gamma(&mut self, gamma: f64) {
        self.gamma = gamma;
    }

    /// f, evaluated at XYᵀ.
    pub fn evaluation(&self) -> &(dyn Evaluation + 'p) {
        &*self.evaluation
    }

    /// Lets `solve` improve one factor with the other fixed; γ pulls it to `centre`, or to the
    /// other factor.
    pub fn update(
        &mut self,
        side: Side,
        centre: Option<&Mat>,
        solve: impl FnOnce(&mut BlockProblem<'_>, &mut Mat),
    ) {
        if std::mem::take(&mut self.folded) {
            self.y = self.x.clone();
        }
        let (factor, other) = match side {
            Side::X => (&mut self.x, &self.y),
            Side::Y => (&mut self.y, &self.x),
        };
        let mut block = BlockProblem {
            evaluation: &mut *self.evaluation,
            side,
            other,
            centre: centre.unwrap_or(other),
            gamma: self.gamma,
            regulariser: self.problem.regulariser,
        };
        solve(&mut block, factor);
        self.evaluation.moved(side, factor);
        self.fresh = true;
        self.known = Known::default();
    }

    /// Lets `change` move both factors as one, which ends with X = Y.
    pub fn update_folded(&mut self, change: impl FnOnce(&mut Mat)) {
        change(&mut self.x);
        self.set_folded();
        self.evaluation.folded(&self.x);
        self.fresh = true;
        self.known = Known::default();
    }

    /// Y is X from now on.
    fn set_folded(&mut self) {
        (self.folded, self.y) = (true, nothing());
    }

    /// Puts other factors in the place of both, and gives those back; no Y stands for X. They must have the same shape and be
    /// finite.
    pub(crate) fn replace(&mut self, x: Mat, y: Option<Mat>) -> (Mat, Option<Mat>) {
        let had_y = !self.folded;
        let x = std::mem::replace(&mut self.x, x);
        self.folded = y.is_none();
        let y = std::mem::replace(&mut self.y, y.unwrap_or_else(nothing));
        if self.folded {
            self.evaluation.folded(&self.x);
        } else {
            self.evaluation.moved(Side::X, &self.x);
            self.evaluation.moved(Side::Y, &self.y);
        }
        self.fresh = true;
        self.known = Known::default();
        (x, had_y.then_some(y))
    }

    /// Gives X = Y the scale that minimises f(t·XXᵀ), where the loss can tell it at once; says whether it could.
    pub(crate) fn rescale(&mut self) -> bool {
        let Some(best) = self.evaluation.best_multiple(&self.x) else { return false };
        let scale = best.sqrt();
        self.x.scale(scale);
        self.set_folded();
        self.evaluation.rescaled(scale, &self.x);
        self.fresh = false;
        self.known = Known::default();
        true
    }

    /// Replaces both factors by their mean ½(X + Y).
    pub fn fold(&mut self) {
        if !self.folded {
            self.x.zip(&self.y, |x, y| 0.5 * (x + y));
        }
        self.update_folded(|_| {});
    }

    /// t ↦ f((X + tP)(X + tP)ᵀ), where the loss has it. X = Y is required.
    pub fn line(&mut self, p: &Mat) -> Option<Line<'_>> {
        self.evaluation.line(&self.x, p)
    }

    /// Moves both factors to X + tP, along the P of the last [`Split::line`].
    pub fn step_along(&mut self, t: f64, p: &Mat) {
        self.x.axpy(t, p);
        self.set_folded();
        self.evaluation.folded_along(t, &self.x);
        self.fresh = false;
        self.known = Known::default();
    }

    /// Stores what the factors do not tell of the evaluation.
    pub(crate) fn remember(&self, memory: &mut Memory) {
        self.evaluation.remember(memory);
    }

    /// Takes it back.
    pub(crate) fn recall(&mut self, memory: &Memory) {
        self.evaluation.recall(memory);
        self.fresh = false;
        self.known = Known::default();
    }

    /// f(XYᵀ).
    pub fn loss(&self) -> f64 {
        once(&self.known.loss, || self.evaluation.value(&self.x, self.y()))
    }

    /// F(X, Y; γ).
    pub fn objective(&self) -> f64 {
        let h = self.problem.regulariser;
        let regularisation = once(&self.known.regularisation, || {
            let of_x = h.value(&self.x);
            0.5 * (of_x + if self.folded { of_x } else { h.value(&self.y) })
        });
        self.loss() + regularisation + 0.5 * self.gamma * self.distance().powi(2)
    }

    /// ‖X − Y‖.
    pub fn distance(&self) -> f64 {
        if self.folded {
            return if self.norms().0.is_finite() { 0.0 } else { f64::NAN };
        }
        once(&self.known.distance, || self.x.distance(&self.y))
    }

    /// ‖X‖ and ‖Y‖.
    pub fn norms(&self) -> (f64, f64) {
        once(&self.known.norms, || {
            let x = self.x.norm();
            (x, if self.folded { x } else { self.y.norm() })
        })
    }

    /// Columns multiplied by the data matrix so far; r of them are one product A·Y.
    pub fn columns_multiplied(&self) -> u64 {
        self.columns + self.evaluation.columns_multiplied()
    }

    /// ‖X − Y‖/‖X‖.
    pub fn asymmetry(&self) -> f64 {
        relative(self.distance(), self.size())
    }

    /// The size that relative measures divide by: that of the larger factor, unless it vanished
    /// against the loss's scale.
    pub fn size(&self) -> f64 {
        let (x, y) = self.norms();
        size(x.max(y), self.problem.loss.constants().scale)
    }

    /// out ← ∇f(XYᵀ)Y (side X) or ∇f(XYᵀ)ᵀX (side Y).
    pub fn loss_gradient(&self, side: Side, out: &mut Mat) {
        self.evaluation.block_gradient(side, &self.x, self.y(), out);
    }

    /// out ← 2∇f(XXᵀ)X, the gradient of X ↦ f(XXᵀ). X = Y is required.
    pub fn folded_gradient(&self, out: &mut Mat) {
        self.loss_gradient(Side::X, out);
        out.scale(2.0);
    }
}

/// No matrix, and no memory.
fn nothing() -> Mat {
    Mat::zeros(0, 0)
}

/// Both factors must have the problem's shape and be finite.
pub(crate) fn check(problem: &Problem<'_>, x: &Mat, y: &Mat) -> Result<(), Error> {
    let (dim, rank) = (problem.dim(), problem.rank);
    for (what, factor) in [("factor X", x), ("factor Y", y)] {
        let (rows, cols) = (factor.rows(), factor.cols());
        if (rows, cols) != (dim, rank) {
            return Err(Error::Shape { what, rows, cols, dim, rank });
        }
        if !factor.is_finite() {
            return Err(Error::NotFinite { what });
        }
    }
    Ok(())
}

/// out ← out + γ(X − C). The difference comes first: γX − γC is all rounding where γ is large, and would swallow what is
/// in `out`.
pub(crate) fn pull(gamma: f64, x: &Mat, centre: &Mat, out: &mut Mat) {
    out.zip2(x, centre, |out, x, centre| out + gamma * (x - centre));
}

/// ½(X + Y).
pub(crate) fn mean(x: &Mat, y: &Mat) -> Mat {
    let mut answer = x.clone();
    answer.zip(y, |x, y| 0.5 * (x + y));
    answer
}

/// The larger of two lengths; NaN if one of them is.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// The size of a factor, unless it vanished against the loss's scale.
pub(crate) fn size(norm: f64, scale: f64) -> f64 {
    norm.max(NEGLIGIBLE * scale.sqrt())
}

/// The step of a residual, from what it is to outweigh. A factor that vanished has hardly a curvature, and where the loss has no
/// slope either, the inverse of both would be no number; zero where the curvature itself is beyond the numbers.
pub(crate) fn longest_step(curvature: f64) -> f64 {
    if curvature.is_finite() { 1.0 / curvature.max(FLAT) } else { 0.0 }
}

/// The length of a step from a point; without a step nothing is known of it.
pub(crate) fn length_of(moved: f64, step: f64) -> f64 {
    if step > 0.0 { moved } else { f64::INFINITY }
}

/// `part`/`whole`, with nothing over nothing being nothing.
pub(crate) fn relative(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole.max(VANISHED) }
}
