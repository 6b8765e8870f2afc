//! Starting points. The scale of a start matters more than the γ rule.

mod filter;
mod krylov;
mod rotation;
mod spectral;

pub(crate) use filter::{filter, ritz, unwanted};
pub(crate) use krylov::Space;
pub(crate) use spectral::Spectral;
pub use spectral::spectral;

use gramfold_linalg::Mat;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::{Error, Problem, regulariser::Shape};

/// Where a run starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// [`random`].
    #[default]
    Random,
    /// [`spectral()`].
    Spectral,
}

impl Start {
    /// The starting factor of a problem.
    pub fn factor(self, problem: &Problem<'_>, seed: u64) -> Result<Mat, Error> {
        match self {
            Self::Random => Ok(random(problem, seed)),
            Self::Spectral => spectral(problem, seed),
        }
    }
}

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
    fit(problem, &mut x);
    x
}

/// Makes X feasible and gives it the scale that minimises f(t·XXᵀ).
pub(crate) fn fit(problem: &Problem<'_>, x: &mut Mat) {
    make_feasible(problem, x);
    let scale = scale(problem, x);
    x.scale(scale.sqrt());
}

fn make_feasible(problem: &Problem<'_>, x: &mut Mat) {
    let cols = x.cols();
    // A tiny step: the projection if h is an indicator, next to nothing otherwise.
    problem.regulariser.prox(x.as_mut_slice(), cols, f64::MIN_POSITIVE);
}

/// The t > 0 that minimises f(t·XXᵀ), by secant steps on its slope; exact for quadratics.
fn scale(problem: &Problem<'_>, x: &Mat) -> f64 {
    let mut evaluation = problem.loss.evaluation(problem.rank);
    evaluation.folded(x);
    if let Some(best) = evaluation.best_multiple(x) {
        return best;
    }
    drop(evaluation);
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

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Dense, dot, symmetric_eigen};

    use super::*;
    use crate::{
        loss::Quadratic,
        regulariser::{Nonnegative, Zero},
    };

    /// ⟨A, XXᵀ⟩ = ‖XXᵀ‖² is what the scale is for.
    fn is_scaled(a: &Mat, x: &Mat) -> bool {
        let n = a.rows();
        let z = Mat::from_fn(n, n, |i, j| (0..x.cols()).map(|k| x[(i, k)] * x[(j, k)]).sum());
        (a.dot(&z) - z.norm_squared()).abs() < 1e-8 * z.norm_squared()
    }

    #[test]
    fn starts_are_feasible_scaled_and_seeded() {
        let a = Mat::from_fn(9, 9, |i, j| if i / 3 == j / 3 { 1.0 } else { 0.2 });
        let loss = Quadratic::new(Dense::symmetrised(a.clone()));
        let problem = Problem::new(&loss, &Nonnegative, 3).unwrap();
        for start in [Start::Random, Start::Spectral] {
            let x = start.factor(&problem, 4).unwrap();
            assert!(x.as_slice().iter().all(|v| *v >= 0.0) && is_scaled(&a, &x), "{start:?}");
            assert_eq!(x, start.factor(&problem, 4).unwrap());
            assert_ne!(x, start.factor(&problem, 5).unwrap());
        }
    }

    #[test]
    fn the_spectral_start_is_nearly_the_answer_without_constraints() {
        let a = Mat::from_fn(9, 9, |i, j| if i / 3 == j / 3 { 1.0 } else { 0.2 });
        let loss = Quadratic::new(Dense::symmetrised(a));
        let problem = Problem::new(&loss, &Zero, 3).unwrap();
        let value = |x: &Mat| {
            let mut evaluation = problem.loss.evaluation(3);
            evaluation.folded(x);
            evaluation.value(x, x)
        };
        let spectral = value(&spectral(&problem, 0).unwrap());
        assert!(spectral < 0.01 * value(&random(&problem, 0)), "{spectral}");
    }

    /// The best value at rank r is ½ of the sum of the other squared eigenvalues.
    #[test]
    fn a_start_from_a_krylov_space_is_nearly_the_best_of_its_rank() {
        let (n, rank) = (800, 2);
        let entry = |i: usize, j: usize| {
            let noise = ((i.min(j) * 31 + i.max(j) * 17 + i * j) as f64).sin();
            [0.1, 1.0][usize::from(i % rank == j % rank)] + 0.3 * noise
        };
        let a = Mat::from_fn(n, n, entry);
        let mut values = symmetric_eigen(&a).unwrap().values;
        values.truncate(n - rank);
        let best = 0.5 * dot(&values, &values);
        let loss = Quadratic::new(Dense::symmetrised(a));
        let problem = Problem::new(&loss, &Zero, rank).unwrap();
        assert!(krylov::is_cheaper(&problem));
        for seed in 0..3 {
            let x = spectral(&problem, seed).unwrap();
            let mut evaluation = problem.loss.evaluation(rank);
            evaluation.folded(&x);
            let value = evaluation.value(&x, &x);
            assert!(value >= best && value < 1.001 * best, "{value} {best}");
        }
    }

    #[test]
    fn a_matrix_with_nothing_positive_still_has_a_start() {
        let loss =
            Quadratic::new(Dense::symmetrised(Mat::from_fn(
                3,
                3,
                |i, j| {
                    if i == j { -1.0 } else { 0.0 }
                },
            )));
        let problem = Problem::new(&loss, &Zero, 2).unwrap();
        for start in [Start::Random, Start::Spectral] {
            let x = start.factor(&problem, 1).unwrap();
            assert!(x.is_finite() && x.norm() > 0.0, "{start:?}");
        }
    }
}
