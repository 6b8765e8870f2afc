//! How far a pair of factors is from critical, and what that proves of their distance.

use gramfold_linalg::Mat;

use super::{Split, known::once, larger, length_of, longest_step, mean, nothing, pull, relative};
use crate::loss::Side;

impl Split<'_> {
    /// How far (X, Y) is from a critical point of F: the longest step that a proximal gradient
    /// still takes over one block, relative to the factor. Scaling the data does not change it.
    pub fn stationarity(&mut self) -> f64 {
        let size = self.size();
        if self.folded {
            // γ pulls X to itself.
            if let Some(known) = self.known.stationarity.get() {
                return known;
            }
            let curvature = once(&self.known.curvature, || self.evaluation.curvature(Side::X));
            let found = relative(self.proximal_step(Side::X, curvature).0, size);
            self.known.stationarity.set(Some(found));
            return found;
        }
        let of_x = self.evaluation.curvature(Side::X);
        let x = self.proximal_step(Side::X, of_x).0;
        let of_y = self.evaluation.curvature(Side::Y);
        let y = self.proximal_step(Side::Y, of_y).0;
        relative(larger(x, y), size)
    }

    /// How far the answer ½(X + Y) is from a critical point of f(XXᵀ) + h(X), measured alike. γ has no part in it,
    /// and f is evaluated afresh there; where X = Y the run goes on with that evaluation.
    pub(crate) fn unsplit_stationarity(&mut self) -> f64 {
        if self.folded {
            if !self.fresh {
                let curvature = self.known.curvature.take(); // Which rounding does not change.
                self.update_folded(|_| {}); // Afresh: steps along lines pile up rounding.
                self.known.curvature.set(curvature);
            }
            return self.stationarity();
        }
        let answer = mean(&self.x, &self.y);
        let Ok(mut folded) = Self::new(&self.problem, answer.clone(), answer, 0.0) else {
            return f64::NAN; // Not finite.
        };
        let stationarity = folded.stationarity();
        self.columns += folded.evaluation.columns_multiplied();
        stationarity
    }

    /// [`Split::proximal_step`] by a step that is safe.
    fn safe_step(&mut self, side: Side) -> (f64, f64) {
        let bound = self.evaluation.lipschitz(side);
        self.proximal_step(side, bound)
    }

    /// Takes a proximal gradient step over one block into `trial`; returns its length and its step size.
    ///
    /// The step size leaves γ out: a large γ must not make every symmetric point look critical.
    fn proximal_step(&mut self, side: Side, curvature: f64) -> (f64, f64) {
        let slope = self.problem.loss.constants().slope;
        let step = longest_step(curvature + slope);
        let step = step.min(1.8 * self.problem.regulariser.longest_step());
        let mut trial = std::mem::replace(&mut self.trial, nothing());
        self.block_gradient(side, &mut trial);
        let factor = self.factor(side);
        trial.zip(factor, |slope, factor| factor - step * slope);
        let cols = trial.cols();
        self.problem.regulariser.prox(trial.as_mut_slice(), cols, 0.5 * step);
        let moved = trial.distance(factor);
        self.trial = trial;
        (length_of(moved, step), step)
    }

    /// out ← the gradient over one block, that of γ/2·‖X − Y‖² included.
    fn block_gradient(&self, side: Side, out: &mut Mat) {
        self.loss_gradient(side, out);
        if !self.folded {
            let other = if side == Side::X { Side::Y } else { Side::X };
            pull(self.gamma, self.factor(side), self.factor(other), out);
        }
    }

    fn factor(&self, side: Side) -> &Mat {
        match side {
            Side::X => self.x(),
            Side::Y => self.y(),
        }
    }

    /// Theorem 1 for a point that is nearly critical: ‖X − Y‖ is at most this, given
    /// `margin` = γ − threshold > 0 at XYᵀ.
    ///
    /// At the proximal points (X⁺, Y⁺) there are subgradients with residuals e₁, e₂, so that
    /// (2γ + σ_h/2 − λmax(S⁺))·‖X⁺ − Y⁺‖ ≤ ‖e₁ − e₂‖, and λmax moves by at most l_f·‖Z⁺ − Z‖.
    pub(crate) fn proximity(&mut self, margin: f64) -> Option<f64> {
        let (moved_x, step_x) = self.safe_step(Side::X);
        let x = self.trial.clone();
        let (moved_y, step_y) = self.safe_step(Side::Y);
        let y = self.trial.clone();
        let shift = moved_x * y.norm() + self.x.norm() * moved_y;
        if !shift.is_finite() {
            return None;
        }
        let smoothness = self.problem.loss.constants().smoothness;
        let margin = margin - 0.5 * smoothness * shift;
        if margin <= 0.0 {
            return None;
        }
        let there = Self::new(&self.problem, x, y, self.gamma).ok()?;
        // (X − X⁺)/step − ∇F(X, Y) is a subgradient of ½h at X⁺; e₁ is what ∇F(X⁺, Y⁺) adds to it.
        let (mut difference, mut slope) = (self.trial.clone(), self.trial.clone());
        there.block_gradient(Side::X, &mut difference);
        self.block_gradient(Side::X, &mut slope);
        difference.axpy(-1.0, &slope);
        pull(1.0 / step_x, &self.x, &there.x, &mut difference);
        there.block_gradient(Side::Y, &mut slope);
        difference.axpy(-1.0, &slope);
        self.block_gradient(Side::Y, &mut slope);
        difference.axpy(1.0, &slope);
        pull(1.0 / step_y, there.y(), self.y(), &mut difference);
        Some(difference.norm() / (2.0 * margin) + moved_x + moved_y)
    }
}
