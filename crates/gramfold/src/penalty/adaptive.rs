//! `adp`: the adaptive rule of Li, Zhu, Li and Liu (eq. 3).
//!
//! γ_k = γ_{k−1}·(‖X‖² + ‖Y‖²) / (2|⟨X, Y⟩|)
//!
//! at the current iterate (as the paper's experiments ran it), or at the previous one (as printed).

use super::PenaltyRule;
use crate::{Memory, Split};

/// Growth by the mismatch of the factors.
#[derive(Clone, Copy, Debug)]
pub struct Adaptive {
    gamma0: f64,
    lagged: bool,
    growth: f64,
}

impl Adaptive {
    /// Starts at γ₀; `lagged` uses the growth of the previous iterate, as printed.
    pub fn new(gamma0: f64, lagged: bool) -> Self {
        Self { gamma0, lagged, growth: 1.0 }
    }

    fn growth(split: &Split<'_>) -> f64 {
        let (x, y) = (split.x(), split.y());
        let growth = (x.norm_squared() + y.norm_squared()) / (2.0 * x.dot(y).abs());
        // 0/0 and x/0: factors that vanished, overflowed, or are orthogonal tell nothing.
        if growth.is_finite() { growth } else { 1.0 }
    }
}

impl PenaltyRule for Adaptive {
    fn name(&self) -> &'static str {
        if self.lagged { "adp-printed" } else { "adp" }
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        self.growth = Self::growth(split);
        self.gamma0
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        let now = Self::growth(split);
        let before = std::mem::replace(&mut self.growth, now);
        split.gamma() * if self.lagged { before } else { now }
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_number("growth", self.growth);
    }

    fn recall(&mut self, memory: &Memory) {
        self.growth = memory.number("growth").unwrap_or(1.0);
    }
}
