//! Preconditioned conjugate gradients for a block that is a quadratic operator, from where the factor is.

use gramfold_linalg::{ConjugateGradients, Mat, Reach, System};

use super::{BlockProblem, BlockSolver};
use crate::{BlockForm, Error, Problem, Shape, Side, loss::QuadraticBlock};

/// Solves (H + (γ + λ/2)I)X = B + γC by conjugate gradients, scaled row by row.
pub struct ConjugateGradient {
    tolerance: f64,
    scale: Vec<f64>,
    solver: ConjugateGradients,
}

impl ConjugateGradient {
    /// Room for n×r factors; ends when the residual is this share of the right-hand side's.
    pub fn new(dim: usize, rank: usize, tolerance: f64) -> Self {
        let solver = ConjugateGradients::new(dim, rank);
        Self { tolerance, scale: vec![1.0; dim], solver }
    }
}

/// H + shift·I, scaled row by row.
struct Shifted<'a> {
    operator: &'a dyn QuadraticBlock,
    shift: f64,
    scale: &'a [f64],
    goal: f64,
}

impl System for Shifted<'_> {
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
        self.operator.apply(v, out);
        out.axpy(self.shift, v);
        v.dot(out)
    }

    fn row_weights(&self) -> Option<&[f64]> {
        Some(self.scale)
    }

    fn is_solved(&mut self, residual: &Mat, _: f64, _: f64) -> bool {
        residual.norm() <= self.goal
    }
}

impl BlockSolver for ConjugateGradient {
    fn name(&self) -> &'static str {
        "conjugate gradients"
    }

    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        if !matches!(problem.loss.evaluation(1).block(Side::X), BlockForm::Quadratic(_)) {
            let needs = "a loss whose blocks are quadratic operators";
            return Err(problem.lacks_loss(self.name(), needs));
        }
        match problem.regulariser.shape() {
            Shape::Ridge { .. } => Ok(()),
            _ => Err(problem.lacks_regulariser(self.name(), "a ridge or no regulariser")),
        }
    }

    fn minimise(&mut self, block: &mut BlockProblem<'_>, x: &mut Mat) {
        let (BlockForm::Quadratic(operator), Shape::Ridge { lambda }) =
            (block.evaluation.block(block.side), block.regulariser.shape())
        else {
            unreachable!("invariant: `check` refused this problem")
        };
        let shift = block.gamma + 0.5 * lambda;
        operator.row_curvatures(&mut self.scale);
        self.scale.iter_mut().for_each(|value| *value = 1.0 / (*value + shift));
        let mut system = Shifted { operator, shift, scale: &self.scale, goal: 0.0 };
        let mut right = operator.linear().clone();
        right.axpy(block.gamma, block.centre);
        system.goal = self.tolerance * right.norm();
        let start = x.clone();
        let reach = Reach::products(10 * x.as_slice().len());
        self.solver.solve(x, reach, &mut system, |system, residual| {
            // B + γC − (H + shift)X.
            system.product(&start, residual);
            residual.zip(&right, |image, right| right - image);
        });
    }
}
