//! X ↦ f(XXᵀ) minimised until its gradient is small, by L-BFGS and by truncated Newton: what a loop around the loss, as
//! that of multipliers, runs again and again.

use gramfold_linalg::{ConjugateGradients, Mat, Reach, SolveEnd, System};

use super::{
    lbfgs::{Step, Steps},
    preconditioner::Preconditioner,
};
use crate::{Problem, Split};

/// Pairs remembered.
const MEMORY: usize = 6;

/// Steps without a smaller gradient, while the value stands still, before giving up.
const PATIENCE: usize = 60;

/// A fall by this share of the value is none.
const NOTHING: f64 = 1e-15;

/// How a minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The gradient is below the goal.
    Stationary,
    /// The steps are used up.
    Steps,
    /// No direction descends any more in floating point.
    Stuck,
    /// The loss falls without end along a line.
    Unbounded,
    /// There is more to do; the caller may look around.
    Paused,
    /// The caller asked to stop.
    Stopped,
}

/// Products with the Hessian that a minimisation may make, in all and before it pauses.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    /// In all.
    pub most: usize,
    /// Before a pause.
    pub pause: usize,
}

/// The folded methods, for factors of one shape and a loss with lines and curvature.
pub struct Folded {
    steps: Steps,
    solver: ConjugateGradients,
    preconditioner: Preconditioner,
}

impl Folded {
    /// Room for a problem.
    pub fn new(problem: &Problem<'_>) -> Self {
        let (n, r) = (problem.dim(), problem.rank);
        let (steps, solver) = (Steps::new(0.0, MEMORY, n, r), ConjugateGradients::new(n, r));
        Self { steps, solver, preconditioner: Preconditioner::default() }
    }

    /// L-BFGS until ‖∇‖ ≤ `goal` or `most` steps are done; returns how many were. `poll` is asked now and then whether to stop.
    ///
    /// # Panics
    /// If the loss has no lines.
    pub fn lbfgs(
        &mut self,
        split: &mut Split<'_>,
        goal: f64,
        most: usize,
        poll: &dyn Fn() -> bool,
    ) -> (End, usize) {
        let scaled = !self.begin(split);
        self.steps.pairs.forget();
        let (mut best, mut since) = (f64::INFINITY, 0);
        for done in 0..most {
            let size = self.steps.gradient.norm();
            if size <= goal {
                return (End::Stationary, done);
            }
            since += 1;
            if size < 0.9 * best {
                (best, since) = (size, 0);
            }
            if poll() {
                return (End::Stopped, done);
            }
            self.steps.direct(&self.preconditioner, scaled);
            match self.steps.take(split) {
                // Falls that the value cannot show may still lower the gradient, but not for ever.
                Step::Taken { value, fall } if fall <= NOTHING * value.abs() => {
                    if since > PATIENCE {
                        return (End::Stuck, done);
                    }
                }
                Step::Taken { .. } => {}
                Step::Level => return (End::Stuck, done),
                Step::Endless => return (End::Unbounded, done),
            }
        }
        let small = self.steps.gradient.norm() <= goal;
        (if small { End::Stationary } else { End::Steps }, most)
    }

    /// Truncated Newton until ‖∇‖ ≤ `goal`; returns the products with the Hessian.
    ///
    /// # Panics
    /// If the loss has no lines.
    pub fn newton(
        &mut self,
        split: &mut Split<'_>,
        goal: f64,
        products: Products,
        poll: &dyn Fn() -> bool,
    ) -> (End, usize) {
        self.begin(split);
        let mut used = 0;
        loop {
            let size = self.steps.gradient.norm();
            let end = match () {
                () if size <= goal => Some(End::Stationary),
                () if used >= products.most => Some(End::Steps),
                () if used >= products.pause => Some(End::Paused),
                () if poll() => Some(End::Stopped),
                () => None,
            };
            if let Some(end) = end {
                return (end, used);
            }
            let forcing = (0.1_f64).min((size / (size + 1.0)).sqrt()).max(0.5 * goal / size);
            used += self.solve(split, forcing * size, products.most - used, poll);
            match self.steps.take(split) {
                Step::Taken { value, fall } => {
                    if fall <= NOTHING * value.abs() && self.steps.gradient.norm() > 0.9 * size {
                        return (End::Stuck, used);
                    }
                }
                Step::Level => return (End::Stuck, used),
                Step::Endless => return (End::Unbounded, used),
            }
        }
    }

    /// Reads the gradient and the preconditioner; says whether that is the Hessian's own, which needs no scale.
    fn begin(&mut self, split: &Split<'_>) -> bool {
        self.steps.read_gradient(split);
        self.preconditioner.read_rows(split, 0.0)
    }

    /// direction ≈ −H⁻¹∇, stopped at negative curvature; returns the products used.
    fn solve(
        &mut self,
        split: &Split<'_>,
        goal: f64,
        most: usize,
        poll: &dyn Fn() -> bool,
    ) -> usize {
        let Steps { gradient, direction, .. } = &mut self.steps;
        let mut system =
            Newton { split, preconditioner: &self.preconditioner, goal, poll, begun: false };
        let reach = Reach::products(most);
        let solved = self.solver.descend(direction, gradient, reach, &mut system);
        // Downhill for ever, as far as the second order sees: the line knows where to stop.
        let search = self.solver.search();
        match solved.end {
            SolveEnd::Flat(_) if solved.products == 1 => direction.copy_from(search),
            SolveEnd::Flat(curvature) if curvature < 0.0 => {
                let sign = if search.dot(gradient) > 0.0 { -1.0 } else { 1.0 };
                direction.axpy(sign * direction.norm() / search.norm(), search);
            }
            _ => {}
        }
        solved.products
    }
}

/// The Hessian of X ↦ f(XXᵀ).
struct Newton<'a> {
    split: &'a Split<'a>,
    preconditioner: &'a Preconditioner,
    goal: f64,
    poll: &'a dyn Fn() -> bool,
    begun: bool,
}

impl System for Newton<'_> {
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
        self.split.evaluation().curvature_product(self.split.x(), v, true, out);
        v.dot(out)
    }

    fn precondition(&mut self, v: &Mat, out: &mut Mat) {
        self.preconditioner.apply(v, out);
    }

    fn is_solved(&mut self, residual: &Mat, _: f64, _: f64) -> bool {
        // One step is made in any case.
        std::mem::replace(&mut self.begun, true) && (residual.norm() <= self.goal || (self.poll)())
    }

    fn is_flat(&self, curvature: f64, search: &Mat, _: f64) -> bool {
        curvature <= 1e-14 * search.norm_squared()
    }
}
