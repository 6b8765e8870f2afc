//! Theorem 1 and T1, at every critical point that AM reaches from anywhere.

use gramfold::{
    Problem, Regulariser, Split,
    bounds::{exactness, proximity},
    certificate::gradient_spectrum,
    linalg::Mat,
    loss::Quadratic,
    regulariser::Shape,
};

use crate::common::{
    Random, assert_close, dense, inner, limit, outer, product, regulariser, regularisers, sum,
    symmetric_part, top,
};

/// A critical point of ½‖Z − A‖² at γ.
struct Critical {
    a: Mat,
    x: Mat,
    y: Mat,
    gamma: f64,
    h: Box<dyn Regulariser>,
}

impl Critical {
    /// ∇f(XYᵀ) by its formula.
    fn gradient(&self) -> Mat {
        sum(1.0, &outer(&self.x, &self.y), -1.0, &self.a)
    }

    fn difference(&self) -> Mat {
        sum(1.0, &self.x, -1.0, &self.y)
    }

    /// ½λmax(S) − σ_h/4 by dense eigenvalues.
    fn threshold(&self) -> f64 {
        0.5 * top(&symmetric_part(&self.gradient())) - 0.25 * self.h.sigma()
    }

    /// Symmetric to 1e-8 of the natural size of a factor.
    fn is_symmetric(&self) -> bool {
        self.difference().norm() <= 1e-8 * self.x.norm().max(self.a.norm().sqrt())
    }
}

/// Limits of AM from random pairs, at γ from far below the threshold to above it.
fn critical_points(seed: u64, per_regulariser: usize) -> Vec<Critical> {
    let mut random = Random(seed);
    let mut all = Vec::new();
    for index in 0..regularisers().len() {
        for _ in 0..per_regulariser {
            let h = regularisers().swap_remove(index);
            let n = random.whole(1, 8);
            let r = random.whole(1, n.min(3));
            let a = random.symmetric(n);
            let gamma = a.norm() * 10_f64.powf(1.5 * random.uniform() - 1.3);
            let loss = Quadratic::new(dense(&a));
            let problem = Problem::new(&loss, &*h, r).unwrap();
            let (x, y) = (random.feasible(&*h, n, r), random.feasible(&*h, n, r));
            let solution = limit(&problem, gamma, &x, &y);
            // A run that is still on its way says nothing about critical points.
            if solution.last.stationarity.is_some_and(|s| s <= 1e-11) {
                all.push(Critical { a, x: solution.x, y: solution.y, gamma, h });
            }
        }
    }
    all
}

#[test]
fn above_the_threshold_at_a_critical_point_the_factors_agree() {
    let (mut above, mut apart) = (0, 0);
    for point in critical_points(31, 60) {
        let threshold = point.threshold();
        // Residuals of 1e-11 leave asymmetries of 1e-8 unless the margin is negligible too.
        if point.gamma > threshold + 1e-3 * point.a.norm() {
            let size = point.difference().norm();
            assert!(point.is_symmetric(), "{}: ‖D‖ = {size:e}", point.h.name());
            above += 1;
        }
        if !point.is_symmetric() {
            assert!(point.gamma <= threshold * (1.0 + 1e-8) + 1e-8);
            apart += 1;
        }
    }
    assert!(above > 100 && apart > 10, "{above} above the threshold, {apart} asymmetric");
}

#[test]
fn the_threshold_is_the_dense_formula() {
    for point in critical_points(32, 8) {
        let loss = Quadratic::new(dense(&point.a));
        let problem = Problem::new(&loss, &*point.h, point.x.cols()).unwrap();
        let split = Split::new(&problem, point.x.clone(), point.y.clone(), point.gamma).unwrap();
        let found = exactness(&gradient_spectrum(&split), point.h.sigma()).unwrap();
        assert!(found >= point.threshold() - 1e-14 * point.a.norm());
        assert_close(found, point.threshold(), 1e-7, "Theorem 1");
    }
}

#[test]
fn proximity_holds_at_critical_points() {
    // (2γ + σ_h/2)‖D‖² + ½‖Z − Zᵀ‖² ≤ tr(DᵀGD), with equality for h = 0 or ridge.
    let mut apart = 0;
    for point in critical_points(33, 60).into_iter().filter(|point| !point.is_symmetric()) {
        let d = point.difference();
        let loss = Quadratic::new(dense(&point.a));
        let problem = Problem::new(&loss, &*point.h, point.x.cols()).unwrap();
        let split = Split::new(&problem, point.x.clone(), point.y.clone(), point.gamma).unwrap();
        let bound = proximity(&split, d.norm_squared()).unwrap();
        assert!(point.gamma <= bound + 1e-8, "γ = {} above {bound}", point.gamma);

        let z = outer(&point.x, &point.y);
        let skew = sum(1.0, &z, -1.0, &z.transposed()).norm_squared();
        let left = (2.0 * point.gamma + 0.5 * point.h.sigma()) * d.norm_squared() + 0.5 * skew;
        let right = inner(&d, &product(&point.gradient(), &d));
        assert!(left <= right + 1e-8 * (1.0 + right), "{left} > {right}");
        if matches!(point.h.shape(), Shape::Ridge { .. }) {
            assert_close(left, right, 1e-7, "the master identity");
        }
        apart += 1;
    }
    assert!(apart > 10);
    let loss = Quadratic::new(dense(&Mat::identity(2)));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let split = Split::new(&problem, Mat::zeros(2, 1), Mat::zeros(2, 1), 1.0).unwrap();
    assert!(proximity(&split, 0.0).is_err());
}

#[test]
fn t1_locates_every_critical_point() {
    let mut apart = 0;
    let covered = |point: &Critical| point.h.is_least_at_zero() && point.h.sigma() >= 0.0;
    for point in critical_points(34, 50).into_iter().filter(covered) {
        let f = 0.5 * point.gradient().norm_squared();
        let z = outer(&point.x, &point.y).norm_squared();
        let d = point.difference().norm_squared();
        let h = point.h.value(&point.x) + point.h.value(&point.y);
        let at_zero = 0.5 * point.a.norm_squared();
        let left = f + 0.5 * point.gamma * d + 0.5 * z + 0.25 * h;
        assert!(left <= at_zero * (1.0 + 1e-9), "{}: {left} > {at_zero}", point.h.name());
        // For a quadratic loss the proof's inequalities are equalities when h is a cone's
        // indicator or quadratic, but that ½⟨ξ, X⟩ = h(X), not ½h(X), for a ridge.
        if matches!(point.h.shape(), Shape::Ridge { .. } | Shape::Nonnegative) {
            assert_close(left + 0.25 * h, at_zero, 1e-8, point.h.name());
        }
        // The γ term matters: without it the identity fails wherever the factors differ.
        apart += usize::from(d > 1e-3 * at_zero);
    }
    assert!(apart > 10);
}

#[test]
fn critical_factors_are_balanced() {
    // h = 0 or ridge: XᵀX = YᵀY. Nonnegative: ‖x_i‖ = ‖y_i‖ column by column.
    for point in critical_points(35, 30) {
        let gram = |m: &Mat| product(&m.transposed(), m);
        let (x, y) = (gram(&point.x), gram(&point.y));
        let tolerance = 1e-7 * (1.0 + point.a.norm());
        if point.h.name() == "nonnegative" {
            assert!((0..x.rows()).all(|i| (x[(i, i)] - y[(i, i)]).abs() <= tolerance));
        } else if matches!(point.h.shape(), Shape::Ridge { .. }) {
            assert!(x.distance(&y) <= tolerance, "{}", point.h.name());
        }
    }
}
