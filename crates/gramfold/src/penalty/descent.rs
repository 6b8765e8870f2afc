//! `agd`: the algorithm-dependent rule of Hu and Kwok (eq. 4).
//!
//! γ_k = [L + 2⟨E, ∇⟩/‖E‖²]₊ + ε₀
//!
//! as run, in Y: E = X − Y, ∇ = GᵀX, L = l_f‖X‖₂²; as printed, in X: E = Y − X, ∇ = GY, L = l_f‖Y‖₂².
//! Only the first gives the limits that the paper reports, and needs no running maximum
//! over k to do so.

use gramfold_linalg::{Gram, Mat, symmetric_eigen};

use super::{PenaltyRule, difference};
use crate::{Side, Split};

/// Descent of a gradient step on the split.
#[derive(Clone, Copy, Debug)]
pub struct Descent {
    /// γ₀.
    pub gamma0: f64,
    /// ε₀ > 0.
    pub epsilon: f64,
    /// Whether it is the form printed in the paper, in X, and not the mirrored one, in Y, that its experiments ran.
    pub printed: bool,
}

impl PenaltyRule for Descent {
    fn name(&self) -> &'static str {
        if self.printed { "agd-printed" } else { "agd" }
    }

    fn initial(&mut self, _: &Split<'_>) -> f64 {
        self.gamma0
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        let Some(d) = difference(split) else { return split.gamma() };
        let (side, other, sign) =
            if self.printed { (Side::X, split.y(), -1.0) } else { (Side::Y, split.x(), 1.0) };
        let mut gradient = Mat::zeros(d.rows(), d.cols());
        split.loss_gradient(side, &mut gradient);
        let quotient = 2.0 * sign * d.dot(&gradient) / d.norm_squared();
        let smoothness = split.problem().loss.constants().smoothness;
        let lipschitz = if smoothness == 0.0 { 0.0 } else { smoothness * top(other) };
        (lipschitz + quotient).max(0.0) + self.epsilon
    }
}

/// ‖factor‖₂².
fn top(factor: &Mat) -> f64 {
    let gram = Gram::new(factor.cols()).of(factor, factor).clone();
    symmetric_eigen(&gram).map_or(f64::INFINITY, |e| e.values.last().copied().unwrap_or(0.0))
}
