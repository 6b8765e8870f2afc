//! Accelerated proximal gradient with restart: the solver that every smooth block has.

use gramfold_linalg::Mat;

use super::{BlockProblem, BlockSolver};
use crate::{Error, Problem};

/// FISTA with gradient restart, to a relative step tolerance.
pub struct ProximalGradient {
    tolerance: f64,
    steps: usize,
    ahead: Mat,
    gradient: Mat,
    previous: Mat,
}

impl ProximalGradient {
    /// Room for n×r factors.
    pub fn new(dim: usize, rank: usize, tolerance: f64) -> Self {
        let zeros = || Mat::zeros(dim, rank);
        Self { tolerance, steps: 10_000, ahead: zeros(), gradient: zeros(), previous: zeros() }
    }
}

impl BlockSolver for ProximalGradient {
    fn name(&self) -> &'static str {
        "proximal gradient"
    }

    fn check(&self, _: &Problem<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn minimise(&mut self, block: &mut BlockProblem<'_>, x: &mut Mat) {
        let step = (1.0 / block.curvature()).min(1.8 * block.regulariser.longest_step());
        let cols = x.cols();
        self.ahead.copy_from(x);
        let mut weight = 1.0_f64;
        for _ in 0..self.steps {
            self.previous.copy_from(x);
            block.gradient(&self.ahead, &mut self.gradient);
            x.copy_from(&self.ahead);
            x.axpy(-step, &self.gradient);
            block.regulariser.prox(x.as_mut_slice(), cols, 0.5 * step);

            let moved = x.distance(&self.previous);
            if moved <= self.tolerance * x.norm() || !moved.is_finite() {
                break;
            }
            // Restart when the momentum points uphill (O'Donoghue and Candès).
            let uphill = self.ahead.dot(x) - x.norm_squared() - self.ahead.dot(&self.previous)
                + x.dot(&self.previous);
            if uphill > 0.0 {
                weight = 1.0;
            }
            let next = 0.5 * (1.0 + (1.0 + 4.0 * weight * weight).sqrt());
            let momentum = (weight - 1.0) / next;
            weight = next;
            self.ahead.copy_from(x);
            self.ahead.zip(&self.previous, |now, before| now + momentum * (now - before));
        }
    }
}
