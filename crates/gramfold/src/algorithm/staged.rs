//! The default: split to start, and where products with A are dear, fold and finish with
//! Gauss–Newton, whose inner steps need none.

use super::{Algorithm, Alternating, Extrapolated, GaussNewton};
use crate::{
    Error, Memory, Problem, Split,
    block::{BlockSolver, Coordinate},
    loss::Structure,
    regulariser::Shape,
};

/// Iterations of the split before the fold: far from a solution Gauss–Newton wanders.
const OPENING: usize = 10;

/// Stored entries per row and column of X from which a product with A costs more than the inner
/// work of a Gauss–Newton step saves. Measured: the split wins on neighbourhood graphs (about 1),
/// Gauss–Newton on dense matrices (40 and more) by an order of magnitude.
const DEAR: usize = 10;

/// Chooses by the structure and the cost of a problem.
pub struct Staged {
    opening: Option<Box<dyn Algorithm>>,
    finish: Option<GaussNewton>,
    iteration: usize,
}

impl Staged {
    /// Nothing is chosen before the problem is known.
    pub fn new() -> Self {
        Self { opening: None, finish: None, iteration: 0 }
    }
}

impl Default for Staged {
    fn default() -> Self {
        Self::new()
    }
}

impl Algorithm for Staged {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let (n, r) = (problem.dim(), problem.rank);
        let sweeps = Coordinate::to_tolerance(r, 0.0).check(problem).is_ok();
        let ridge = matches!(problem.regulariser.shape(), Shape::Ridge { .. });
        let mut opening: Box<dyn Algorithm> = if sweeps && !ridge {
            Box::new(Extrapolated::new(1))
        } else {
            // A closed form beats sweeps; without sweeps there is only the block to a tolerance.
            Box::new(Alternating::am(1e-10))
        };
        opening.check(problem)?;
        self.opening = Some(opening);
        if let Structure::Frobenius(a) = problem.loss.structure()
            && a.stored() >= DEAR * n * r
        {
            let mut finish = GaussNewton::new();
            self.finish = finish.check(problem).is_ok().then_some(finish);
        }
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        self.iteration += 1;
        match &mut self.finish {
            Some(finish) if self.iteration > OPENING => {
                if self.iteration == OPENING + 1 {
                    split.fold();
                }
                finish.advance(split);
            }
            _ => self.opening.as_mut().expect("invariant: checked before advancing").advance(split),
        }
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_number("iteration of the stages", self.iteration as f64);
        match (&self.finish, &self.opening) {
            (Some(finish), _) if self.iteration > OPENING => finish.remember(memory),
            (_, Some(opening)) => opening.remember(memory),
            _ => {}
        }
    }

    fn recall(&mut self, memory: &Memory) {
        self.iteration = memory.count("iteration of the stages").unwrap_or(0);
        match (&mut self.finish, &mut self.opening) {
            (Some(finish), _) if self.iteration > OPENING => finish.recall(memory),
            (_, Some(opening)) => opening.recall(memory),
            _ => {}
        }
    }
}
