//! Column sweeps over a shared-Gram block with a separable regulariser.

use gramfold_linalg::{Mat, Order, Overshoot, Prox, Rows, Sweep};

use super::{BlockProblem, BlockSolver, needs_shared_gram};
use crate::{BlockForm, Error, Problem, Shape};

/// Passes over columns: one is a HAM step, many to a tolerance are an AM step.
pub struct Coordinate {
    sweep: Sweep,
    gram: Mat,
}

impl Coordinate {
    /// `passes` passes in the given order.
    pub fn passes(rank: usize, passes: usize, order: Order) -> Self {
        Self::new(rank, Sweep { order, passes, tolerance: 0.0 })
    }

    /// Gauss–Seidel passes until a pass changes less than `tolerance`, relative to the factor.
    pub fn to_tolerance(rank: usize, tolerance: f64) -> Self {
        Self::new(rank, Sweep { order: Order::GaussSeidel, passes: 10_000, tolerance })
    }

    fn new(rank: usize, sweep: Sweep) -> Self {
        Self { sweep, gram: Mat::zeros(rank, rank) }
    }

    /// Minimises over X, and goes beyond: X ← prox(M + weight·(M − last)), last ← M.
    pub fn minimise_beyond(
        &mut self,
        block: &mut BlockProblem<'_>,
        x: &mut Mat,
        beyond: Overshoot<'_>,
    ) {
        self.sweep(block, x, Some(beyond));
    }

    fn sweep(&mut self, block: &mut BlockProblem<'_>, x: &mut Mat, beyond: Option<Overshoot<'_>>) {
        let BlockForm::SharedGram { gram, linear } = block.evaluation.block(block.side) else {
            unreachable!("invariant: `check` refused this problem")
        };
        self.gram.copy_from(gram);
        for i in 0..x.cols() {
            self.gram[(i, i)] += block.gamma;
        }
        // The block carries ½h, so a step of the sweep is half a step of h.
        let custom = |values: &mut [f64], step| block.regulariser.prox(values, 1, 0.5 * step);
        let prox = match block.regulariser.shape() {
            Shape::Ridge { lambda: 0.0 } => Prox::Nothing,
            Shape::Nonnegative => Prox::Nonnegative,
            _ => Prox::Custom(&custom),
        };
        let (curvature, centre) = (&self.gram, block.centre);
        let rows = Rows { curvature, linear, gamma: block.gamma, centre, prox };
        match beyond {
            None => self.sweep.run(x, rows),
            Some(beyond) => self.sweep.run_beyond(x, rows, beyond),
        }
    }
}

impl BlockSolver for Coordinate {
    fn name(&self) -> &'static str {
        "coordinate sweeps"
    }

    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        needs_shared_gram(self.name(), problem)?;
        if problem.regulariser.shape().is_separable() {
            return Ok(());
        }
        Err(problem.lacks_regulariser(self.name(), "a separable regulariser"))
    }

    fn minimise(&mut self, block: &mut BlockProblem<'_>, x: &mut Mat) {
        self.sweep(block, x, None);
    }
}
