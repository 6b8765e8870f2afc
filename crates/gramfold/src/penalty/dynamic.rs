//! The paper's dynamic rule (eq. 10).
//!
//! γ̌_k = [tr(DᵀGD) / (2ν‖D‖²) − σ_h/4]₊ + ε₀
//! γ̂_k = (τ_k/2)·‖G‖_F,  τ_k = 1 − 2⟨X, Y⟩/(‖X‖² + ‖Y‖²)
//! γ_k = min(γ_{k−1}, max(γ̂_k, γ̌_k))
//!
//! The min lets γ fall below the threshold in a transient and never recover; without it the rule
//! is sound in practice. Both are here. Where X and Y agree to rounding the quotient is 0/0 and γ
//! stays.

use super::{PenaltyRule, difference, root_of_start};
use crate::Split;

/// The paper's rule, with or without its min.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic {
    /// ν < 1.
    pub nu: f64,
    /// ε₀ > 0.
    pub epsilon: f64,
    /// γ₀; by default √f(X₀X₀ᵀ).
    pub gamma0: Option<f64>,
    /// Whether γ may only fall, as printed.
    pub monotone: bool,
}

impl PenaltyRule for Dynamic {
    fn name(&self) -> &'static str {
        if self.monotone { "dynamic" } else { "dynamic-max" }
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        self.gamma0.unwrap_or_else(|| root_of_start(split)).max(self.epsilon)
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        let rounding = 2.0 * f64::EPSILON * (split.x().norm() + split.y().norm());
        let Some(d) = difference(split).filter(|d| d.norm() > rounding) else {
            return split.gamma();
        };
        let (x, y, evaluation) = (split.x(), split.y(), split.evaluation());
        let curvature = evaluation.curvature_along_difference(x, y, &d) / d.norm_squared();
        let sigma_h = split.problem().regulariser.sigma();
        let careful = (curvature / (2.0 * self.nu) - 0.25 * sigma_h).max(0.0) + self.epsilon;
        let tau = 1.0 - 2.0 * x.dot(y) / (x.norm_squared() + y.norm_squared());
        let bold = 0.5 * tau * evaluation.gradient_norm(x, y);
        let gamma = careful.max(bold);
        if self.monotone { gamma.min(split.gamma()) } else { gamma }
    }
}
