//! Truncated Newton on the folded factor: conjugate gradients on ∇²L, then an exact line search.

use gramfold::loss::quartic;

use super::{Factors, lagrangian::Lagrangian, lbfgs::End, precondition::Preconditioner};

/// Room for one shape of factors.
pub(super) struct Newton {
    direction: Factors,
    residual: Factors,
    search: Factors,
    image: Factors,
    work: Factors,
    scaled: Factors,
}

impl Newton {
    pub(super) fn new(shape: &Factors) -> Self {
        let zeros = || shape.zeros_like();
        Self {
            direction: zeros(),
            residual: zeros(),
            search: zeros(),
            image: zeros(),
            work: zeros(),
            scaled: zeros(),
        }
    }

    /// Minimises L until ‖∇L‖ ≤ `tolerance`, with at most `budget` products with the Hessian, and with a pause after the
    /// step that makes `pause` of them.
    pub(super) fn minimise(
        &mut self,
        l: &mut Lagrangian,
        tolerance: f64,
        (budget, pause): (usize, usize),
        preconditioner: &Preconditioner,
        poll: &dyn Fn() -> bool,
    ) -> (End, usize) {
        let mut used = 0;
        loop {
            let size = l.gradient.norm();
            if size <= tolerance {
                return (End::Stationary, used);
            }
            if used >= budget {
                return (End::Steps, used);
            }
            if used >= pause {
                return (End::Paused, used);
            }
            if poll() {
                return (End::Stopped, used);
            }
            let forcing = (0.1_f64).min((size / (size + 1.0)).sqrt()).max(0.5 * tolerance / size);
            used += self.solve(l, forcing * size, budget - used, preconditioner, poll);
            let c = l.line(&self.direction);
            let Some(t) = quartic::minimiser(&c, f64::INFINITY) else {
                let falls = c[1] < 0.0 && c.iter().all(|c| c.is_finite());
                return (if falls { End::Unbounded } else { End::Stuck }, used);
            };
            l.step(t, &self.direction);
            let fall = -t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
            if fall <= 1e-15 * c[0].abs() && l.gradient.norm() > 0.9 * size {
                return (End::Stuck, used);
            }
        }
    }

    /// direction ≈ −(∇²L)⁻¹∇L, stopped at negative curvature; returns the products used.
    fn solve(
        &mut self,
        l: &mut Lagrangian,
        goal: f64,
        budget: usize,
        preconditioner: &Preconditioner,
        poll: &dyn Fn() -> bool,
    ) -> usize {
        self.direction.fill(0.0);
        self.residual.copy_from(&l.gradient);
        self.residual.scale(-1.0);
        self.precondition(preconditioner);
        self.search.copy_from(&self.scaled);
        let mut square = self.residual.dot(&self.scaled);
        let mut used = 0;
        while used < budget.max(1) {
            l.hessian(&self.search, &mut self.image, &mut self.work);
            used += 1;
            let curvature = self.search.dot(&self.image);
            if curvature <= 1e-14 * self.search.dot(&self.search) {
                // Downhill for ever, as far as the second order sees: the quartic knows where to stop.
                if used == 1 || curvature < 0.0 {
                    if used == 1 {
                        self.direction.copy_from(&self.search);
                    } else {
                        let along = self.search.dot(&l.gradient);
                        let sign = if along > 0.0 { -1.0 } else { 1.0 };
                        self.direction
                            .axpy(sign * self.direction.norm() / self.search.norm(), &self.search);
                    }
                }
                break;
            }
            let step = square / curvature;
            self.direction.axpy(step, &self.search);
            self.residual.axpy(-step, &self.image);
            self.precondition(preconditioner);
            let next = self.residual.dot(&self.scaled);
            if self.residual.norm() <= goal || poll() {
                break;
            }
            self.search.scale_add(next / square, &self.scaled);
            square = next;
        }
        used
    }

    /// scaled ← P⁻¹·residual.
    fn precondition(&mut self, preconditioner: &Preconditioner) {
        preconditioner.apply(&self.residual, &mut self.scaled);
    }
}
