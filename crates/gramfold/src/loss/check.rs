//! The laws that every loss obeys, tried at random points: for those who write their own.

use gramfold_linalg::Mat;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Evaluation, Loss, Side};

/// Sizes of the points that are tried, relative to the data.
const SIZES: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// Relative length of the steps of differences.
const STEP: f64 = 1e-5;

/// What differences may be wrong by, relative to what they are of; a curvature may jump within a step.
const OF_GRADIENT: f64 = 1e-5;
const OF_CURVATURE: f64 = 2e-2;

/// What rounding may make of two ways to the same number.
const SAME: f64 = 1e-8;

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The law.
    pub law: &'static str,
    /// What was found …
    pub found: f64,
    /// … and what it should be, or be bounded by.
    pub expected: f64,
}

/// Tries the laws of a loss at random factors with `rank` columns: the gradient is the derivative of the value, f(Z) = f(Zᵀ),
/// curvature and lines are those of the value, and the constants bound what they say. No violation proves nothing, but a
/// wrong sign or a forgotten factor does not get through.
pub fn check_loss(loss: &dyn Loss, rank: usize, seed: u64) -> Vec<Violation> {
    let mut check = Check {
        loss,
        rank: rank.clamp(1, loss.dim().max(1)),
        random: Xoshiro256PlusPlus::seed_from_u64(seed),
        violations: Vec::new(),
    };
    // From far below to far above the size of the data.
    for size in SIZES {
        check.try_at(size);
    }
    check.violations
}

struct Check<'a> {
    loss: &'a dyn Loss,
    rank: usize,
    random: Xoshiro256PlusPlus,
    violations: Vec<Violation>,
}

impl<'a> Check<'a> {
    fn factor(&mut self, size: f64) -> Mat {
        let scale = self.loss.constants().scale;
        let scale = if scale > 0.0 && scale.is_finite() { scale } else { 1.0 };
        let random = &mut self.random;
        let mut x = Mat::from_fn(self.loss.dim(), self.rank, |_, _| StandardNormal.sample(random));
        let norm = x.norm().max(f64::MIN_POSITIVE);
        x.scale((size * scale).sqrt() / norm);
        x
    }

    fn at(&self, x: &Mat, y: &Mat) -> Box<dyn Evaluation + 'a> {
        let mut evaluation = self.loss.evaluation(self.rank);
        evaluation.moved(Side::X, x);
        evaluation.moved(Side::Y, y);
        evaluation
    }

    fn value(&self, x: &Mat, y: &Mat) -> f64 {
        self.at(x, y).value(x, y)
    }

    /// ∇f(XYᵀ)·V.
    fn product(&self, x: &Mat, y: &Mat, v: &Mat) -> Mat {
        let mut out = Mat::zeros(v.rows(), v.cols());
        self.at(x, y).apply(x, y, v, &mut out);
        out
    }

    fn same(&mut self, law: &'static str, found: f64, expected: f64, allowed: f64) {
        self.holds((found - expected).abs() <= allowed, law, found, expected);
    }

    fn holds(&mut self, holds: bool, law: &'static str, found: f64, expected: f64) {
        if !holds {
            self.violations.push(Violation { law, found, expected });
        }
    }

    fn try_at(&mut self, size: f64) {
        let (x, y, e) = (self.factor(size), self.factor(size), self.factor(size));
        let (loss, value) = (self.loss, self.value(&x, &y));
        let scale = value.abs() + loss.at_zero().abs();
        self.same("f(Z) = f(Zᵀ)", self.value(&y, &x), value, SAME * scale);
        let zero = Mat::zeros(x.rows(), x.cols());
        let at_zero = self.value(&zero, &zero);
        self.same("at_zero() is f(0)", loss.at_zero(), at_zero, SAME * scale);

        let forward = self.value(&moved(&x, STEP, &e), &y);
        let slope = (forward - self.value(&moved(&x, -STEP, &e), &y)) / (2.0 * STEP);
        let expected = self.product(&x, &y, &y).dot(&e);
        let allowed = OF_GRADIENT * (expected.abs() + scale);
        self.same("∇f is the derivative of f", expected, slope, allowed);
        let mut transposed = Mat::zeros(e.rows(), e.cols());
        self.at(&x, &y).apply_transpose(&x, &y, &e, &mut transposed);
        let other = self.product(&y, &x, &e);
        let distance = transposed.distance(&other);
        self.same("∇f(Z)ᵀ = ∇f(Zᵀ)", distance, 0.0, SAME * (1.0 + other.norm()));
        self.try_constants(&x, &y, size);
        self.try_folded(&x, &e, scale);
    }

    fn try_constants(&mut self, x: &Mat, y: &Mat, size: f64) {
        let (u, v) = (self.factor(size), self.factor(size));
        let constants = self.loss.constants();
        // ⟨G, XYᵀ⟩ = ⟨GY, X⟩, and ⟨XYᵀ, UVᵀ⟩ = ⟨XᵀU, YᵀV⟩.
        let along =
            |a: &Mat, b: &Mat| self.product(a, b, y).dot(x) - self.product(a, b, &v).dot(&u);
        let rise = along(x, y) - along(&u, &v);
        let inner = |a: &Mat, b: &Mat, c: &Mat, d: &Mat| cross(a, c).dot(&cross(b, d));
        let square = inner(x, y, x, y) - 2.0 * inner(x, y, &u, &v) + inner(&u, &v, &u, &v);
        let slack = SAME * (rise.abs() + constants.smoothness * square);
        // What is not a number breaks no bound.
        let (least, most) = (constants.sigma * square, constants.smoothness * square);
        let below = rise < least - slack;
        self.holds(!below, "σ_f bounds f from below", rise, least);
        let above = rise > most + slack;
        self.holds(!above, "l_f bounds f from above", rise, most);
        let value = self.value(x, y);
        let lower = value < constants.infimum - SAME * value.abs();
        self.holds(!lower, "f is above its infimum", value, constants.infimum);
    }

    fn try_folded(&mut self, x: &Mat, e: &Mat, scale: f64) {
        let gradient = |x: &Mat| self.product(x, x, x);
        let mut curvature = Mat::zeros(x.rows(), x.cols());
        if self.at(x, x).curvature_product(x, e, true, &mut curvature) {
            let mut difference = gradient(&moved(x, STEP, e));
            difference.axpy(-1.0, &gradient(&moved(x, -STEP, e)));
            // The gradient of X ↦ f(XXᵀ) is 2∇f(XXᵀ)X.
            difference.scale(1.0 / STEP);
            let allowed = OF_CURVATURE * (difference.norm() + scale / e.norm());
            let distance = curvature.distance(&difference);
            self.same("curvature_product is the derivative of ∇f", distance, 0.0, allowed);
        }
        let mut evaluation = self.at(x, x);
        if let Some(line) = evaluation.line(x, e) {
            let found = line.value(0.5);
            drop(line);
            let there = moved(x, 0.5, e);
            let expected = self.value(&there, &there);
            self.same("a line is f along it", found, expected, SAME * (scale + expected.abs()));
        }
    }
}

/// X + tE.
fn moved(x: &Mat, t: f64, e: &Mat) -> Mat {
    let mut moved = x.clone();
    moved.axpy(t, e);
    moved
}

/// AᵀB.
fn cross(a: &Mat, b: &Mat) -> Mat {
    gramfold_linalg::Gram::new(1).of(a, b).clone()
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Dense;

    use super::*;
    use crate::{
        loss::{
            Composite,
            scalar::{Bounds, Scalar},
        },
        registry::{Component, LOSSES, MAPS, SCALARS, scalar},
    };

    fn map_of(entry: usize) -> Box<dyn crate::loss::map::Map> {
        let mut state = 9_u64;
        let mut number = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (MAPS[entry].example)(6, &mut number)
    }

    #[test]
    fn every_loss_of_the_registry_passes() {
        let a = Mat::from_fn(6, 6, |i, j| ((i * j + i + j) % 7) as f64 / 3.0 - 1.0);
        for entry in LOSSES {
            let loss = (entry.build)(Dense::symmetrised(a.clone()).into());
            assert_eq!(check_loss(&*loss, 2, 1), [], "{}", entry.name);
        }
        for map in 0..MAPS.len() {
            for entry in SCALARS {
                let scalar = scalar(&Component::named(entry.name)).unwrap();
                let map = map_of(map);
                let targets: Vec<f64> = (0..map.observations())
                    .map(|k| scalar.nearest_target(if k % 3 == 0 { 1.0 } else { -1.0 }))
                    .collect();
                let name = format!("{} {}", map.name(), entry.name);
                let loss = Composite::new(map, scalar, &targets, None).unwrap();
                assert_eq!(check_loss(&loss, 2, 1), [], "{name}");
            }
        }
    }

    /// ½(z − b)² with a slope, or a bound, that is wrong.
    #[derive(Debug)]
    struct Wrong {
        slope: f64,
        bound: f64,
    }

    impl Scalar for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }

        fn at(&self, z: f64, b: f64) -> [f64; 3] {
            [0.5 * (z - b).powi(2), self.slope * (z - b), self.slope]
        }

        fn bounds(&self, _: f64) -> Bounds {
            Bounds {
                slope: f64::INFINITY,
                least_curvature: 0.0,
                curvature: self.bound,
                infimum: 0.0,
            }
        }
    }

    #[test]
    fn a_wrong_slope_and_a_wrong_constant_are_named() {
        for (slope, bound, law) in [
            (-1.0, 1.0, "∇f is the derivative of f"),
            (2.0, 2.0, "∇f is the derivative of f"),
            (1.0, 0.1, "l_f bounds f from above"),
        ] {
            let map = map_of(0);
            let targets = vec![0.3; map.observations()];
            let wrong = Box::new(Wrong { slope, bound });
            let loss = Composite::new(map, wrong, &targets, None).unwrap();
            let found = check_loss(&loss, 2, 3);
            assert!(found.iter().any(|violation| violation.law == law), "{law}: {found:?}");
        }
    }
}
