//! Limited-memory BFGS on the folded factor with an exact line search, preconditioned; for any loss that knows its curvature.

use gramfold_linalg::Mat;

use super::{
    Algorithm,
    pairs::Pairs,
    preconditioner::Preconditioner,
    smooth::{Smooth, line},
};
use crate::{Error, Memory, Problem, Split};

/// Pairs remembered.
const MEMORY: usize = 8;

/// Steps after which images are computed afresh: rounding piles up.
const REFRESH: usize = 15;

/// L-BFGS for a ridge or no regulariser.
#[derive(Default)]
pub struct Lbfgs {
    steps: Steps,
    preconditioner: Preconditioner,
    count: usize,
    /// Whether the gradient is that of the present point: the last step has read it.
    known: bool,
}

/// The gradient, and the next direction from it.
#[derive(Default)]
pub(super) struct Steps {
    /// λ of the ridge.
    pub(super) lambda: f64,
    pub(super) gradient: Mat,
    before: Mat,
    pub(super) direction: Mat,
    pub(super) pairs: Pairs,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// The objective was `value` and fell by `fall`.
    Taken { value: f64, fall: f64 },
    /// The direction does not descend, to rounding.
    Level,
    /// The objective falls along it without end.
    Endless,
}

impl Algorithm for Lbfgs {
    fn name(&self) -> &'static str {
        "lbfgs"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let Smooth { lambda, .. } = Smooth::of(self.name(), false, problem)?;
        let steps = Steps::new(lambda, MEMORY, problem.dim(), problem.rank);
        *self = Self { steps, ..Self::default() };
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        let Self { steps, preconditioner, count, known } = self;
        if split.x() != split.y() {
            *count = 0;
        }
        if count.is_multiple_of(REFRESH) {
            split.update_folded(|_| {});
            *known = false;
        }
        if !*known {
            steps.read_gradient(split);
        }
        // Read at every step: it is what a resumed run can compute, too, and a stale one hurts.
        preconditioner.read(split, steps.lambda);
        steps.direct(preconditioner, true);
        // Stationary to rounding, or falling without end: the run will say that it stalls.
        *known = matches!(steps.take(split), Step::Taken { .. });
        *count += 1;
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_count("steps", self.count);
        self.steps.pairs.remember(memory);
        // Read before the last look at the run, which may have computed the evaluation afresh.
        if self.known {
            memory.set("gradient", &self.steps.gradient);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        self.count = memory.count("steps").unwrap_or(0);
        self.steps.pairs.recall(memory);
        self.known = memory.restore("gradient", &mut self.steps.gradient);
    }
}

impl Steps {
    pub(super) fn new(lambda: f64, memory: usize, dim: usize, rank: usize) -> Self {
        let zeros = || Mat::zeros(dim, rank);
        let pairs = Pairs::new(memory, dim, rank);
        Self { lambda, gradient: zeros(), before: zeros(), direction: zeros(), pairs }
    }

    /// ∇ = 2∇f(XXᵀ)X + λX.
    pub(super) fn read_gradient(&mut self, split: &Split<'_>) {
        split.folded_gradient(&mut self.gradient);
        if self.lambda != 0.0 {
            self.gradient.axpy(self.lambda, split.x());
        }
    }

    /// direction ← that of the pairs, or without them where it does not descend.
    pub(super) fn direct(&mut self, preconditioner: &Preconditioner, scaled: bool) {
        let Self { gradient, direction, pairs, .. } = self;
        pairs.direct(gradient, preconditioner, scaled, direction);
        let slope = gradient.dot(direction);
        if slope >= 0.0 || !slope.is_finite() {
            pairs.forget();
            pairs.direct(gradient, preconditioner, scaled, direction);
        }
    }

    /// Takes the exact step along the direction, where it descends, and remembers the pair.
    pub(super) fn take(&mut self, split: &mut Split<'_>) -> Step {
        let line = line(split, self.lambda, &self.direction);
        let [value, slope, _] = line.at(0.0);
        if slope >= 0.0 || !slope.is_finite() {
            return Step::Level;
        }
        let Some(t) = line.minimiser(f64::INFINITY) else {
            return if line.is_finite() { Step::Endless } else { Step::Level };
        };
        let fall = line.fall(t);
        drop(line);
        split.step_along(t, &self.direction);
        std::mem::swap(&mut self.before, &mut self.gradient);
        self.read_gradient(split);
        self.pairs.push(t, &self.direction, &self.before, &self.gradient);
        Step::Taken { value, fall }
    }
}
