//! Composite losses end exact under the spectral rule; above the bounds X = Y, below the necessary one X ≠ Y.

use gramfold::{
    Problem, Stop, bounds,
    linalg::Mat,
    loss::{Composite, map::Entries},
    registry, solve,
};

use crate::common::{
    Random, assert_close, assert_near, component, composite, limit, method, regulariser, scaled,
    stationarity,
};

const LOSSES: [&str; 3] = ["square", "logistic", "squared-hinge"];

#[test]
fn the_spectral_rule_ends_exact_on_hundreds_of_random_problems() {
    let mut random = Random(91);
    let mut exact = 0;
    for trial in 0..300 {
        let name = LOSSES[trial % 3];
        let (n, r) = (random.whole(3, 9), random.whole(1, 3));
        let loss = composite("entries", name, n, &mut random);
        // Labels alone do not keep a factor bounded.
        let h = regulariser(["ridge:lambda=0.5", "ridge:lambda=0.2"][trial / 3 % 2]);
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let start = random.mat(n, r);
        let stop = Stop::default().tolerance(1e-6).max_iterations(20_000);
        let run = method("am:tolerance=1e-10", "spectral", stop);
        let solution = solve(&problem, run, &start, &mut ()).unwrap();
        let certificate = solution.certify(&problem, 1e-5).unwrap();
        assert!(certificate.exact, "{trial} {name}: {certificate:?}");
        exact += 1;
    }
    assert_eq!(exact, 300);
}

#[test]
fn above_t2_and_t5_every_limit_is_symmetric() {
    let mut random = Random(92);
    for trial in 0..90 {
        let name = LOSSES[trial % 3];
        let n = random.whole(2, 5);
        let loss = composite("entries", name, n, &mut random);
        let h = regulariser("ridge:lambda=0.3");
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let mut bound = bounds::from_zero(&problem).unwrap();
        match bounds::lipschitz(&problem) {
            Ok(sharper) => bound = bound.min(sharper),
            Err(_) => assert_ne!(name, "logistic"),
        }
        let (x, y) = (random.mat(n, 1), random.mat(n, 1));
        let solution = limit(&problem, 1.05 * bound.max(0.05), &x, &y);
        assert_near(&solution.x, &solution.y, 1e-6, name);
    }
}

/// One entry of a 1×1 matrix, with a target or label that pulls it below 0.
fn single(name: &str, target: f64) -> Composite {
    let map = Box::new(Entries::new(1, &[(0, 0)]).unwrap());
    let scalar = registry::scalar(&component(name)).unwrap();
    Composite::new(map, scalar, &[target], None).unwrap()
}

#[test]
fn below_the_necessary_bound_they_stay_apart() {
    for (name, target, slope) in
        [("square", -2.0, 2.0), ("logistic", -1.0, 0.5), ("squared-hinge", -1.0, 1.0)]
    {
        let loss = single(name, target);
        let h = regulariser("zero");
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let bound = bounds::necessary(&problem).unwrap();
        assert_close(bound, 0.5 * slope, 1e-9, name);
        let u = Mat::from_row_major(1, 1, vec![0.4]);
        let apart = limit(&problem, 0.8 * bound, &u, &scaled(-1.0, &u));
        assert!(stationarity(&problem, &apart.x, &apart.y, apart.gamma) < 1e-8, "{name}");
        assert!(apart.x.distance(&apart.y) > 0.1, "{name}");
        let above = bounds::from_zero(&problem).unwrap().max(bound);
        let together = limit(&problem, 1.1 * above, &u, &scaled(-1.0, &u));
        assert!(together.x.distance(&together.y) < 1e-4, "{name}");
    }
}

#[test]
fn t5_is_the_slope_times_the_spectral_radius() {
    // Huber on the three pairs of a triangle: ρ of its adjacency matrix is 2.
    let map = Box::new(Entries::new(3, &[(0, 1), (0, 2), (1, 2)]).unwrap());
    let scalar = registry::scalar(&component("huber:delta=0.7")).unwrap();
    let loss = Composite::new(map, scalar, &[1.0, -3.0, 2.0], None).unwrap();
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    assert_close(bounds::lipschitz(&problem).unwrap(), 0.7, 1e-9, "T5");
    // It does not depend on how far a hinge is rounded off.
    for width in [1.0, 0.01] {
        let loss = single(&format!("smoothed-hinge:width={width}"), -1.0);
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        assert_close(bounds::lipschitz(&problem).unwrap(), 0.5, 1e-9, "T5 of a hinge");
    }
}
