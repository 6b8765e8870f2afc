//! AM and HAM: X from Y, then Y from X. They differ in how far each block is solved.

use gramfold_linalg::Order;

use super::Algorithm;
use crate::{
    Error, Problem, Side, Split,
    block::{BlockSolver, solver_for, sweeps_for},
};

/// How far each block is solved.
#[derive(Clone, Copy, Debug)]
enum Depth {
    Tolerance(f64),
    Passes(usize, Order),
}

/// Alternating minimisation over X and Y.
pub struct Alternating {
    name: &'static str,
    depth: Depth,
    solver: Option<Box<dyn BlockSolver>>,
}

impl Alternating {
    /// AM (eq. 6): X_k = argmin F(·, Y_{k−1}; γ), then Y_k = argmin F(X_k, ·; γ), each to a relative
    /// tolerance where there is no closed form.
    pub fn am(tolerance: f64) -> Self {
        Self { name: "am", depth: Depth::Tolerance(tolerance), solver: None }
    }

    /// HAM (eq. 7) as it must be run: passes of Gauss–Seidel over the columns of each block.
    pub fn ham(passes: usize) -> Self {
        Self { name: "ham", depth: Depth::Passes(passes, Order::GaussSeidel), solver: None }
    }

    /// HAM as printed, which is Jacobi over columns and does not descend.
    pub fn ham_as_printed() -> Self {
        Self { name: "ham-jacobi", depth: Depth::Passes(1, Order::Jacobi), solver: None }
    }
}

impl Algorithm for Alternating {
    fn name(&self) -> &'static str {
        self.name
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let solver: Box<dyn BlockSolver> = match self.depth {
            Depth::Tolerance(tolerance) => solver_for(problem, tolerance),
            Depth::Passes(passes, order) => sweeps_for(problem, passes, order),
        };
        solver.check(problem).map_err(|error| error.of(self.name))?;
        self.solver = Some(solver);
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        let solver = self.solver.as_mut().expect("invariant: checked before advancing");
        split.update(Side::X, None, |block, x| solver.minimise(block, x)); // line 3
        split.update(Side::Y, None, |block, y| solver.minimise(block, y)); // line 4
    }
}
