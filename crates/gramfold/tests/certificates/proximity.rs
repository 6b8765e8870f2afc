//! Theorem 1 with residuals: ‖X − Y‖ ≤ proximity wherever a certificate gives one, at any point.

use gramfold::{
    Certificate, Problem,
    linalg::Mat,
    loss::{Linear, Quadratic},
};

use crate::common::{Random, dense, limit, regulariser, scaled, sum};

/// At random, near and converged pairs, for γ from just above the threshold to far above it.
fn check(text: &str) {
    let mut random = Random(101);
    let h = regulariser(text);
    let mut given = 0;
    for trial in 0..300 {
        let n = random.whole(1, 6);
        let r = random.whole(1, n);
        let a = random.symmetric(n);
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let size = [1.0, 0.1, 1e-3][trial % 3];
        let mut x = scaled(size, &random.feasible(&*h, n, r));
        let mut y = scaled(size, &random.feasible(&*h, n, r));
        let gamma = a.norm() * (0.2 + 4.0 * random.uniform());
        if trial % 4 == 0 {
            let solution = limit(&problem, gamma, &x, &y);
            (x, y) = (solution.x, solution.y);
        } else if trial % 4 == 1 {
            y = sum(1.0, &x, 1e-4, &random.mat(n, r));
            h.prox(y.as_mut_slice(), r, f64::MIN_POSITIVE);
        }
        let certificate = Certificate::of(&problem, &x, &y, gamma, 1e-6).unwrap();
        let distance = x.distance(&y);
        if let Some(proximity) = certificate.proximity {
            given += 1;
            assert!(
                distance <= proximity * (1.0 + 1e-9) + 1e-14,
                "{text}, trial {trial}, γ = {gamma}: ‖X − Y‖ = {distance:e} > {proximity:e}"
            );
        }
    }
    assert!(given > 100, "{given} bounds only");
}

#[test]
fn proximity_bounds_the_distance_without_a_regulariser() {
    check("zero");
}

#[test]
fn proximity_bounds_the_distance_with_a_ridge() {
    check("ridge:lambda=2");
}

#[test]
fn proximity_bounds_the_distance_with_nonnegativity() {
    check("nonnegative");
}

#[test]
fn proximity_with_nonnegativity_by_hand() {
    // x₂ = ε against a slope of 1 that holds y₂ at 0: a short proximal step, a long distance.
    let (epsilon, gamma) = (1e-6, 10.0);
    let loss = Quadratic::new(dense(&Mat::from_row_major(2, 2, vec![1.0, -1.0, -1.0, 0.0])));
    let h = regulariser("nonnegative");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let x = Mat::from_row_major(2, 1, vec![1.0, epsilon]);
    let y = Mat::from_row_major(2, 1, vec![1.0, 0.0]);
    let certificate = Certificate::of(&problem, &x, &y, gamma, 1e-6).unwrap();
    let proximity = certificate.proximity.unwrap_or(f64::INFINITY);
    assert!(epsilon <= proximity * (1.0 + 1e-9), "{epsilon:e} > {proximity:e}");
}

#[test]
fn proximity_without_coupling_is_not_zero() {
    // C = −I and γ = 0: the margin is positive, and X ≠ Y are not critical.
    let loss = Linear::new(dense(&scaled(-1.0, &Mat::identity(2))));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let (x, y) =
        (Mat::from_row_major(2, 1, vec![1.0, 0.0]), Mat::from_row_major(2, 1, vec![0.0, 1.0]));
    let certificate = Certificate::of(&problem, &x, &y, 0.0, 1e-6).unwrap();
    let proximity = certificate.proximity.unwrap_or(f64::INFINITY);
    assert!(x.distance(&y) <= proximity, "{proximity}");
}
