//! The constants that every theorem is stated in hold on random pairs.

use gramfold::{Loss, linalg::Mat};

use crate::{
    common::{Random, inner, outer, scaled, sum},
    losses::{at, every_loss, gradient},
};

/// ⟨∇f(Z₁) − ∇f(Z₂), Z₁ − Z₂⟩ and ‖Z₁ − Z₂‖².
fn curvature(loss: &dyn Loss, a: (&Mat, &Mat), b: (&Mat, &Mat)) -> (f64, f64) {
    let change = sum(1.0, &outer(a.0, a.1), -1.0, &outer(b.0, b.1));
    let slopes = sum(1.0, &gradient(loss, a.0, a.1), -1.0, &gradient(loss, b.0, b.1));
    (inner(&slopes, &change), change.norm_squared())
}

/// [X | u].
fn append(x: &Mat, scale: f64, u: &Mat) -> Mat {
    let r = x.cols();
    Mat::from_fn(x.rows(), r + 1, |i, j| if j < r { x[(i, j)] } else { scale * u[(i, 0)] })
}

#[test]
fn convexity_and_smoothness_hold_on_random_pairs() {
    let mut random = Random(2);
    for trial in 0..60 {
        let n = random.whole(1, 6);
        for loss in every_loss(&random.symmetric(n)) {
            let constants = loss.constants();
            let size = 10_f64.powi(trial % 5 - 2);
            let (x, y) = (random.mat(n, n), random.mat(n, n));
            let (u, v) = (scaled(size, &random.mat(n, n)), random.mat(n, n));
            let (slope, distance) = curvature(&*loss, (&x, &y), (&u, &v));
            let slack = 1e-10 * (1.0 + distance);
            assert!(slope >= constants.sigma * distance - slack, "σ_f of {}", loss.name());
            assert!(slope <= constants.smoothness * distance + slack, "l_f of {}", loss.name());
        }
    }
}

#[test]
fn rank_one_smoothness_holds_along_squares() {
    let mut random = Random(3);
    for trial in 0..60 {
        let n = random.whole(1, 6);
        for loss in every_loss(&random.symmetric(n)) {
            let constants = loss.constants();
            assert!(constants.rank_one_smoothness <= constants.smoothness);
            let (x, y, u) = (random.mat(n, 2), random.mat(n, 2), random.mat(n, 1));
            // Steps of both signs: the theorems walk from Z to Z − t·uuᵀ.
            let t = if trial % 2 == 0 { 0.1 } else { -1.5 };
            let (ahead, behind) = (append(&x, t, &u), append(&x, 0.0, &u));
            let other = append(&y, 1.0, &u);
            let (slope, distance) = curvature(&*loss, (&ahead, &other), (&behind, &other));
            let bound = constants.rank_one_smoothness * distance;
            assert!(slope <= bound + 1e-10 * (1.0 + distance), "l_1 of {}", loss.name());
        }
    }
}

#[test]
fn the_infimum_is_below_every_value() {
    let mut random = Random(4);
    for _ in 0..60 {
        let n = random.whole(1, 6);
        let a = random.symmetric(n);
        for loss in every_loss(&a) {
            let infimum = loss.constants().infimum;
            // Z = A is where a loss that fits A is smallest.
            for (x, y) in [(random.mat(n, n), random.mat(n, n)), (a.clone(), Mat::identity(n))] {
                let value = at(&*loss, &x, &y).value(&x, &y);
                assert!(infimum <= value + 1e-12 * (1.0 + loss.at_zero()), "{}", loss.name());
            }
            assert!(infimum <= loss.at_zero());
        }
    }
}

#[test]
fn a_wrong_constant_would_be_seen() {
    // The law has teeth: at σ_f = l_f = 1 the quadratic's curvature is exactly the distance.
    let mut random = Random(5);
    let a = random.symmetric(4);
    let losses = every_loss(&a);
    let quadratic = losses.iter().find(|loss| loss.name() == "quadratic").unwrap();
    let (x, y, u) = (random.mat(4, 4), random.mat(4, 4), random.mat(4, 4));
    let (slope, distance) = curvature(&**quadratic, (&x, &y), (&u, &y));
    assert!(slope < 1.01 * distance && slope > 0.99 * distance);
}
