//! The fixed penalties of the symmetric NMF literature, for comparison.
//!
//! `zhu`: γ = ½(‖A‖₂ + ‖A − X₀Y₀ᵀ‖_F − σ_n(A)), the bound of Zhu, Li, Liu and Li (2018) for SymANLS and SymHALS; σ_n(A) ≥ 0 is
//! taken as 0, which is on the safe side.
//! `kuang`: γ = (max A)², the choice of Kuang, Yun and Park (2015). It is not invariant to the scale of A.

use gramfold_linalg::{Krylov, KrylovOptions, Mat, Symmetric};

use super::PenaltyRule;
use crate::{Error, Problem, Split, Structure};

/// A fixed γ computed from A and the start, as a paper prescribes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Zhu, Li, Liu and Li.
    Zhu,
    /// Kuang, Yun and Park.
    Kuang,
}

impl PenaltyRule for Published {
    fn name(&self) -> &'static str {
        match self {
            Self::Zhu => "zhu",
            Self::Kuang => "kuang",
        }
    }

    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        if matches!(problem.loss.structure(), Structure::Frobenius(_)) {
            return Ok(());
        }
        Err(problem.lacks_loss(self.name(), "the quadratic loss ½‖Z − A‖²"))
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        let Structure::Frobenius(a) = split.problem().loss.structure() else {
            unreachable!("invariant: `check` refused this problem")
        };
        let gamma = match self {
            Self::Zhu => {
                let residual = split.evaluation().gradient_norm(split.x(), split.y());
                0.5 * (spectral_norm(a) + residual)
            }
            Self::Kuang => a.values().fold(0.0_f64, f64::max).powi(2),
        };
        gamma.max(f64::MIN_POSITIVE)
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        split.gamma()
    }
}

/// ‖A‖₂ to three digits.
fn spectral_norm(a: &Symmetric) -> f64 {
    let mut apply = |v: &Mat, out: &mut Mat| a.apply(v, out);
    let ritz = Krylov::new(a.dim(), 0).run(&mut apply, None, KrylovOptions::ends(60, 1e-3));
    ritz.map_or(f64::NAN, |ritz| ritz.values[0].abs().max(ritz.values[1].abs()))
}
