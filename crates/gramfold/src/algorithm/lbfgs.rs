//! Limited-memory BFGS on the folded factor with an exact line search, preconditioned; for any loss that knows its curvature.

use std::collections::VecDeque;

use gramfold_linalg::Mat;

use super::{Algorithm, gauss_newton::needs_curvature, preconditioner::Preconditioner};
use crate::{Error, Memory, Problem, Split, loss::Side, regulariser::Shape};

/// Pairs remembered.
const MEMORY: usize = 8;

/// Steps after which the preconditioner is read again and images are computed afresh: a stale one hurts.
const REFRESH: usize = 15;

/// L-BFGS for a ridge or no regulariser.
pub struct Lbfgs {
    state: Option<State>,
}

/// (s, q, 1/⟨s, q⟩).
type Pair = (Mat, Mat, f64);

struct State {
    lambda: f64,
    gradient: Mat,
    before: Mat,
    direction: Mat,
    scaled: Mat,
    pairs: VecDeque<Pair>,
    preconditioner: Preconditioner,
    steps: usize,
}

impl Lbfgs {
    /// The method.
    pub fn new() -> Self {
        Self { state: None }
    }
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self::new()
    }
}

impl Algorithm for Lbfgs {
    fn name(&self) -> &'static str {
        "lbfgs"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        needs_curvature("lbfgs", problem)?;
        let Shape::Ridge { lambda } = problem.regulariser.shape() else {
            return Err(Error::Incompatible {
                component: "lbfgs",
                needs: "a ridge or no regulariser",
                problem: format!("the regulariser `{}`", problem.regulariser.name()),
            });
        };
        let zeros = || Mat::zeros(problem.dim(), problem.rank);
        self.state = Some(State {
            lambda,
            gradient: zeros(),
            before: zeros(),
            direction: zeros(),
            scaled: zeros(),
            pairs: VecDeque::with_capacity(MEMORY),
            preconditioner: Preconditioner::default(),
            steps: 0,
        });
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        let state = self.state.as_mut().expect("invariant: checked before advancing");
        if split.x() != split.y() {
            split.update_folded(|_| {});
            state.steps = 0;
        }
        state.advance(split);
        state.steps += 1;
    }

    fn remember(&self, memory: &mut Memory) {
        let Some(state) = &self.state else { return };
        memory.set_number("steps", state.steps as f64);
        for (k, (step, change, weight)) in state.pairs.iter().enumerate() {
            memory.set(&format!("step {k}"), step);
            memory.set(&format!("change {k}"), change);
            memory.set_number(&format!("weight {k}"), *weight);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        let Some(state) = &mut self.state else { return };
        state.steps = memory.count("steps").unwrap_or(0);
        state.pairs = (0..MEMORY)
            .map_while(|k| {
                let step = memory.get(&format!("step {k}"))?.clone();
                let change = memory.get(&format!("change {k}"))?.clone();
                Some((step, change, memory.number(&format!("weight {k}"))?))
            })
            .collect();
    }
}

impl State {
    fn advance(&mut self, split: &mut Split<'_>) {
        if self.steps.is_multiple_of(REFRESH) {
            split.update_folded(|_| {});
        }
        self.read_gradient(split);
        // Read at every step: it is what a resumed run can compute, too.
        self.preconditioner.read(split, self.lambda);
        self.direct();
        let mut slope = self.gradient.dot(&self.direction);
        if slope >= 0.0 || !slope.is_finite() {
            self.pairs.clear();
            self.direct();
            slope = self.gradient.dot(&self.direction);
        }
        if slope >= 0.0 || !slope.is_finite() {
            return; // Stationary to rounding.
        }
        let along = self.lambda * split.x().dot(&self.direction);
        let square = 0.5 * self.lambda * self.direction.norm_squared();
        let Some(mut line) = split.line(&self.direction) else {
            unreachable!("invariant: `check` refused a loss without lines")
        };
        line.add(along, square);
        let Some(t) = line.minimiser(f64::INFINITY) else {
            return; // It falls without end, and the run will say that it stalls.
        };
        drop(line);
        split.step_along(t, &self.direction);
        self.before.copy_from(&self.gradient);
        self.read_gradient(split);
        self.remember_pair(t);
    }

    /// ∇ = 2∇f(XXᵀ)X + λX.
    fn read_gradient(&mut self, split: &Split<'_>) {
        split.loss_gradient(Side::X, &mut self.gradient);
        self.gradient.scale(2.0);
        self.gradient.axpy(self.lambda, split.x());
    }

    /// direction ← −H·gradient by the two loops.
    fn direct(&mut self) {
        let d = &mut self.direction;
        d.copy_from(&self.gradient);
        let mut shares = [0.0; MEMORY];
        for ((step, change, weight), share) in self.pairs.iter().zip(&mut shares).rev() {
            *share = weight * step.dot(d);
            d.axpy(-*share, change);
        }
        self.preconditioner.apply(d, &mut self.scaled);
        std::mem::swap(d, &mut self.scaled);
        if let Some((_, change, weight)) = self.pairs.back() {
            // The scale that the last step saw.
            self.preconditioner.apply(change, &mut self.scaled);
            let scale = 1.0 / (weight * change.dot(&self.scaled));
            if scale.is_finite() && scale > 0.0 {
                d.scale(scale);
            }
        }
        for ((step, change, weight), share) in self.pairs.iter().zip(&shares) {
            let other = weight * change.dot(d);
            d.axpy(share - other, step);
        }
        d.scale(-1.0);
    }

    /// Takes the pair (t·direction, change of the gradient), if it curves upwards.
    fn remember_pair(&mut self, t: f64) {
        let (mut step, mut change, _) = if self.pairs.len() == MEMORY {
            self.pairs.pop_front().expect("invariant: it is full")
        } else {
            (self.direction.clone(), self.direction.clone(), 0.0)
        };
        step.copy_from(&self.direction);
        step.scale(t);
        change.copy_from(&self.gradient);
        change.axpy(-1.0, &self.before);
        let along = step.dot(&change);
        if along > 1e-16 * step.norm() * change.norm() {
            self.pairs.push_back((step, change, 1.0 / along));
        }
    }
}
