//! Projected conjugate gradients on the folded factor with an exact line search: one product with A an iteration.
//!
//! The direction is that of BFGS which forgets all but the last step (Shanno), on the entries that are free. On sparse graphs a
//! longer memory saves no products, and two passes over the factor are all that the direction costs.

use gramfold_linalg::{Bent, Combination, FreeProducts, Mat};

use super::{
    Algorithm,
    smooth::{Smooth, freshen},
};
use crate::{
    Error, Memory, Problem, Split,
    loss::{BlockForm, Side},
};

/// Projected conjugate gradients, for a nonnegative factor, a ridge or no regulariser.
#[derive(Default)]
pub struct Conjugate {
    state: Option<State>,
}

struct State {
    lambda: f64,
    nonnegative: bool,
    /// Of the factor. Room for the rest is taken when the first step is, where stages before may have left theirs.
    shape: (usize, usize),
    /// Half of the gradient, here and before the last step.
    gradient: Mat,
    before: Mat,
    /// The last direction, and how far the step went along it; none where there is no last step.
    direction: Mat,
    length: Option<f64>,
    steps: usize,
}

impl Algorithm for Conjugate {
    fn name(&self) -> &'static str {
        "conjugate"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let Smooth { lambda, nonnegative } = Smooth::of(self.name(), true, problem)?;
        let (shape, none) = ((problem.dim(), problem.rank), || Mat::zeros(0, 0));
        let (gradient, before, direction) = (none(), none(), none());
        let (length, steps) = (None, 0);
        self.state =
            Some(State { lambda, nonnegative, shape, gradient, before, direction, length, steps });
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        let state = self.state.as_mut().expect("invariant: checked before advancing");
        freshen(split, state.steps);
        state.advance(split);
        state.steps = state.steps.wrapping_add(1); // A damaged checkpoint may hold anything.
    }

    fn step(&self) -> Option<f64> {
        let state = self.state.as_ref().filter(|state| state.steps > 0)?;
        Some(state.length.map_or(0.0, |length| length * state.direction.norm()))
    }

    fn remember(&self, memory: &mut Memory) {
        let Some(state) = &self.state else { return };
        memory.set_count("steps", state.steps);
        if let Some(length) = state.length {
            memory.set_number("length", length);
            memory.set("gradient", &state.gradient);
            memory.set("direction", &state.direction);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        let Some(state) = &mut self.state else { return };
        state.steps = memory.count("steps").unwrap_or(0);
        let fits = |m: &&Mat| (m.rows(), m.cols()) == state.shape;
        let stored = memory.get("gradient").filter(fits).zip(memory.get("direction").filter(fits));
        if let Some((gradient, direction)) = stored {
            state.length = memory.number("length");
            (state.gradient, state.direction) = (gradient.clone(), direction.clone());
        }
    }
}

impl State {
    fn advance(&mut self, split: &mut Split<'_>) {
        for room in [&mut self.gradient, &mut self.before, &mut self.direction] {
            if room.rows() == 0 {
                *room = Mat::zeros(self.shape.0, self.shape.1);
            }
        }
        std::mem::swap(&mut self.gradient, &mut self.before);
        split.loss_gradient(Side::X, &mut self.gradient);
        if self.lambda != 0.0 {
            self.gradient.axpy(0.5 * self.lambda, split.x());
        }
        let slope = self.direct(split);
        if slope >= 0.0 || !slope.is_finite() {
            self.length = None;
            return; // Stationary to rounding.
        }
        let ridge = (self.lambda != 0.0).then(|| {
            let square = 0.5 * self.lambda * self.direction.norm_squared();
            (self.lambda * split.x().dot(&self.direction), square)
        });
        let Some(mut line) = split.line(&self.direction) else {
            unreachable!("invariant: `check` refused a loss without lines")
        };
        if let Some((along, square)) = ridge {
            line.add(along, square);
        }
        // Beyond 1 a nonnegative factor would leave its constraint.
        let length = line.minimiser(if self.nonnegative { 1.0 } else { f64::INFINITY });
        drop(line);
        self.length = length;
        if let Some(length) = length {
            split.step_along(length, &self.direction);
        }
    }

    /// direction ← the next one; returns the slope along it, of half the objective.
    fn direct(&mut self, split: &Split<'_>) -> f64 {
        let weights = self.weights(split);
        let bent = Bent {
            x: split.x(),
            gradient: &self.gradient,
            before: &self.before,
            weights: &weights,
            nonnegative: self.nonnegative,
        };
        let learnt = self.length.and_then(|t| combination(t, bent.products(&self.direction)));
        if let Some(learnt) = learnt {
            let slope = bent.direct(learnt, &mut self.direction);
            if slope < 0.0 {
                return slope;
            }
        }
        // The first step, or one that does not descend once it is cut off: the gradient alone.
        let steepest = Combination { gradient: 1.0, change: 0.0, step: 0.0 };
        self.direction.as_mut_slice().fill(0.0);
        bent.direct(steepest, &mut self.direction)
    }

    /// Roughly the inverse of the curvature of half the objective, for each column.
    fn weights(&self, split: &Split<'_>) -> Vec<f64> {
        let evaluation = split.evaluation();
        let curvature = |j: usize| match evaluation.block(Side::X) {
            BlockForm::SharedGram { gram, .. } => gram[(j, j)],
            _ => evaluation.lipschitz(Side::X),
        };
        let inverse = |value: f64| 1.0 / value.max(f64::MIN_POSITIVE);
        (0..split.x().cols()).map(|j| inverse(curvature(j) + 0.5 * self.lambda)).collect()
    }
}

/// The direction of BFGS after one step of `t` times the last direction, from θW with θ = ⟨s, y⟩/⟨y, Wy⟩; none where the
/// objective did not curve upwards.
fn combination(t: f64, products: FreeProducts) -> Option<Combination> {
    let FreeProducts { step_gradient, step_change, change_change, change_gradient } = products;
    // Of the direction itself; the step is t times as long, which cancels but here.
    let theta = t * step_change / change_change;
    let along = step_gradient / step_change;
    let back = theta * (change_gradient - along * change_change) / step_change;
    // s·(⟨s, g⟩ − ⟨y, z⟩)/⟨s, y⟩ with s = t·direction.
    let found = Combination { gradient: theta, change: -theta * along, step: t * along - back };
    let finite = found.gradient.is_finite() && found.change.is_finite() && found.step.is_finite();
    (step_change > 0.0 && finite).then_some(found)
}
