//! `pca`: proportional to computational accuracy, γ = O(1/√ε), read from Han et al.
//!
//! γ_k = max(ε₀, min(l_f/√ε_k, cap))
//!
//! with ε_k = ‖X − Y‖² (as the paper's experiments ran it) or ε_k = ‖X − Y‖ (as printed). Taking l_f as the
//! constant of the O(·) gives both of the paper's examples: ε₀ for a linear loss, 1/‖X − Y‖ for ½(z + d)².

use super::{PenaltyRule, root_of_start};
use crate::Split;

/// Inverse to the distance of the factors, up to a cap.
#[derive(Clone, Copy, Debug)]
pub struct Accuracy {
    /// ε₀ > 0, the least γ.
    pub epsilon: f64,
    /// The largest γ.
    pub cap: f64,
    /// γ₀; by default √f(X₀X₀ᵀ).
    pub gamma0: Option<f64>,
    /// Whether ε_k = ‖X − Y‖, as printed.
    pub printed: bool,
}

impl PenaltyRule for Accuracy {
    fn name(&self) -> &'static str {
        if self.printed { "pca-printed" } else { "pca" }
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        self.gamma0.unwrap_or_else(|| root_of_start(split)).max(self.epsilon)
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        let smoothness = split.problem().loss.constants().smoothness;
        if smoothness == 0.0 {
            return self.epsilon;
        }
        let distance = split.x().distance(split.y());
        let root = if self.printed { distance.sqrt() } else { distance };
        (smoothness / root).min(self.cap).max(self.epsilon)
    }
}
