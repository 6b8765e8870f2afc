//! A prox is what its definition says, and a regulariser is as convex as it claims.

use gramfold::{Regulariser, linalg::Mat};

use crate::common::{Random, regularisers, sum};

fn prox(h: &dyn Regulariser, v: &Mat, step: f64) -> Mat {
    let mut out = v.clone();
    h.prox(out.as_mut_slice(), v.cols(), step);
    out
}

/// argmin_u step·h(u) + ½(u − v)² by a grid that zooms in on its best point.
fn naive_prox(h: &dyn Regulariser, v: f64, step: f64) -> f64 {
    let cost = |u: f64| step * h.value(&Mat::from_row_major(1, 1, vec![u])) + 0.5 * (u - v).powi(2);
    let (mut centre, mut width) = (0.0, 16.0);
    for _ in 0..12 {
        // An even grid about 0 or about the best point: the edge of a domain at 0 is on it.
        let grid = (-64..=64).map(|i| centre + width * f64::from(i) / 64.0);
        centre = grid.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).expect("a grid");
        width /= 16.0;
    }
    centre
}

#[test]
fn the_prox_is_the_naive_minimiser() {
    let mut random = Random(6);
    for h in regularisers().iter().filter(|h| h.shape().is_separable()) {
        for trial in 0..40 {
            let (v, step) = (3.0 * random.normal(), [0.1_f64, 0.5, 1.0, 4.0][trial % 4]);
            let step = step.min(0.9 * h.longest_step());
            let found = prox(&**h, &Mat::from_row_major(1, 1, vec![v]), step)[(0, 0)];
            let naive = naive_prox(&**h, v, step);
            assert!((found - naive).abs() < 1e-6, "{}: {found} against {naive}", h.name());
        }
    }
}

#[test]
fn the_prox_satisfies_its_optimality_inequality() {
    // step·h(w) + ½‖w − v‖² ≥ step·h(p) + ½‖p − v‖² + ½(1 + step·σ_h)‖w − p‖².
    let mut random = Random(7);
    for h in regularisers() {
        for step in [0.01, 1.0, 7.0].map(|step: f64| step.min(0.9 * h.longest_step())) {
            let (v, w) = (random.mat(5, 3), random.feasible(&*h, 5, 3));
            let p = prox(&*h, &v, step);
            assert!(h.value(&p).is_finite() && h.value(&w).is_finite());
            let cost = |u: &Mat| step * h.value(u) + 0.5 * u.distance(&v).powi(2);
            let modulus = 0.5 * (1.0 + step * h.sigma());
            let least = cost(&p) + modulus * w.distance(&p).powi(2);
            assert!(cost(&w) >= least - 1e-10 * (1.0 + least.abs()), "{}", h.name());
        }
    }
}

#[test]
fn the_prox_contracts_by_its_modulus() {
    // Firmly nonexpansive if h is convex: (1 + step·σ_h)‖p − q‖² ≤ ⟨p − q, u − v⟩.
    let mut random = Random(8);
    for h in regularisers() {
        for step in [0.01, 1.0, 7.0].map(|step: f64| step.min(0.9 * h.longest_step())) {
            let (u, v) = (random.mat(6, 2), random.mat(6, 2));
            let (pu, pv) = (prox(&*h, &u, step), prox(&*h, &v, step));
            let moved = sum(1.0, &pu, -1.0, &pv);
            let along = moved.dot(&sum(1.0, &u, -1.0, &v));
            let modulus = 1.0 + step * h.sigma();
            let least = modulus * moved.norm_squared();
            assert!(least <= along + 1e-12 * (1.0 + along.abs()), "{}", h.name());
        }
    }
}

#[test]
fn subgradients_are_strongly_monotone() {
    // (v − prox v)/step is a subgradient at prox v.
    let mut random = Random(9);
    for h in regularisers() {
        for step in [0.05, 1.0, 5.0].map(|step: f64| step.min(0.9 * h.longest_step())) {
            let pair = [random.mat(4, 3), random.mat(4, 3)].map(|v| {
                let p = prox(&*h, &v, step);
                let slope = sum(1.0 / step, &v, -1.0 / step, &p);
                (p, slope)
            });
            let (change, slopes) =
                (sum(1.0, &pair[0].0, -1.0, &pair[1].0), sum(1.0, &pair[0].1, -1.0, &pair[1].1));
            let (along, distance) = (slopes.dot(&change), change.norm_squared());
            assert!(along >= h.sigma() * distance - 1e-10 * (1.0 + along.abs()), "{}", h.name());
            if h.name() == "ridge" {
                // Teeth: the modulus of a ridge is attained.
                assert!(along <= h.sigma() * distance * (1.0 + 1e-9) + 1e-9);
            }
        }
    }
}

#[test]
fn the_infimum_and_the_value_at_zero_are_as_declared() {
    let mut random = Random(10);
    for h in regularisers() {
        let zero = h.value(&Mat::zeros(4, 2));
        for _ in 0..20 {
            let value = h.value(&random.feasible(&*h, 4, 2));
            assert!(value >= h.infimum(), "{}", h.name());
            assert!(!h.is_least_at_zero() || value >= zero, "{}", h.name());
        }
    }
}
