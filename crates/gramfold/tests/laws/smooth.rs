//! A user's loss that is merely smooth works wherever smoothness is enough, and is refused by name
//! elsewhere.

use gramfold::{Problem, Status, Stop, bounds, solve, solve_from};

use crate::common::{
    Random, assert_near, custom::PseudoHuber, limit, method, regulariser, regularisers,
    stationarity,
};

#[test]
fn am_admm_and_direct_take_a_smooth_loss() {
    let mut random = Random(15);
    let b = random.positive(5, 2);
    let loss = PseudoHuber::new(crate::common::outer(&b, &b), 0.8);
    for h in regularisers() {
        let problem = Problem::new(&loss, &*h, 2).unwrap();
        let start = random.feasible(&*h, 5, 2);
        let gamma = bounds::lipschitz(&problem).unwrap().max(0.1) * 1.05;
        for algorithm in ["am:tolerance=1e-12", "admm:tolerance=1e-12", "direct"] {
            let stop = Stop::default().tolerance(1e-7).max_iterations(3000);
            let run = method(algorithm, &format!("fixed:gamma={gamma}"), stop);
            let solution = solve(&problem, run, &start, &mut ()).unwrap();
            let what = format!("{algorithm} {}", h.name());
            assert_eq!(solution.status, Status::Converged, "{what}: {:?}", solution.last);
            let x = &solution.factor;
            assert!(stationarity(&problem, x, x, gamma) < 1e-6, "{what}");
        }
    }
}

#[test]
fn ham_refuses_a_smooth_loss_and_says_what_is_missing() {
    let loss = PseudoHuber::new(Random(16).symmetric(4), 1.0);
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let start = Random(17).mat(4, 1);
    for algorithm in ["ham", "ham-jacobi"] {
        let run = method(algorithm, "spectral", Stop::default());
        let text = solve(&problem, run, &start, &mut ()).expect_err("refused").to_string();
        assert!(text.contains("shared Gram") && text.contains("`pseudo-huber`"), "{text}");
    }
}

#[test]
fn above_t5_every_limit_is_symmetric() {
    let mut random = Random(18);
    for trial in 0..24 {
        let (n, r) = (random.whole(1, 4), 1);
        let loss = PseudoHuber::new(random.symmetric(n), 0.5);
        let h = regulariser(["zero", "ridge:lambda=0.4", "nonnegative"][trial % 3]);
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let bound = bounds::lipschitz(&problem).unwrap();
        let expected = 0.5 * 0.5 * n as f64 - 0.25 * h.sigma();
        assert!((bound - expected).abs() < 1e-14);
        let (x, y) = (random.feasible(&*h, n, r), random.feasible(&*h, n, r));
        let solution = limit(&problem, 1.02 * bound.max(0.01), &x, &y);
        assert_near(&solution.x, &solution.y, 1e-8, h.name());
    }
}

#[test]
fn below_the_necessary_bound_a_smooth_loss_stays_apart() {
    // f(z) = φ(z + 2) in one dimension: ∇f(0) = φ′(2), and (u, −u) is critical below half of it.
    let loss = PseudoHuber::new(gramfold::linalg::Mat::from_row_major(1, 1, vec![-2.0]), 1.5);
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let bound = bounds::necessary(&problem).unwrap();
    let slope = 2.0 / (1.0 + (2.0_f64 / 1.5).powi(2)).sqrt();
    assert!((bound - 0.5 * slope).abs() < 1e-12);
    let u = gramfold::linalg::Mat::from_row_major(1, 1, vec![0.5]);
    let minus = crate::common::scaled(-1.0, &u);
    let apart = limit(&problem, 0.9 * bound, &u, &minus);
    assert!(stationarity(&problem, &apart.x, &apart.y, apart.gamma) < 1e-10);
    assert!(apart.x.distance(&apart.y) > 0.1);
    let run =
        method("am:tolerance=1e-14", &format!("fixed:gamma={}", 1.05 * bound), Stop::default());
    let together = solve_from(&problem, run, u, minus, &mut ()).unwrap();
    assert!(together.x.distance(&together.y) < 1e-3);
}
