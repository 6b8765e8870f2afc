//! `safe`: rule (S), which descends with a proof.
//!
//! γ_k = max(c·mean_i‖y_i‖², min(γ_{k−1}, (1 + δ)·√(l_1(F_k − f* − h*)/2) − σ_h/4 + ε₀))
//!
//! γ₀ is the same at the start. F_k and, but for the floor, γ_k never increase, and every limit
//! point is critical for a γ∞ > ‖∇f‖/2 − σ_h/4, hence symmetric by Theorem 1. Needs f bounded below.

use super::PenaltyRule;
use crate::{Error, Memory, Problem, Split};

/// The bound of Corollary 1 (corrected), followed downhill.
#[derive(Clone, Copy, Debug)]
pub struct Safe {
    delta: f64,
    epsilon: f64,
    floor: f64,
    least: f64,
}

impl Safe {
    /// With margin δ, ε₀ and floor c (of the start's mean squared column).
    pub fn new(delta: f64, epsilon: f64, floor: f64) -> Self {
        Self { delta, epsilon, floor, least: 0.0 }
    }

    fn bound(&self, split: &Split<'_>) -> f64 {
        let problem = split.problem();
        let constants = problem.loss.constants();
        let excess = split.objective() - constants.infimum - problem.regulariser.infimum();
        let root = (0.5 * constants.rank_one_smoothness * excess.max(0.0)).sqrt();
        (1.0 + self.delta) * root - 0.25 * problem.regulariser.sigma() + self.epsilon
    }
}

impl PenaltyRule for Safe {
    fn name(&self) -> &'static str {
        "safe"
    }

    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        if problem.loss.constants().infimum.is_finite() {
            return Ok(());
        }
        Err(problem.lacks_loss("the γ rule `safe`", "a loss that is bounded below"))
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        let columns = split.y().norm_squared() / split.y().cols() as f64;
        self.least = (self.floor * columns).max(f64::MIN_POSITIVE);
        self.bound(split).max(self.least)
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        self.bound(split).min(split.gamma()).max(self.least)
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_number("least", self.least);
    }

    fn recall(&mut self, memory: &Memory) {
        self.least = memory.number("least").unwrap_or(f64::MIN_POSITIVE);
    }
}
