//! One convex block: min_X f(X·otherᵀ) + ½h(X) + (γ/2)‖X − centre‖².
//!
//! Because f(Z) = f(Zᵀ) there is one kind of block, used for X and for Y.

mod closed_form;
mod conjugate_gradient;
mod coordinate;
mod proximal_gradient;
mod rows;

pub use closed_form::ClosedForm;
pub use conjugate_gradient::ConjugateGradient;
pub use coordinate::Coordinate;
pub use proximal_gradient::ProximalGradient;
pub use rows::RowNewton;

use gramfold_linalg::{Mat, Order, multiply};

use crate::{BlockForm, Error, Problem, Regulariser, Shape, Side, loss::Evaluation, split::pull};

/// The block problem over one factor, the other held fixed.
pub struct BlockProblem<'b> {
    /// The evaluation, told where the other factor is.
    pub evaluation: &'b mut (dyn Evaluation + 'b),
    /// Which factor is free.
    pub side: Side,
    /// The factor held fixed.
    pub other: &'b Mat,
    /// Where γ pulls: the other factor, or that and a multiplier.
    pub centre: &'b Mat,
    /// γ.
    pub gamma: f64,
    /// h.
    pub regulariser: &'b dyn Regulariser,
}

impl BlockProblem<'_> {
    /// out ← the gradient of the smooth part, ∇f(X·otherᵀ)·other + γ(X − centre).
    pub fn gradient(&mut self, x: &Mat, out: &mut Mat) {
        match self.evaluation.block(self.side) {
            BlockForm::SharedGram { gram, linear } => {
                multiply(1.0, x, gram, out);
                out.axpy(-1.0, linear);
            }
            BlockForm::Quadratic(block) => {
                block.apply(x, out);
                out.axpy(-1.0, block.linear());
            }
            BlockForm::Rows(_) | BlockForm::Smooth => {
                self.evaluation.moved(self.side, x);
                let (x, y) = if self.side == Side::X { (x, self.other) } else { (self.other, x) };
                self.evaluation.block_gradient(self.side, x, y, out);
            }
        }
        pull(self.gamma, x, self.centre, out);
    }

    /// An upper bound on the curvature of the smooth part.
    pub fn curvature(&self) -> f64 {
        self.evaluation.lipschitz(self.side) + self.gamma
    }

    /// The block's objective at X.
    pub fn value(&mut self, x: &Mat) -> f64 {
        self.evaluation.moved(self.side, x);
        let f = match self.side {
            Side::X => self.evaluation.value(x, self.other),
            Side::Y => self.evaluation.value(self.other, x),
        };
        let distance = x.distance(self.centre);
        f + 0.5 * self.regulariser.value(x) + 0.5 * self.gamma * distance * distance
    }
}

/// A way to solve, or improve, a block.
pub trait BlockSolver: Send {
    /// Its name in messages.
    fn name(&self) -> &'static str;

    /// Refuses a problem whose blocks it cannot take, naming what is missing.
    fn check(&self, problem: &Problem<'_>) -> Result<(), Error>;

    /// Improves X in place.
    fn minimise(&mut self, block: &mut BlockProblem<'_>, x: &mut Mat);
}

/// The best solver that takes the blocks of a problem, to a relative tolerance.
pub fn solver_for(problem: &Problem<'_>, tolerance: f64) -> Box<dyn BlockSolver> {
    let (n, r) = (problem.dim(), problem.rank);
    let evaluation = problem.loss.evaluation(r);
    let form = evaluation.block(Side::X);
    let shared = matches!(form, BlockForm::SharedGram { .. });
    let quadratic = matches!(form, BlockForm::Quadratic(_));
    let rows = matches!(form, BlockForm::Rows(_));
    match problem.regulariser.shape() {
        Shape::Ridge { .. } if shared => Box::new(ClosedForm::new(n, r)),
        Shape::Ridge { .. } if quadratic => Box::new(ConjugateGradient::new(n, r, tolerance)),
        shape if rows && shape.is_separable() => Box::new(RowNewton::to_tolerance(tolerance)),
        shape if shared && shape.is_separable() => Box::new(Coordinate::to_tolerance(r, tolerance)),
        _ => Box::new(ProximalGradient::new(n, r, tolerance)),
    }
}

/// A solver that makes so many passes over the columns of a block.
pub fn sweeps_for(problem: &Problem<'_>, passes: usize, order: Order) -> Box<dyn BlockSolver> {
    let evaluation = problem.loss.evaluation(1);
    if matches!(evaluation.block(Side::X), BlockForm::Rows(_)) && order == Order::GaussSeidel {
        return Box::new(RowNewton::passes(passes));
    }
    Box::new(Coordinate::passes(problem.rank, passes, order))
}

/// Refuses a problem whose loss has no shared Gram.
fn needs_shared_gram(component: &'static str, problem: &Problem<'_>) -> Result<(), Error> {
    // The form does not depend on the rank, so the smallest evaluation tells it.
    match problem.loss.evaluation(1).block(Side::X) {
        BlockForm::SharedGram { .. } => Ok(()),
        _ => Err(problem.lacks_loss(component, "a loss with a shared Gram block form")),
    }
}
