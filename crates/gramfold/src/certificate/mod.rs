//! The certificate: everything that is claimed of a solution, recomputed from (X, Y, γ) alone.

mod global;
mod nonnegative;
mod spectrum;
mod words;

pub use global::{LowerBound, Method};
pub use spectrum::{DENSE, FAILURE, Operator, Proof, Spectrum};
pub use words::significant;

use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use crate::{Error, Problem, Split, regulariser::Shape};

/// `exact` is judged by the tolerance asked for, but never by a looser one than this.
pub const LOOSEST: f64 = 1e-3;

/// `optimal` allows a gap of this share of the objective and of what can be gained over X = 0 …
pub const OPTIMAL_RELATIVE: f64 = 1e-6;

/// … and of this share of f(0) − f*, below which rounding hides the difference.
pub const OPTIMAL_ROUNDING: f64 = 1e-12;

/// What can be proved of (X, Y, γ) and of the answer ½(X + Y).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// γ.
    pub gamma: f64,
    /// The tolerance that `exact` was judged by.
    pub tolerance: f64,
    /// How far (X, Y) is from critical for the split problem aBMF.
    pub split_stationarity: f64,
    /// How far ½(X + Y) is from critical for the problem sBMF itself.
    pub stationarity: f64,
    /// ‖X − Y‖/‖X‖.
    pub asymmetry: f64,
    /// The spectrum of sym ∇f(XYᵀ).
    pub spectrum: Spectrum,
    /// Theorem 1's threshold ½λmax(sym ∇f) − σ_h/4, from the upper bound on λmax.
    #[serde(with = "crate::extended")]
    pub threshold: f64,
    /// γ − threshold.
    #[serde(with = "crate::extended")]
    pub margin: f64,
    /// Theorem 1 with residuals: ‖X − Y‖ is at most this. None without a positive margin.
    pub proximity: Option<f64>,
    /// X and Y are the same critical point: the margin is proved positive (or X = Y bit for bit)
    /// and residual and asymmetry are within the tolerance.
    pub exact: bool,
    /// f at the answer.
    pub loss: f64,
    /// h at the answer; infinite if it is infeasible.
    #[serde(with = "crate::extended")]
    pub regularisation: f64,
    /// The best proved lower bound on min f(XXᵀ) + h(X) over the rank, if any.
    pub lower_bound: Option<LowerBound>,
    /// loss + regularisation − lower bound.
    pub gap: Option<f64>,
    /// The gap is proved negligible: the answer is a global minimum.
    pub optimal: bool,
}

impl Certificate {
    /// Recomputes every claim. The factors must have the problem's shape and be finite.
    pub fn of(
        problem: &Problem<'_>,
        x: &Mat,
        y: &Mat,
        gamma: f64,
        tolerance: f64,
    ) -> Result<Self, Error> {
        let tolerance = tolerance.min(LOOSEST);
        let mut split = Split::new(problem, x.clone(), y.clone(), gamma)?;
        let split_stationarity = split.stationarity();
        let asymmetry = split.asymmetry();
        // The lower end serves the dual bound, which a nonnegative problem does not have.
        let ridge = matches!(problem.regulariser.shape(), Shape::Ridge { .. });
        let spectrum = spectrum_of(&split, if ridge { Spectrum::of } else { Spectrum::upper });
        let sigma_h = problem.regulariser.sigma();
        let threshold = 0.5 * spectrum.high - 0.25 * sigma_h;
        let margin = gamma - threshold;
        let proved = margin > 0.0 && spectrum.proof.holds();
        let proximity = if proved { split.proximity(margin) } else { None };

        let mut answer = x.clone();
        answer.zip(y, |x, y| 0.5 * (x + y));
        let mut folded = Split::new(problem, answer.clone(), answer.clone(), gamma)?;
        let stationarity = folded.stationarity();
        let exact = (proved || x == y) && split_stationarity <= tolerance && asymmetry <= tolerance;

        // At X = Y the spectrum of the answer is the one just computed.
        let known = (x == y && ridge).then_some(spectrum);
        let loss = folded.evaluation().precise_value(folded.x(), folded.y());
        let regularisation = problem.regulariser.value(&answer);
        let lower_bound = global::lower_bound(&folded, loss + regularisation, known);
        let gap = lower_bound.map(|bound| loss + regularisation - bound.value);
        // An infeasible answer has no gap that means anything.
        let gap = gap.filter(|gap| gap.is_finite());
        let scale = (problem.loss.at_zero() - problem.loss.constants().infimum).abs();
        let rounding = if scale.is_finite() { OPTIMAL_ROUNDING * scale } else { 0.0 };
        let at_zero = problem.loss.at_zero() + problem.regulariser.value(&Mat::zeros(x.rows(), 1));
        let gain = lower_bound.map_or(0.0, |bound| (at_zero - bound.value).abs());
        let negligible = OPTIMAL_RELATIVE * (loss + regularisation).abs().min(gain) + rounding;
        let optimal = gap.is_some_and(|gap| gap <= negligible);
        Ok(Self {
            gamma,
            tolerance,
            split_stationarity,
            stationarity,
            asymmetry,
            spectrum,
            threshold,
            margin,
            proximity,
            exact,
            loss,
            regularisation,
            lower_bound,
            gap,
            optimal,
        })
    }
}

/// The spectrum of sym ∇f(XYᵀ).
pub fn gradient_spectrum(split: &Split<'_>) -> Spectrum {
    spectrum_of(split, Spectrum::of)
}

fn spectrum_of(split: &Split<'_>, bound: fn(&mut Operator<'_>, u64) -> Spectrum) -> Spectrum {
    let (x, y, evaluation) = (split.x(), split.y(), split.evaluation());
    let mut apply = |v: &Mat, out: &mut Mat| evaluation.apply_symmetric(x, y, v, out);
    let mut operator =
        Operator { dim: x.rows(), apply: &mut apply, rounding: evaluation.rounding(x, y) };
    // Fixed, so that a claim can be recomputed. A matrix built against this very seed could deceive a
    // probabilistic bound; data that were not are as good as independent of it.
    bound(&mut operator, 0x6772616d)
}
