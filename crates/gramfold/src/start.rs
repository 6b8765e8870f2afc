//! Starting points. The scale of a start matters more than the γ rule.

use gramfold_linalg::Mat;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Problem, regulariser::Shape};

/// A random factor, scaled so that t ↦ f(t·X₀X₀ᵀ) is smallest at t = 1.
///
/// Uniform on [0, 1) for a nonnegative problem, standard normal otherwise. For the quadratic loss the
/// scale is ⟨A, X₀X₀ᵀ⟩ = ‖X₀X₀ᵀ‖²; where no positive scale is best, ‖X₀X₀ᵀ‖ is a hundredth of ‖A‖.
pub fn random(problem: &Problem<'_>, seed: u64) -> Mat {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let nonnegative = problem.regulariser.shape() == Shape::Nonnegative;
    let mut x = Mat::from_fn(problem.dim(), problem.rank, |_, _| {
        if nonnegative { random.random() } else { StandardNormal.sample(&mut random) }
    });
    let cols = x.cols();
    // A tiny step: the projection if h is an indicator, next to nothing otherwise.
    problem.regulariser.prox(x.as_mut_slice(), cols, f64::MIN_POSITIVE);
    let scale = scale(problem, &x);
    x.scale(scale.sqrt());
    x
}

/// The t > 0 that minimises f(t·XXᵀ), by secant steps on its slope; exact for quadratics.
fn scale(problem: &Problem<'_>, x: &Mat) -> f64 {
    let slope = |t: f64| {
        let mut factor = x.clone();
        factor.scale(t.sqrt());
        let mut evaluation = problem.loss.evaluation(problem.rank);
        evaluation.folded(&factor);
        let mut image = Mat::zeros(x.rows(), x.cols());
        evaluation.apply(&factor, &factor, x, &mut image);
        image.dot(x)
    };
    let natural = problem.loss.constants().scale;
    let size = x.norm_squared().max(f64::MIN_POSITIVE);
    let fallback = if natural > 0.0 { 0.01 * natural / size } else { 1.0 };
    let (mut low, mut high) = (0.0, fallback);
    let (mut at_low, mut at_high) = (slope(low), slope(high));
    for _ in 0..8 {
        let t = low - at_low * (high - low) / (at_high - at_low);
        if !(t > 0.0 && t.is_finite()) || at_high == at_low {
            return fallback;
        }
        (low, at_low) = (high, at_high);
        (high, at_high) = (t, slope(t));
        if at_high.abs() <= 1e-10 * at_low.abs() {
            break;
        }
    }
    high
}
