//! The exact minimiser of a quadratic block: X(Q + (γ + λ/2)I) = B + γC.

use gramfold_linalg::{Ldl, Mat, accumulate};

use super::{BlockProblem, BlockSolver, needs_shared_gram};
use crate::{BlockForm, Error, Problem, Shape};

/// Solves the normal equations of a shared-Gram block with ridge or no regulariser.
pub struct ClosedForm {
    step: Mat,
    ldl: Ldl,
}

impl ClosedForm {
    /// Room for n×r factors.
    pub fn new(dim: usize, rank: usize) -> Self {
        Self { step: Mat::zeros(dim, rank), ldl: Ldl::new(rank) }
    }
}

impl BlockSolver for ClosedForm {
    fn name(&self) -> &'static str {
        "closed form"
    }

    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        needs_shared_gram(self.name(), problem)?;
        match problem.regulariser.shape() {
            Shape::Ridge { .. } => Ok(()),
            _ => Err(problem.lacks_regulariser(self.name(), "a ridge or no regulariser")),
        }
    }

    fn minimise(&mut self, block: &mut BlockProblem<'_>, x: &mut Mat) {
        let (BlockForm::SharedGram { gram, linear }, Shape::Ridge { lambda }) =
            (block.evaluation.block(block.side), block.regulariser.shape())
        else {
            unreachable!("invariant: `check` refused this problem")
        };
        // X = C + (B − CQ − (λ/2)C)·(Q + (γ + λ/2)I)⁻¹. Stepping from the centre C loses no digits
        // when γ is large, and gives x = y − (Cy)/γ to the last bit in the paper's first example.
        self.step.copy_from(linear);
        accumulate(-1.0, block.centre, gram, &mut self.step);
        if lambda != 0.0 {
            self.step.axpy(-0.5 * lambda, block.centre);
        }
        if self.ldl.factorise(gram, block.gamma + 0.5 * lambda) {
            self.ldl.solve_rows(&mut self.step);
        } else {
            // Only overflow or NaN get here, since γ > 0: let divergence be seen, not hidden.
            self.step.as_mut_slice().fill(f64::NAN);
        }
        x.copy_from(block.centre);
        x.axpy(1.0, &self.step);
    }
}
