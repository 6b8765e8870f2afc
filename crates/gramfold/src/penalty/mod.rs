//! γ rules (line 5 of Algorithm 1), one a file, each documented by its formula.
//!
//! Throughout, G = ∇f(X_kY_kᵀ), S = ½(G + Gᵀ), D = X_k − Y_k. A rule sees the iterate and the loss's
//! evaluation, never the loss's type; it may raise γ or lower it.

mod accuracy;
mod adaptive;
mod descent;
mod dynamic;
mod fixed;
mod geometric;
mod published;
mod safe;
pub(crate) mod spectral;

pub use accuracy::Accuracy;
pub use adaptive::Adaptive;
pub use descent::Descent;
pub use dynamic::Dynamic;
pub use fixed::Fixed;
pub use geometric::Geometric;
pub use published::Published;
pub use safe::Safe;
pub use spectral::Spectral;

use gramfold_linalg::Mat;

use crate::{Error, Memory, Problem, Split};

/// Sets γ_k from (X_k, Y_k).
pub trait PenaltyRule: Send {
    /// Its name in specs and messages.
    fn name(&self) -> &'static str;

    /// Refuses a problem that it cannot take, naming what is missing.
    fn check(&self, _: &Problem<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// γ₀, at the start.
    fn initial(&mut self, split: &Split<'_>) -> f64;

    /// γ_k after iteration k; `split.gamma()` is γ_{k−1}.
    fn update(&mut self, split: &Split<'_>) -> f64;

    /// Looks more closely where a run is about to end; a larger γ, if this one is not above the threshold there.
    fn confirm(&mut self, _split: &Split<'_>) -> Option<f64> {
        None
    }

    /// The rule's last estimate of Theorem 1's threshold, where it keeps one.
    fn threshold(&self) -> Option<f64> {
        None
    }

    /// Stores what the next γ depends on besides the factors and the last γ.
    fn remember(&self, _memory: &mut Memory) {}

    /// Takes it back.
    fn recall(&mut self, _memory: &Memory) {}
}

/// D = X − Y, or none where ‖D‖² underflows and a quotient by it means nothing.
fn difference(split: &Split<'_>) -> Option<Mat> {
    let mut d = split.x().clone();
    d.axpy(-1.0, split.y());
    (d.norm() > f64::MIN_POSITIVE.sqrt()).then_some(d)
}

/// √[f(X₀X₀ᵀ)]₊, the paper's γ₀.
fn root_of_start(split: &Split<'_>) -> f64 {
    let mut evaluation = split.problem().loss.evaluation(split.problem().rank);
    evaluation.folded(split.x());
    evaluation.value(split.x(), split.x()).max(0.0).sqrt()
}
