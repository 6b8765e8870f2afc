//! The default: split to start, fold, and finish on the folded factor, by conjugate gradients, where products with A are dear
//! by Gauss–Newton, whose inner steps need none, or where regularised measurements leave nothing else by projected gradients.

use super::{Algorithm, Alternating, Conjugate, Direct, Extrapolated, GaussNewton};
use crate::{
    Error, Memory, Problem, Split,
    block::{BlockSolver, Coordinate},
    regulariser::Shape,
};

/// Iterations of the split before the fold. Far from a solution Gauss–Newton wanders, conjugate gradients do not.
const OPENING: usize = 10;
const SHORT_OPENING: usize = 3;

/// The tolerance of blocks that have neither a closed form nor sweeps, before the fold.
const ROUGH: f64 = 1e-3;

/// Stored entries per row and column of X from which a product with A costs more than the inner
/// work of a Gauss–Newton step saves, and the share of f(0) that may be left by the short opening: Gauss–Newton knows nothing of
/// the residual. Measured: on matrices of low rank and noise it wins by an order of magnitude, on graphs, where
/// most of the objective stays, conjugate gradients do.
const DEAR: f64 = 10.0;
const LEFT: f64 = 0.2;

/// n up to which the split is not left for conjugate gradients: its time does not matter there, and that γ is above its threshold
/// is proved by a factorisation. On 40 generated graphs of 130 to 500 nodes, by weights and by walks, they came to the same objectives or better
/// ones, in two thirds of the time by weights and three quarters by walks.
const SMALL: usize = 128;

/// Chooses by the structure and the cost of a problem.
pub struct Staged {
    opening: Option<Box<dyn Algorithm>>,
    /// Who moves the folded factor; the split goes on where nobody does.
    finish: Option<Box<dyn Algorithm>>,
    /// Instead of the finish, where little is left of the objective after the short opening.
    for_good_fits: Option<Box<dyn Algorithm>>,
    folds_after: usize,
    exchanges: bool,
    iteration: usize,
}

impl Staged {
    /// With or without exchanges; nothing else is chosen before the problem is known.
    pub fn new(exchanges: bool) -> Self {
        Self {
            opening: None,
            finish: None,
            for_good_fits: None,
            folds_after: OPENING,
            exchanges,
            iteration: 0,
        }
    }

    /// Takes the finish that suits the objective.
    fn decide(&mut self, is_good_fit: bool) {
        let other = self.for_good_fits.take();
        if is_good_fit && other.is_some() {
            (self.finish, self.folds_after) = (other, OPENING);
        }
    }

    /// Who moves the factors in the next iterations.
    fn stage(&mut self) -> Option<&mut Box<dyn Algorithm>> {
        let folded = self.finish.is_some() && self.iteration > self.folds_after;
        if folded { self.finish.as_mut() } else { self.opening.as_mut() }
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
        let whole = problem.sees_all();
        let nonnegative = problem.regulariser.shape() == Shape::Nonnegative;
        let ridge = matches!(problem.regulariser.shape(), Shape::Ridge { .. });
        let dear = problem.loss.curvature_saves(problem.rank) >= DEAR;
        let taken = |mut algorithm: Box<dyn Algorithm>| {
            algorithm.check(problem).is_ok().then_some(algorithm)
        };
        let gauss_newton =
            (dear || (!whole && ridge)).then(|| taken(Box::<GaussNewton>::default())).flatten();
        if whole && nonnegative && problem.dim() > SMALL {
            self.finish = taken(Box::<Conjugate>::default());
            self.for_good_fits = gauss_newton;
            self.folds_after = SHORT_OPENING;
        } else {
            let direct = || taken(Box::<Direct>::default()).filter(|_| is_rough(problem));
            self.finish = gauss_newton.or_else(direct);
            // Measurements tell Gauss–Newton enough to fold at once.
            self.folds_after = if !whole && ridge { 0 } else { OPENING };
        }
        self.exchanges &= whole && nonnegative && problem.rank > 1;
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        self.iteration += 1;
        if self.iteration == SHORT_OPENING + 1 {
            self.decide(split.loss() <= LEFT * split.problem().loss.at_zero());
        }
        if self.finish.is_some() && self.iteration > self.folds_after {
            self.opening = None; // And its room.
            if !split.is_folded() {
                split.fold();
            }
        }
        self.stage().expect("invariant: checked before advancing").advance(split);
    }

    fn step(&self) -> Option<f64> {
        self.finish.as_ref().filter(|_| self.iteration > self.folds_after)?.step()
    }

    fn exchanges(&self) -> bool {
        self.exchanges
    }

    fn forget(&mut self, problem: &Problem<'_>) {
        if let Some(stage) = self.stage() {
            stage.forget(problem);
        }
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_count("iteration of the stages", self.iteration);
        memory.set_count("folds after", self.folds_after);
        let folded = self.finish.is_some() && self.iteration > self.folds_after;
        let stage = if folded { &self.finish } else { &self.opening };
        if let Some(stage) = stage {
            stage.remember(memory);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        self.iteration = memory.count("iteration of the stages").unwrap_or(0);
        if self.iteration > SHORT_OPENING {
            self.decide(memory.count("folds after") == Some(OPENING));
        }
        if let Some(stage) = self.stage() {
            stage.recall(memory);
        }
    }
}

/// Whether projected gradients finish, so that blocks before the fold need no more than a rough solution: measurements with a
/// regulariser that Gauss–Newton does not take.
fn is_rough(problem: &Problem<'_>) -> bool {
    !problem.sees_all()
        && problem.loss.constants().smoothness > 0.0
        && !matches!(problem.regulariser.shape(), Shape::Ridge { .. })
}

/// What runs before the fold, or throughout.
fn opening(problem: &Problem<'_>) -> Result<Box<dyn Algorithm>, Error> {
    let sweeps = Coordinate::to_tolerance(problem.rank, 0.0).check(problem).is_ok();
    let ridge = matches!(problem.regulariser.shape(), Shape::Ridge { .. });
    let mut opening: Box<dyn Algorithm> = if sweeps && !ridge {
        Box::new(Extrapolated::new(1))
    } else {
        // A closed form beats sweeps; without sweeps there is only the block to a tolerance.
        Box::new(Alternating::am(if is_rough(problem) { ROUGH } else { 1e-10 }))
    };
    opening.check(problem)?;
    Ok(opening)
}
