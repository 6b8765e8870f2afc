//! One iteration: predictor, corrector, and how far they are followed.

use super::{
    super::{Direction, Number, Program, add_scaled, copy, direction::Place, inner},
    Iteration,
};
use crate::Stop;

/// What rounding may add to the primal residual in a step, in tolerances of the engine, which are a tenth of the user's.
const FILL: f64 = 0.3;
/// Share of the gap below which the primal residual weighs little.
const LIGHT: f64 = 0.1;

impl<T: Number> Iteration<T> {
    /// One predictor–corrector step; false if none can be made, or `stop` says so before it is made.
    pub(in super::super) fn advance(&mut self, program: &Program, stop: Stop<'_>) -> bool {
        self.s_factor.invert(&mut self.w);
        program.apply(&self.w, &mut self.w_image);
        if !self.normal.prepare(program, &self.x, &self.w, stop) {
            return false;
        }
        let mu = inner(&self.x, &self.s).rounded() / self.degree;
        let place = Place {
            program,
            x: &self.x,
            w: &self.w,
            residual: (!self.dual_feasible).then_some(&self.dual_residual),
            primal_residual: &self.primal_residual,
            image: &self.w_image,
            stop,
        };
        let (normal, room) = (&mut self.normal, &mut self.room);
        if !self.predictor.compute(normal, &place, (0.0, 1.0), None, room) {
            return false;
        }
        let Direction { x, s, .. } = &self.predictor;
        let primal = self.stepper.longest(&self.x, &self.x_factor, x).min(1.0);
        let dual = self.stepper.longest(&self.s, &self.s_factor, s).min(1.0);
        // ⟨X + αdX, S + βdS⟩.
        let ahead = inner(&self.x, &self.s)
            + T::from(primal) * inner(x, &self.s)
            + T::from(dual) * inner(&self.x, s)
            + T::from(primal * dual) * inner(x, s);
        let ratio = (ahead.rounded() / self.degree / mu).clamp(0.0, 1.0);
        let shorter = primal.min(dual);
        let exponent = (3.0 * shorter * shorter).max(1.0);
        let sigma = ratio.powf(exponent).clamp(1e-6, 1.0);
        // A primal residual that weighs little in the gap is taken out no faster than μ: without a primal interior, X
        // would otherwise reach the boundary first, and S diverge.
        let share = if self.weight() < LIGHT { 1.0 - sigma } else { 1.0 };
        let (normal, room) = (&mut self.normal, &mut self.room);
        let (aim, predictor) = ((sigma * mu, share), Some(&self.predictor));
        if !self.corrector.compute(normal, &place, aim, predictor, room) {
            return false;
        }
        let fraction = 0.9 + 0.09 * shorter;
        let Direction { x, s, .. } = &self.corrector;
        let primal = (fraction * self.stepper.longest(&self.x, &self.x_factor, x)).min(1.0);
        let dual = (fraction * self.stepper.longest(&self.s, &self.s_factor, s)).min(1.0);
        let primal = primal.min(self.affordable(program));
        self.step_primal(primal) && self.step_dual(program, dual) && primal.max(dual) > 1e-7
    }

    /// |yᵀ(b − A(X))|/⟨X, S⟩: the two parts of the gap, once S is C − A*(y).
    pub(in super::super) fn weight(&self) -> f64 {
        let residual = T::dot(&self.primal_residual, &self.y).rounded();
        residual.abs() / inner(&self.x, &self.s).rounded()
    }

    /// The primal step that rounding errors in A(dX) allow: they may double the residual, or fill
    /// [`FILL`] times the tolerance.
    fn affordable(&mut self, program: &Program) -> f64 {
        program.apply(&self.corrector.x, &mut self.trial_y);
        let error = self.trial_y.iter_mut().zip(&self.primal_residual);
        error.for_each(|(image, wanted)| *image -= *wanted);
        let error = program.residual(&self.trial_y);
        let present = program.residual(&self.primal_residual);
        present.max(FILL * self.tolerance) / error.max(f64::MIN_POSITIVE)
    }

    fn step_primal(&mut self, mut length: f64) -> bool {
        for _ in 0..20 {
            copy(&self.x, &mut self.trial);
            add_scaled(length, &self.corrector.x, &mut self.trial);
            if self.x_factor.compute(&self.trial) {
                std::mem::swap(&mut self.x, &mut self.trial);
                return true;
            }
            length *= 0.7;
        }
        false
    }

    fn step_dual(&mut self, program: &Program, mut length: f64) -> bool {
        for _ in 0..20 {
            let step = self.y.iter().zip(&self.corrector.y);
            let step = step.map(|(y, d)| *y + T::from(length) * *d);
            self.trial_y.iter_mut().zip(step).for_each(|(t, y)| *t = y);
            // After a full step the residual is zero but for rounding, and stays so if S is made from y.
            let full = self.dual_feasible || length == 1.0;
            if full {
                program.slack(&self.trial_y, &mut self.trial);
                if self.s_factor.compute(&self.trial) {
                    self.dual_feasible = true;
                    std::mem::swap(&mut self.s, &mut self.trial);
                    std::mem::swap(&mut self.y, &mut self.trial_y);
                    return true;
                }
            }
            if !self.dual_feasible {
                copy(&self.s, &mut self.trial);
                add_scaled(length, &self.corrector.s, &mut self.trial);
                if self.s_factor.compute(&self.trial) {
                    std::mem::swap(&mut self.s, &mut self.trial);
                    std::mem::swap(&mut self.y, &mut self.trial_y);
                    return true;
                }
            }
            length *= 0.7;
        }
        false
    }
}
