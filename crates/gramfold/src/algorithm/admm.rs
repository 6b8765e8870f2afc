//! Nonconvex ADMM on the constraint X − Y = 0 (Wang, Yin and Zeng), for comparison.

use gramfold_linalg::Mat;

use super::Algorithm;
use crate::{
    Error, Memory, Problem, Side, Split,
    block::{BlockSolver, solver_for},
};

/// With scaled multipliers U: X ← argmin f(XYᵀ) + ½h(X) + (γ/2)‖X − Y + U‖², then Y likewise against
/// X + U, then U ← U + X − Y.
pub struct Admm {
    tolerance: f64,
    solver: Option<Box<dyn BlockSolver>>,
    multiplier: Mat,
    centre: Mat,
}

impl Admm {
    /// Blocks are solved to a relative tolerance where there is no closed form.
    pub fn new(tolerance: f64) -> Self {
        let empty = || Mat::zeros(0, 0);
        Self { tolerance, solver: None, multiplier: empty(), centre: empty() }
    }
}

impl Algorithm for Admm {
    fn name(&self) -> &'static str {
        "admm"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let solver = solver_for(problem, self.tolerance);
        solver.check(problem)?;
        self.solver = Some(solver);
        self.multiplier = Mat::zeros(problem.dim(), problem.rank);
        self.centre = self.multiplier.clone();
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        let solver = self.solver.as_mut().expect("invariant: checked before advancing");
        self.centre.copy_from(split.y());
        self.centre.axpy(-1.0, &self.multiplier);
        split.update(Side::X, Some(&self.centre), |block, x| solver.minimise(block, x));
        self.centre.copy_from(split.x());
        self.centre.axpy(1.0, &self.multiplier);
        split.update(Side::Y, Some(&self.centre), |block, y| solver.minimise(block, y));
        self.multiplier.axpy(1.0, split.x());
        self.multiplier.axpy(-1.0, split.y());
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set("multiplier", &self.multiplier);
    }

    fn recall(&mut self, memory: &Memory) {
        if let Some(multiplier) = memory.get("multiplier") {
            self.multiplier = multiplier.clone();
        }
    }
}
