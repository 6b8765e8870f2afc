//! Preconditioned conjugate gradients for a block that is a quadratic operator, from where the factor is.

use gramfold_linalg::Mat;

use super::{Block, BlockSolver};
use crate::{
    Error, Problem,
    loss::{BlockForm, Side},
    regulariser::Shape,
};

/// Solves (H + (γ + λ/2)I)X = B + γC by conjugate gradients, scaled row by row.
pub struct ConjugateGradient {
    tolerance: f64,
    steps: usize,
    scale: Vec<f64>,
    residual: Mat,
    scaled: Mat,
    direction: Mat,
    image: Mat,
}

impl ConjugateGradient {
    /// Room for n×r factors; ends when the residual is this share of the right-hand side's.
    pub fn new(dim: usize, rank: usize, tolerance: f64) -> Self {
        let zeros = || Mat::zeros(dim, rank);
        Self {
            tolerance,
            steps: 10 * dim * rank,
            scale: vec![1.0; dim],
            residual: zeros(),
            scaled: zeros(),
            direction: zeros(),
            image: zeros(),
        }
    }

    /// With at most this many steps a block.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }

    /// scaled ← residual over the preconditioner.
    fn precondition(&mut self) {
        self.scaled.copy_from(&self.residual);
        let cols = self.scaled.cols();
        let rows = self.scaled.as_mut_slice().chunks_exact_mut(cols);
        for (row, scale) in rows.zip(&self.scale) {
            for value in row {
                *value *= scale;
            }
        }
    }
}

impl BlockSolver for ConjugateGradient {
    fn name(&self) -> &'static str {
        "conjugate gradients"
    }

    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        let refused = |needs, problem| {
            Err(Error::Incompatible { component: "conjugate gradients", needs, problem })
        };
        if !matches!(problem.loss.evaluation(1).block(Side::X), BlockForm::Operator { .. }) {
            let loss = format!("the loss `{}`", problem.loss.name());
            return refused("a loss whose blocks are quadratic operators", loss);
        }
        match problem.regulariser.shape() {
            Shape::Ridge { .. } => Ok(()),
            _ => refused(
                "a ridge or no regulariser",
                format!("the regulariser `{}`", problem.regulariser.name()),
            ),
        }
    }

    fn minimise(&mut self, block: &mut Block<'_>, x: &mut Mat) {
        let (BlockForm::Operator { operator, linear, .. }, Shape::Ridge { lambda }) =
            (block.evaluation.block(block.side), block.regulariser.shape())
        else {
            unreachable!("invariant: `check` refused this problem")
        };
        let shift = block.gamma + 0.5 * lambda;
        operator.row_curvatures(&mut self.scale);
        self.scale.iter_mut().for_each(|value| *value = 1.0 / (*value + shift));
        // residual = B + γC − (H + shift)X.
        operator.apply(x, &mut self.image);
        self.residual.copy_from(linear);
        self.residual.axpy(block.gamma, block.centre);
        let goal = self.tolerance * self.residual.norm();
        self.residual.axpy(-1.0, &self.image);
        self.residual.axpy(-shift, x);
        self.precondition();
        self.direction.copy_from(&self.scaled);
        let mut along = self.residual.dot(&self.scaled);
        for _ in 0..self.steps {
            if self.residual.norm() <= goal {
                break;
            }
            operator.apply(&self.direction, &mut self.image);
            self.image.axpy(shift, &self.direction);
            let curvature = self.direction.dot(&self.image);
            if curvature <= 0.0 || !curvature.is_finite() {
                break; // Rounding has used up the last digit, or the data are not finite.
            }
            let step = along / curvature;
            x.axpy(step, &self.direction);
            self.residual.axpy(-step, &self.image);
            self.precondition();
            let next = self.residual.dot(&self.scaled);
            let ratio = next / along;
            along = next;
            self.direction.zip(&self.scaled, |d, s| s + ratio * d);
        }
    }
}
