//! HAM with extrapolation: each factor overshoots its block update by a weight that adapts.
//!
//! X̂ ← prox(X_k + β(X_k − X_{k−1})), and Ŷ likewise; β shrinks when F increases and grows otherwise
//! (after Ang and Gillis). The limit points are those of HAM.

use gramfold_linalg::{Mat, Order, Overshoot};

use super::Algorithm;
use crate::{
    Error, Memory, Problem, Side, Split,
    block::{BlockSolver, Coordinate},
};

/// What an increase of F does to the weight, and what a decrease does.
const SHRINK: f64 = 0.6;
const GROW: f64 = 1.05;

/// Extrapolated alternating minimisation.
pub struct Extrapolated {
    passes: usize,
    weight: f64,
    objective: f64,
    solver: Option<Coordinate>,
    x: Mat,
    y: Mat,
}

impl Extrapolated {
    /// `passes` Gauss–Seidel passes over the columns of each block.
    pub fn new(passes: usize) -> Self {
        let empty = || Mat::zeros(0, 0);
        Self { passes, weight: 0.5, objective: f64::INFINITY, solver: None, x: empty(), y: empty() }
    }
}

impl Algorithm for Extrapolated {
    fn name(&self) -> &'static str {
        "ham-extrapolated"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let solver = Coordinate::passes(problem.rank, self.passes, Order::GaussSeidel);
        solver.check(problem).map_err(|error| error.of("ham-extrapolated"))?;
        *self = Self { solver: Some(solver), ..Self::new(self.passes) };
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        let solver = self.solver.as_mut().expect("invariant: checked before advancing");
        if self.x.rows() == 0 {
            self.x = split.x().clone();
            self.y = split.y().clone();
        }
        let weight = self.weight;
        for (side, last) in [(Side::X, &mut self.x), (Side::Y, &mut self.y)] {
            split.update(side, None, |block, factor| {
                solver.minimise_beyond(block, factor, Overshoot { weight, last });
            });
        }
        let objective = split.objective();
        let factor = if objective > self.objective { SHRINK } else { GROW };
        self.weight = (self.weight * factor).min(1.0);
        self.objective = objective;
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_number("weight", self.weight);
        if self.objective.is_finite() {
            memory.set_number("objective", self.objective);
        }
        memory.set("x", &self.x);
        memory.set("y", &self.y);
    }

    fn recall(&mut self, memory: &Memory) {
        self.weight = memory.number("weight").unwrap_or(self.weight);
        self.objective = memory.number("objective").unwrap_or(self.objective);
        if let (Some(x), Some(y)) = (memory.get("x"), memory.get("y")) {
            (self.x, self.y) = (x.clone(), y.clone());
        }
    }
}
