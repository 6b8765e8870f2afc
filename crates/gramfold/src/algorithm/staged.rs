//! The default: split to start, and where products with A are dear, fold and finish with
//! Gauss–Newton, whose inner steps need none. A nonnegative factor that got stuck has columns exchanged.

use super::{Algorithm, Alternating, Extrapolated, GaussNewton, exchange::Exchange};
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
const DEAR: f64 = 10.0;

/// Chooses by the structure and the cost of a problem.
pub struct Staged {
    opening: Option<Box<dyn Algorithm>>,
    finish: Option<GaussNewton>,
    exchanges: bool,
    exchange: Option<Exchange>,
    folds_after: usize,
    iteration: usize,
}

impl Staged {
    /// With or without exchanges; nothing else is chosen before the problem is known.
    pub fn new(exchanges: bool) -> Self {
        Self {
            opening: None,
            finish: None,
            exchanges,
            exchange: None,
            folds_after: OPENING,
            iteration: 0,
        }
    }
}

impl Default for Staged {
    fn default() -> Self {
        Self::new(true)
    }
}

impl Algorithm for Staged {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        self.opening = Some(opening(problem)?);
        let whole = matches!(problem.loss.structure(), Structure::Frobenius(_));
        let ridge = matches!(problem.regulariser.shape(), Shape::Ridge { .. });
        // Measurements tell a start enough to fold at once, and sweeps suit constraints better.
        self.folds_after = if whole { OPENING } else { 0 };
        if problem.loss.curvature_saves(problem.rank) >= DEAR || (!whole && ridge) {
            let mut finish = GaussNewton::new();
            self.finish = finish.check(problem).is_ok().then_some(finish);
        }
        if whole {
            let nonnegative = problem.regulariser.shape() == Shape::Nonnegative;
            self.exchange =
                (self.exchanges && nonnegative && problem.rank > 1).then(Exchange::default);
        }
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        self.iteration += 1;
        if let Some(exchange) = &mut self.exchange
            && exchange.steer(split)
        {
            // What was learnt on the way here says nothing of the way on.
            self.opening = opening(split.problem()).ok();
            if let (Some(finish), true) = (&mut self.finish, self.iteration > self.folds_after + 1)
            {
                if split.x() != split.y() {
                    split.fold(); // Back to before the fold.
                }
                let _ = finish.check(split.problem()); // It took this problem once.
            }
        }
        match &mut self.finish {
            Some(finish) if self.iteration > self.folds_after => {
                if self.iteration == self.folds_after + 1 {
                    split.fold();
                }
                finish.advance(split);
            }
            _ => self.opening.as_mut().expect("invariant: checked before advancing").advance(split),
        }
    }

    fn is_settled(&self) -> bool {
        self.exchange.as_ref().is_none_or(Exchange::is_settled)
    }

    fn retreat(&mut self, split: &mut Split<'_>) -> bool {
        self.exchange.as_mut().is_some_and(|exchange| exchange.retreat(split))
    }

    fn remember(&self, memory: &mut Memory) {
        if let Some(exchange) = &self.exchange {
            exchange.remember(memory);
        }
        memory.set_number("iteration of the stages", self.iteration as f64);
        match (&self.finish, &self.opening) {
            (Some(finish), _) if self.iteration > self.folds_after => finish.remember(memory),
            (_, Some(opening)) => opening.remember(memory),
            _ => {}
        }
    }

    fn recall(&mut self, memory: &Memory) {
        if let Some(exchange) = &mut self.exchange {
            *exchange = Exchange::recall(memory);
        }
        self.iteration = memory.count("iteration of the stages").unwrap_or(0);
        match (&mut self.finish, &mut self.opening) {
            (Some(finish), _) if self.iteration > self.folds_after => finish.recall(memory),
            (_, Some(opening)) => opening.recall(memory),
            _ => {}
        }
    }
}

/// What runs before the fold, or throughout.
fn opening(problem: &Problem<'_>) -> Result<Box<dyn Algorithm>, Error> {
    let sweeps = Coordinate::to_tolerance(problem.rank, 0.0).check(problem).is_ok();
    let ridge = matches!(problem.regulariser.shape(), Shape::Ridge { .. });
    let mut opening: Box<dyn Algorithm> = if sweeps && !ridge {
        Box::new(Extrapolated::new(1))
    } else {
        // A closed form beats sweeps; without sweeps there is only the block to a tolerance.
        Box::new(Alternating::am(1e-10))
    };
    opening.check(problem)?;
    Ok(opening)
}
