//! γ_k = γ.

use super::PenaltyRule;
use crate::Split;

/// A constant γ > 0: exact if it is above a bound of [`bounds`](crate::bounds).
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// γ.
    pub gamma: f64,
}

impl PenaltyRule for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn initial(&mut self, _: &Split<'_>) -> f64 {
        self.gamma
    }

    fn update(&mut self, _: &Split<'_>) -> f64 {
        self.gamma
    }
}
